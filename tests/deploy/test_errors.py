"""Exit codes are an interface: scripts of users hold these very numbers."""

from __future__ import annotations

from deploy.errors import Exit, GateFailed, Inconclusive, UserError


def test_codes() -> None:
    """As the help of the command line says."""
    assert {one.name: int(one) for one in Exit} == {
        "PASS": 0,
        "GATE": 1,
        "USAGE": 2,
        "INTERNAL": 3,
        "INCONCLUSIVE": 4,
        "NO_TRIALS": 5,
        "INTERRUPTED": 130,
    }


def test_errors_do_not_pass_for_one_another() -> None:
    """Each is caught as itself alone; a user's error is no surprise to code that expects bad values."""
    kinds = (UserError, Inconclusive, GateFailed)

    assert [(a, b) for a in kinds for b in kinds if a is not b and issubclass(a, b)] == []
    assert issubclass(UserError, ValueError)
