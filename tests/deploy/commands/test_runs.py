"""`redtape runs list`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from deploy.runs.results import Results, RunRow

RUN = RunRow(
    id="r1",
    created_ns=1_795_618_800_000_000_000,
    status="finished",
    seed=7,
    upstream="sim",
    broker="live",
    contract_id="c",
    contract_hash="h",
    contract="{}",
    weights_id="w",
    weights="{}",
    corpus_version="v",
    scorer_version="1",
    version="0",
    spec="{}",
)


def test_none(redtape) -> None:
    """Said to people; no file is made."""
    done = redtape("runs", "list", "--json")

    where = Path.cwd() / ".redtape"
    assert (0, "", f"no workspace at {where}\n") == (done.code, done.out, done.err)
    assert not where.exists()
    where.mkdir()
    assert f"no runs in {where}\n" == redtape("runs", "list").err
    where.rmdir()
    where.write_text("x")
    done = redtape("runs", "list")
    assert (2, f"error: workspace {where} is a file; choose another --workspace\n") == (done.code, done.err)


def test_list(redtape, hostile: str, harmless) -> None:
    """Newest first; hostile names stay names."""
    results = Results(Path(".redtape/redtape.db"))
    results.add_run(RUN, ())
    results.add_run(replace(RUN, id="r2", created_ns=RUN.created_ns + 1, contract_id=hostile), ())
    results.close()
    done = redtape("runs", "list", "--json")

    assert (0, "") == (done.code, done.err)
    assert {
        "run": "r1",
        "created": "2026-11-25T15:00:00",
        "status": "finished",
        "trials": 0,
        "contract": "c",
    } == done.lines[1]
    assert hostile == done.lines[0]["contract"]
    people = redtape("runs", "list").out
    harmless(done.out + people)
    assert ["run", "r2", "r1"] == [line.split()[0] for line in people.splitlines()]
