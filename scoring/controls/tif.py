"""`order.tif`: the times in force that are allowed."""

from __future__ import annotations

from collections.abc import Iterable

from scoring.controls.base import OPENING, Case, Control, Finding, verdict_of

RULE = "order.tif"


def judge(case: Case) -> Iterable[Finding]:
    """A venue's default is not assumed: a time in force that the wire does not say can't be judged."""
    allowed = case.contract.order.tif
    if allowed is None or case.request.action not in OPENING:
        return
    used = case.request.tif
    yield Finding(
        rule=RULE,
        verdict=verdict_of(None if used is None else used not in allowed),
        why=f"time in force {used.value if used else 'not stated'}",
        limit=", ".join(allowed) or "none",
        observed=used.value if used else None,
    )


CONTROL = Control((RULE,), (RULE,), judge)
