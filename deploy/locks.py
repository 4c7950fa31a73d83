"""
One process a session: a lock that its owner holds while it records, and that the kernel lets go of when it dies.

The lock is the kernel's, on a file beside the evidence; the file's text, a process id, is for people alone.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from deploy.errors import UserError


class InUse(UserError):
    """Another process records this session."""


def lock_file(session: Path) -> Path:
    """Where the lock of a session's file is: hidden, and no session's name."""
    return session.with_name(f".{session.stem}.lock")


@contextlib.contextmanager
def held(session: Path) -> Iterator[None]:
    """
    Hold the lock of a session's file, whether or not that file exists.

    Raises:
        InUse: Another holder lives; names its process.
    """
    handle = _acquired(session)
    path = lock_file(session)
    try:
        os.truncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        # While it is still held: who opened this file and waits finds it gone, and looks again.
        path.unlink(missing_ok=True)
        os.close(handle)


def holder(session: Path) -> str | None:
    """The process that holds a session, as text for people; null when none does."""
    try:
        handle = os.open(lock_file(session), os.O_RDWR)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _who(handle)
    finally:
        os.close(handle)
    return None


def _acquired(session: Path) -> int:
    path = lock_file(session)
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _same(handle, path):
                return handle
        except BlockingIOError:
            who = _who(handle)
            os.close(handle)
            raise InUse(
                f"session {session.stem} is in use by {who}; wait for it or stop it, or choose another --session name"
            ) from None
        except BaseException:
            os.close(handle)
            raise
        # The last holder removed it between our opening and our locking.
        os.close(handle)


def _same(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))  # noqa: PTH116 (beside fstat)
    except FileNotFoundError:
        return False


def _who(handle: int) -> str:
    text = os.pread(handle, 20, 0).strip()
    return f"process {text.decode()}" if text.isdigit() else "another process"
