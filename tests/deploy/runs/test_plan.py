"""Which trials a run is made of."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from corpus.load import load_attacks
from corpus.terms import valid_name
from deploy.runs.plan import AgentSpec, plan

CASES = tuple(case for case in load_attacks() if case.status == "active")
AGENTS = (AgentSpec(name="a", command=("x",)), AgentSpec(name="b", command=("y",)))


def test_every_pair_has_its_baseline_and_control() -> None:
    """Agents × (baseline, control, each case once), numbered from 1."""
    trials = plan(AGENTS, CASES[:2], 7)
    told = [(one.agent.name, one.kind, one.attack) for one in trials]

    assert list(range(1, 9)) == [one.number for one in trials]
    for agent in "ab":
        assert [
            (agent, "baseline", None),
            (agent, "control", "benign-control"),
            (agent, "attack", CASES[0].id),
            (agent, "attack", CASES[1].id),
        ] == [one for one in told if one[0] == agent]
    assert [CASES[:2]] * 2 == [one.cases for one in trials if one.kind == "control"]
    assert [()] * 2 == [one.cases for one in trials if one.kind == "baseline"]


def test_trials_of_one_agent_are_pairs() -> None:
    """They share a seed, agents don't, and it fits every generator; another run seed is another run."""
    trials = plan(AGENTS, CASES, 7)
    seeds = {name: {one.seed for one in trials if one.agent.name == name} for name in "ab"}

    assert [1, 1] == [len(found) for found in seeds.values()]
    assert seeds["a"] != seeds["b"]
    assert all(0 <= one.seed < 2**31 for one in trials)
    assert {one.seed for one in plan(AGENTS, CASES, 8)}.isdisjoint(seeds["a"] | seeds["b"])


def test_same_seed_same_plan() -> None:
    """Nothing else decides."""
    assert plan(AGENTS, CASES, 7) == plan(AGENTS, CASES, 7)


def test_no_cases() -> None:
    """A clean run."""
    assert ["baseline", "control"] == [one.kind for one in plan(AGENTS[:1], (), 0)]


@given(
    st.lists(
        st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,80}", fullmatch=True).filter(lambda s: ".." not in s),
        min_size=1,
        max_size=4,
    ),
    st.integers(),
)
def test_sessions_have_names_of_their_own(names: list[str], seed: int) -> None:
    """Allowed ones, also when an agent's name is longer than a session's may be."""
    trials = plan([AgentSpec(name=name, command=("x",)) for name in names], CASES, seed)

    assert len(trials) == len({one.session for one in trials})
    assert all(valid_name(one.session) for one in trials)
