"""Alpaca's trading calendar: sessions of the data's span, weekdays outside it."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final

from aiohttp import web

from deploy.sim import wire
from deploy.sim.keys import SIM
from deploy.sim.wire import Refused
from proxy.broker import refusals
from proxy.broker.replies import Reply

_LONGEST: Final = timedelta(days=366 * 20)


def routes(app: web.Application) -> None:
    """Add the path."""
    app.router.add_get("/v2/calendar", _calendar)


async def _calendar(request: web.Request) -> web.Response:
    sim, query = request.app[SIM], request.query
    days = sim.market.days
    first, last = (days[0], days[-1]) if days else (date(2012, 1, 1), date(2012, 12, 31))
    start, end = _date(query.get("start"), first), _date(query.get("end"), last)
    if end - start > _LONGEST:
        raise Refused(refusals.invalid("the interval is longer than 20 years"))
    found = [
        {
            "date": day.isoformat(),
            "open": "09:30",
            "close": "16:00",
            "session_open": "0400",
            "session_close": "2000",
            "settlement_date": (day + timedelta(days=5 if day.weekday() > 1 else 3)).isoformat(),
        }
        for day in sim.market.sessions(start, end)
    ]
    return wire.respond(Reply(200, found))


def _date(text: str | None, default: date) -> date:
    if not text:
        return default
    try:
        found = date.fromisoformat(text[:10])
    except ValueError:
        found = date.min
    if not 1900 <= found.year <= 2100:
        raise Refused(refusals.invalid(f"invalid date {text[:32]}; write YYYY-MM-DD"))
    return found
