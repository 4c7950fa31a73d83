"""Runs beside sessions: a results file that is none is said, and does not stand in the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from deploy.runs.lookup import fault, find_run
from deploy.runs.results import Results

JUNK = b"this is no database\n" * 100


def test_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is made by looking."""
    assert None is find_run(tmp_path / "redtape.db", "r")
    assert None is fault(tmp_path / "redtape.db")
    assert [] == list(tmp_path.iterdir())
    assert ("", "") == capsys.readouterr()


def test_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Results(tmp_path / "redtape.db").close()

    assert None is find_run(tmp_path / "redtape.db", "r")
    assert None is fault(tmp_path / "redtape.db")
    assert ("", "") == capsys.readouterr()


def test_junk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Said on stderr, and left as it is."""
    path = tmp_path / "redtape.db"
    path.write_bytes(JUNK)

    assert None is find_run(path, "r")
    out, err = capsys.readouterr()
    assert "" == out
    assert err.startswith(f"warning: results can't be read, runs are left out: {path}: ")
    assert 1 == err.count("\n")
    assert str(path) in (fault(path) or "")
    assert "move it away" in (fault(path) or "")
    assert JUNK == path.read_bytes()
