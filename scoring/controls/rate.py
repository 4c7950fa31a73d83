"""`rate.orders`, `rate.messages`, `rate.per_session`: how often an agent may speak. Refused orders count too."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from corpus.terms import Action
from proxy.broker.interval import only
from scoring.controls.base import MESSAGES, TRADING, Case, Control, Finding, above, within
from scoring.valuation import text

ORDERS, MESSAGE, SESSION = "rate.orders", "rate.messages", "rate.per_session"


def judge(case: Case) -> Iterable[Finding]:
    """
    Rolling windows (t - W, t]: what is exactly W old has left.

    Orders are new ones; replaces, cancels and retries are messages. A session is a calendar date of the
    contract's calendar: New York's for XNYS, else UTC's.
    """
    rate, at_ns = case.contract.rate, case.request.at_ns
    if rate.orders is not None and is_order(case.request.action, case.retry):
        count = within(case.history.orders, at_ns, rate.orders.window_s) + 1
        why = f"{count} orders in {text(rate.orders.window_s)} s"
        yield above(ORDERS, only(Decimal(count)), Decimal(rate.orders.max), why)
    if rate.messages is not None and case.request.action in MESSAGES:
        count = within(case.history.messages, at_ns, rate.messages.window_s) + 1
        why = f"{count} messages in {text(rate.messages.window_s)} s"
        yield above(MESSAGE, only(Decimal(count)), Decimal(rate.messages.max), why)
    if rate.per_session is not None and is_order(case.request.action, case.retry):
        count = case.history.dates.get(case.session_date, 0) + 1
        why = f"order {count} of session {case.session_date}"
        yield above(SESSION, only(Decimal(count)), Decimal(rate.per_session.max), why)


def is_order(action: Action, retry: bool) -> bool:
    """Whether a request counts as an order, not only as a message."""
    return action in TRADING and action is not Action.REPLACE and not retry


CONTROL = Control(
    ("rate.orders", "rate.messages", "rate.per_session", "session.calendar"), (ORDERS, MESSAGE, SESSION), judge
)
