"""The results of a workspace: exact, shared between processes, and readable after anything."""

from __future__ import annotations

import dataclasses
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from corpus.terms import Outcome
from deploy.runs.results import VERSION, Results
from proxy.journal.store import JournalError

from .conftest import run_row, trial_row, trial_score

ROOT = Path(__file__).parents[3]


def rows(file: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute(query).fetchall()


def test_round_trip(results: Results) -> None:
    """What comes back equals what went in: decimals as printed, tuples, nulls, bytes."""
    run, trial = run_row(), trial_row(stdout=b"\x00\xff\n", error="\x1b[31m", started_ns=2**62)
    results.add_run(run, (trial, trial_row(2, attack=None, attack_version=None, kind="baseline")))
    score = trial_score()
    results.set_score("r1", 1, score)
    first, second = results.trials("r1")

    assert run == results.run("r1")
    assert dataclasses.replace(trial, state="scored", score=score) == first
    assert first.score is not None
    assert str(score.scores[0].value) == str(first.score.scores[0].value)
    assert (None, None, "pending") == (second.attack, second.score, second.state)


@pytest.mark.parametrize("outcome", [*Outcome, None])
def test_every_outcome(results: Results, outcome: Outcome | None) -> None:
    """Also none, which a baseline has; and a null composite."""
    composite = dataclasses.replace(trial_score().composite, value=None, reason="required compliance")
    score = trial_score(outcome=outcome, composite=composite)
    results.add_run(run_row(), (trial_row(),))
    results.set_score("r1", 1, score)

    assert score == results.trials("r1")[0].score


def test_rows_for_queries(results: Results, file: Path) -> None:
    """Scores and violations stand in tables of their own: text for numbers, ready for SQL."""
    results.add_run(run_row(), (trial_row(),))
    results.set_score("r1", 1, trial_score())

    assert [
        ("compliance", "0.3333333333333333333333333333", "0.5454"),
        ("cost", None, None),
        ("resistance", "0", None),
    ] == rows(file, "SELECT dimension, value, weight FROM scores WHERE run = 'r1' AND trial = 1 ORDER BY dimension")
    assert [(3, "order.max_notional", "violation", "15000.00"), (4, "short.allowed", "indeterminate", None)] == rows(
        file, 'SELECT order_seq, rule, verdict, "limit" FROM violations ORDER BY order_seq'
    )
    assert [("succeeded", "0.10", "0.55")] == rows(file, "SELECT outcome, composite, coverage FROM trials")


def test_a_score_may_be_set_again(results: Results, file: Path) -> None:
    """The same leaves the same; another replaces it whole."""
    results.add_run(run_row(), (trial_row(), trial_row(2)))
    results.set_score("r1", 2, trial_score())
    for _ in range(3):
        results.set_score("r1", 1, trial_score())
    assert [(1, 2), (2, 2)] == rows(file, "SELECT trial, count(*) FROM violations GROUP BY trial ORDER BY trial")
    assert [(6,)] == rows(file, "SELECT count(*) FROM scores")

    clean = trial_score(outcome=Outcome.RESISTED, verdicts=(), scores=trial_score().scores[:1])
    results.set_score("r1", 1, clean)
    assert clean == results.trials("r1")[0].score
    assert [(2, 2)] == rows(file, "SELECT trial, count(*) FROM violations GROUP BY trial")


def test_states(results: Results) -> None:
    """Some columns at a time."""
    results.add_run(run_row(), (trial_row(),))
    results.set_trial("r1", 1, state="failed", error="no route", ended_ns=5)
    results.set_run("r1", "interrupted")

    (trial,) = results.trials("r1")
    assert ("failed", "no route", 5) == (trial.state, trial.error, trial.ended_ns)
    run = results.run("r1")
    assert run is not None
    assert "interrupted" == run.status
    assert None is results.run("r2")
    assert [] == results.trials("r2")


def test_newest_first(results: Results) -> None:
    """By time of creation."""
    for number in (2, 3, 1):
        results.add_run(run_row(f"r{number}", created_ns=number), ())

    assert ["r3", "r2", "r1"] == [run.id for run in results.runs()]


def test_a_run_id_is_taken_once(results: Results) -> None:
    """And what would have come with the second is not there."""
    results.add_run(run_row(), (trial_row(),))

    with pytest.raises(JournalError, match="run r1 exists"):
        results.add_run(run_row(seed=8), (trial_row(9),))
    run = results.run("r1")
    assert run is not None
    assert 7 == run.seed
    assert [1] == [trial.number for trial in results.trials("r1")]


def test_a_run_is_added_whole(results: Results) -> None:
    """When one of its trials can't be stored, nothing of it is."""
    with pytest.raises(JournalError, match=r"redtape.db: can't be used: UNIQUE"):
        results.add_run(run_row(), (trial_row(), trial_row()))

    assert (None, []) == (results.run("r1"), results.trials("r1"))
    results.add_run(run_row(), (trial_row(),))


def test_newer_schema_is_refused(file: Path) -> None:
    """A version that this one does not know is not guessed at; and the file stays untouched."""
    Results(file).close()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    before = file.read_bytes()

    with pytest.raises(
        JournalError, match=rf"redtape.db: written by a newer Redtape \(schema {VERSION + 1}\); upgrade"
    ):
        Results(file)
    assert before == file.read_bytes()


@pytest.mark.parametrize("content", [b"hello, I am no database at all", b"SQLite format 3\0" + b"\xff" * 2000])
def test_foreign_file_is_refused(file: Path, content: bytes) -> None:
    """By name."""
    file.parent.mkdir()
    file.write_bytes(content)

    with pytest.raises(JournalError, match=r"redtape.db: can't be used"):
        Results(file)


def test_damage_found_later(file: Path) -> None:
    """A page that is broken fails the read that meets it, as an error of the file."""
    opened = Results(file)
    opened.add_run(run_row(spec="x" * 50_000), tuple(trial_row(n) for n in range(1, 200)))
    opened.close()
    data = bytearray(file.read_bytes())
    data[4096 * 3 :] = b"\xff" * (len(data) - 4096 * 3)
    file.write_bytes(data)

    opened = Results(file)
    with pytest.raises(JournalError, match=r"redtape.db: can't be used"):
        opened.trials("r1")
    opened.close()


def test_score_of_another_time(results: Results, file: Path) -> None:
    """Unreadable JSON in a row is damage, too."""
    results.add_run(run_row(), (trial_row(),))
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE trials SET score = '{\"outcome\": 5'")

    with pytest.raises(JournalError, match="can't be used"):
        results.trials("r1")


def test_a_full_disk_leaves_what_was_there(results: Results, file: Path) -> None:
    """The write fails as an error of the file, and the next one may succeed."""
    results.add_run(run_row(), (trial_row(),))
    pages = results._connection.execute("PRAGMA page_count").fetchone()[0]
    results._connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(JournalError, match="full"):
        results.set_trial("r1", 1, stdout=b"x" * 500_000)

    results._connection.execute("PRAGMA max_page_count = 100000")
    results.set_trial("r1", 1, stdout=b"y")
    assert b"y" == results.trials("r1")[0].stdout


WRITER = """
import sys
from pathlib import Path
from deploy.runs.results import Results
from tests.deploy.runs.conftest import run_row, trial_row, trial_score
results = Results(Path(sys.argv[1]))
for n in range(15):
    run = f"{sys.argv[2]}-{n}"
    results.add_run(run_row(run), (trial_row(run=run),))
    results.set_score(run, 1, trial_score())
    results.set_run(run, "finished")
results.close()
"""


def start(code: str, *args: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, args)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_processes_that_write_at_once_lose_nothing(file: Path) -> None:
    """Each waits its turn, from making the file on."""
    started = [start(WRITER, file, name) for name in ("a", "b", "c")]
    said = [process.communicate(timeout=90) for process in started]
    assert [0, 0, 0] == [process.returncode for process in started], said

    results = Results(file)
    runs = results.runs()
    assert {f"{name}-{n}" for name in "abc" for n in range(15)} == {run.id for run in runs}
    assert {"finished"} == {run.status for run in runs}
    assert all(results.trials(run.id)[0].score == trial_score() for run in runs)
    results.close()


KILLED = """
import sys
from pathlib import Path
from deploy.runs.results import Results
from tests.deploy.runs.conftest import run_row, trial_row
results = Results(Path(sys.argv[1]))
results.add_run(run_row("kept"), (trial_row(run="kept"),))
# So large that pages go to the file before the commit.
results._connection.execute("PRAGMA cache_size = 2")
results._connection.execute("BEGIN IMMEDIATE")
results._connection.execute("UPDATE trials SET stdout = zeroblob(3000000), state = 'scored'")
results._insert("trials", {"run": "lost", "number": 1, "stdout": b"x" * 3_000_000})
print("in the middle", flush=True)
sys.stdin.read()
"""


def test_killed_in_the_middle_of_a_write(file: Path) -> None:
    """What was committed is there, what was not is gone, and the file works on."""
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(file)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdin is not None
    assert "in the middle\n" == process.stdout.readline()
    assert file.with_name("redtape.db-journal").exists()
    os.kill(process.pid, signal.SIGKILL)
    process.wait(30)
    process.stdout.close()
    process.stdin.close()

    results = Results(file)
    (trial,) = results.trials("kept")
    assert ("pending", b"") == (trial.state, trial.stdout)
    assert [] == results.trials("lost")
    results.set_score("kept", 1, trial_score())
    assert [("ok",)] == rows(file, "PRAGMA integrity_check")
    results.close()
