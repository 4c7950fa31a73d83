"""
The results of a workspace: runs, trials, scores and violations in `redtape.db`.

Rollback journal, `BEGIN IMMEDIATE` and a busy timeout: several processes may write, each waits its turn.
Numbers are text. A trial's row exists before the trial starts.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from sqlite_utils import Database
from sqlite_utils.db import Table

from proxy.journal.rows import plain, revive
from proxy.journal.store import JournalError
from scoring.results import TrialScore

VERSION: Final = 1
type TrialState = Literal["pending", "running", "captured", "scored", "failed", "interrupted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """One run, with the snapshots that its numbers rest on."""

    id: str
    created_ns: int
    status: Literal["running", "finished", "interrupted"]
    seed: int
    upstream: str
    broker: str
    contract_id: str
    contract_hash: str
    contract: str
    weights_id: str
    weights: str
    corpus_version: str
    scorer_version: str
    version: str
    spec: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialRow:
    """
    One trial. `attack` is null for a baseline; a control names every case whose benign text it showed.

    `score` is null until it was scored.
    """

    run: str
    number: int
    agent: str
    kind: Literal["baseline", "control", "attack"]
    attack: str | None
    attack_version: int | None
    variant: int
    repetition: int
    seed: int
    session: str
    state: TrialState
    error: str | None = None
    started_ns: int | None = None
    ended_ns: int | None = None
    stdout: bytes = b""
    score: TrialScore | None = None


class Results:
    """The results file of a workspace, opened for one process."""

    def __init__(self, path: Path) -> None:
        """
        Open or make the file.

        Raises:
            JournalError: It can't be opened, or is of a newer version.
        """
        self.path = path
        with self._explained():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=30, isolation_level=None)
        try:
            with self._explained():
                self._connection.row_factory = sqlite3.Row
                self._migrate()
        except JournalError:
            self._connection.close()
            raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Whatever fails, fails as JournalError, with the file's name."""
        try:
            yield
        except (OSError, sqlite3.Error, ValueError, TypeError, KeyError) as error:
            raise JournalError(f"{self.path}: can't be used: {error}") from error

    def _migrate(self) -> None:
        version = int(self._connection.execute("PRAGMA user_version").fetchone()[0])
        if version > VERSION:
            raise JournalError(f"{self.path}: written by a newer Redtape (schema {version}); upgrade")
        if version < VERSION:
            with self._transaction():
                if int(self._connection.execute("PRAGMA user_version").fetchone()[0]) < VERSION:
                    _create(self._connection)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._explained():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                # A full disk has rolled it back already.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def add_run(self, run: RunRow, trials: tuple[TrialRow, ...]) -> None:
        """A run and all its trials, before the first one starts. Raises JournalError when the id is taken."""
        with self._transaction():
            if self._connection.execute("SELECT 1 FROM runs WHERE id = ?", (run.id,)).fetchone():
                raise JournalError(f"{self.path}: run {run.id} exists")
            self._insert("runs", plain(run))
            for trial in trials:
                self._insert("trials", _trial_values(trial))

    def _insert(self, table: str, values: dict[str, Any]) -> None:
        names = ", ".join(f'"{name}"' for name in values)
        marks = ", ".join("?" * len(values))
        self._connection.execute(f'INSERT INTO "{table}" ({names}) VALUES ({marks})', tuple(values.values()))  # noqa: S608

    def set_run(self, run: str, status: str) -> None:
        """A run's status."""
        with self._transaction():
            self._connection.execute("UPDATE runs SET status = ? WHERE id = ?", (status, run))

    def set_trial(self, run: str, number: int, **values: Any) -> None:
        """Some columns of a trial, such as state, error, started_ns."""
        names = ", ".join(f'"{name}" = ?' for name in values)
        with self._transaction():
            self._connection.execute(
                f"UPDATE trials SET {names} WHERE run = ? AND number = ?",  # noqa: S608
                (*values.values(), run, number),
            )

    def set_score(self, run: str, number: int, score: TrialScore) -> None:
        """A trial's score, whole: replaces an earlier one, its dimensions and violations too."""
        composite = score.composite
        with self._transaction():
            for table in ("scores", "violations"):
                self._connection.execute(f"DELETE FROM {table} WHERE run = ? AND trial = ?", (run, number))  # noqa: S608
            shares = {one.dimension: one for one in composite.contributions}
            for one in score.scores:
                share = shares.get(one.dimension)
                row = {
                    "run": run,
                    "trial": number,
                    "dimension": one.dimension,
                    "value": plain(one.value),
                    "weight": plain(share.weight) if share else None,
                    "points": plain(share.points) if share else None,
                    "reason": one.reason,
                    "rationale": one.rationale,
                    "refs": json.dumps(plain(one.refs)),
                    "facts": json.dumps(plain(one.facts)),
                }
                self._insert("scores", row)
            for verdict in score.verdicts:
                row = {"run": run, "trial": number, **plain(verdict), "refs": json.dumps(plain(verdict.refs))}
                row["order_seq"] = row.pop("order")
                self._insert("violations", row)
            self._connection.execute(
                "UPDATE trials SET state = 'scored', outcome = ?, composite = ?, coverage = ?, score = ? "
                "WHERE run = ? AND number = ?",
                (
                    score.outcome,
                    plain(composite.value),
                    plain(composite.coverage),
                    json.dumps(plain(score)),
                    run,
                    number,
                ),
            )

    def runs(self) -> list[RunRow]:
        """Every run, newest first."""
        with self._explained():
            rows = self._connection.execute("SELECT * FROM runs ORDER BY created_ns DESC, id").fetchall()
            return [RunRow(**dict(row)) for row in rows]

    def run(self, name: str) -> RunRow | None:
        """One run, if it is there."""
        with self._explained():
            row = self._connection.execute("SELECT * FROM runs WHERE id = ?", (name,)).fetchone()
            return RunRow(**dict(row)) if row else None

    def trials(self, run: str) -> list[TrialRow]:
        """The trials of a run, by number."""
        with self._explained():
            rows = self._connection.execute("SELECT * FROM trials WHERE run = ? ORDER BY number", (run,)).fetchall()
            return [_trial(dict(row)) for row in rows]


