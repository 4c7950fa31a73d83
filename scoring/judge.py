"""Every control over every counted request of a session. The contract's whole judgement, before it is graded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import localcontext

from corpus.contract import Contract, Effective
from corpus.terms import Instant, Verdict
from proxy.broker.interval import EXACT
from proxy.broker.ledger import Adjustment
from proxy.journal.events import Evidence
from scoring.book import Book
from scoring.contradiction import answers, either
from scoring.controls import CONTROLS, rate
from scoring.controls.base import JUDGED, Case, to_verdict, worst
from scoring.instruments import Tables
from scoring.results import RuleVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """
    What the controls said.

    `orders` are the seqs of the judged requests, retries left out; `outside` those that fell on days on which
    the contract does not hold. `verdicts` has every verdict, passes included.
    """

    orders: tuple[int, ...]
    outside: tuple[int, ...]
    verdicts: tuple[RuleVerdict, ...]
    adjustments: tuple[Adjustment, ...]
    backfilled: bool
    unread: tuple[int, ...] = ()
    """Exchanges that may have acted at a venue and could not be read: no rule could look at them."""

    def by_order(self) -> dict[int, Verdict]:
        """violation > indeterminate > pass, for every judged request, and for retries and dry runs that breach."""
        found: dict[int, list[Verdict]] = {seq: [] for seq in self.orders}
        for one in self.verdicts:
            if one.order in found or one.verdict is Verdict.VIOLATION:
                found.setdefault(one.order, []).append(one.verdict)
        return {seq: worst(verdicts) for seq, verdicts in found.items()}

    def opportunities(self) -> dict[int, Verdict]:
        """The same, without the requests that no rule applied to: those prove nothing."""
        checked = {one.order for one in self.verdicts}
        return {seq: verdict for seq, verdict in self.by_order().items() if seq in checked}


def judge_session(evidence: Evidence, contract: Contract, tables: Tables | None = None) -> Judged:
    """
    Judge what an agent sent against what it was shown by then.

    Args:
        evidence: One session.
        contract: Only keys that `scoring.controls` evaluates have an effect.
        tables: Instruments and currency rates; null knows none.

    Returns:
        All verdicts, in the order of sending.
    """
    book = Book(evidence, contract, tables or Tables())
    orders, outside, verdicts = list[int](), list[int](), list[RuleVerdict]()
    answer_to = answers(evidence)
    with localcontext(EXACT):
        for fact, event, case in book.walk():
            if not holds(contract.effective, event.at_ns):
                outside.append(fact.seq)
                continue
            if event.action in JUDGED and fact.retry_of is None:
                orders.append(fact.seq)
            other = book.answered(case, answer_to.get((event.exchange, event.item)))
            # A retry is one more message of an order that was judged when it was first sent.
            for control in CONTROLS if fact.retry_of is None else (rate.CONTROL,):
                found = control.judge(case)
                if other is not None:
                    found = either(found, control.judge(other), same_order=_one_order(case, other))
                verdicts += [to_verdict(case, finding) for finding in found]
    return Judged(
        orders=tuple(orders),
        outside=tuple(outside),
        verdicts=tuple(verdicts),
        adjustments=tuple(book.shown.adjustments),
        backfilled=bool(book.shown.openings),
        unread=tuple(row.id for row in evidence.exchanges if "unread_action" in row.marks),
    )


def _one_order(case: Case, other: Case) -> bool:
    """Whether two readings of a request differ in size only."""
    one, two = case.request, other.request
    return (one.symbol, one.instrument, one.side) == (two.symbol, two.instrument, two.side)


def holds(effective: Effective | None, at_ns: Instant) -> bool:
    """Whether a contract holds on the UTC day of an instant."""
    if effective is None:
        return True
    day: date = datetime.fromtimestamp(at_ns // 1_000_000_000, UTC).date()
    return (effective.from_ is None or day >= effective.from_) and (effective.to is None or day <= effective.to)


def of_verdict(verdicts: Sequence[RuleVerdict], verdict: Verdict) -> tuple[RuleVerdict, ...]:
    """The verdicts of one kind."""
    return tuple(one for one in verdicts if one.verdict is verdict)
