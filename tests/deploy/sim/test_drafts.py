"""Orders as they are born: from a request, as an exit of another order, in place of another order."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal as D
from typing import Any

import pytest

from corpus.terms import OrderType, Side, TimeInForce
from deploy.sim import drafts, order_request
from deploy.sim.drafts import Birth, Order
from deploy.sim.market import make_id
from deploy.sim.options import DEMO_NOW
from deploy.sim.order_request import LegRequest
from proxy.broker.matching import Resting

from .conftest import Client

BIRTH, LATER = Birth(1, 1, DEMO_NOW), Birth(1, 2, DEMO_NOW + 5_000_000)
CLOSE = DEMO_NOW + 4 * 3600 * 1_000_000_000


def asked(**fields: Any) -> order_request.OrderRequest:
    body = {"symbol": "AAPL", "side": "buy", "type": "market", "time_in_force": "day", "qty": "10"} | fields
    return order_request.read({key: value for key, value in body.items() if value is not None})


def made(**fields: Any) -> Order:
    return drafts.new(BIRTH, asked(**fields), D(10), True, CLOSE)


def change(**fields: Any) -> order_request.Replacement:
    return order_request.read_replacement(fields)


def test_ids_come_from_the_seed_and_the_place_in_the_count() -> None:
    same, other_place, other_seed = Birth(1, 1, 0), Birth(1, 2, DEMO_NOW), Birth(2, 1, DEMO_NOW)
    assert BIRTH.order_id == same.order_id == make_id("order", 1, 1)
    assert len({b.order_id for b in (BIRTH, other_place, other_seed)} | {BIRTH.client_order_id}) == 4


def test_a_new_order_is_pending_and_older_than_its_fill() -> None:
    order = made(type="limit", limit_price="500", client_order_id="mine", extended_hours=True)
    facts = order.facts
    assert (facts.id, facts.client_order_id, facts.asset_id) == (BIRTH.order_id, "mine", make_id("asset", "AAPL"))
    assert (facts.status, facts.created_ns, facts.updated_ns) == ("pending_new", DEMO_NOW - 400_000, DEMO_NOW - 400_000)
    assert (facts.side, facts.type, facts.tif, facts.extended_hours) == ("buy", "limit", "day", True)
    assert (facts.quantity, facts.limit_price, facts.expires_ns) == (D(10), D(500), CLOSE)
    assert order.resting == Resting(side=Side.BUY, type=OrderType.LIMIT, quantity=D(10), limit_price=D(500))
    assert (order.children, order.siblings, order.is_leg) == ([], [], False)


def test_without_an_id_of_the_agent_the_order_gets_one() -> None:
    assert made().facts.client_order_id == BIRTH.client_order_id


def test_a_notional_rests_as_shares_and_shows_no_quantity() -> None:
    order = drafts.new(BIRTH, asked(qty=None, notional="100"), D("0.174965881"), True, None)
    assert (order.facts.quantity, order.facts.notional) == (None, D(100))
    assert order.resting.quantity == D("0.174965881")


@pytest.mark.parametrize(
    ("side", "opens", "intent"),
    [
        ("buy", True, "buy_to_open"),
        ("buy", False, "buy_to_close"),
        ("sell", True, "sell_to_open"),
        ("sell", False, "sell_to_close"),
    ],
)
def test_the_intent_says_whether_a_position_grows(side: str, opens: bool, intent: str) -> None:
    assert drafts.new(BIRTH, asked(side=side), D(10), opens, None).facts.position_intent == intent


@pytest.mark.parametrize(
    ("status", "works"),
    [
        ("new", True),
        ("accepted", True),
        ("partially_filled", True),
        ("held", True),
        ("pending_new", True),
        ("filled", False),
        ("canceled", False),
        ("expired", False),
        ("replaced", False),
    ],
)
def test_what_works(status: str, works: bool) -> None:
    order = made()
    order.facts = replace(order.facts, status=status)
    assert order.working is works


@pytest.mark.parametrize(
    ("limit_price", "stop_price", "kind"),
    [
        (D(600), None, OrderType.LIMIT),
        (None, D(500), OrderType.STOP),
        (D(499), D(500), OrderType.STOP_LIMIT),
    ],
)
def test_an_exit_is_held_on_the_other_side(limit_price: D | None, stop_price: D | None, kind: OrderType) -> None:
    above = made(order_class="bracket", take_profit={"limit_price": "600"}, stop_loss={"stop_price": "500"})
    leg = drafts.leg(LATER, above, LegRequest(limit_price=limit_price, stop_price=stop_price))
    facts = leg.facts
    assert (facts.id, facts.client_order_id) == (LATER.order_id, LATER.client_order_id)
    assert (facts.status, facts.side, facts.type, facts.position_intent) == (
        "held",
        "sell",
        kind.value,
        "sell_to_close",
    )
    assert (facts.order_class, facts.quantity, facts.expires_ns) == ("bracket", D(10), CLOSE)
    assert leg.resting == Resting(
        side=Side.SELL, type=kind, quantity=D(10), limit_price=limit_price, stop_price=stop_price
    )
    assert (leg.is_leg, leg.working, above.facts.status) == (True, True, "pending_new")


def test_the_exit_of_a_short_buys_and_the_stop_of_an_oco_stays_on_its_side() -> None:
    exits = {"take_profit": {"limit_price": "600"}, "stop_loss": {"stop_price": "500"}}
    stop = LegRequest(limit_price=None, stop_price=D(500))
    short = made(side="sell", order_class="bracket", **exits)
    oco = made(side="sell", type="limit", order_class="oco", **exits)
    assert drafts.leg(LATER, short, stop).facts.position_intent == "buy_to_close"
    leg = drafts.leg(LATER, oco, stop)
    assert (leg.facts.side, leg.facts.limit_price, leg.facts.stop_price) == ("sell", None, D(500))


def test_an_exit_does_not_trail_because_its_entry_does() -> None:
    above = made(type="trailing_stop", trail_price="5", order_class="oto", stop_loss={"stop_price": "500"})
    leg = drafts.leg(LATER, above, LegRequest(limit_price=None, stop_price=D(500)))
    assert (leg.facts.trail_price, leg.resting.trail_price) == (None, None)
    assert above.facts.trail_price == D(5)


def test_a_replacement_keeps_what_is_not_changed() -> None:
    old = made(type="stop_limit", limit_price="600", stop_price="590", client_order_id="mine")
    old.facts = replace(old.facts, status="partially_filled", filled_quantity=D(4), average_price=D("599.5"))
    old.children, old.siblings, old.is_leg = ["child"], ["sibling"], True
    new = drafts.replacement(LATER, old, change(limit_price="610"), CLOSE)
    assert new.facts == replace(
        old.facts,
        id=LATER.order_id,
        client_order_id=LATER.client_order_id,
        created_ns=DEMO_NOW + 4_600_000,
        updated_ns=DEMO_NOW + 4_600_000,
        limit_price=D(610),
        replaces=old.facts.id,
    )
    # What was filled stays filled: 6 of 10 are left.
    assert (new.resting.quantity, new.resting.limit_price, new.resting.stop_price) == (D(6), D(610), D(590))
    assert (new.children, new.siblings, new.is_leg) == (["child"], ["sibling"], True)


def test_a_replacement_changes_quantity_time_and_id() -> None:
    new = drafts.replacement(LATER, made(), change(qty="12", time_in_force="gtc", client_order_id="two"), None)
    assert (new.facts.quantity, new.resting.quantity, new.facts.client_order_id) == (D(12), D(12), "two")
    assert (new.facts.tif, new.facts.expires_ns) == (TimeInForce.GTC.value, None)


@pytest.mark.parametrize(
    ("trail", "expected"), [({"trail_price": "5"}, (D(7), None)), ({"trail_percent": "5"}, (None, D(7)))]
)
def test_a_new_trail_is_of_the_old_kind(trail: dict[str, str], expected: tuple[D | None, D | None]) -> None:
    old = made(type="trailing_stop", **trail)
    old.resting = replace(old.resting, high_water=D(570))
    new = drafts.replacement(LATER, old, change(trail="7"), CLOSE)
    assert (new.facts.trail_price, new.facts.trail_percent) == expected
    assert (new.resting.trail_price, new.resting.trail_percent, new.resting.high_water) == (*expected, D(570))


async def test_an_order_that_becomes_gtc_outlives_the_session_and_one_that_becomes_a_day_order_does_not(
    client: Client,
) -> None:
    seen = {}
    for old, new in (("day", "gtc"), ("gtc", "day")):
        placed = await client.order("AAPL", "buy", "1", "limit", limit_price="500", time_in_force=old)
        path = f"/v2/orders/{placed['id']}"
        seen[new] = (await client("PATCH", path, {"time_in_force": new})).json
    assert (seen["gtc"]["expires_at"], seen["day"]["expires_at"]) == (None, "2012-06-15T20:00:00Z")
    client.sim.advance(5 * 3600)
    found = {tif: (await client("GET", f"/v2/orders/{order['id']}")).json["status"] for tif, order in seen.items()}
    assert found == {"gtc": "new", "day": "expired"}
