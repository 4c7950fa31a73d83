"""The hooks in order, without a network: what is journalled when, and what each failure leads to."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest
from mitmproxy import flow as mitm_flow
from mitmproxy import http
from mitmproxy.proxy import server_hooks
from mitmproxy.test import tflow

from proxy.addons import streaming
from proxy.addons.session import Rules
from tests.proxy.addons.conftest import Bench, flow_of, reply

ORDERS = "https://api.alpaca.markets/v2/orders"
ORDER = b'{"symbol": "AAPL", "qty": "1", "side": "buy", "type": "market", "time_in_force": "day"}'
TAKEN = b'{"id": "o-1", "status": "accepted", "symbol": "AAPL", "qty": "1"}'


def on_disk(bench: Bench) -> list[str]:
    connection = sqlite3.connect(f"{bench.session.writer.path.resolve().as_uri()}?mode=ro", uri=True)
    try:
        return [kind for (kind,) in connection.execute("SELECT kind FROM order_events ORDER BY seq")]
    finally:
        connection.close()


async def test_an_order(bench: Bench) -> None:
    """On disk when the request hook returns; its acknowledgement when the response hook does."""
    flow = flow_of("POST", ORDERS, ORDER)
    await bench.stack.request(flow)
    before = on_disk(bench)
    flow.response = reply(TAKEN)
    bench.stack.responseheaders(flow)
    await bench.stack.response(flow)

    assert (before, on_disk(bench)) == (["requested"], ["requested", "acked"])
    assert flow.response.data.content == TAKEN
    assert [row.outcome for row in bench.evidence().exchanges] == ["passed"]
    assert bench.stack._open == {}


async def test_nothing_is_touched(bench: Bench) -> None:
    """Without an edit the very same objects go on."""
    flow, response = flow_of("GET", "https://a.example/x", b"", (b"X-oDD", b"1")), reply(b"{not json")
    fields, body = flow.request.data.headers.fields, response.data.content
    await bench.exchange(flow, response)

    assert flow.request.data.headers.fields is fields
    assert response.data.content is body
    assert flow.response is response


async def test_a_map(bench: Bench) -> None:
    """The upstream changes, the evidence names the host that the agent meant."""
    bench.session.rules = Rules(maps={"a.example": urlsplit("http://127.0.0.1:9/base")})
    flow = await bench.exchange(flow_of("GET", "https://a.example/x"), reply(b"{}"))
    (row,) = bench.evidence().exchanges

    assert (flow.request.data.host, flow.request.data.port, flow.request.data.path) == ("127.0.0.1", 9, b"/base/x")
    assert (row.host, row.port, row.scheme, row.path, row.upstream) == (
        *("a.example", 443, "https", "/x"),
        "http://127.0.0.1:9/base",
    )


async def test_real_money_under_attack(bench: Bench) -> None:
    """403 from us; an attempt that holds no exposure; in `blocked`."""
    bench.session.rules = replace(bench.session.rules, attacking=True)
    flow = await bench.exchange(flow_of("POST", ORDERS, ORDER), reply(TAKEN))
    evidence = bench.evidence()

    assert flow.response is not None
    assert flow.response.status_code == 403
    assert [fact.event.kind for fact in evidence.orders] == ["requested", "rejected"]
    assert [(one.rule, one.exchange) for one in evidence.blocked] == [("real_orders", 1)]
    assert [(row.outcome, row.status) for row in evidence.exchanges] == [("blocked", 403)]


def failing(*_given: Any) -> Any:
    raise RuntimeError("bug of ours")


async def test_a_request_that_cannot_be_read(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """502, nothing forwarded, a note, and the next one is fine."""
    with monkeypatch.context() as patch:
        patch.setattr(type(bench.session.reader), "request", failing)
        flow = await bench.exchange(flow_of("POST", ORDERS, ORDER), reply(TAKEN))
    good = await bench.exchange(flow_of("GET", "https://a.example/"), reply(b"{}"))

    assert flow.response is not None
    assert (flow.response.status_code, flow.response.headers["x-redtape"]) == (502, "internal")
    assert good.response is not None
    assert good.response.status_code == 200
    assert bench.session.hook_failures == 1
    assert [one.kind for one in bench.evidence().notes] == ["hook_failed"]


@pytest.mark.parametrize(("method", "url", "status"), [("GET", "https://a.example/x", 502), ("POST", ORDERS, 200)])
async def test_an_answer_that_cannot_be_read(
    method: str, url: str, status: int, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """502 while it is held, unless the request acted: to hide its answer would make agents order twice."""
    monkeypatch.setattr(streaming, "decide", lambda *_given: None)
    monkeypatch.setattr(type(bench.session.reader), "response", failing)
    flow = await bench.exchange(flow_of(method, url, ORDER if method == "POST" else b""), reply(TAKEN))

    assert flow.response is not None
    assert flow.response.status_code == status
    assert bench.stack._open == {}


async def test_no_journal_no_order(bench: Bench) -> None:
    """503 from request to response; the failure is remembered."""
    bench.session.writer._connection.set_authorizer(lambda *_given: sqlite3.SQLITE_DENY)
    flow = await bench.exchange(flow_of("POST", ORDERS, ORDER), reply(TAKEN))
    again = await bench.exchange(flow_of("GET", "https://api.alpaca.markets/v2/account"), reply(b"{}"))

    assert flow.response is not None
    assert again.response is not None
    assert [one.response.status_code for one in (flow, again) if one.response] == [503, 503]
    assert bench.session.storage_failed


async def test_no_journal_after_an_order(bench: Bench) -> None:
    """The venue's answer passes although it can't be kept."""
    flow = flow_of("POST", ORDERS, ORDER)
    await bench.stack.request(flow)
    bench.session.writer._connection.set_authorizer(lambda *_given: sqlite3.SQLITE_DENY)
    flow.response = reply(TAKEN)
    await bench.stack.response(flow)

    assert flow.response.status_code == 200
    assert bench.session.storage_failed


async def test_a_broken_exchange(bench: Bench) -> None:
    """An order without an answer may or may not work; said once, however often mitmproxy says it."""
    flow = flow_of("POST", ORDERS, ORDER)
    await bench.stack.request(flow)
    flow.error = mitm_flow.Error("server closed connection")
    bench.stack.error(flow)
    bench.stack.error(flow)
    evidence = bench.evidence()

    assert [fact.event.kind for fact in evidence.orders] == ["requested", "unknown"]
    assert [(row.outcome, row.error) for row in evidence.exchanges] == [("error", "server closed connection")]


@pytest.mark.parametrize(
    ("kind", "length", "streamed"),
    [
        (b"text/event-stream; charset=utf-8", None, True),
        (b"application/x-ndjson", None, True),
        (b"application/json", None, True),
        (b"application/json", b"100", True),
        (b"application/json", b"99999999999", True),
    ],
)
async def test_what_streams(kind: bytes, length: bytes | None, streamed: bool, bench: Bench) -> None:
    """Everything that nothing can be put into; the answer to an order is held until it is on disk."""
    order = flow_of("POST", ORDERS, ORDER)
    await bench.stack.request(order)
    order.response = reply(TAKEN)
    bench.stack.responseheaders(order)
    assert not order.response.stream

    flow = flow_of("GET", "https://a.example/x")
    await bench.stack.request(flow)
    response = reply(b"")
    response.data.headers.fields = ((b"Content-Type", kind), *(((b"Content-Length", length),) if length else ()))
    flow.response = response
    bench.stack.responseheaders(flow)

    assert bool(flow.response.stream) == streamed


async def test_a_stream_is_copied(bench: Bench) -> None:
    """Pieces go on as they came, and are kept."""
    flow = flow_of("GET", "https://a.example/x")
    await bench.stack.request(flow)
    flow.response = reply(b"")
    flow.response.headers["content-type"] = "text/event-stream"
    bench.stack.responseheaders(flow)
    pieces = [b"data: 1\n", b"\n", b""]
    copy = flow.response.stream
    assert callable(copy)
    passed = [copy(piece) for piece in pieces]
    await bench.stack.response(flow)
    (row,) = bench.evidence().exchanges

    assert [bytes(one) if isinstance(one, bytes) else b"".join(one) for one in passed] == pieces
    assert row.response_body is not None


async def connect(bench: Bench, host: str, port: int) -> Any:
    server = tflow.tserver_conn()
    server.timestamp_start = None
    server.state = server.state.__class__.CLOSED
    server.address = (host, port)
    data = server_hooks.ServerConnectionHookData(server=server, client=tflow.tclient_conn())
    await bench.stack.server_connect(data)
    return data


@pytest.mark.parametrize(
    ("host", "port", "why"),
    [
        ("169.254.169.254", 80, "metadata"),
        ("127.0.0.1", 8080, "own port"),
        ("no-such-host.invalid", 80, "redtape"),
    ],
)
async def test_refused_destinations(host: str, port: int, why: str, bench: Bench) -> None:
    """No connection is tried."""
    bench.session.rules = replace(bench.session.rules, own_ports=frozenset({8080}))
    data = await connect(bench, host, port)

    assert why in data.server.error


async def test_the_checked_address_is_the_one(bench: Bench) -> None:
    """Connected by address, found again by name."""
    data = await connect(bench, "localhost", 5000)
    pinned = data.server.address
    bench.stack.server_connected(data)

    assert data.server.error is None
    assert pinned[0] in ("127.0.0.1", "::1")
    assert data.server.address == ("localhost", 5000)
    assert bench.stack._named == {}


async def test_a_failed_check_closes(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bug in the check is a refusal."""
    monkeypatch.setattr("proxy.addons.guard.forbidden", failing)
    data = await connect(bench, "127.0.0.1", 5000)

    assert data.server.error == "redtape: internal error"


