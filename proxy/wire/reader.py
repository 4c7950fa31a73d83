"""
One exchange, read: its endpoint, its orders, its model call, its prices. Pure over a catalogue.

Whatever can't be read is marked and yields nothing; nothing here raises for a peer's bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from corpus.terms import Instant, Source
from proxy.wire.catalogue import Catalogue, Endpoint, HostFacts
from proxy.wire.codecs.json_span import loads, root
from proxy.wire.edit import Unreadable
from proxy.wire.exchange import Request, Response
from proxy.wire.intents import read_call
from proxy.wire.message import looks_like_json, plain, request_doc, response_doc
from proxy.wire.order_events import OrderRequested, OrdersRead, OrderUpdate
from proxy.wire.orders import read_reply, read_request
from proxy.wire.views import market
from proxy.wire.views.chat import ChatAnswer, ChatRequest, ToolCall
from proxy.wire.views.llm import CODECS


@dataclass(frozen=True, slots=True)
class RequestReading:
    """
    What a request means. `plain` are its decoded bytes, null when they can't be had.

    `marks`: unreadable (the body), bad_encoding, not_inspected (not kept), ambiguous (fields of several values).
    """

    endpoint: Endpoint | None
    host: HostFacts | None
    plain: bytes | None
    doc: dict[str, Any] | None
    orders: tuple[OrderRequested, ...] = ()
    chat: ChatRequest | None = None
    marks: tuple[str, ...] = ()
    unread_action: bool = False
    """Sent to a trading host, not a listed endpoint, and not a plain read: it may have acted."""


@dataclass(frozen=True, slots=True)
class Intent:
    """A tool call that a model emitted, and the order request that it amounts to, if any."""

    call: ToolCall
    order: OrderRequested | None


@dataclass(frozen=True, slots=True)
class ResponseReading:
    """What a response says."""

    plain: bytes | None
    events: tuple[OrderUpdate | OrdersRead | market.Seen, ...] = ()
    answer: ChatAnswer | None = None
    intents: tuple[Intent, ...] = ()
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads exchanges by one catalogue."""

    catalogue: Catalogue

    def request(self, request: Request, exchange: int) -> RequestReading:
        """Read a request; an acting endpoint yields an order request even when its body is unreadable."""
        endpoint = self.catalogue.match(request.host, request.method, request.bare_path)
        host = self.catalogue.host(request.host)
        marks: list[str] = []
        body: bytes | None = None
        try:
            body = plain(request.body, request.headers)
        except Unreadable:
            marks.append("not_inspected" if request.body is None else "bad_encoding")
        if endpoint is None:
            unread = host is not None and host.role == "trading" and not _plain_read(request)
            marks += ["unread_action"] if unread else []
            return RequestReading(None, host, body, None, marks=tuple(marks), unread_action=unread)
        if endpoint.rule.codec in CODECS:
            return self._chat(endpoint, host, body, marks)
        odd = endpoint.rule.action is None and request.method in PLAIN_READS and not _plain_read(request)
        unread = endpoint.role == "trading" and odd
        marks += ["unread_action"] if unread else []
        doc: dict[str, Any] | None = None
        if body is not None:
            try:
                doc = request_doc(endpoint, request, body)
            except Unreadable:
                marks.append("unreadable")
        if doc is None:
            doc = request_doc_without_body(endpoint, request)
        if doc.get("ambiguous") and endpoint.rule.order:
            marks.append("ambiguous")
        orders = read_request(endpoint, doc, exchange, request.at_ns) if endpoint.rule.order else ()
        return RequestReading(endpoint, host, body, doc, orders, marks=tuple(marks), unread_action=unread)

    def _chat(self, endpoint: Endpoint, host: HostFacts | None, body: bytes | None, marks: list[str]) -> RequestReading:
        try:
            asked = CODECS[endpoint.rule.codec].request(loads(body)) if body is not None else None
        except Unreadable:
            asked = None
        if asked is None:
            # The path alone does not make it a model call, unless the host is known for them.
            known = host is not None and host.role == "llm"
            return RequestReading(
                endpoint if known else None, host, body, None, marks=(*marks, "unreadable") if known else tuple(marks)
            )
        return RequestReading(endpoint, host, body, None, chat=asked, marks=tuple(marks))

    def response(self, asked: RequestReading, response: Response, exchange: int) -> ResponseReading:
        """Read a response in the light of its request; the bytes may be as sent or as shown."""
        endpoint = asked.endpoint
        marks: list[str] = []
        body: bytes | None = None
        try:
            body = plain(response.body, response.headers)
        except Unreadable:
            marks.append("not_inspected" if response.body is None else "bad_encoding")
        if not response.complete:
            marks.append("cut")
        if endpoint is None:
            return ResponseReading(body, marks=tuple(marks))
        if asked.chat is not None:
            return self._answer(endpoint, response, body, marks, exchange)
        if not endpoint.tells:
            # Texts alone say nothing of orders or prices: whether they can be read is all that is wanted.
            if body and response.complete and looks_like_json(body, response.headers.media_type()):
                try:
                    root(body)
                except Unreadable:
                    marks.append("unreadable")
            return ResponseReading(body, marks=tuple(marks))
        doc: dict[str, Any] | None = None
        try:
            doc = response_doc(response, body, asked.doc) if body is not None and response.complete else None
        except Unreadable:
            marks.append("unreadable")
        if doc is None:
            doc = {"status": response.status, "headers": {}, "body": None, "request": asked.doc or {}}
        events: list[OrderUpdate | OrdersRead | market.Seen] = []
        if endpoint.rule.reply:
            events += read_reply(endpoint, doc, asked.orders, exchange, response.end_ns)
        events += market.read(endpoint, doc, exchange, response.end_ns)
        return ResponseReading(body, tuple(events), marks=tuple(marks))

    def _answer(
        self, endpoint: Endpoint, response: Response, body: bytes | None, marks: list[str], exchange: int
    ) -> ResponseReading:
        codec = CODECS[endpoint.rule.codec]
        try:
            answer = codec.answer(body, response.headers.media_type()) if body is not None else None
        except Unreadable:
            answer = None
            marks.append("unreadable")
        intents = tuple(_intents(answer, exchange, response.end_ns)) if answer else ()
        return ResponseReading(body, answer=answer, intents=intents, marks=tuple(marks))

    def lost(self, asked: RequestReading, exchange: int, at_ns: Instant) -> tuple[OrderUpdate, ...]:
        """What to believe when a request was forwarded and no answer came: each order may or may not work."""
        return tuple(
            OrderUpdate(
                at_ns=at_ns,
                exchange=exchange,
                venue=order.venue,
                kind="unknown",
                answers=order.item,
                client_order_id=order.client_order_id,
                reason="no answer",
            )
            for order in asked.orders
        )


PLAIN_READS = ("GET", "HEAD", "OPTIONS")
OVERRIDES = ("x-http-method-override", "x-http-method", "x-method-override")
"""Fields by which some servers take another method than the one that was sent."""


def _plain_read(request: Request) -> bool:
    """Whether the method alone says that nothing is changed."""
    overridden = any(request.headers.get(name) for name in OVERRIDES) or "_method=" in request.query.lower()
    return request.method in PLAIN_READS and not request.body and not overridden


def request_doc_without_body(endpoint: Endpoint, request: Request) -> dict[str, Any]:
    """A request's document from its URL alone."""
    bare = Request(
        request.method, request.scheme, request.host, request.port, request.path, request.headers, b"", request.at_ns
    )
    try:
        return request_doc(endpoint, bare, b"")
    except Unreadable:
        return {"path": {}, "query": {}, "form": {}, "body": None, "args": {}}


def _intents(answer: ChatAnswer, exchange: int, at_ns: Instant) -> Iterator[Intent]:
    item = 0
    for call in answer.tool_calls:
        order = read_call(call.name, call.arguments, Source.LLM, exchange, at_ns, item)
        item += order is not None
        yield Intent(call, order)
