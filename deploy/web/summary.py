"""Tables over several trials: attack × agent, how far attacks came, what was left out, rules. Rows out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from corpus.terms import Outcome, Verdict
from deploy.web import words
from deploy.web.rates import SEVERITY, Numbered
from deploy.web.report_model import TrialKind, TrialReport
from scoring.results import RuleVerdict

type Stage = Literal["delivered", "ingested", "attempted", "executed"]
STAGES: Final[tuple[Stage, ...]] = ("delivered", "ingested", "attempted", "executed")
_FELL: Final = {
    "delivered": "not delivered",
    "ingested": "not seen in a call to a model",
    "attempted": "without a tool call for it",
    "executed": "without an order on the wire",
}


def reached(trial: TrialReport, stage: Stage) -> bool | None:
    """Whether an attack came to a stage; null is unknown. Past a stage that it did not reach, there is nothing to know."""
    funnel = trial.score.funnel
    came = (funnel.delivered, funnel.ingested, funnel.attempted, funnel.executed)
    at = STAGES.index(stage)
    return False if came[at] is None and False in came[:at] else came[at]


@dataclass(frozen=True, slots=True)
class Reach:
    """How many of a cell's trials came to a stage."""

    yes: int
    no: int
    unknown: int

    @property
    def total(self) -> int:
        return self.yes + self.no + self.unknown


@dataclass(frozen=True, slots=True)
class CaseRow:
    """One agent's trials of one case. `stages` is empty for a baseline: nothing was injected."""

    agent: str
    trials: tuple[Numbered, ...]
    stages: tuple[Reach, ...]
    outcomes: tuple[tuple[str, int], ...]
    broken: int
    first_rule: RuleVerdict | None
    indeterminate: int


@dataclass(frozen=True, slots=True)
class Case:
    """Baseline, control or attack with the rows of every agent that had it."""

    kind: TrialKind
    attack: str | None
    title: str
    family: str
    view: str
    disguise: str
    rows: tuple[CaseRow, ...]


_KINDS: Final = {"baseline": 0, "control": 1, "attack": 2}


def cases(trials: Iterable[Numbered]) -> tuple[Case, ...]:
    """Group trials by case, then by agent: baselines first, then controls, then attacks as they come."""
    found: dict[tuple[TrialKind, str | None, str], dict[str, list[Numbered]]] = {}
    for number, trial in trials:
        # All clean runs are one case, and so are the harmless texts.
        key = (trial.kind, trial.attack, trial.disguise) if trial.kind != "baseline" else (trial.kind, None, "")
        found.setdefault(key, {}).setdefault(trial.agent, []).append((number, trial))
    out = []
    for (kind, attack, disguise), by_agent in sorted(found.items(), key=lambda item: _KINDS[item[0][0]]):
        one = next(iter(by_agent.values()))[0][1]
        rows = tuple(_case_row(agent, tuple(group)) for agent, group in by_agent.items())
        out.append(Case(kind, attack, one.attack_title, one.family, one.view, disguise, rows))
    return tuple(out)


def _case_row(agent: str, numbered: tuple[Numbered, ...]) -> CaseRow:
    trials = [trial for _, trial in numbered]
    stages = () if trials[0].kind == "baseline" else tuple(_reach(trials, stage) for stage in STAGES)
    outcomes = Counter(_outcome(trial) for trial in trials)
    broken = [one for trial in trials for one in trial.score.verdicts if one.verdict is Verdict.VIOLATION]
    return CaseRow(
        agent,
        numbered,
        stages,
        tuple(outcomes.items()),
        sum(len(_broken_orders(trial)) for trial in trials),
        max(broken, key=_severity, default=None),
        sum(one.verdict is Verdict.INDETERMINATE for trial in trials for one in trial.score.verdicts),
    )


def _outcome(trial: TrialReport) -> str:
    outcome = trial.score.outcome
    if outcome is None:
        return trial.kind
    return "partial" if outcome is Outcome.RESISTED and trial.score.partial else outcome.value


def _broken_orders(trial: TrialReport) -> set[int]:
    return {one.order for one in trial.score.verdicts if one.verdict is Verdict.VIOLATION}


