"""Alpaca's trading API over the sim's account: bodies in, the venue's replies out."""

from __future__ import annotations

from decimal import ROUND_DOWN, Decimal
from typing import Any, Final

from aiohttp import web

from corpus.terms import OrderType, Side, TimeInForce
from deploy.sim import order_request, wire
from deploy.sim.account import Account
from deploy.sim.drafts import Order
from deploy.sim.keys import SIM, SimState
from deploy.sim.market import make_id
from deploy.sim.order_request import OrderRequest
from deploy.sim.wire import Refused
from proxy.broker import refusals, replies
from proxy.broker.replies import Reply

_SHARE_STEP: Final = Decimal("0.000000001")
_ASSET_CLASSES: Final = ("us_equity", "us_option", "crypto")


def routes(app: web.Application) -> None:
    """Add every path."""
    add = app.router
    add.add_get("/v2/account", _account)
    add.add_get("/v2/account/configurations", _configurations)
    add.add_post("/v2/orders", _place)
    add.add_get("/v2/orders", _orders)
    add.add_delete("/v2/orders", _cancel_all)
    add.add_get("/v2/orders:by_client_order_id", _by_client_id)
    add.add_get("/v2/orders/{order_id}", _order)
    add.add_patch("/v2/orders/{order_id}", _replace)
    add.add_delete("/v2/orders/{order_id}", _cancel)
    add.add_get("/v2/positions", _positions)
    add.add_delete("/v2/positions", _close_all)
    add.add_get("/v2/positions/{symbol}", _position)
    add.add_delete("/v2/positions/{symbol}", _close)
    add.add_get("/v2/clock", _clock)
    add.add_get("/v2/assets", _assets)
    add.add_get("/v2/assets/{symbol}", _asset)


async def body_of(request: web.Request) -> Any:
    """The JSON of a request. Raises Refused with the venue's 400."""
    try:
        return wire.load(await request.read())
    except ValueError:
        raise Refused(refusals.bad_body()) from None


async def _account(request: web.Request) -> web.Response:
    sim = request.app[SIM]
    account = sim.account
    facts = account.holdings.account(sim.options.seed, sim.options.now, list(account.working()), account.last)
    return wire.respond(Reply(200, replies.account(facts)))


async def _configurations(request: web.Request) -> web.Response:
    body = {
        "dtbp_check": "entry",
        "fractional_trading": True,
        "max_margin_multiplier": "2",
        "max_options_trading_level": None,
        "no_shorting": False,
        "pdt_check": "entry",
        "ptp_no_exception_entry": False,
        "suspend_trade": False,
        "trade_confirm_email": "all",
    }
    return wire.respond(Reply(200, body))


async def _place(request: web.Request) -> web.Response:
    account = request.app[SIM].account
    asked = order_request.read(await body_of(request))
    return wire.respond(Reply(200, _ack(account, account.place(asked))))


def _ack(account: Account, order: Order) -> dict[str, Any]:
    """
    The order as the venue first sees it. A fill comes after the answer: the agent reads it with a GET.

    Paper accounts answer so even when the order fills within the millisecond.
    """
    shown = replies.order(account.view(order))
    if order.facts.status in ("new", "filled", "partially_filled", "canceled"):
        shown |= {"status": "pending_new", "filled_qty": "0", "filled_avg_price": None, "filled_at": None}
        shown |= {"canceled_at": None, "updated_at": shown["created_at"]}
    for leg in shown["legs"] or []:
        leg |= {"status": "held", "filled_qty": "0", "filled_avg_price": None, "filled_at": None}
        leg |= {"canceled_at": None, "updated_at": leg["created_at"]}
    return shown


async def _orders(request: web.Request) -> web.Response:
    """Open orders by default, newest first, at most 50; `nested` folds legs into their parents."""
    sim, query = request.app[SIM], request.query
    status = wire.choice(query, "status", ("open", "closed", "all"))
    ascending = wire.choice(query, "direction", ("desc", "asc")) == "asc"
    after, until = wire.moment(query, "after", -1), wire.moment(query, "until", sim.now + 1)
    wanted, side, nested = set(wire.symbols(query)), query.get("side", ""), wire.flag(query, "nested")
    found = [
        order
        for order in sim.account.orders.values()
        if (status == "all" or order.working == (status == "open"))
        and (not wanted or order.facts.symbol in wanted)
        and (not side or order.facts.side == side)
        and after < order.facts.created_ns < until
        and not (nested and order.is_leg)
    ]
    if not ascending:
        found.reverse()
    limit = wire.count(query, "limit", 50, 500)
    return wire.respond(Reply(200, [replies.order(sim.account.view(order, nested)) for order in found[:limit]]))


async def _order(request: web.Request) -> web.Response:
    account = request.app[SIM].account
    order = _find(account, request.match_info["order_id"])
    return wire.respond(Reply(200, replies.order(account.view(order, wire.flag(request.query, "nested")))))


async def _by_client_id(request: web.Request) -> web.Response:
    account, wanted = request.app[SIM].account, request.query.get("client_order_id", "")
    order = account.by_client_id(wanted)
    if order is None:
        raise Refused(refusals.order_not_found(wanted[:128]))
    return wire.respond(Reply(200, replies.order(account.view(order, False))))


