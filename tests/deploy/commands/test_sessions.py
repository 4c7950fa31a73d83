"""`redtape sessions list`: what there is, and what can't be read."""

from __future__ import annotations

import json
import os
from pathlib import Path


def test_list(redtape, ordinary: str, attacked: str) -> None:
    """Newest first; the same for people and programs."""
    os.utime(".redtape/sessions/ordinary.db", (1, 1))
    done = redtape("sessions", "list", "--json")

    assert (0, "") == (done.code, done.err)
    assert [("attacked", "closed", 1, 0, 1), ("ordinary", "closed", 2, 2, 0)] == [
        tuple(one[key] for key in ("session", "status", "exchanges", "orders", "injections")) for one in done.lines
    ]
    done = redtape("sessions", "list")
    assert done.out.startswith(
        "attacked  status closed  created 2026-11-25T15:00:00Z  exchanges 1  orders 0  intents 0  injections 1\n"
    )


def test_none(redtape) -> None:
    """No workspace is none made; which one was looked into is said."""
    done = redtape("sessions", "list", "--json")

    where = Path.cwd() / ".redtape"
    assert (0, "", f"no workspace at {where}\n") == (done.code, done.out, done.err)
    assert not where.exists()
    where.mkdir()
    assert f"no sessions in {where}\n" == redtape("sessions", "list").err
    Path("file").write_text("x")
    done = redtape("--workspace", "file", "sessions", "list")
    assert (2, "", f"error: workspace {where.parent / 'file'} is a file; choose another --workspace\n") == (
        done.code,
        done.out,
        done.err,
    )


def test_unreadable_files_are_named(shell, ordinary: str) -> None:
    """Among the others, in one compact line; the list goes on."""
    Path(".redtape/sessions/broken.db").write_bytes(b"nothing")
    Path(".redtape/sessions/no name.db").write_bytes(b"nothing")
    done = shell("sessions", "list", "--json")

    assert (0, b"") == (done.returncode, done.stderr)
    assert {"broken", "ordinary"} == {json.loads(line)["session"] for line in done.stdout.splitlines()}
    assert b'{"session":"broken","error":"' in done.stdout
    assert b"broken  unreadable: " in shell("sessions", "list").stdout


def test_hostile(redtape, evil: str, tampered: list[str], harmless) -> None:
    """Also from files that come from elsewhere."""
    for args in ((), ("--json",)):
        done = redtape("sessions", "list", *args)
        assert 0 == done.code
        harmless(done.out)
        assert 3 == len(done.out.splitlines())
