"""`redtape doctor`: what is well, what is not, and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

import deploy.commands.doctor as doctor


def test_all_well(redtape) -> None:
    """Each check is real, down to a client through the proxy; the workspace is left as it was made."""
    done = redtape("doctor", "--json")
    told = done.json

    assert (0, True) == (done.code, told["ok"]), done.out
    assert ["python", "sqlite", "workspace", "certificate authority", "journal", "results", "loop"] == [
        one["check"] for one in told["checks"]
    ]
    assert ["ca", "sessions"] == sorted(path.name for path in Path(".redtape").iterdir())
    assert [] == list(Path(".redtape/sessions").iterdir())


@pytest.fixture
def only(monkeypatch: pytest.MonkeyPatch):
    """Leaves one check."""

    def choose(name: str, check=None) -> None:
        found = dict(doctor._CHECKS)
        monkeypatch.setattr(doctor, "_CHECKS", ((name, check or found[name]),))

    return choose


def test_what_fails_is_a_finding(redtape, only, hostile: str, harmless) -> None:
    """Exit 4, and never a traceback."""

    def broken(_settings):
        raise RuntimeError(hostile)

    only("loop", broken)
    done = redtape("doctor")
    assert 4 == done.code
    assert done.out.startswith("FAIL  loop: RuntimeError: ")
    harmless(done.out + done.err)
    assert {"ok": False, "checks": [{"check": "loop", "ok": False, "found": f"RuntimeError: {hostile}"}]} == redtape(
        "doctor", "--json"
    ).json


def test_workspace_that_can_not_be_used(redtape, only) -> None:
    """Named, with what to do."""
    Path("file").write_text("x")
    only("workspace")
    done = redtape("--workspace", "file", "doctor")

    assert 4 == done.code
    assert "choose another --workspace" in done.out


def test_key_that_others_can_read(redtape, only) -> None:
    """The fix is in the message."""
    redtape("ca", "path")
    next(Path(".redtape/ca").glob("mitmproxy-ca.pem")).chmod(0o644)
    only("certificate authority")
    done = redtape("doctor")

    assert 4 == done.code
    assert "chmod 600" in done.out


@pytest.mark.parametrize(
    ("version", "ok", "note"),
    [("3.36.0", False, True), ("3.40.1", True, True), ("3.51.2", True, True), ("3.51.3", True, False)],
)
def test_sqlite(redtape, only, monkeypatch: pytest.MonkeyPatch, version: str, ok: bool, note: bool) -> None:
    """Old ones are refused; those with the WAL-reset bug are named."""
    monkeypatch.setattr(doctor.sqlite3, "sqlite_version", version)
    only("sqlite")
    (check,) = redtape("doctor", "--json").json["checks"]

    assert (ok, note) == (check["ok"], "WAL-reset bug" in check["found"])
