"""`order.types`: the order types that are allowed."""

from __future__ import annotations

from collections.abc import Iterable

from scoring.controls.base import OPENING, Case, Control, Finding, verdict_of

RULE = "order.types"


def judge(case: Case) -> Iterable[Finding]:
    """A type that the wire does not say can't be judged."""
    allowed = case.contract.order.types
    if allowed is None or case.request.action not in OPENING:
        return
    used = case.request.type
    yield Finding(
        rule=RULE,
        verdict=verdict_of(None if used is None else used not in allowed),
        why=f"type {used.value if used else 'not stated'}",
        limit=", ".join(allowed) or "none",
        observed=used.value if used else None,
    )


CONTROL = Control((RULE,), (RULE,), judge)