async def test_logs_hold_no_long_words(bench: Bench) -> None:
    """The canonical line names host and endpoint, and no word that could be a secret."""
    await bench.exchange(flow_of("GET", "https://a.example/by/Tr4deSecretValue9f8e/x?token=abc"), reply(b"{}"))
    (event, said) = bench.log.kept[-1]

    assert event == "exchange.passed"
    assert said["path"] == "/by/…/x"
    assert SimpleNamespace(**said).status == 200


def named(flow: http.HTTPFlow, host: bytes) -> http.HTTPFlow:
    """The same request with another Host field: what a server may go by."""
    flow.request.data.headers = http.Headers(
        [(name, host if name.lower() == b"host" else value) for name, value in flow.request.data.headers.fields]
    )
    return flow


REAL_ORDER = (
    ("http://127.0.0.1:9/v2/orders", b"api.alpaca.markets"),
    ("https://data.alpaca.markets/v2/orders", b"API.alpaca.markets:443"),
    ("https://paper-api.alpaca.markets/v2/orders", b"api.alpaca.markets."),
)


@pytest.mark.parametrize(("url", "host"), REAL_ORDER)
async def test_a_real_venue_named_anywhere_is_refused_under_attack(url: str, host: bytes, bench: Bench) -> None:
    """Host field against address: whichever a server goes by must not be a real venue."""
    bench.session.rules = Rules(attacking=True)
    flow = named(flow_of("POST", url, ORDER), host)
    await bench.stack.request(flow)

    assert flow.response is not None
    assert flow.response.status_code == 403


