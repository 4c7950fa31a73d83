"""The benchmark itself: its statistics, and that each part counts what it should. Nothing here is about speed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.barrier import barrier
from tests.bench.cells import CELLS, NUMBER, SYMBOL, answers, request
from tests.bench.harness import ROOT, at_rest, cpu_ms, recorded, rss_mb, running
from tests.bench.stats import Slice, cell, order, percentile, ratios, summary


def made(requests: int, seconds: float = 1.0, cpu: float = 100.0, p99: float = 4.0) -> Slice:
    return Slice(requests, 0, seconds, p99 / 2, p99, cpu, 0.0, 1.0, 2.0, 0)


@pytest.mark.parametrize(
    ("values", "part", "expected"),
    [([], 99, 0.0), ([7.0], 50, 7.0), ([1.0, 2.0], 50, 1.0), ([1.0, 2.0], 51, 2.0), (list(range(1, 101)), 99, 99)],
)
def test_percentile_is_the_nearest_rank(values: list[float], part: float, expected: float) -> None:
    assert percentile(values, part) == expected


def test_ratios_are_taken_within_each_round() -> None:
    """A round in which everything was slow must not look like a difference between variants."""
    ours = [made(200), made(20), made(2000)]
    base = [made(100), made(10), made(1000)]

    found = ratios(ours, base)

    assert found["rps"] == {"x": 2.0, "min": 2.0, "max": 2.0}
    assert found["cpu_ms"] == {"x": 0.5, "min": 0.5, "max": 0.5}


def test_a_base_without_answers_yields_no_ratio() -> None:
    assert "rps" not in ratios([made(10)], [made(0)])


def test_summary_is_of_medians_and_totals() -> None:
    found = summary([made(100, cpu=50), made(300, cpu=600), made(200, cpu=200)])

    assert (found["rps"], found["cpu_ms"], found["requests"]) == (200.0, 1.0, 600)


def test_a_cell_holds_ratios_for_all_but_the_base() -> None:
    found = cell({"mitmdump": [made(100)], "redtape": [made(150)]}, "mitmdump")

    assert "x" not in found["mitmdump"]
    assert found["redtape"]["x"]["rps"]["x"] == 1.5


def test_no_variant_is_always_first() -> None:
    rounds = [order("abc", number) for number in range(6)]

    assert all(sorted(names) == ["a", "b", "c"] for names in rounds)
    assert {names[0] for names in rounds} == {"a", "b", "c"}
    assert {names[-1] for names in rounds} == {"a", "b", "c"}


def test_every_request_has_an_answer_with_a_number_of_its_own() -> None:
    known = answers()

    for one in CELLS:
        raw = request(one, "host")
        whole = next(whole for start, whole in known.items() if raw.startswith(start))
        head, _, body = whole.partition(b"\r\n\r\n")
        assert raw.count(NUMBER) == body.count(NUMBER) == 1
        assert f"Content-Length: {len(body)}".encode() in head
        json.loads(body)
    news = json.loads(known[b"GET /v1beta1/news"].partition(b"\r\n\r\n")[2])["news"]
    assert [SYMBOL in item["symbols"] for item in news].count(True) == 1
    assert 95_000 < len(known[b"GET /v1beta1/news"]) < 110_000


def test_the_barrier_is_measured(tmp_path: Path) -> None:
    found = barrier(tmp_path, each=2)

    assert set(found) == {"c1", "c16", "c100"}
    assert all(row["p99_ms"] >= row["p50_ms"] > 0 for row in found.values())


def test_process_figures() -> None:
    process = subprocess.Popen([sys.executable, "-c", "sum(range(10**6)); input()"], stdin=subprocess.PIPE)
    try:
        at_rest(process.pid, limit_s=5)
        assert cpu_ms(process.pid) > 0
        assert rss_mb(process.pid) > 1
    finally:
        process.communicate(b"\n")


def test_an_unknown_cell_is_a_usage_error() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench", "nonsense"], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 2
    assert "small" in done.stderr
    assert done.stdout == ""


def test_what_was_asked_is_answered_and_recorded(tmp_path: Path) -> None:
    """Every variant answers every cell without an error, and Redtape's files hold each exchange, edit and order."""
    with running(tmp_path) as bench:
        slices = {
            (one.name, name): bench.slice(proxy, one, 0.1)
            for one in CELLS
            for name, proxy in bench.variants(one).items()
        }
        sessions = {name: proxy.session for name, proxy in bench.proxies.items() if proxy.session}

    assert {key: row.errors for key, row in slices.items()} == dict.fromkeys(slices, 0)
    assert all(row.requests > 0 for row in slices.values())
    found = {name: recorded(session) for name, session in sessions.items()}
    asked = sum(row.requests for (_, name), row in slices.items() if name == "redtape")
    edited = slices["news_edit", "redtape"].requests
    assert found["redtape"]["exchanges"] + found["redtape_attacking"]["exchanges"] >= asked
    assert found["redtape_attacking"]["edited"] == found["redtape_attacking"]["exchanges"] >= edited
    assert found["redtape"]["orders"] == found["redtape"]["acked"] >= slices["orders", "redtape"].requests
    assert sum(row["failed"] for row in found.values()) == 0


def test_keep_alive_keeps_one_upstream_connection_for_each_agent(tmp_path: Path) -> None:
    """Also for hosts that are mapped: else a slice measures handshakes, or hangs at mitmproxy's connection limit."""
    cell_ = next(one for one in CELLS if one.name == "quotes")
    with running(tmp_path) as bench:
        proxy = bench.variants(cell_)["redtape"]
        slices = [bench.slice(proxy, cell_, 0.1)]
        while sum(row.requests for row in slices) <= cell_.connections * 7:
            slices.append(bench.slice(proxy, cell_, 0.1))

    assert [row.upstream_connections for row in slices] == [0] * len(slices)
