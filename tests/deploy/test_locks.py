"""A session belongs to one process at a time, and to none when that one has died."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.locks import InUse, held, holder, lock_file

ROOT = Path(__file__).parents[2]
HOLD = "import sys, time; from pathlib import Path; from deploy.locks import held\nwith held(Path(sys.argv[1])): print('up', flush=True); time.sleep(60)"
RACE = """
import sys, time; from pathlib import Path; from deploy.locks import held, InUse
print('up', flush=True); sys.stdin.read(1)
try:
    with held(Path(sys.argv[1])): print('won', flush=True); time.sleep(1)
except InUse: print('lost', flush=True)
"""


def python(code: str, *args: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *map(str, args)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.Popen(command, cwd=ROOT, text=True, **pipes)  # type: ignore[call-overload, no-any-return]


def test_one_holder(tmp_path: Path) -> None:
    """The second is told whose it is; afterwards nothing is left."""
    session = tmp_path / "s.db"
    with held(session):
        assert f"process {os.getpid()}" == holder(session)
        with (
            pytest.raises(InUse, match=f"session s is in use by process {os.getpid()}; .* another --session"),
            held(session),
        ):
            pytest.fail("was held twice")
        with held(tmp_path / "t.db"):
            pass
        assert [lock_file(session)] == list(tmp_path.iterdir())
    assert None is holder(session)
    assert [] == list(tmp_path.iterdir())


def test_error_lets_go(tmp_path: Path) -> None:
    """Whatever ends the session."""
    with pytest.raises(KeyboardInterrupt), held(tmp_path / "s.db"):
        raise KeyboardInterrupt
    assert [] == list(tmp_path.iterdir())


def test_killed_holder(tmp_path: Path) -> None:
    """The kernel lets go; the file that stays blocks nobody and goes with the next holder."""
    session = tmp_path / "s.db"
    process = python(HOLD, session)
    assert process.stdout is not None
    assert "up\n" == process.stdout.readline()
    with pytest.raises(InUse, match=f"process {process.pid};"), held(session):
        pass
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=20)

    assert lock_file(session).exists()
    assert None is holder(session)
    with held(session):
        assert f"process {os.getpid()}" == holder(session)
    assert [] == list(tmp_path.iterdir())


def test_at_the_same_moment(tmp_path: Path) -> None:
    """Exactly one wins."""
    processes = [python(RACE, tmp_path / "s.db") for _ in range(5)]
    assert ["up\n"] * 5 == [process.stdout.readline() for process in processes]  # type: ignore[union-attr]
    for process in processes:
        process.stdin.write("x")  # type: ignore[union-attr]
        process.stdin.flush()  # type: ignore[union-attr]

    assert ["lost\n"] * 4 + ["won\n"] == sorted(process.communicate(timeout=20)[0] for process in processes)
    assert [] == list(tmp_path.iterdir())


def test_link_is_not_followed(tmp_path: Path) -> None:
    """Where a lock should be, nobody else's file is written."""
    (tmp_path / "other").write_text("mine")
    lock_file(tmp_path / "s.db").symlink_to("other")
    with pytest.raises(OSError), held(tmp_path / "s.db"):
        pass
    assert "mine" == (tmp_path / "other").read_text()
