"""What is measured: the requests that agents send, and the bytes that the stand-in upstream answers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

DATA_HOST: Final = "data.alpaca.markets"
TRADING_HOST: Final = "api.alpaca.markets"
NUMBER: Final = b"@@@@@@@@@@"
"""Stands in a prepared body where the running number goes: as many bytes, so that lengths stay."""

SYMBOL: Final = "ZBEN"
"""Marks the one news item of a body that the benchmark's attack edits."""


@dataclass(frozen=True, slots=True)
class Cell:
    """
    One kind of load.

    `host` is whom the agent talks to through Redtape, where it is mapped to the upstream; the other variants
    know no map and are asked for the upstream itself. Null means that Redtape is asked for that too.
    """

    name: str
    title: str
    method: str
    path: str
    host: str | None = None
    body: str | None = None
    new_connection: bool = False
    attacked: bool = False
    connections: int = 16


ORDER: Final = json.dumps(
    {
        "symbol": "AAPL",
        "qty": "10",
        "side": "buy",
        "type": "limit",
        "limit_price": "187.45",
        "time_in_force": "day",
        "client_order_id": NUMBER.decode(),
    }
)

CELLS: Final = (
    Cell("small", "1 KB, keep-alive, 16 connections", "GET", "/small?n=" + NUMBER.decode()),
    Cell(
        "quotes",
        "1 KB of quotes that are read, keep-alive, 16 connections",
        "GET",
        "/v2/stocks/quotes/latest?symbols=AAPL&n=" + NUMBER.decode(),
        host=DATA_HOST,
    ),
    Cell(
        "news_edit",
        "100 KB of news, an edit in every body, 16 connections",
        "GET",
        "/v1beta1/news?n=" + NUMBER.decode(),
        host=DATA_HOST,
        attacked=True,
    ),
    Cell(
        "new_connection",
        "1 KB, a new connection for each request, 8 at once",
        "GET",
        "/small?n=" + NUMBER.decode(),
        new_connection=True,
        connections=8,
    ),
    Cell(
        "orders",
        "orders, on disk before they are forwarded, 16 connections",
        "POST",
        "/v2/orders",
        host=TRADING_HOST,
        body=ORDER,
    ),
)


def request(cell: Cell, authority: str) -> bytes:
    """A request with `NUMBER` in it."""
    body = (cell.body or "").encode()
    lines = [
        f"{cell.method} {cell.path} HTTP/1.1",
        f"Host: {authority}",
        "User-Agent: python-requests/2.32.5",
        "Accept: */*",
        "Accept-Encoding: gzip, deflate",
        "APCA-API-KEY-ID: PKBENCHBENCHBENCH123",
        "APCA-API-SECRET-KEY: bench-secret-0123456789abcdef0123456789abcdef",
    ]
    if cell.method == "POST":
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def answers() -> dict[bytes, bytes]:
    """Whole responses by the start of the request line, each with `NUMBER` in its body."""
    return {
        b"GET /small": _response(_small()),
        b"GET /v2/stocks/quotes": _response(_quotes()),
        b"GET /v1beta1/news": _response(_news()),
        b"POST /v2/orders": _response(_order()),
    }


def _response(body: bytes) -> bytes:
    head = (
        b"HTTP/1.1 200 OK\r\nServer: bench\r\nDate: Mon, 30 Nov 2026 12:00:00 GMT\r\n"
        b"Content-Type: application/json; charset=UTF-8\r\nContent-Length: %d\r\n"
        b"X-Request-ID: 5f0c6f6d3c1f4a7d\r\nVary: Accept-Encoding\r\n\r\n" % len(body)
    )
    return head + body


def _small() -> bytes:
    body = b'{"n":"%s","rows":[' % NUMBER
    row = b'{"id":"b7a1","value":"101.25","text":"a row of plain data"}'
    while len(body) + len(row) + 3 < 1024:
        body += row + b","
    return body.rstrip(b",") + b"]}"


def _quotes() -> bytes:
    quotes = {
        symbol: {
            "t": "2026-11-30T15:59:59.987654321Z",
            "ax": "V",
            "ap": 187.47,
            "as": 3,
            "bx": "V",
            "bp": 187.45,
            "bs": 2,
        }
        for symbol in ("AAPL", "MSFT", "NVDA", "AMZN", "TSLA", "META", "GOOG")
    }
    body = json.dumps({"quotes": quotes, "n": NUMBER.decode()}, separators=(",", ":")).encode()
    return body.replace(b'"bs":2', b'"bs":2,"c":["R"],"z":"C"')


def _news() -> bytes:
    words = (
        "Shares of the maker of laboratory sensors moved with the wider market on Monday after the company repeated "
        "its outlook for the year. Analysts had expected a cautious tone. Volumes were in line with the average of "
        "the last thirty sessions, and options implied a smaller move than in the weeks before the report. "
    )
    items = []
    # As many as the venue sends when it is not asked for more, with their whole text.
    for number in range(10):
        text = "".join(f"<p>{words}{number}.{paragraph}</p>" for paragraph in range(31))
        items.append(
            {
                "id": f"4{number:08}",
                "headline": f"Item {number}: makers of sensors repeat their outlook",
                "author": "Desk",
                "created_at": "2026-11-30T15:01:02Z",
                "updated_at": "2026-11-30T15:01:03Z",
                "summary": words,
                "content": text,
                "url": f"https://news.example/{number}",
                "symbols": ["AAPL"],
                "source": "bench",
            }
        )
    items[0] |= {"id": NUMBER.decode(), "symbols": [SYMBOL]}
    return json.dumps({"news": items, "next_page_token": None}, separators=(",", ":")).encode()


def _order() -> bytes:
    order = {
        "id": f"904837e3-3b76-47ec-b432-{NUMBER.decode()}aa",
        "client_order_id": "eb9e2aaa-f71a-4f51-b5b4-52a6c565dad4",
        "created_at": "2026-11-30T15:59:59.123456Z",
        "submitted_at": "2026-11-30T15:59:59.123456Z",
        "asset_id": "b0b6dd9d-8b9b-48a9-ba46-b9d54906e415",
        "symbol": "AAPL",
        "asset_class": "us_equity",
        "qty": "10",
        "filled_qty": "0",
        "filled_avg_price": None,
        "order_class": "",
        "type": "limit",
        "side": "buy",
        "time_in_force": "day",
        "limit_price": "187.45",
        "stop_price": None,
        "status": "accepted",
        "extended_hours": False,
        "legs": None,
    }
    return json.dumps(order, separators=(",", ":")).encode()