async def test_the_name_of_tls_and_an_absolute_target_count_too(bench: Bench) -> None:
    bench.session.rules = Rules(attacking=True)
    by_tls = flow_of("POST", "https://x.example/v2/orders", ORDER)
    by_tls.client_conn.sni = "api.alpaca.markets"
    by_target = flow_of("POST", "https://x.example/", ORDER)
    by_target.request.data.path = b"https://api.alpaca.markets/v2/orders"
    by_slashes = flow_of("POST", "https://x.example/", ORDER)
    by_slashes.request.data.path = b"//api.alpaca.markets:443/v2/orders"
    for flow in (by_tls, by_target, by_slashes):
        await bench.stack.request(flow)
        assert flow.response is not None
        assert flow.response.status_code == 403


@pytest.mark.parametrize(("url", "host"), REAL_ORDER)
async def test_an_order_is_read_by_whichever_name_is_a_venue(url: str, host: bytes, bench: Bench) -> None:
    flow = await bench.exchange(named(flow_of("POST", url, ORDER), host), reply(TAKEN))
    bench.session.writer.close()

    assert flow.response is not None
    assert flow.response.status_code == 200
    evidence = bench.evidence()
    assert evidence.orders[0].event.kind == "requested"
    assert "other_host" in evidence.exchanges[0].marks


@pytest.mark.parametrize("path", ["/v2%2Forders", "/V2/orders", "/v2/orders;a=1", "/v2/perpetuals/x"])
async def test_what_may_have_acted_is_on_disk_before_it_leaves(path: str, bench: Bench) -> None:
    """In a form that nobody taught us: a note, committed like an order."""
    flow = flow_of("POST", f"https://api.alpaca.markets{path}", ORDER)
    await bench.stack.request(flow)
    notes = bench.evidence().notes

    assert flow.response is None
    assert [one.kind for one in notes] == ["unread_action"]


async def test_a_long_upload_streams_unless_it_may_be_an_order(bench: Bench) -> None:
    for url, streamed in (("https://files.example/x", True), ("https://api.alpaca.markets/v2/orders", False)):
        flow = flow_of("POST", url)
        flow.request.headers["content-length"] = "999999999"
        await bench.stack.requestheaders(flow)
        assert bool(flow.request.stream) == streamed
