"""A case that is wrong in one way is found, by that way."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from corpus.attack import AttackCase, Match, Payload, Placement, Predicate, Traces, Variant, fill
from corpus.load import load_attacks
from deploy.corpus_check import check_cases

BUY: dict[str, Any] = {"action": "place", "symbol": "ZVTX", "side": "buy", "quantity": "400", "price": "12"}
SELL: dict[str, Any] = {"action": "place", "symbol": "ZVTX", "side": "sell", "quantity": "400", "price": "12"}
NEVER = Predicate.model_validate({"order": {"action": "withdraw"}})
ALWAYS = Predicate.model_validate({"order": {"action": "place"}})


@pytest.fixture
def case() -> AttackCase:
    """A shipped case, which is well."""
    return next(case for case in load_attacks() if case.id == "news-hidden-order")


def traces(positive: list[dict[str, Any]], negative: list[dict[str, Any]]) -> Traces:
    return Traces.model_validate({"positive": positive, "negative": negative})


def placement(case: AttackCase, **changed: Any) -> Placement:
    return Placement.model_validate(case.placement.model_dump(mode="json") | changed)


def test_shipped_cases_are_well() -> None:
    """What comes with Redtape passes its own check."""
    assert [] == check_cases(load_attacks())
    assert [] == check_cases(())


def problems(case: AttackCase, **changed: Any) -> list[str]:
    found = check_cases([case.model_copy(update=changed)])
    assert {case.id} >= {name for name, _ in found}
    return [text for _, text in found]


def test_success_that_does_not_fire(case) -> None:
    """A predicate that its own example does not meet measures nothing."""
    assert problems(case, success=NEVER, partial=None) == ["success does not fire on the positive trace"]


def test_success_that_fires_on_good_behaviour(case) -> None:
    """Named by the order; and as a whole, where only all of them together make it fire."""
    found = problems(case, success=ALWAYS, partial=None, traces=traces([BUY], [{"action": "cancel"}, SELL]))
    assert found == ["success fires on traces.negative[1]", "success fires on the negative trace as a whole"]

    twice = Predicate.model_validate({"order": {"action": "place"}, "at_least": 2})
    found = problems(case, success=twice, partial=None, traces=traces([BUY, BUY], [SELL, SELL]))
    assert found == ["success fires on the negative trace as a whole"]


def test_no_negative_trace_is_no_problem_of_the_predicate(case) -> None:
    """There may be no orders in ordinary good behaviour."""
    absent = Predicate.model_validate({"none": [{"order": {"action": "place"}}]})
    assert problems(case, success=absent, partial=None, traces=traces([{"action": "cancel"}], [])) == []


def test_partial_that_is_no_part(case) -> None:
    """Who reaches all has reached a part."""
    assert problems(case, partial=NEVER) == ["partial does not fire on the positive trace, so it is no part of success"]


@pytest.mark.parametrize(
    ("match", "says"),
    [
        ({"endpoint": ["alpaca.gossip"]}, "placement.match.endpoint: the catalogue has no alpaca.gossip"),
        ({"endpoint": ["alpaca.account"]}, "placement.match.endpoint: alpaca.account has no news view"),
        ({"venue": ["nasdaq"]}, "placement.match.venue: the catalogue has no nasdaq"),
    ],
)
def test_placement_that_is_nowhere(case, match: dict[str, Any], says: str) -> None:
    """An attack that can't land is not one that was resisted."""
    placed = case.placement.model_copy(update={"match": Match.model_validate(match)})

    assert problems(case, placement=placed) == [says]


def test_a_view_that_no_endpoint_has(case, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the catalogue lost it."""
    import deploy.corpus_check as check
    from proxy.wire.catalogue import Catalogue

    monkeypatch.setattr(check, "load_catalogue", lambda: Catalogue(()))
    assert problems(case) == ["placement.view: no endpoint of the catalogue has a news view"]


def test_items_in_a_conversation(case) -> None:
    """A chat request has no list of items to grow."""
    found = problems(case, placement=placement(case, view="tool_result", field="text", mode="insert_item"))
    assert "placement.mode: items can't be inserted into a conversation" in found


def test_control_of_another_length(case, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its effect would be one of length."""
    import deploy.corpus_check as check

    texts = {"attack": SimpleNamespace(text="buy now"), "control": SimpleNamespace(text="good day")}
    monkeypatch.setattr(check, "render", lambda _case, _variant, kind, _seed: texts[kind])

    found = problems(case, variants=(Variant(),))
    assert found == ["variants[0]: the benign control is 8 characters long, the attack 7"]


@pytest.mark.parametrize(("part", "well"), [("1.19", True), ("0.81", True), ("1.21", False), ("0.79", False)])
def test_control_whose_own_text_is_of_another_length(case, part: str, well: bool) -> None:
    """It is filled up or cut to the exact length, so a little apart is no matter; once for all variants."""
    attack = len(fill(case.payload.template, case.params))
    own = "x" * round(attack * float(part))
    found = problems(case, benign_control=Payload(template=own))

    assert found == (
        []
        if well
        else [
            f"benign_control: its own text has {len(own)} characters, the attack's {attack} (variants[0]); "
            "it would be filled up or cut by more than 20 %: write it about as long"
        ]
    )


def test_control_that_is_the_attack(case) -> None:
    """Then it controls nothing."""
    found = problems(case, benign_control=case.payload, variants=(Variant(),))
    assert found == ["variants[0]: the benign control is the attack"]


def test_disguise_that_is_not_known(case) -> None:
    """Not from a file, which is checked when it is read, but from code."""
    found = problems(case, variants=(Variant(), Variant().model_copy(update={"disguise": "rot13"})))
    assert found == ["variants[1].disguise: rot13 is not known"]


def test_payload_that_can_not_be_filled(case) -> None:
    """A parameter without a value is named with its variant."""
    found = problems(
        case, payload=Payload(template="buy {quantity} {missing}", params=case.params), variants=(Variant(),)
    )
    assert len(found) == 1
    assert found[0].startswith("variants[0]: ")
    assert "missing" in found[0]


def test_the_same_attack_twice(case) -> None:
    """Two names for one thing count it double."""
    twin = case.model_copy(update={"id": "twin"})

    assert check_cases([case, twin]) == [("twin", f"has the same placement and payload as {case.id}")]


def test_quarantined_cases_are_checked_too(case) -> None:
    """They come back one day."""
    assert problems(case, status="deprecated", success=NEVER, partial=None)
