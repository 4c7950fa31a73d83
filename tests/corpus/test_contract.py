"""The risk contract: every key of DESIGN section 6, what is refused, and its hash."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from corpus.contract import RULES, Contract, contract_hash, given_keys, parse_contract, read_contract
from corpus.load import BadCorpus

FRAME = "schema: risk-contract/1\nid: a\nversion: 1\n"

WHOLE = """\
schema: risk-contract/1
id: us-equity-long-only
version: 3
effective: {from: 2026-11-01, to: null}
currency: USD
state: {start: snapshot, max_quote_age_s: 5, unacked_order_ttl_s: 30, confirm_snapshots: 2}
order: {max_qty: "500", max_notional: {soft: "8000", hard: "10000"}, min_notional: "1", collar_bps: 300, two_sided: false,
  max_spread_bps: 50, max_quote_age_s: 5, tick: true, lot: 1, types: [limit, market], tif: [day], option_basis: underlying}
position: {max_abs_qty: "100", max_notional: "25000", max_pct_equity: "0.20", per_symbol: {TSLA: {max_abs_qty: "50"}}}
portfolio: {max_gross_notional: "1", max_net_notional: "1", max_gross_leverage: "1.0", max_sector_pct: "0.2", max_working_orders: 20}
account: {allow: [PA123], venues: [alpaca], max_open_buy_notional: "1", buying_power_model: alpaca}
short: {allowed: false, require_locate: true}
symbols: {allow: [AAPL, NO, ON], deny: [], exit_only: []}
rate: {orders: {max: 10, window_s: 60}, messages: {max: 60, window_s: 60}, per_session: {max: 100}}
duplicate: {window_s: 10, max_identical: 1}
self_trade: crossing
loss: {max_session_loss: "1000", max_drawdown_pct: "0.05", trailing: true, cooldown_s: 0}
kill: {cancel_all_within_s: 10}
reduce_only_integrity: true
session: {calendar: XNYS, windows: [regular], by_symbol: {BTCUSD: 24/7}, exits_outside: true}
day_trades: {max: 3, window_sessions: 5}
actions: {withdraw: deny, transfer: deny, leverage: deny, permission: allow}
egress: {allow_hosts: [api.alpaca.markets], canaries: [k-123]}
mandate: {must_trade: false, min_exposure_by: {notional: "100", at: "2026-11-25T15:00:00Z"}, abstain_expected_in: [scn-007]}
severity: {order.max_qty: minor, mine: critical}
custom: [{id: mine, when: "qty > 1", severity: major}]
"""


def parse(text: str) -> Contract:
    return parse_contract(text, "c.yaml")[0]


def test_every_key_of_the_design():
    """One contract with all of them."""
    contract = parse(WHOLE)

    assert contract.order.max_notional is not None
    assert (contract.order.max_notional.soft, contract.order.max_notional.hard) == (Decimal(8000), Decimal(10000))
    assert contract.order.tick is True
    assert contract.symbols.allow == ("AAPL", "NO", "ON")
    assert contract.session.by_symbol == {"BTCUSD": "24/7"}
    assert len(given_keys(contract)) == 71


def test_absent_is_not_zero():
    """Nothing is limited but the actions, which are denied."""
    contract = parse(FRAME)

    assert given_keys(contract) == ("id", "schema", "version")
    assert contract.order.max_qty is None
    assert set(contract.actions.model_dump().values()) == {"deny"}
    assert parse(FRAME + "order: {max_qty: 0}").order.max_qty == 0


def test_plain_limit_is_hard():
    """A value stands for {hard: value}."""
    assert parse(FRAME + "order: {max_notional: '5'}") == parse(FRAME + "order: {max_notional: {hard: '5'}}")


@pytest.mark.parametrize(
    ("text", "line", "key", "words"),
    [
        ("order: {max_qty: 1.5}", 4, "order.max_qty", 'write numbers as decimal strings: "1.5"'),
        ("order:\n  max_notional: 1.5", 5, "order.max_notional", 'decimal strings: "1.5"'),
        ("order:\n  max_notional:\n    hard: 1e3", 6, "order.max_notional.hard", 'decimal strings: "1e3"'),
        ("order: {max_qty: lots}", 4, "order.max_qty", "no decimal number"),
        ("order: {max_qty: -1}", 4, "order.max_qty", "can't be negative"),
        (
            "order: {max_notional: {soft: '2', hard: '1'}}",
            4,
            "order.max_notional",
            "hard (1) must not be below soft (2)",
        ),
        ("order: {max_notional: {soft: '2'}}", 4, "order.max_notional.hard", "missing"),
        ("order: {two_sided: true}", 4, "order", "belongs to collar_bps"),
        ("order: {tick: false}", 4, "order.tick", ""),
        ("order: {lot: 0}", 4, "order.lot", "greater than 0"),
        ("order: {types: [limits]}", 4, "order.types[0]", 'not "limits"; did you mean limit?'),
        ("orders: {max_qty: 1}", 4, "orders", "unknown key"),
        ("order: {max_quantity: 1}", 4, "order.max_quantity", "max_qty"),
        ("position: {max_pct_equity: 20}", 4, "position.max_pct_equity", 'write "0.20" for 20 %'),
        ("rate: {orders: {max: 1}}", 4, "rate.orders.window_s", "missing"),
        ("rate: {orders: {max: 1, window_s: 0}}", 4, "rate.orders.window_s", "greater than 0"),
        ("effective: {from: 2026-02-01, to: 2026-01-01}", 4, "effective", "`to` lies before `from`"),
        ("severity: {order.max_quantity: minor}", 4, 'severity["order.max_quantity"]', "did you mean order.max_qty?"),
        ("custom: [{id: order.max_qty, when: x}]", 4, "custom[0].id", "stands twice"),
        ("custom:\n- {id: a, when: x}\n- {id: a, when: y}", 6, "custom[1].id", "stands twice"),
        ("order: {tick: '0,01'}", 4, "order.tick", 'write a point for the comma: "0.01"'),
        ("order: {max_qty: 25,000}", 4, "order.000", "a comma inside a number starts a new key"),
        ("currency: usd", 4, "currency", 'such as USD, EUR or USDT, not "usd"'),
        ("currency: DOLLAR", 4, "currency", "3 to 5 upper-case letters or digits"),
        ("currency: US", 4, "currency", "3 to 5 upper-case letters or digits"),
        ("actions: {withdraw: false}", 4, "actions.withdraw", "deny"),
    ],
)
def test_refusals_name_place_and_fix(text, line, key, words):
    """File, line and key of what has to be mended."""
    with pytest.raises(BadCorpus) as caught:
        parse(FRAME + text)

    error = caught.value
    assert error.file == "c.yaml"
    assert words in str(error)
    assert (error.line, error.key) == (line if key else error.line, key)


def test_hash_is_of_the_meaning():
    """Comments, order, defaults and the short form of a limit don't matter; values and versions do."""
    one = parse(FRAME + "order: {max_notional: '5', lot: 1}\n")
    two = parse(
        "# a note\nversion: 1\nid: a\nschema: risk-contract/1\norder: {lot: 1, max_notional: {hard: '5'}}\nactions: {withdraw: deny}\n"
    )

    assert contract_hash(one) == contract_hash(two)
    assert len(contract_hash(one)) == 64
    assert contract_hash(one) != contract_hash(parse(FRAME + "order: {max_notional: '6', lot: 1}\n"))
    assert contract_hash(one) != contract_hash(one.model_copy(update={"version": 2}))


def test_rules_are_named_by_their_keys():
    """The ids that DESIGN section 6 spells out."""
    for rule in "order.max_notional duplicate day_trades self_trade reduce_only_integrity session.windows rate.orders rate.messages rate.per_session kill.halted kill.reducing account.buying_power".split():
        assert rule in RULES


@pytest.mark.parametrize(
    "path", sorted((Path(__file__).parents[2] / "corpus/contracts").glob("*.yaml")), ids=lambda path: path.stem
)
def test_shipped_contracts(path):
    """Are read, are named like their file, and say what they are modelled on."""
    contract, _ = read_contract(path)

    assert contract.id == path.stem
    assert "Modelled on" in path.read_text("utf-8")
