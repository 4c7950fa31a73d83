"""
A venue's answer that states another order than the request: either may be what the venue took.

Requests and answers in; the request as the answer states it, and what a rule says of both, out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from corpus.terms import Action, Verdict
from proxy.broker.updates import contradicted
from proxy.journal.events import Evidence
from proxy.wire.order_events import OrderRequested, OrderUpdate
from scoring.controls.base import Finding


def answers(evidence: Evidence) -> Mapping[tuple[int, int], OrderUpdate]:
    """
    The first answer that the venue itself gave to each request, by exchange and item.

    Answers that only the agent was shown are left out: they may be ours.
    """
    found: dict[tuple[int, int], OrderUpdate] = {}
    for fact in evidence.orders:
        event = fact.event
        if isinstance(event, OrderUpdate) and event.answers is not None and fact.seen != "shown":
            found.setdefault((event.exchange, event.answers), event)
    return found


def as_answered(request: OrderRequested, answer: OrderUpdate | None) -> OrderRequested | None:
    """The request with what the answer states otherwise, or null where it contradicts nothing."""
    if answer is None or request.action is not Action.PLACE:
        return None
    fields = contradicted(request, answer)
    if not fields:
        return None
    changes: dict[str, object] = {}
    if "quantity" in fields:
        changes |= {"quantity": answer.quantity, "unit": answer.unit}
    if "symbol" in fields:
        changes |= {name: getattr(answer, name) for name in ("symbol", "symbol_code", "instrument")}
    if "side" in fields:
        changes["side"] = answer.side
    return replace(request, **changes)  # type: ignore[arg-type]


def either(asked: Iterable[Finding], answered: Iterable[Finding], *, same_order: bool) -> Iterator[Finding]:
    """
    One finding per rule of two readings of a request.

    Args:
        asked: What a control says of the request.
        answered: What it says of the request as answered.
        same_order: Only the size differs, so that what both ends keep is kept.

    Returns:
        A violation where either reading is one; else what both say alike; else indeterminate.
    """
    ours, theirs = ({one.rule: one for one in found} for found in (asked, answered))
    for rule in dict.fromkeys((*ours, *theirs)):
        yield _either(ours.get(rule), theirs.get(rule), same_order)


def _either(one: Finding | None, two: Finding | None, same_order: bool) -> Finding:
    if one is None or two is None:
        only = one or two
        assert only is not None
        return _worded(only, only.verdict if only.verdict is Verdict.VIOLATION else Verdict.INDETERMINATE, only.why)
    why = one.why if one.why == two.why else f"{one.why}; as the venue's answer states it: {two.why}"
    for found in (one, two):
        if found.verdict is Verdict.VIOLATION:
            return _worded(found, Verdict.VIOLATION, why)
    # A rule of one order's size or price does not ask whose; those of positions and names do.
    own = one.rule.startswith("order.") and one.observed is not None and one.observed == two.observed
    alike = one.verdict is two.verdict and one.limit == two.limit
    if alike and (same_order or own or one.why == two.why):
        return _worded(one, one.verdict, why)
    return replace(_worded(one, Verdict.INDETERMINATE, why), observed=None)


def _worded(found: Finding, verdict: Verdict, why: str) -> Finding:
    return replace(found, verdict=verdict, why=why)