_TRIAL: Final = (
    "run number agent kind attack attack_version variant repetition seed session state error started_ns ended_ns "
    "stdout outcome composite coverage score"
).split()


def _trial_values(trial: TrialRow) -> dict[str, Any]:
    values = {name: getattr(trial, name) for name in _TRIAL if hasattr(trial, name)}
    values["score"] = json.dumps(plain(trial.score)) if trial.score else None
    return values


def _trial(row: dict[str, Any]) -> TrialRow:
    score = revive(TrialScore, json.loads(row["score"])) if row["score"] else None
    known = {name: value for name, value in row.items() if name not in ("outcome", "composite", "coverage", "score")}
    return TrialRow(**known, score=score)


def _create(connection: sqlite3.Connection) -> None:
    db = Database(connection)

    def make(name: str, columns: str, pk: Any, integers: str = "") -> None:
        table = db[name]
        assert isinstance(table, Table)
        kinds: dict[str, Any] = {one: int if one in integers.split() else str for one in columns.split()}
        if "stdout" in kinds:
            kinds["stdout"] = bytes
        # Run within the caller's transaction: sqlite-utils would open its own.
        connection.execute(table.db.create_table_sql(name, kinds, pk=pk))

    numbers = "created_ns seed"
    make(
        "runs",
        "id created_ns status seed upstream broker contract_id contract_hash contract weights_id weights "
        "corpus_version scorer_version version spec",
        "id",
        numbers,
    )
    make(
        "trials",
        " ".join(_TRIAL),
        ("run", "number"),
        "number attack_version variant repetition seed started_ns ended_ns",
    )
    make(
        "scores",
        "run trial dimension value weight points reason rationale refs facts",
        ("run", "trial", "dimension"),
        "trial",
    )
    make(
        "violations",
        "id run trial order_seq rule verdict severity limit observed rationale refs",
        "id",
        "id trial order_seq",
    )
    make("overrides", "id run trial verdict why who at_ns", "id", "id trial at_ns")
    make("webhooks", "id url events secret created_ns disabled", "id", "created_ns disabled")
    make(
        "outbox",
        "id webhook event payload created_ns next_ns attempts state last_status",
        "id",
        "id created_ns next_ns attempts",
    )
    connection.execute("CREATE INDEX violations_by_trial ON violations (run, trial)")
    connection.execute(f"PRAGMA user_version = {VERSION}")
