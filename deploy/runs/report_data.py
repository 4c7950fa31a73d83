"""Results and evidence of a run as the report's values. Reads session files; decides nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from corpus.attack import AttackCase
from corpus.terms import Action, Source, Verdict, decimal_text, instant_text
from deploy.orders_view import OrderLine as Line
from deploy.orders_view import lines
from deploy.runs.results import RunRow, TrialRow
from deploy.web.diff import windows
from deploy.web.report_model import (
    InjectionLine,
    OrderLine,
    Report,
    TimelineEvent,
    TrialReport,
)
from deploy.workspace import Workspace
from proxy.journal.bodies import edited_body, plain_body
from proxy.journal.events import Evidence, ExchangeRow, InjectionApplied
from proxy.journal.read import read
from proxy.wire.order_events import AccountRead, OrderUpdate
from scoring.results import RuleVerdict

NO_BODY = b""


def build_report(
    run: RunRow,
    trials: Sequence[TrialRow],
    cases: dict[str, AttackCase],
    workspace: Workspace,
    weights: dict[str, object],
    currency: str,
) -> Report:
    """
    A run's report.

    Args:
        run: The run, with its snapshots.
        trials: Its trials; those without a score are named as left out.
        cases: Attack cases by id, for titles.
        workspace: Where the session files are.
        weights: The weights by dimension.
        currency: Of the contract.

    Raises:
        JournalError: A session's file can't be read.
    """
    from decimal import Decimal

    scored = [trial for trial in trials if trial.score is not None]
    left_out = tuple(
        (f"{trial.agent} · {trial.attack or trial.kind}", trial.error or f"the trial is {trial.state}")
        for trial in trials
        if trial.score is None
    )
    return Report(
        title=f"Run {run.id}",
        run=run.id,
        created=instant_text(run.created_ns)[:19] + "Z",
        version=run.version,
        corpus_version=run.corpus_version,
        contract=run.contract_id,
        contract_hash=run.contract_hash,
        weights_id=run.weights_id,
        seed=run.seed,
        workspace=str(workspace.path),
        trials=tuple(_trial(trial, cases, workspace) for trial in scored),
        weights=tuple((name, Decimal(str(value))) for name, value in weights.items()),
        upstream=run.upstream,
        broker=run.broker,
        currency=currency,
        left_out=left_out,
    )


def _trial(trial: TrialRow, cases: dict[str, AttackCase], workspace: Workspace) -> TrialReport:
    assert trial.score is not None
    path = workspace.session(trial.session)
    evidence = read(path)
    case = cases.get(trial.attack or "")
    found = lines(evidence)
    rows = {row.id: row for row in evidence.exchanges}
    currency = next((f.event.currency for f in evidence.orders if isinstance(f.event, AccountRead)), None)
    start = min((row.at_ns for row in evidence.exchanges), default=trial.started_ns or evidence.meta.created_ns)
    return TrialReport(
        agent=trial.agent,
        kind=trial.kind,
        session=trial.session,
        start_ns=start,
        end_ns=max((row.end_ns or row.at_ns for row in evidence.exchanges), default=None),
        score=trial.score,
        attack=trial.attack,
        attack_version=trial.attack_version,
        attack_title=case.title
        if case
        else "Neutral text of the same length in the same places"
        if trial.attack
        else "",
        family=case.family if case else "",
        view=case.placement.view if case else "",
        disguise=case.variants[trial.variant].disguise if case else "",
        repetition=trial.repetition,
        orders=tuple(_order(line, evidence, rows, currency) for line in found),
        injections=tuple(_injection(one, rows, path) for one in evidence.injections),
        events=_events(evidence, found, trial),
        stdout=trial.stdout[-4000:],
        stdout_size=len(trial.stdout),
    )


type Rows = dict[int, ExchangeRow]


def _request_line(row: ExchangeRow | None) -> str:
    return f"{row.method} {row.path}" if row else ""


def _order(line: Line, evidence: Evidence, rows: Rows, currency: str | None) -> OrderLine:
    request = line.request
    if request.source is Source.WIRE:
        name = _request_line(rows.get(request.exchange))
    else:
        name = next((one.name for one in evidence.tool_calls if one.order == line.fact.seq), "")
    return OrderLine(
        seq=line.fact.seq,
        at_ns=request.at_ns,
        exchange=request.exchange,
        source=request.source,
        venue=request.venue,
        action=request.action,
        counted=line.counted,
        name=name,
        symbol=request.symbol or request.symbol_code,
        side=request.side,
        type=request.type,
        tif=request.tif,
        quantity=request.quantity,
        unit=request.unit,
        limit_price=request.limit_price,
        stop_price=request.stop_price,
        currency=currency,
        client_order_id=request.client_order_id,
        asset=request.asset,
        destination=request.destination,
        status=line.status,
        chain=line.chain,
        retry_of=line.fact.retry_of,
    )


def _injection(one: InjectionApplied, rows: Rows, path: Path) -> InjectionLine:
    row = rows.get(one.exchange)
    sent = (plain_body(path, row, one.leg) if row else None) or NO_BODY
    shown = (edited_body(path, row, one.leg) if row else None) or NO_BODY
    return InjectionLine(
        at_ns=one.at_ns,
        exchange=one.exchange,
        endpoint=(row.endpoint if row else None) or "",
        view=one.view,
        item=one.item,
        mode=one.mode,
        disguise=one.disguise,
        windows=windows(sent, one.edits),
        sent_size=len(sent),
        shown_size=len(shown),
        leg=one.leg,
        request=_request_line(row),
        again=one.again,
        reason=one.reason,
    )


def _events(evidence: Evidence, found: tuple[Line, ...], trial: TrialRow) -> tuple[TimelineEvent, ...]:
    assert trial.score is not None
    caused = _caused(evidence, found, trial)
    out = [*_data(evidence), *_injected(evidence), *_calls(evidence, caused), *_orders(found, caused)]
    out += _fills(evidence)
    times = {line.fact.seq: line.request.at_ns for line in found}
    for verdict in trial.score.verdicts:
        if verdict.verdict is Verdict.VIOLATION and verdict.order in times:
            out.append(
                TimelineEvent(
                    at_ns=times[verdict.order],
                    lane="violation",
                    text=_broken(verdict),
                    order=verdict.order,
                    cause=verdict.order in caused,
                )
            )
    return tuple(sorted(out, key=lambda event: event.at_ns))


def _broken(verdict: RuleVerdict) -> str:
    limit = f", limit {verdict.limit}" if verdict.limit is not None else ""
    return f"{verdict.rule}: {verdict.observed}{limit}" if verdict.observed is not None else f"{verdict.rule}{limit}"


def _caused(evidence: Evidence, found: tuple[Line, ...], trial: TrialRow) -> set[int]:
    """Seqs of the orders that made the attack succeed, with the intents of their chains."""
    if trial.kind != "attack" or trial.score is None:
        return set()
    score = next((one for one in trial.score.scores if one.dimension == "resistance"), None)
    direct = (
        {ref.id for ref in score.refs if ref.kind == "order"} if score and trial.score.outcome == "succeeded" else set()
    )
    chains = {line.chain for line in found if line.fact.seq in direct and line.chain is not None}
    return direct | {line.fact.seq for line in found if line.chain in chains}


def _data(evidence: Evidence) -> list[TimelineEvent]:
    return [
        TimelineEvent(
            at_ns=row.end_ns or row.at_ns,
            lane="data",
            text=_request_line(row),
            exchange=row.id,
        )
        for row in evidence.exchanges
        if row.method == "GET" and row.role in ("data", "trading")
    ]


def _injected(evidence: Evidence) -> list[TimelineEvent]:
    return [
        TimelineEvent(
            at_ns=one.at_ns,
            lane="injection",
            text=f"{one.mode} {one.view} ({one.disguise})",
            exchange=one.exchange,
            size=sum(len(edit.new) for edit in one.edits),
            cause=one.kind == "attack",
        )
        for one in evidence.injections
        if one.edits
    ]


def _calls(evidence: Evidence, caused: set[int]) -> list[TimelineEvent]:
    read_by = {one.exchange for one in evidence.ingested} if caused else set()
    out = [
        TimelineEvent(
            at_ns=call.at_ns,
            end_ns=call.end_ns,
            lane="llm",
            text=f"{call.model or call.api}, {call.finish_reason or 'no finish reason'}",
            exchange=call.exchange,
            cause=call.exchange in read_by,
        )
        for call in evidence.llm_calls
    ]
    out += [
        TimelineEvent(
            at_ns=tool.at_ns,
            lane="tool",
            text=f"{tool.name} {tool.arguments}"[:200],
            exchange=tool.exchange,
            order=tool.order,
            cause=tool.order in caused if tool.order is not None else False,
        )
        for tool in evidence.tool_calls
    ]
    return out


def _orders(found: tuple[Line, ...], caused: set[int]) -> list[TimelineEvent]:
    out = []
    for line in found:
        request = line.request
        if request.source is not Source.WIRE:
            continue
        amount = decimal_text(request.quantity) if request.quantity is not None else ""
        words = (request.action if request.action is not Action.PLACE else None, request.side, amount, request.symbol)
        out.append(
            TimelineEvent(
                at_ns=request.at_ns,
                lane="order",
                text=" ".join(str(word) for word in words if word),
                exchange=request.exchange,
                order=line.fact.seq,
                cause=line.fact.seq in caused,
            )
        )
    return out


def _fills(evidence: Evidence) -> list[TimelineEvent]:
    out = []
    for fact in evidence.orders:
        event = fact.event
        if isinstance(event, OrderUpdate) and event.kind in ("filled", "partially_filled") and fact.seen != "shown":
            amount = decimal_text(event.filled_quantity) if event.filled_quantity is not None else "?"
            price = decimal_text(event.average_price) if event.average_price is not None else "?"
            out.append(
                TimelineEvent(
                    at_ns=event.at_ns,
                    lane="fill",
                    text=f"{event.kind.replace('_', ' ')} {amount} {event.symbol or ''} at {price}",
                    exchange=event.exchange,
                )
            )
    return out
