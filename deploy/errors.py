"""Exit codes, and which error means which."""

from __future__ import annotations

import os
import socket
from enum import IntEnum


class Exit(IntEnum):
    """What the command line returns."""

    PASS = 0
    GATE = 1
    USAGE = 2
    INTERNAL = 3
    INCONCLUSIVE = 4
    NO_TRIALS = 5
    INTERRUPTED = 130


class UserError(ValueError):
    """The command can't do what was asked; says what to change. Exit 2."""


class Inconclusive(RuntimeError):
    """The surroundings failed (disk, network, an upstream); nothing can be concluded. Exit 4."""


class GateFailed(RuntimeError):
    """A check that was asked for failed. Exit 1."""


def cannot_listen(host: str, port: int, error: OSError) -> str:
    """Why an address can't be listened on, and what to do."""
    known = error.errno is not None and not isinstance(error, socket.gaierror)
    why = os.strerror(error.errno or 0) if known else error.strerror or str(error)
    shown = f"[{host}]" if ":" in host else host
    return f"can't listen on {shown}:{port}: {why[:1].lower()}{why[1:]}; --listen 127.0.0.1:0 takes a free port"
