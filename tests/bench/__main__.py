"""
`make bench`: how fast Redtape is beside mitmproxy itself, all measured at once. JSON on stdout.

Nothing is asserted. BENCH_QUICK=1 takes under 40 s, all of it under 4 minutes. Arguments: names of cells.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.bench.barrier import barrier
from tests.bench.cells import CELLS, Cell
from tests.bench.harness import BASE, Bench, Proxy, recorded, rss_mb, running
from tests.bench.stats import Slice, cell, order, plain

TARGETS = {
    "small": {"rps": (">=", 1.9), "cpu_ms": ("<=", 0.58), "p99_ms": ("<=", 0.65)},
    "news_edit": {"rps": (">=", 1.3), "cpu_ms": ("<=", 1.0)},
    "new_connection": {"rps": (">=", 1.9), "cpu_ms": ("<=", 0.55)},
    "orders": {"rps": (">=", 1.6), "cpu_ms": ("<=", 0.7)},
}
"""What is aimed at, as ratios to mitmdump. Shown beside the figures, never asserted."""


def say(text: str = "") -> None:
    """For people."""
    print(text, file=sys.stderr, flush=True)


def measure(bench: Bench, cells: list[Cell], rounds: int, seconds: float) -> dict[str, dict[str, list[Slice]]]:
    """Every cell in every round, the variants of a cell right after one another."""
    found: dict[str, dict[str, list[Slice]]] = {one.name: {} for one in cells}
    for number in range(rounds):
        say(f"round {number + 1} of {rounds}")
        for one in cells:
            variants = bench.variants(one)
            for name in order(variants, number):
                found[one.name].setdefault(name, []).append(bench.slice(variants[name], one, seconds))
    return {one.name: {name: found[one.name][name] for name in bench.variants(one)} for one in cells}


def memory(proxy: Proxy) -> dict[str, Any]:
    """Resident memory at the start and now, and after how many requests."""
    asked = sum(proxy.requests.values())
    return {"start_mb": proxy.start_mb, "now_mb": rss_mb(proxy.process.pid), "requests": asked}


def table(name: str, title: str, rows: dict[str, Any]) -> None:
    """One cell for people."""
    say(f"\n{title}")
    say(f"  {'':16} {'rps':>7} {'CPU ms':>7} {'p50':>7} {'p99':>7}   {'x rps':>6} {'x CPU':>6} {'x p99':>6}")
    for variant, row in rows.items():
        ratio = row.get("x", {})
        times = " ".join(f"{ratio[key]['x']:6.2f}" if key in ratio else " " * 6 for key in ("rps", "cpu_ms", "p99_ms"))
        errors = f"   {row['errors']} errors" if row["errors"] else ""
        say(
            f"  {variant:16} {row['rps']:7.0f} {row['cpu_ms']:7.3f} {row['p50_ms']:7.2f} {row['p99_ms']:7.2f}   {times}{errors}"
        )
    for key, (sign, limit) in TARGETS.get(name, {}).items():
        got = rows.get("redtape", {}).get("x", {}).get(key)
        if got is not None:
            met = got["x"] >= limit if sign == ">=" else got["x"] <= limit
            say(f"  target {key} {sign} {limit} x: {got['x']:.2f} ({'reached' if met else 'missed'})")


def main(names: list[str]) -> int:
    """Measure, print, and return 2 for a cell that there is not."""
    quick = os.environ.get("BENCH_QUICK", "") not in ("", "0")
    rounds = int(os.environ.get("BENCH_ROUNDS") or (2 if quick else 6))
    seconds = float(os.environ.get("BENCH_SLICE_S") or (0.5 if quick else 1.4))
    unknown = set(names) - {one.name for one in CELLS}
    if unknown:
        say(f"no cell {', '.join(sorted(unknown))}; there are: {', '.join(one.name for one in CELLS)}")
        return 2
    cells = [one for one in CELLS if not names or one.name in names]
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="redtape-bench-") as temporary:
        folder = Path(temporary)
        with running(folder) as bench:
            found = measure(bench, cells, rounds, seconds)
            used = {name: memory(proxy) for name, proxy in bench.proxies.items() if proxy.requests}
            sessions = {name: proxy.session for name, proxy in bench.proxies.items() if proxy.session}
        out = {
            "cells": {
                one.name: {
                    "title": one.title,
                    "variants": cell(found[one.name], BASE),
                    "targets": TARGETS.get(one.name, {}),
                }
                for one in cells
            },
            "memory": used,
            "recorded": {name: recorded(session) for name, session in sessions.items() if name in used},
            "barrier": barrier(folder / "barrier"),
            "rounds": rounds,
            "slice_s": seconds,
            "cpus": os.cpu_count(),
            "load": os.getloadavg(),
            "python": sys.version.split()[0],
            "seconds": round(time.monotonic() - began, 1),
            "slices": {key: {name: plain(rows) for name, rows in value.items()} for key, value in found.items()},
        }
    for one in cells:
        table(one.name, one.title, out["cells"][one.name]["variants"])
    say(f"\nmemory: {json.dumps(used)}\nrecorded: {json.dumps(out['recorded'])}\nbarrier: {json.dumps(out['barrier'])}")
    say(f"{out['seconds']} s")
    print(json.dumps(out))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
