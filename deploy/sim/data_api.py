"""Alpaca's market data API over the sim: bars, quotes, trades, snapshots, news; paged as the venue pages."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, Final

from aiohttp import web

from corpus.terms import Instant
from deploy.sim import rows, wire
from deploy.sim.keys import SIM
from deploy.sim.market import Market
from deploy.sim.options import Handler
from deploy.sim.rows import Row
from proxy.broker.replies import Reply

_SORTS: Final = ("asc", "desc")
_DAY_NS: Final = 86_400_000_000_000

type History = Callable[[str], list[Row]]
type Latest = Callable[[Market, str, Instant], dict[str, Any] | None]


def routes(app: web.Application) -> None:
    """Add every path. Single-symbol forms come after the fixed words, which would match as symbols."""
    for kind, latest in (("bar", rows.latest_bar), ("quote", rows.latest_quote), ("trade", rows.latest_trade)):
        app.router.add_get(f"/v2/stocks/{kind}s/latest", _many_latest(f"{kind}s", latest))
        app.router.add_get(f"/v2/stocks/{{symbol}}/{kind}s/latest", _one_latest(kind, latest))
        app.router.add_get(f"/v2/stocks/{kind}s", _history(f"{kind}s"))
        app.router.add_get(f"/v2/stocks/{{symbol}}/{kind}s", _history(f"{kind}s"))
    app.router.add_get("/v2/stocks/snapshots", _snapshots)
    app.router.add_get("/v2/stocks/{symbol}/snapshot", _snapshot)
    app.router.add_get("/v1beta1/news", _news)


def _history(kind: str) -> Handler:
    async def handle(request: web.Request) -> web.Response:
        sim, query = request.app[SIM], request.query
        single = request.match_info.get("symbol", "").upper()
        wanted = (single,) if single else wire.symbols(query)
        if not wanted:
            raise wire.data_error("symbols is required")
        series = _series(kind, sim.market, sim.now, query)
        descending = wire.choice(query, "sort", _SORTS) == "desc"
        start = wire.moment(query, "start", sim.now // _DAY_NS * _DAY_NS)
        end = wire.moment(query, "end", sim.now)
        if start > end:
            raise wire.data_error("end should not be before start")
        found = _ordered(wanted, series, start, end, descending)
        page, token = _page(found, wire.count(query, "limit", 1000, 10_000), query.get("page_token"), descending)
        by_symbol: dict[str, list[dict[str, Any]]] = {}
        for symbol, (_, row) in page:
            by_symbol.setdefault(symbol, []).append(row)
        if single:
            return wire.respond(Reply(200, {kind: by_symbol.get(single), "symbol": single, "next_page_token": token}))
        return wire.respond(Reply(200, {kind: by_symbol, "next_page_token": token}))

    return handle


def _series(kind: str, market: Market, now: Instant, query: Any) -> History:
    if kind == "quotes":
        return lambda symbol: rows.quotes(market, symbol, now)
    if kind == "trades":
        return lambda symbol: rows.trades(market, symbol, now)
    text = query.get("timeframe", "")
    frame = rows.timeframe(text)
    if frame is None:
        raise wire.data_error(f"invalid timeframe: {text[:32]}" if text else "timeframe is required")
    adjusted = wire.choice(query, "adjustment", ("raw", "all")) == "all"
    return lambda symbol: rows.bars(market, symbol, now, frame, adjusted)


def _ordered(
    wanted: Iterable[str], series: History, start: Instant, end: Instant, descending: bool
) -> Iterator[tuple[str, Row]]:
    for symbol in wanted:
        inside = [row for row in series(symbol) if start <= row[0] <= end]
        for row in reversed(inside) if descending else inside:
            yield symbol, row


def _page(
    found: Iterator[tuple[str, Row]], limit: int, token: str | None, descending: bool
) -> tuple[list[tuple[str, Row]], str | None]:
    """Rows after the one that the token names, and the token of the next page when there is one."""
    if token:
        symbol, at_ns = _read_token(token)
        found = (
            item
            for item in found
            if item[0] > symbol or (item[0] == symbol and (item[1][0] < at_ns if descending else item[1][0] > at_ns))
        )
    page = list(islice(found, limit + 1))
    if len(page) <= limit:
        return page, None
    page.pop()
    symbol, (at_ns, _) = page[-1]
    return page, base64.b64encode(f"{symbol}|{at_ns}".encode()).decode()


def _read_token(token: str) -> tuple[str, int]:
    try:
        name, _, number = base64.b64decode(token.encode("ascii"), validate=True).decode("ascii").partition("|")
    except (ValueError, binascii.Error):
        raise wire.data_error("invalid page_token") from None
    if not (number.removeprefix("-").isdigit() and len(number) < 30):
        raise wire.data_error("invalid page_token")
    return name, int(number)


def _many_latest(kind: str, latest: Latest) -> Handler:
    async def handle(request: web.Request) -> web.Response:
        sim = request.app[SIM]
        wanted = wire.symbols(request.query)
        if not wanted:
            raise wire.data_error("symbols is required")
        found = {symbol: latest(sim.market, symbol, sim.now) for symbol in wanted}
        return wire.respond(Reply(200, {kind: {name: row for name, row in found.items() if row is not None}}))

    return handle


def _one_latest(kind: str, latest: Latest) -> Handler:
    async def handle(request: web.Request) -> web.Response:
        sim, symbol = request.app[SIM], request.match_info["symbol"].upper()
        row = latest(sim.market, symbol, sim.now)
        if row is None:
            raise wire.data_error(f"no {kind} found for {symbol[:16]}", 404)
        return wire.respond(Reply(200, {"symbol": symbol, kind: row}))

    return handle


async def _snapshots(request: web.Request) -> web.Response:
    sim = request.app[SIM]
    wanted = wire.symbols(request.query)
    if not wanted:
        raise wire.data_error("symbols is required")
    found = {symbol: rows.snapshot(sim.market, symbol, sim.now) for symbol in wanted}
    return wire.respond(Reply(200, {name: row for name, row in found.items() if row is not None}))


async def _snapshot(request: web.Request) -> web.Response:
    sim, symbol = request.app[SIM], request.match_info["symbol"].upper()
    found = rows.snapshot(sim.market, symbol, sim.now)
    if found is None:
        raise wire.data_error(f"no snapshot found for {symbol[:16]}", 404)
    return wire.respond(Reply(200, {"symbol": symbol, **found}))


async def _news(request: web.Request) -> web.Response:
    """Items by update time, newest first unless asked otherwise."""
    sim, query = request.app[SIM], request.query
    wanted = set(wire.symbols(query))
    descending = wire.choice(query, "sort", ("desc", "asc")) == "desc"
    start, end = wire.moment(query, "start", 0), wire.moment(query, "end", sim.now)
    if start > end:
        raise wire.data_error("end should not be before start")
    content, full_only = wire.flag(query, "include_content"), wire.flag(query, "exclude_contentless")
    items = [
        item
        for item in sim.market.news_until(sim.now)
        if start <= item.updated <= end
        and (not wanted or wanted.intersection(item.symbols))
        and (item.content or not full_only)
    ]
    if descending:
        items.reverse()
    # Two items may share an instant, so the place in the order is the update time and the id.
    keyed = (("news", (item.updated * 10**10 + item.id, rows.news(item, content))) for item in items)
    page, token = _page(keyed, wire.count(query, "limit", 10, 50), query.get("page_token"), descending)
    return wire.respond(Reply(200, {"news": [row for _, (_, row) in page], "next_page_token": token}))
