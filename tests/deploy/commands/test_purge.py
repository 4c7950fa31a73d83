"""`redtape purge`: old sessions go, and nothing else does."""

from __future__ import annotations

import io
import os
import time
from pathlib import Path

import pytest

from deploy.locks import held
from deploy.runs.results import Results, RunRow, TrialRow


def age(name: str, days: float, suffix: str = "") -> Path:
    path = Path(f".redtape/sessions/{name}.db{suffix}")
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        path.write_bytes(b"")
    then = time.time() - days * 86400
    os.utime(path, (then, then))
    return path


def names() -> list[str]:
    return sorted(path.name for path in Path(".redtape/sessions").iterdir())


def test_old_ones_go(redtape) -> None:
    """With their side files."""
    age("old", 40), age("old", 40, "-wal"), age("new", 2)
    done = redtape("purge", "--older-than", "30d", "--yes")

    assert (0, "") == (done.code, done.err)
    assert "removed .redtape/sessions/old.db\n" == done.out
    assert ["new.db"] == names()
    assert "nothing is that old\n" == redtape("purge", "--older-than", "30d", "--yes").err


def test_dry_run(redtape) -> None:
    """Says what would go."""
    age("old", 40)

    assert "would remove .redtape/sessions/old.db\n" == redtape("purge", "--older-than", "4w", "--dry-run").out
    assert ["old.db"] == names()


def test_without_an_answer_nothing_goes(redtape, monkeypatch: pytest.MonkeyPatch) -> None:
    """No terminal to ask, no removal."""
    age("old", 40)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    done = redtape("purge", "--older-than", "30d")

    assert done.code != 0
    assert ["old.db"] == names()


def test_a_session_that_is_open_stays(redtape) -> None:
    """Its file is old, what is written into it is beside."""
    age("live", 40), age("live", 0, "-wal")

    assert 0 == redtape("purge", "--older-than", "30d", "--yes").code
    assert ["live.db", "live.db-wal"] == names()


def test_a_session_that_is_being_recorded_stays(redtape) -> None:
    """However long ago it was written to."""
    old = age("idle", 40)
    with held(old):
        assert "would keep" in redtape("purge", "--older-than", "30d", "--dry-run").out
        done = redtape("purge", "--older-than", "30d", "--yes")
        assert (0, "") == (done.code, done.out)
        assert f"session idle is in use by process {os.getpid()}" in done.err
        assert old.exists()
    assert 0 == redtape("purge", "--older-than", "30d", "--yes").code
    assert [] == names()


def test_sessions_of_a_run_stay(redtape) -> None:
    """Its numbers rest on them."""
    age("of-a-run", 40), age("alone", 40)
    words = "id status upstream broker contract_id contract_hash contract weights_id weights corpus_version scorer_version version spec"
    run = RunRow(created_ns=1, seed=1, **dict.fromkeys(words.split(), "r"))  # type: ignore[arg-type]
    trial = TrialRow(
        run="r",
        number=1,
        agent="a",
        kind="baseline",
        attack=None,
        attack_version=None,
        variant=0,
        repetition=1,
        seed=1,
        session="of-a-run",
        state="scored",
    )
    results = Results(Path(".redtape/redtape.db"))
    results.add_run(run, (trial,))
    results.close()

    assert 0 == redtape("purge", "--older-than", "30d", "--yes").code
    assert ["of-a-run.db"] == names()


@pytest.mark.parametrize("text", ["30", "d", "30 d", "-1d", "1y", "²d", "99999999d", ""])
def test_bad_age(redtape, text: str) -> None:
    """Exit 2, with an example."""
    done = redtape("purge", "--older-than", text, "--yes")

    assert (2, "") == (done.code, done.out)
    assert "such as 30d" in done.err
