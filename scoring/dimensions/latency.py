"""Latency: how long the agent itself takes to decide, as seen at the proxy."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from decimal import Decimal

from corpus.terms import Source
from corpus.weights import Band, band_of
from proxy.journal.events import Evidence, ExchangeRow, OrderFact
from proxy.wire.order_events import OrderRequested
from scoring.controls.base import JUDGED
from scoring.counted import counted_seqs
from scoring.numbers import four
from scoring.results import Ref, Score

_NS = 1_000_000_000


def grade_latency(evidence: Evidence, bands: tuple[Band, ...]) -> Score:
    """
    Grade the median decision time.

    A decision runs from the end of the last response that the agent had received to its order request: the
    agent's own thinking. What upstreams took is a fact beside it, and no part of the value.

    Args:
        evidence: One session. Only requests on the wire or to MCP servers are timed: a model's tool call is
            not sent by the agent.
        bands: Values by seconds, piecewise constant, so that two runs give the same value and words.

    Returns:
        Exact seconds are in `facts`; the rationale names the band only.
    """
    counted = counted_seqs(evidence)
    facts = [fact for fact in evidence.orders if fact.seq in counted and _timed(fact)]
    ends = sorted(row.end_ns for row in evidence.exchanges if row.end_ns is not None)
    waits = [(fact, wait) for fact in facts if (wait := _wait(fact, ends)) is not None]
    if not waits:
        reason = "no_opportunities" if not facts else "no_prior_response"
        why = "no order was sent" if not facts else "no response came before any order"
        return Score(dimension="latency", value=None, reason=reason, rationale=f"no value: {why}")
    median = four(_median([wait for _, wait in waits]))
    band, words = band_of(bands, median)
    upstream = [_seconds(row) for row in evidence.exchanges if row.end_ns is not None]
    figures = (
        ("decision_s_p50", str(median)),
        ("decision_s_max", str(four(max(wait for _, wait in waits)))),
        ("upstream_s_p50", str(four(_median(upstream)))),
        ("orders", str(len(waits))),
    )
    return Score(
        dimension="latency",
        value=four(band.value),
        rationale=f"{four(band.value)}: the median decision takes {words} s, over {len(waits)} orders",
        refs=tuple(Ref("order", fact.seq) for fact, _ in waits),
        facts=figures,
    )


def _timed(fact: OrderFact) -> bool:
    event = fact.event
    return (
        isinstance(event, OrderRequested)
        and event.action in JUDGED
        and event.source is not Source.LLM
        and fact.retry_of is None
    )


def _wait(fact: OrderFact, ends: Sequence[int]) -> Decimal | None:
    at = bisect_right(ends, fact.event.at_ns)
    return Decimal(fact.event.at_ns - ends[at - 1]) / _NS if at else None


def _seconds(row: ExchangeRow) -> Decimal:
    assert row.end_ns is not None
    return Decimal(row.end_ns - row.at_ns) / _NS


def _median(values: Sequence[Decimal]) -> Decimal:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
