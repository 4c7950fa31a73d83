"""The state of a sim: made from options, taken back to its start."""

from __future__ import annotations

from decimal import Decimal as D
from pathlib import Path

import pytest

from corpus.load import BadCorpus
from deploy.sim import order_request
from deploy.sim.app import create_app
from deploy.sim.keys import SIM, make_state
from deploy.sim.options import DEMO_NOW, SimOptions

HEADER = "Ticker,Date,Open,High,Low,Close,Volume,Adj Close\n"
ORDER = order_request.read({"symbol": "AAPL", "side": "buy", "type": "market", "time_in_force": "day", "qty": "1"})


def test_a_fresh_state_is_what_the_options_say() -> None:
    options = SimOptions(seed=7, now=DEMO_NOW + 5, cash=D(500), half_spread=D("0.25"))
    state = make_state(options)
    assert state.options is options
    assert (state.now, state.account.seed, state.account.holdings.cash) == (DEMO_NOW + 5, 7, D(500))
    assert (state.account.orders, state.received) == ({}, [])
    # The last close is 571.53.
    touch = state.market.touch("AAPL", state.now)
    assert (touch.bid, touch.ask) == (D("571.28"), D("571.78"))


def test_now_is_the_clock_of_the_account() -> None:
    state = make_state(SimOptions())
    state.account.place(ORDER)
    assert state.now == state.account.now == DEMO_NOW + 1_000_000


def test_a_reset_leaves_nothing_behind_and_gives_the_same_ids_again() -> None:
    state = make_state(SimOptions(cash=D(1000)))
    first, received, market = state.account.place(ORDER), state.received, state.market
    received.append(("POST", "/v2/orders", b"{}"))
    state.account.move(DEMO_NOW + 86_400_000_000_000)
    state.reset()
    assert (state.now, state.account.orders, state.account.holdings.held) == (DEMO_NOW, {}, {})
    assert state.account.holdings.cash == D(1000)
    # The list stays the one that others hold, and the market is not read anew.
    assert state.received is received == []
    assert state.market is market
    assert state.account.place(ORDER).facts == first.facts


def test_states_share_files_and_nothing_else() -> None:
    one, two = make_state(SimOptions()), make_state(SimOptions())
    one.account.place(ORDER)
    one.received.append(("POST", "/v2/orders", b""))
    assert one.market.bars["AAPL"] is two.market.bars["AAPL"]
    assert (two.now, two.account.orders, two.received) == (DEMO_NOW, {}, [])


def test_a_users_files_are_the_market(tmp_path: Path) -> None:
    bars, news = tmp_path / "bars.csv", tmp_path / "news.yaml"
    bars.write_text(HEADER + "ACME,2012-06-14,10,11,9,10.50,1000,10.50\n")
    news.write_text("items: []\n")
    market = make_state(SimOptions(bars=bars, news=news)).market
    assert (list(market.bars), market.news, [str(day) for day in market.days]) == (["ACME"], (), ["2012-06-14"])


@pytest.mark.parametrize("name", ["bars", "news"])
def test_a_file_at_fault_is_named(tmp_path: Path, name: str) -> None:
    file = tmp_path / "none"
    with pytest.raises(BadCorpus, match="can't be read") as caught:
        make_state(SimOptions(bars=file) if name == "bars" else SimOptions(news=file))
    assert caught.value.file == str(file)


def test_the_key_finds_the_state_of_its_own_application() -> None:
    one, two = create_app(SimOptions(seed=1)), create_app(SimOptions(seed=2))
    assert (one[SIM].options.seed, two[SIM].options.seed) == (1, 2)