def _severity(verdict: RuleVerdict) -> int:
    return SEVERITY.get(verdict.severity or "", 0)


def _reach(trials: Sequence[TrialReport], stage: Stage) -> Reach:
    values = [reached(trial, stage) for trial in trials]
    return Reach(values.count(True), values.count(False), values.count(None))


@dataclass(frozen=True, slots=True)
class FunnelRow:
    """A stage: trials that came there, trials where it is unknown, and how many came to the stage before."""

    stage: str
    yes: int
    unknown: int
    before: int
    planned: int
    fell: str

    def width(self, value: int) -> str:
        return f"{100 * value / self.planned:.2f}%" if self.planned else "0%"


def funnel(trials: Sequence[TrialReport]) -> tuple[FunnelRow, ...]:
    """How far the attack trials of one agent came. A stage that is unknown is carried as unknown, not as a no."""
    attacks = [trial for trial in trials if trial.kind == "attack"]
    planned = len(attacks)
    ran = [trial for trial in attacks if trial.score.outcome is not Outcome.ERROR]
    errors = planned - len(ran)
    rows = [
        FunnelRow("planned", planned, 0, planned, planned, ""),
        FunnelRow("ran", len(ran), 0, planned, planned, words.plural(errors, "error") if errors else ""),
    ]
    alive = ran
    for stage in STAGES:
        before = len(alive)
        here = [trial for trial in alive if reached(trial, stage) is not False]
        unknown = sum(reached(trial, stage) is None for trial in here)
        lost = before - len(here)
        fell = [f"{lost:,} {_FELL[stage]}"] if lost else []
        fell += [f"{unknown:,} unknown"] if unknown else []
        rows.append(FunnelRow(stage, len(here) - unknown, unknown, before, planned, ", ".join(fell)))
        alive = here
    return tuple(rows)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A reason why trials are not in the rate. `causes` as (text, trials); numbers link to them."""

    reason: str
    numbers: tuple[int, ...]
    causes: tuple[tuple[str, int], ...]


def left_out(trials: Iterable[Numbered]) -> tuple[LeftOut, ...]:
    """Attack trials without a verdict of success or resistance, by outcome."""
    found: dict[str, list[Numbered]] = {}
    for number, trial in trials:
        outcome = trial.score.outcome
        if trial.kind == "attack" and outcome not in (Outcome.SUCCEEDED, Outcome.RESISTED):
            found.setdefault(outcome.value if outcome else "not scored", []).append((number, trial))
    return tuple(
        LeftOut(
            words.OUTCOMES.get(outcome, outcome),
            tuple(number for number, _ in group),
            tuple(Counter(trial.score.outcome_reason or "no reason given" for _, trial in group).most_common(4)),
        )
        for outcome, group in found.items()
    )


@dataclass(frozen=True, slots=True)
class RuleRow:
    """One rule over the run: orders that broke it by kind of trial, and the gravest one as an example."""

    rule: str
    attack: int
    control: int
    baseline: int
    indeterminate: int
    example: RuleVerdict
    trial: int


def rules(trials: Iterable[Numbered]) -> tuple[RuleRow, ...]:
    """Rules with a violation or an indeterminate verdict, gravest first."""
    found: dict[str, list[tuple[int, TrialKind, RuleVerdict]]] = {}
    for number, trial in trials:
        for one in trial.score.verdicts:
            if one.verdict is not Verdict.PASS:
                found.setdefault(one.rule, []).append((number, trial.kind, one))
    out = []
    for rule, hits in found.items():
        broken = [(kind, one) for _, kind, one in hits if one.verdict is Verdict.VIOLATION]
        kinds = Counter(kind for kind, _ in broken)
        number, _, example = max(
            hits, key=lambda hit: (hit[2].verdict is Verdict.VIOLATION, _severity(hit[2]), -hit[0])
        )
        out.append(
            RuleRow(
                rule,
                kinds["attack"],
                kinds["control"],
                kinds["baseline"],
                len(hits) - len(broken),
                example,
                number,
            )
        )
    return tuple(
        sorted(out, key=lambda row: (row.example.verdict is not Verdict.VIOLATION, -_severity(row.example), row.rule))
    )
