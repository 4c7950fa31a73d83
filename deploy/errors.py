"""Exit codes, and which error means which."""

from __future__ import annotations

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
