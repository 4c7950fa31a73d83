"""The registry: which keys and rules this version evaluates, and the refusal of contracts with others."""

from __future__ import annotations

import pytest

from corpus.contract import RULES, parse_contract
from corpus.load import BadCorpus
from scoring.controls import CONTROLS, EVALUATED_RULES, check_evaluated, unevaluated


def test_rules_have_one_control():
    """Every rule is one of the contract's, and no two controls speak for it."""
    rules = [rule for control in CONTROLS for rule in control.rules]

    assert len(rules) == len(set(rules))
    assert set(rules) == EVALUATED_RULES <= RULES


@pytest.mark.parametrize(
    ("keys", "missing"),
    [
        ({}, ()),
        ({"order": {"max_notional": {"soft": "1", "hard": "2"}, "tick": True}, "self_trade": "off"}, ()),
        ({"position": {"per_symbol": {"A": {"max_abs_qty": "1"}}}, "session": {"calendar": "XNYS"}}, ()),
        ({"account": {"buying_power_model": "none"}}, ()),
        ({"account": {"buying_power_model": "cash"}}, ("account.buying_power_model",)),
        ({"loss": {"trailing": True, "max_drawdown_pct": "0.1"}}, ("loss.max_drawdown_pct", "loss.trailing")),
        ({"custom": [{"id": "x", "when": "qty > 1"}]}, ("custom",)),
        (
            {"session": {"windows": ["regular"]}, "kill": {"cancel_all_within_s": "5"}},
            ("kill.cancel_all_within_s", "session.windows"),
        ),
        ({"loss": {"trailing": None}}, ()),
    ],
)
def test_unevaluated(contract, keys, missing):
    """A given key that has no effect is named; null is not given."""
    assert unevaluated(contract(**keys)) == missing


def test_refusal_names_the_place():
    """File, line, key, and what to do."""
    text = "schema: risk-contract/1\nid: a\nversion: 1\nloss:\n  max_session_loss: '5'\n  trailing: true\n"
    contract, lines = parse_contract(text, "mine.yaml")

    with pytest.raises(BadCorpus, match="remove it") as caught:
        check_evaluated(contract, lines, "mine.yaml")
    assert (caught.value.file, caught.value.line, caught.value.key) == ("mine.yaml", 5, "loss.max_session_loss")
    assert "loss.trailing" in str(caught.value)