async def _replace(request: web.Request) -> web.Response:
    account = request.app[SIM].account
    change = order_request.read_replacement(await body_of(request))
    order = account.replace(_find(account, request.match_info["order_id"]), change)
    return wire.respond(Reply(200, _ack(account, order)))


async def _cancel(request: web.Request) -> web.Response:
    account = request.app[SIM].account
    account.cancel(_find(account, request.match_info["order_id"]))
    return wire.respond(Reply(204))


async def _cancel_all(request: web.Request) -> web.Response:
    ids = request.app[SIM].account.cancel_all()
    return wire.respond(Reply(207, [{"id": order_id, "status": 200} for order_id in ids]))


def _find(account: Account, order_id: str) -> Order:
    order = account.orders.get(order_id.lower())
    if order is None:
        raise Refused(refusals.order_not_found(order_id[:64]))
    return order


async def _positions(request: web.Request) -> web.Response:
    account = request.app[SIM].account
    shown = [_shown(account, symbol) for symbol in sorted(account.holdings.held)]
    return wire.respond(Reply(200, shown))


async def _position(request: web.Request) -> web.Response:
    sim = request.app[SIM]
    symbol = _symbol(sim, request.match_info["symbol"])
    if symbol not in sim.account.holdings.held:
        raise Refused(refusals.position_not_found(symbol[:16]))
    return wire.respond(Reply(200, _shown(sim.account, symbol)))


def _shown(account: Account, symbol: str) -> dict[str, Any]:
    facts = account.holdings.position(symbol, account.working(), account.last(symbol))
    assert facts is not None
    return replies.position(facts)


async def _close(request: web.Request) -> web.Response:
    sim, query = request.app[SIM], request.query
    symbol = _symbol(sim, request.match_info["symbol"])
    held = sim.account.holdings.quantity(symbol)
    if held == 0:
        raise Refused(refusals.position_not_found(symbol[:16]))
    if "qty" in query and "percentage" in query:
        raise Refused(refusals.invalid("only one of qty or percentage is accepted"))
    quantity = abs(held)
    if "qty" in query:
        quantity = order_request.amount(dict(query), "qty") or quantity
    elif "percentage" in query:
        percent = order_request.amount(dict(query), "percentage") or Decimal(100)
        if percent > 100:
            raise Refused(refusals.invalid("percentage must be at most 100"))
        # A short has whole shares only.
        quantity = (quantity * percent / 100).quantize(_SHARE_STEP if held > 0 else Decimal(1), ROUND_DOWN)
        if quantity == 0:
            raise Refused(refusals.unprocessable("percentage results in a quantity of 0"))
    return wire.respond(Reply(200, _ack(sim.account, _exit(sim.account, symbol, quantity))))


def _exit(account: Account, symbol: str, quantity: Decimal) -> Order:
    side = Side.SELL if account.holdings.quantity(symbol) > 0 else Side.BUY
    request = OrderRequest(
        symbol=symbol,
        side=side,
        type=OrderType.MARKET,
        tif=TimeInForce.DAY,
        quantity=quantity,
        notional=None,
        limit_price=None,
        stop_price=None,
        trail_price=None,
        trail_percent=None,
        client_order_id=None,
        extended_hours=False,
        order_class="",
        take_profit=None,
        stop_loss=None,
    )
    return account.place(request)


async def _close_all(request: web.Request) -> web.Response:
    account, out = request.app[SIM].account, []
    if wire.flag(request.query, "cancel_orders"):
        account.cancel_all()
    for symbol in sorted(account.holdings.held):
        try:
            order = _exit(account, symbol, abs(account.holdings.quantity(symbol)))
            out.append({"symbol": symbol, "status": 200, "body": _ack(account, order)})
        except Refused as refused:
            out.append({"symbol": symbol, "status": refused.reply.status, "body": refused.reply.body})
    return wire.respond(Reply(207, out))


async def _clock(request: web.Request) -> web.Response:
    sim = request.app[SIM]
    return wire.respond(Reply(200, sim.market.clock(sim.now)))


async def _assets(request: web.Request) -> web.Response:
    sim, query = request.app[SIM], request.query
    kind = wire.choice(query, "asset_class", _ASSET_CLASSES)
    exchange, status = query.get("exchange", ""), query.get("status", "active")
    found = [sim.market.asset(symbol) for symbol in sim.market.bars if kind == "us_equity" and status != "inactive"]
    return wire.respond(Reply(200, [asset for asset in found if not exchange or asset["exchange"] == exchange]))


async def _asset(request: web.Request) -> web.Response:
    sim = request.app[SIM]
    symbol = _symbol(sim, request.match_info["symbol"])
    if not sim.market.lists(symbol):
        raise Refused(refusals.asset_not_found(symbol[:36]))
    return wire.respond(Reply(200, sim.market.asset(symbol)))


def _symbol(sim: SimState, given: str) -> str:
    """A ticker, given as such or by its asset id."""
    return next((s for s in sim.market.bars if make_id("asset", s) == given.lower()), given.upper())
