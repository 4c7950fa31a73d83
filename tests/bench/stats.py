"""Figures from slices: percentiles, medians, ratios within a round. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any


@dataclass(frozen=True, slots=True)
class Slice:
    """What one variant did in one slice of one round."""

    requests: int
    errors: int
    seconds: float
    p50_ms: float
    p99_ms: float
    cpu_ms: float
    """Of the proxy's process, from the start of the slice until it came to rest: deferred work counts."""
    rest_ms: float
    """How long it went on working after the last answer."""
    load_cpu_ms: float
    upstream_cpu_ms: float
    upstream_connections: int

    @property
    def rps(self) -> float:
        return self.requests / self.seconds if self.seconds else 0.0

    def a_request(self, total: float) -> float:
        """A total, divided by the requests."""
        return total / self.requests if self.requests else 0.0


def percentile(ordered: Sequence[float], part: float) -> float:
    """The nearest-rank percentile of an ordered list; 0 of an empty one."""
    if not ordered:
        return 0.0
    rank = min(len(ordered), max(1, -(-len(ordered) * part // 100)))
    return ordered[int(rank) - 1]


def figures(one: Slice) -> dict[str, float]:
    """The figures of a slice that are compared between variants."""
    return {
        "rps": one.rps,
        "cpu_ms": one.a_request(one.cpu_ms),
        "p50_ms": one.p50_ms,
        "p99_ms": one.p99_ms,
    }


def ratios(variant: Sequence[Slice], base: Sequence[Slice]) -> dict[str, dict[str, float]]:
    """
    Each figure against the base: the median, lowest and highest of the ratios within each round.

    Rounds in which the base has nothing to divide by are left out.
    """
    out: dict[str, dict[str, float]] = {}
    for name in ("rps", "cpu_ms", "p50_ms", "p99_ms"):
        pairs = [(figures(a)[name], figures(b)[name]) for a, b in zip(variant, base, strict=True)]
        found = [a / b for a, b in pairs if b]
        if found:
            out[name] = {"x": _round(median(found)), "min": _round(min(found)), "max": _round(max(found))}
    return out


def summary(slices: Sequence[Slice]) -> dict[str, Any]:
    """Medians over the rounds, and totals."""
    rows = [figures(one) for one in slices]
    out: dict[str, Any] = {name: _round(median(row[name] for row in rows)) for name in rows[0]}
    out["rest_ms"] = _round(median(one.rest_ms for one in slices))
    out["load_cpu_ms"] = _round(median(one.a_request(one.load_cpu_ms) for one in slices))
    out["upstream_cpu_ms"] = _round(median(one.a_request(one.upstream_cpu_ms) for one in slices))
    out["requests"] = sum(one.requests for one in slices)
    out["errors"] = sum(one.errors for one in slices)
    out["upstream_connections"] = sum(one.upstream_connections for one in slices)
    return out


def cell(rounds: Mapping[str, Sequence[Slice]], base: str) -> dict[str, Any]:
    """All variants of one cell, each with its ratios to the base of the same round."""
    return {
        name: summary(slices) | ({"x": ratios(slices, rounds[base])} if name != base and base in rounds else {})
        for name, slices in rounds.items()
        if slices
    }


def order(names: Iterable[str], number: int) -> list[str]:
    """Variants in the order of one round: turned by one each round, and backwards in every second one."""
    listed = list(names)
    turned = listed[number % len(listed) :] + listed[: number % len(listed)]
    return turned[::-1] if number % 2 else turned


def plain(slices: Sequence[Slice]) -> list[dict[str, Any]]:
    """Every slice as measured, for who wants to look closer."""
    return [{name: _round(value) for name, value in asdict(one).items()} for one in slices]


def _round(value: float) -> float:
    return round(value, 3)
