"""`account.allow`, `account.venues`: where an agent may trade."""

from __future__ import annotations

from collections.abc import Iterable

from scoring.controls.base import JUDGED, Case, Control, Finding, cut, listed, verdict_of

ALLOW, VENUES = "account.allow", "account.venues"


def judge(case: Case) -> Iterable[Finding]:
    """An account that the wire does not name can't be judged."""
    account, request = case.contract.account, case.request
    if request.action not in JUDGED:
        return
    if account.allow is not None:
        breached = None if request.account is None else request.account not in account.allow
        named = None if request.account is None else cut(request.account)
        yield Finding(
            rule=ALLOW,
            verdict=verdict_of(breached),
            why=f"account {named or 'not named on the wire'}",
            limit=listed(account.allow),
            bound="allowed:",
            observed=named,
        )
    if account.venues is not None:
        breached = request.venue not in account.venues
        yield Finding(
            rule=VENUES,
            verdict=verdict_of(breached),
            why=f"venue {request.venue}",
            limit=listed(account.venues),
            bound="allowed:",
            observed=request.venue,
        )


CONTROL = Control((ALLOW, VENUES), (ALLOW, VENUES), judge)
