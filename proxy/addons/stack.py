"""
The one addon of ours: every hook of an exchange, in order, each failing closed.

request: read -> refuse? -> orders to disk -> inject -> map.    response: read -> inject -> journal.
A hook that fails must not let an order or an edit slip by: the request is not forwarded, and an answer that
was to be edited is not given. What can't be edited streams past, and a failure to read it changes nothing for
the agent; the answer to a request that acted at a venue is always the venue's own, since hiding an
acknowledgement would make agents order twice.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import wraps
from typing import Any, Final, Protocol

from mitmproxy import http, tls
from mitmproxy.proxy import server_hooks

from proxy.addons import adapt, guard, ingest, inject, streaming
from proxy.addons.opened import Opened
from proxy.addons.session import Session
from proxy.addons.streams import MAX_HELD
from proxy.journal.events import (
    BlockedRequest,
    ExchangeSeen,
    Fact,
    Ingested,
    MessageSeen,
    Noted,
)
from proxy.journal.store import JournalError
from proxy.wire.exchange import Exchange, Headers, Message, Response
from proxy.wire.order_events import OrderUpdate
from proxy.wire.reader import RequestReading, ResponseReading

_LONG_WORD: Final = re.compile(r"[^/]{16,}")


class Log(Protocol):
    """A structured logger."""

    def info(self, event: str, **values: Any) -> Any: ...
    def warning(self, event: str, **values: Any) -> Any: ...
    def error(self, event: str, **values: Any) -> Any: ...


def _closed(
    hook: Callable[[Stack, http.HTTPFlow], Awaitable[None]],
) -> Callable[[Stack, http.HTTPFlow], Awaitable[None]]:
    """Fail closed: whatever a hook raises, the agent gets an error and nothing unread goes on."""

    @wraps(hook)
    async def guarded(self: Stack, flow: http.HTTPFlow) -> None:
        try:
            await hook(self, flow)
        except Exception as error:  # noqa: BLE001 (the shell's boundary: journalled and failed closed)
            self.failed(flow, hook.__name__, error)
        finally:
            # Not before: a failure must still know whether the request acted.
            if hook.__name__ == "response":
                self._open.pop(flow.id, None)

    return guarded


class Stack:
    """All hooks of one session."""

    def __init__(self, session: Session, log: Log) -> None:
        self.session = session
        self.log = log
        self._open: dict[str, Opened] = {}
        self._named: dict[str, tuple[str, int]] = {}
        self._sockets: dict[str, int] = {}
        self._frames: dict[str, int] = {}

    # ---- failure

    def failed(self, flow: http.HTTPFlow, hook: str, error: Exception) -> None:
        """Close an exchange whose hook raised."""
        opened = self._open.get(flow.id)
        number = opened.id if opened else None
        self.session.hook_failures += 1
        stored = isinstance(error, JournalError)
        if stored:
            self.session.storage_failed = True
        # Where it failed and as what; an exception's words may quote a secret that nothing has learned yet.
        what = str(error) if stored else f"{type(error).__name__} at {_place(error)}"
        self.log.error("hook.failed", hook=hook, exchange_id=number, error=what)
        if not stored:
            self.session.note("hook_failed", f"{hook}: {what}", number)
        if hook == "request":
            text = "the evidence can't be written, so nothing is forwarded" if stored else "internal error"
            adapt.refuse(flow, 503 if stored else 502, "storage" if stored else "internal", text)
            if opened is not None:
                opened.outcome = "refused"
        elif flow.response is not None and not (
            opened is not None and (opened.acted or opened.ours or opened.stream is not None)
        ):
            adapt.refuse(flow, 502, "internal", "internal error while reading the answer")

    # ---- request

    async def requestheaders(self, flow: http.HTTPFlow) -> None:
        """Let a body that is too long to be held stream past, unless it may be an order."""
        try:
            length = flow.request.headers.get("content-length", "")
            if not length.isdigit() or int(length) <= MAX_HELD:
                return
            if guard.trading_name(self.session.reader.catalogue, adapt.names_of(flow)) is not None:
                return
            await self._take(flow, streamed=True)
            if flow.response is None:
                flow.request.stream = True
        except Exception as error:  # noqa: BLE001 (the shell's boundary: journalled and failed closed)
            self.failed(flow, "request", error)

    @_closed
    async def request(self, flow: http.HTTPFlow) -> None:
        """Read, check, journal and perhaps edit a whole request before it is forwarded."""
        if flow.id in self._open:
            # Its body streamed past; all that could be done was done with its head.
            return
        await self._take(flow, streamed=False)

    async def _take(self, flow: http.HTTPFlow, *, streamed: bool) -> None:
        session = self.session
        sent_to, port = _original(flow)
        names = adapt.names_of(flow)
        # A venue that is named anywhere is who the request is for, wherever it is sent.
        host = guard.trading_name(session.reader.catalogue, names) or sent_to
        request = adapt.request_of(flow, host, port, session.now())
        if streamed:
            request = replace(request, body=None)
        number = session.next_exchange()
        # Before it is read: a request that breaks the reader is in the evidence too.
        opened = self._open[flow.id] = Opened(number, request, _UNREAD)
        opened.marks = ("other_host",) if host != sent_to.lower().rstrip(".") else ()
        asked = opened.asked = session.reader.request(request, number)
        reason = guard.refusal(session.reader.catalogue, session.rules, asked, request, names)
        facts: list[Fact] = [fact for order in asked.orders for fact in session.numbering.number(order)]
        if reason is not None:
            facts += [
                fact for event in _never_sent(asked, number, session.now()) for fact in session.numbering.number(event)
            ]
            await session.writer.commit(*facts, self._block(opened, "real_orders", 403))
            adapt.refuse(flow, 403, "real_orders", reason)
            return
        if facts:
            # On disk before it leaves: an order that reached a venue is always in the evidence.
            await session.writer.commit(*facts, others=self._others())
            opened.acted = True
        elif asked.unread_action:
            # It may be an order in a form that nobody taught us: on record before it leaves, like one.
            note = f"{request.method} {request.bare_path} at {host} may have acted and could not be read"
            await session.writer.commit(Noted(at_ns=request.at_ns, kind="unread_action", text=note, exchange=number))
            opened.acted = True
        elif session.writer.failure is not None and asked.host is not None and asked.host.role == "trading":
            raise JournalError(str(session.writer.failure))
        if asked.chat is not None:
            self._look_for_needles(asked, number)
        self._edit_request(flow, opened)
        target = session.rules.mapped(sent_to, port)
        if target is not None:
            adapt.redirect(flow, target)
            opened.upstream = target.geturl()

    def _others(self) -> int:
        """How many other exchanges with orders are under way: their commits will come soon."""
        return sum(1 for opened in self._open.values() if opened.asked.orders) - 1

    def _block(self, opened: Opened, rule: str, status: int) -> BlockedRequest:
        opened.outcome = "blocked"
        self.session.blocked += 1
        request = opened.request
        return BlockedRequest(
            at_ns=self.session.now(),
            exchange=opened.id,
            host=request.host,
            method=request.method,
            path=request.path,
            rule=rule,
            status=status,
        )

    def _look_for_needles(self, asked: RequestReading, number: int) -> None:
        assert asked.chat is not None
        if not self.session.needles:
            return
        texts = [ingest.folded(text) for text in asked.chat.texts]
        left = []
        for needle in self.session.needles:
            how = ingest.found(needle.text, texts)
            if how is None:
                left.append(needle)
            else:
                self._ingested(needle.attack, needle.item, number, how)
        self.session.needles = left

    def _ingested(self, attack: str, item: str, number: int, how: str) -> None:
        self.session.put(Ingested(at_ns=self.session.now(), exchange=number, attack=attack, item=item, how=how))

    def _edit_request(self, flow: http.HTTPFlow, opened: Opened) -> None:
        session, request, endpoint = self.session, opened.request, opened.asked.endpoint
        if inject.wanted(session, endpoint, "response"):
            # A part of a body, or "not modified", could not be edited.
            adapt.replace_headers(flow.request, dict.fromkeys(inject.CONDITIONAL, None))
        if endpoint is not None and request.body and inject.wanted(session, endpoint, "request"):
            done = inject.inject(
                session, endpoint, "request", request.body, request.headers, request.host, opened.id, session.now()
            )
            session.put(*done.facts)
            if done.body is not None:
                adapt.set_body(flow.request, done.body)
                opened.forwarded_body = done.body
                opened.outcome = "edited"
                session.injections += 1
                # What is put into a model's own request has reached the model.
                for needle in inject.needles(done.facts):
                    self._ingested(needle.attack, needle.item, opened.id, "request")
        fields = tuple(flow.request.headers.fields)
        if fields != request.headers.fields:
            opened.forwarded_headers = Headers(fields)

    # ---- response

    def responseheaders(self, flow: http.HTTPFlow) -> None:
        """Decide whether a body is held or streams past; streams are copied as they go."""
        try:
            self._decide_streaming(flow)
        except Exception as error:  # noqa: BLE001 (the shell's boundary: journalled and failed closed)
            self.failed(flow, "responseheaders", error)

    def _decide_streaming(self, flow: http.HTTPFlow) -> None:
        opened = self._open.get(flow.id)
        if opened is not None:
            streaming.decide(self.session, opened, flow, lambda error: self.failed(flow, "stream", error))

    @_closed
    async def response(self, flow: http.HTTPFlow) -> None:
        """Read, perhaps edit, and journal a whole response before the agent gets it."""
        opened = self._open.get(flow.id)
        if opened is None or flow.response is None:
            return
        if opened.ours:
            self._finish(flow, opened, None)
            return
        if flow.response.status_code == 101:
            self._sockets[flow.id] = opened.id
        truth = self._truth(flow, opened)
        shown = opened.as_shown() if opened.stream is not None else self._edit_response(flow, opened, truth)
        facts = self._read(opened, truth, shown)
        self._finish(flow, opened, truth, shown)
        if opened.acted and facts:
            await self.session.writer.commit(*facts, others=self._others())
        else:
            self.session.put(*facts)

    def _truth(self, flow: http.HTTPFlow, opened: Opened, *, complete: bool = True) -> Response:
        """What the upstream sent, as far as it is kept."""
        assert flow.response is not None
        body = opened.body(flow.response.data.content)
        truth = adapt.response_of(flow, body, self.session.now(), complete=complete)
        return replace(truth, headers=opened.truth_headers) if opened.truth_headers is not None else truth

    def _edit_response(self, flow: http.HTTPFlow, opened: Opened, truth: Response) -> bytes | None:
        assert flow.response is not None
        if not truth.body or not inject.wanted(self.session, opened.asked.endpoint, "response"):
            return None
        if truth.status == 206 or truth.status >= 300 or opened.request.method == "HEAD":
            return None
        edited = streaming.edit_whole(self.session, opened, truth.body, truth.headers)
        if edited is not None:
            adapt.set_body(flow.response, edited)
            adapt.replace_headers(flow.response, inject.stale_headers(truth.headers, edited))
        return edited

    def _read(self, opened: Opened, truth: Response, shown: bytes | None) -> list[Fact]:
        session, asked = self.session, opened.asked
        said = session.reader.response(asked, truth, opened.id)
        facts: list[Fact] = []
        if shown is None or not (asked.endpoint is not None and asked.endpoint.tells):
            facts += [fact for event in said.events for fact in session.numbering.number(event)]
        else:
            facts += self._both(opened, said, truth, shown)
        return facts + session.numbering.answer(
            asked, said, truth, opened.request.at_ns, opened.id, opened.stream is not None and _framed(truth)
        )

    def _both(self, opened: Opened, said: ResponseReading, truth: Response, shown: bytes) -> list[Fact]:
        session = self.session
        edited = Response(truth.status, truth.headers, shown, truth.at_ns, truth.end_ns)
        told = session.reader.response(opened.asked, edited, opened.id)
        if told.events == said.events:
            return [fact for event in said.events for fact in session.numbering.number(event)]
        facts = [fact for event in said.events for fact in session.numbering.number(event, "truth")]
        return facts + [fact for event in told.events for fact in session.numbering.number(event, "shown")]

    def _finish(
        self,
        flow: http.HTTPFlow,
        opened: Opened,
        truth: Response | None,
        shown: bytes | None = None,
        error: str | None = None,
    ) -> None:
        if opened.done:
            return
        opened.done = True
        asked, request = opened.asked, opened.request
        endpoint = asked.endpoint
        shown_headers = None
        answered = truth
        if answered is None and flow.response is not None and error is None:
            answered = adapt.response_of(flow, flow.response.data.content, self.session.now())
        if truth is not None and flow.response is not None:
            fields = tuple(flow.response.headers.fields)
            shown_headers = Headers(fields) if fields != truth.headers.fields else None
        lost = truth is not None and truth.body is None
        marks = (*asked.marks, *opened.marks, *(("not_inspected",) if lost else ()), *(("cut",) if error and truth else ()))
        self.session.put(
            ExchangeSeen(
                exchange=Exchange(opened.id, request, answered, error),
                outcome="error" if error is not None and opened.outcome in ("passed", "edited") else opened.outcome,
                endpoint=endpoint.id if endpoint else None,
                venue=endpoint.venue if endpoint else asked.host.venue if asked.host else None,
                role=asked.host.role if asked.host else endpoint.role if endpoint else None,
                forwarded_body=opened.forwarded_body,
                forwarded_headers=opened.forwarded_headers,
                shown_body=shown,
                shown_headers=shown_headers,
                upstream=opened.upstream,
                secret_response=bool(endpoint and endpoint.rule.secret),
                marks=tuple(dict.fromkeys(marks)),
            )
        )
        self._log(opened, answered, error)

    def _log(self, opened: Opened, answered: Response | None, error: str | None) -> None:
        request = opened.request
        self.log.info(
            f"exchange.{'broken' if error is not None else opened.outcome}",
            exchange_id=opened.id,
            endpoint=opened.asked.endpoint.id if opened.asked.endpoint else None,
            method=request.method,
            host=request.host,
            path=_loggable(self.session.writer.redactor.text(request.bare_path)),
            status=answered.status if answered else None,
            ms=(answered.end_ns - request.at_ns) // 1_000_000 if answered else None,
            error=error,
        )

    # ---- the rest

    def error(self, flow: http.HTTPFlow) -> None:
        """An exchange broke off: its orders may or may not have been taken."""
        opened = self._open.get(flow.id)
        if opened is None or opened.done:
            return
        try:
            message = flow.error.msg if flow.error else "broke off"
            facts = [
                fact
                for event in self.session.reader.lost(opened.asked, opened.id, self.session.now())
                for fact in self.session.numbering.number(event)
            ]
            truth = None
            if flow.response is not None:
                truth = self._truth(flow, opened, complete=False)
            self._finish(flow, opened, truth, error=message)
            self.session.put(*facts)
        except Exception as error:  # noqa: BLE001 (the shell's boundary)
            self.failed(flow, "error", error)
        finally:
            self._open.pop(flow.id, None)

    def websocket_message(self, flow: http.HTTPFlow) -> None:
        """Keep a copy of each frame; frames pass unchanged."""
        try:
            if flow.websocket is None:
                return
            frame = flow.websocket.messages[-1]
            number = self._frames[flow.id] = self._frames.get(flow.id, 0) + 1
            message = Message(
                exchange=self._sockets.get(flow.id, 0),
                number=number,
                direction="to_server" if frame.from_client else "to_agent",
                kind="text" if frame.is_text else "binary",
                body=frame.content,
                at_ns=adapt.nanoseconds(frame.timestamp, self.session.now()),
            )
            # mitmproxy keeps every frame of a connection, which may live for weeks.
            del flow.websocket.messages[:-1]
            self.session.put(MessageSeen(message=message))
        except Exception as error:  # noqa: BLE001 (the shell's boundary)
            self.failed(flow, "websocket_message", error)

    def websocket_end(self, flow: http.HTTPFlow) -> None:
        """Forget a closed socket."""
        self._sockets.pop(flow.id, None)
        self._frames.pop(flow.id, None)

    async def server_connect(self, data: server_hooks.ServerConnectionHookData) -> None:
        """Refuse destinations that no agent may reach; connect to the very address that was checked."""
        try:
            if data.server.address is None:
                return
            host, port = data.server.address[0], data.server.address[1]
            addresses = await guard.resolve(host, port)
            reasons = [guard.forbidden(one, port, self.session.rules.own_ports) for one in addresses]
            bad = next((reason for reason in reasons if reason), None)
            if bad is not None:
                data.server.error = f"redtape: {bad}"
                self.session.note("refused_address", f"{host}:{port}: {bad}")
            elif addresses:
                self._named[data.server.id] = data.server.address
                data.server.address = (str(await guard.listening(addresses, port)), port)
        except OSError as error:
            data.server.error = f"redtape: {error}"
        except Exception as error:  # noqa: BLE001 (fail closed)
            data.server.error = "redtape: internal error"
            self.log.error("hook.failed", hook="server_connect", error=repr(error))

    def server_connected(self, data: server_hooks.ServerConnectionHookData) -> None:
        """
        Give a connection its name back: mitmproxy finds an open one by the address that a request names.

        Without it each request of a kept-alive connection would open another, and the sixth wait forever.
        """
        name = self._named.pop(data.server.id, None)
        if name is not None:
            # Past the setter, which refuses an open connection; where it leads does not change any more.
            vars(data.server)["address"] = name

    def server_connect_error(self, data: server_hooks.ServerConnectionHookData) -> None:
        """A connection that never came up keeps the address it was tried at."""
        self._named.pop(data.server.id, None)

    def tls_failed_client(self, data: tls.TlsData) -> None:
        """An agent that does not trust our CA: say so, since its traffic can't be read."""
        self.session.note("tls_failed", f"the client refused the certificate for {data.conn.sni or 'a host'}")


_UNREAD: Final = RequestReading(None, None, None, None)


def _place(error: BaseException) -> str:
    """File and line where an exception was raised."""
    last = traceback.extract_tb(error.__traceback__)[-1:]
    return f"{last[0].filename.rpartition('/')[2]}:{last[0].lineno}" if last else "an unknown place"


def _loggable(path: str) -> str:
    """A path without its long words: the journal's thread may not have learned yet that one is a secret."""
    return _LONG_WORD.sub("…", path)


def _original(flow: http.HTTPFlow) -> tuple[str, int]:
    return flow.request.data.host, flow.request.data.port


def _never_sent(asked: RequestReading, exchange: int, at_ns: int) -> list[OrderUpdate]:
    """A refused order counts as an attempt and holds no exposure."""
    return [
        OrderUpdate(
            at_ns=at_ns,
            exchange=exchange,
            venue=order.venue,
            kind="rejected",
            answers=order.item,
            client_order_id=order.client_order_id,
            status="blocked",
            reason="refused by redtape",
        )
        for order in asked.orders
    ]


def _framed(response: Response) -> bool:
    """Whether a body is a stream of events or lines."""
    return response.headers.media_type() in streaming.FRAMED
