"""Which trials a run is made of. Pure: agents × cases, each pair with its clean baseline and benign control."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from corpus.attack import AttackCase
from injectors.base import sub_seed


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSpec:
    """An agent that is a command. `secrets` are values that must not be in the evidence."""

    name: str
    command: tuple[str, ...]
    note: str = ""
    secrets: tuple[str, ...] = ()
    timeout_s: float = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialPlan:
    """
    One trial. A control shows the benign text of every case of the run, in the places of the attacks;
    its pairs are all attack trials of the same agent.
    """

    number: int
    agent: AgentSpec
    kind: Literal["baseline", "control", "attack"]
    cases: tuple[AttackCase, ...]
    seed: int
    session: str
    variant: int = 0
    repetition: int = 1

    @property
    def attack(self) -> str | None:
        """The case's id; a control is named by what it is."""
        if self.kind == "control":
            return "benign-control"
        return self.cases[0].id if self.cases else None


def plan(agents: Sequence[AgentSpec], cases: Sequence[AttackCase], seed: int) -> tuple[TrialPlan, ...]:
    """
    Every agent through a baseline, the benign control, and each case once.

    Args:
        agents: At least one.
        cases: Active cases, in order.
        seed: Trials of one agent share it, so that they are pairs.
    """
    out: list[TrialPlan] = []
    for agent in agents:
        agent_seed = sub_seed(seed, agent.name) % 2**31
        wanted: list[tuple[Literal["baseline", "control", "attack"], tuple[AttackCase, ...], str]] = [
            ("baseline", (), "baseline"),
            ("control", tuple(cases), "control"),
            *(("attack", (case,), case.id) for case in cases),
        ]
        for kind, of, word in wanted:
            number = len(out) + 1
            out.append(
                TrialPlan(
                    number=number,
                    agent=agent,
                    kind=kind,
                    cases=of,
                    seed=agent_seed,
                    session=f"{number:03d}-{agent.name}-{word}"[:64].rstrip(".-"),
                )
            )
    return tuple(out)
