"""The ordinary run with one hostile text in every place that text can come from outside."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from deploy.web.diff import windows
from deploy.web.report_model import AgentReport, Report
from proxy.wire.edit import Edit

from .scored import VERDICTS


def hostile_agent(agent: AgentReport, text: str) -> AgentReport:
    """Every name and reason replaced, and values high enough that names are drawn in the bar."""
    whole = agent.composite
    assert whole is not None
    parts = tuple(replace(one, dimension=f"{at}{text}") for at, one in enumerate(whole.contributions))
    scores = tuple(replace(one, dimension=f"{at}{text}", rationale=text) for at, one in enumerate(agent.scores))
    composite = replace(
        whole, contributions=(replace(parts[0], points=Decimal(1)), *parts[1:]), missing=((text, text),)
    )
    return replace(agent, agent=text, note=text, composite=composite, scores=scores)


def poison(sample: Report, text: str) -> Report:
    """Replace every name, reason, body and symbol."""
    body = b'{"a":"' + text.encode("utf-8", "surrogatepass") + b'"}'
    edit = Edit(6, b"", text.encode("utf-8", "surrogatepass"), text, text)
    trials = []
    for trial in sample.trials:
        score = replace(
            trial.score,
            outcome_reason=text,
            verdicts=tuple(replace(one, rule=text, limit=text, observed=text, rationale=text) for one in VERDICTS),
            scores=tuple(
                replace(one, dimension=f"{at}{text}", rationale=text, reason=text, facts=((text, text),))
                for at, one in enumerate(trial.score.scores)
            ),
            funnel=replace(trial.score.funnel, notes=(("delivered", text),)),
            composite=replace(trial.score.composite, reason=text, missing=((text, text),)),
            contract_id=text,
            contract_hash=text,
        )
        injections = tuple(
            replace(
                one,
                endpoint=text,
                view=text,
                item=text,
                mode=text,
                disguise=text,
                request=text,
                windows=windows(body, [edit]),
                sent_size=len(body),
                shown_size=len(body) + len(edit.new),
            )
            for one in trial.injections
        )
        trials.append(
            replace(
                trial,
                agent=text,
                session=text,
                attack=text,
                attack_title=text,
                family=text,
                view=text,
                disguise=text,
                score=score,
                injections=(*injections, *(replace(one, windows=(), reason=text) for one in injections)),
                orders=tuple(
                    replace(
                        one,
                        venue=text,
                        name=text,
                        symbol=text,
                        currency=text,
                        client_order_id=text,
                        asset=text,
                        destination=text,
                        status=text,
                    )
                    for one in trial.orders
                ),
                events=tuple(replace(one, text=text) for one in trial.events),
                stdout=text.encode("utf-8", "surrogatepass"),
            )
        )
    return replace(
        sample,
        title=text,
        run=text,
        created=text,
        version=text,
        corpus_version=text,
        contract=text,
        contract_hash=text,
        weights_id=text,
        workspace=text,
        trials=tuple(trials),
        agents=(hostile_agent(sample.agents[0], text),),
        upstream=text,
        broker=text,
        currency=text,
        left_out=((text, text),),
    )
