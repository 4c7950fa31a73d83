"""Interim answers are skipped on the way from an upstream."""

from __future__ import annotations

import pytest
from mitmproxy.net.http import http1
from mitmproxy.proxy import commands, events
from mitmproxy.proxy.context import Context
from mitmproxy.proxy.layers.http._base import HttpEvent, ReceiveHttp
from mitmproxy.proxy.layers.http._events import RequestEndOfMessage, RequestHeaders, ResponseHeaders
from mitmproxy.proxy.layers.http._http1 import Http1Client, Http1Server
from mitmproxy.test import taddons, tflow

from proxy.addons.interim import install

HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"


def statuses(*pieces: bytes) -> list[int]:
    """What a client layer makes of bytes from an upstream after one request."""
    install()
    with taddons.context() as context:
        layer = Http1Client(Context(tflow.tclient_conn(), context.options))
        server = layer.conn
        request = tflow.tflow().request
        list(layer.handle_event(events.Start()))
        sent: list[HttpEvent] = [RequestHeaders(1, request, True), RequestEndOfMessage(1)]
        for one in sent:
            list(layer.handle_event(one))
        heard: list[commands.Command] = []
        for piece in pieces:
            heard += layer.handle_event(events.DataReceived(server, piece))
    received = [one.event for one in heard if isinstance(one, ReceiveHttp)]
    return [one.response.status_code for one in received if isinstance(one, ResponseHeaders)]


@pytest.mark.parametrize(
    "pieces",
    [
        (ANSWER,),
        (HINTS + ANSWER,),
        (HINTS, ANSWER),
        (HINTS + HINTS, ANSWER[:10], ANSWER[10:]),
        (HINTS[:5], HINTS[5:-1], HINTS[-1:], ANSWER),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + ANSWER,),
        (b"HTTP/1.0 102\r\n\r\n" + ANSWER,),
    ],
)
def test_the_answer_is_the_answer(pieces: tuple[bytes, ...]) -> None:
    """In any pieces, after any number of hints."""
    assert statuses(*pieces) == [200]


def test_switching_protocols_is_an_answer() -> None:
    """101 is not skipped."""
    assert statuses(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n") == [101]


def test_installing_twice() -> None:
    """One layer of ours, not two."""
    install()
    once = Http1Client.read_headers
    install()

    assert Http1Client.read_headers is once
    assert http1.read_response_head([b"HTTP/1.1 200 OK"]).status_code == 200


def test_a_head_without_end_is_refused_not_held() -> None:
    """Both from an upstream and from an agent; a long head that ends is read."""
    install()
    with taddons.context() as context:
        server = Http1Server(Context(tflow.tclient_conn(), context.options))
        list(server.handle_event(events.Start()))
        piece = b"GET / HTTP/1.1\r\n" + b"X-Long: 1234567890\r\n" * 2000
        heard = [one for _ in range(20) for one in server.handle_event(events.DataReceived(server.conn, piece))]
    sent = b"".join(one.data for one in heard if isinstance(one, commands.SendData))
    assert sent.startswith(b"HTTP/1.1 431 ")
    assert any(isinstance(one, commands.CloseConnection) for one in heard)

    long_head = b"HTTP/1.1 200 OK\r\n" + b"X-Long: 1234567890\r\n" * 2000
    assert statuses(long_head + b"Content-Length: 0\r\n\r\n") == [200]
    assert statuses(*[long_head] * 20) == []
