"""How a response's body goes to the agent: held by mitmproxy, held by us, copied as it passes, or frame by frame."""

from __future__ import annotations

from collections.abc import Callable

from mitmproxy import http

from proxy.addons import adapt, inject
from proxy.addons.opened import Opened
from proxy.addons.session import Session
from proxy.addons.streams import MAX_HELD, Copy, EditFrames, Hold
from proxy.wire.codecs import content
from proxy.wire.codecs.frames import Frame
from proxy.wire.edit import Edit, Unreadable, apply
from proxy.wire.exchange import Headers

FRAMED = {"text/event-stream": "sse", "application/x-ndjson": "ndjson", "application/jsonl": "ndjson"}


def decide(session: Session, opened: Opened, flow: http.HTTPFlow, failed: Callable[[Exception], None]) -> None:
    """
    Set how a body passes, once its head is there.

    Held is only what may be edited, and the answer to a request that acted, which must be on disk before the
    agent hears it. All else passes as it comes: time to first byte is kept, and a cut reaches the agent as a cut.
    """
    response = flow.response
    if response is None or opened.ours or _bodiless(flow):
        return
    headers = opened.truth_headers = Headers(tuple(response.headers.fields))
    editable = inject.wanted(session, opened.asked.endpoint, "response") and 200 <= response.status_code < 300
    editable = editable and response.status_code != 206
    length = headers.get("content-length") or ""
    size = int(length) if length.isdigit() else None
    framed = FRAMED.get(headers.media_type())
    if framed is not None:
        opened.stream = _frames(session, opened, response, framed, failed) if editable else Copy()
    elif size is not None and size > MAX_HELD:
        opened.stream = Copy(cap=0)
    elif editable and size is None:
        opened.stream = _hold(session, opened, response, headers, failed)
    elif not editable and not opened.acted:
        opened.stream = Copy()
    if opened.stream is not None:
        response.stream = opened.stream


def _bodiless(flow: http.HTTPFlow) -> bool:
    assert flow.response is not None
    status = flow.response.status_code
    return flow.request.data.method == b"HEAD" or status in (204, 205, 304) or status < 200


def _hold(
    session: Session,
    opened: Opened,
    response: http.Response,
    headers: Headers,
    failed: Callable[[Exception], None],
) -> Hold:
    # The head goes out before the body is known: what an edit would give away must be changed now.
    adapt.replace_headers(response, inject.stale_headers(headers, (headers.get("etag") or "").encode()))

    def finish(body: bytes) -> bytes:
        edited = edit_whole(session, opened, body, headers)
        return body if edited is None else edited

    return Hold(finish, failed)


def edit_whole(session: Session, opened: Opened, body: bytes, headers: Headers) -> bytes | None:
    """What is due on a whole body, applied and journalled; null when nothing changes."""
    endpoint = opened.asked.endpoint
    assert endpoint is not None
    done = inject.inject(session, endpoint, "response", body, headers, opened.request.host, opened.id, session.now())
    session.put(*done.facts)
    if done.body is None:
        return None
    session.needles += inject.needles(done.facts)
    session.injections += 1
    opened.outcome = "edited"
    opened.shown = done.body
    return done.body


def _frames(
    session: Session, opened: Opened, response: http.Response, kind: str, failed: Callable[[Exception], None]
) -> EditFrames | Copy:
    headers = opened.truth_headers
    assert headers is not None
    applied = content.codings(headers.get_all("content-encoding"))

    def edit(frame: Frame) -> bytes:
        found = frame.payload()
        if found is None:
            return frame.raw
        start, payload = found
        edited = edit_whole(session, opened, payload, Headers())
        return frame.raw if edited is None else apply(frame.raw, (Edit(start, payload, edited),))

    try:
        stream = EditFrames("sse" if kind == "sse" else "ndjson", applied, edit, failed)
    except Unreadable:
        return Copy()
    # Edited frames change the length, and what was compressed goes out plain.
    adapt.replace_headers(response, {"content-length": None, **({"content-encoding": None} if applied else {})})
    if applied:
        fields = tuple(field for field in headers.fields if field[0].lower() != b"content-encoding")
        opened.truth_headers = Headers(fields)
    if "transfer-encoding" not in response.headers and response.is_http11:
        response.headers["transfer-encoding"] = "chunked"
    return stream
