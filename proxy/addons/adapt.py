"""mitmproxy's flow to our exchange, and back. The only place that reads or writes a flow's messages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from urllib.parse import SplitResult

from mitmproxy import http

from corpus.terms import Instant
from proxy.wire.exchange import Headers, Request, Response


def nanoseconds(seconds: float | None, default: Instant) -> Instant:
    """mitmproxy's clock reading as an instant."""
    return default if seconds is None else int(seconds * 1_000_000) * 1000


def request_of(flow: http.HTTPFlow, host: str, port: int, now: Instant) -> Request:
    """The request as the agent sent it; `host` and `port` are the original ones."""
    data = flow.request.data
    return Request(
        method=data.method.decode("latin-1"),
        scheme=data.scheme.decode("latin-1") or "http",
        host=host,
        port=port,
        path=data.path.decode("latin-1"),
        headers=Headers(tuple(data.headers.fields)),
        body=data.content,
        at_ns=nanoseconds(data.timestamp_start, now),
        http_version=data.http_version.decode("latin-1"),
    )


def names_of(flow: http.HTTPFlow) -> tuple[str, ...]:
    """
    Every host that a request names: where it is sent, its Host field, an authority in its target, TLS's name.

    A server may go by any of them, so whoever must not be reached must be none of them.
    """
    data = flow.request.data
    found = [data.host, flow.client_conn.sni or ""]
    found += [field.decode("latin-1") for name, field in data.headers.fields if name.lower() == b"host"]
    found.append(data.authority.decode("latin-1"))
    # An absolute target, or one that begins with an authority.
    _, mark, rest = data.path.partition(b"//")
    if mark and (data.path.startswith(b"//") or b"://" in data.path[:12]):
        found.append(rest.partition(b"/")[0].decode("latin-1"))
    return tuple(dict.fromkeys(bare for one in found if (bare := _bare_host(one))))


def _bare_host(authority: str) -> str:
    """A host without userinfo, port, brackets and final dots, in lower case."""
    host = authority.rpartition("@")[2].strip().lower()
    if host.startswith("["):
        return host[1:].partition("]")[0]
    head, colon, port = host.rpartition(":")
    return (head if colon and port.isdigit() and ":" not in head else host).rstrip(".")


def response_of(flow: http.HTTPFlow, body: bytes | None, now: Instant, *, complete: bool = True) -> Response:
    """The response as the upstream sent it, with the body that was kept."""
    assert flow.response is not None
    data = flow.response.data
    return Response(
        status=data.status_code,
        headers=Headers(tuple(data.headers.fields)),
        body=body,
        at_ns=nanoseconds(data.timestamp_start, now),
        end_ns=nanoseconds(data.timestamp_end, now),
        reason=data.reason.decode("latin-1"),
        http_version=data.http_version.decode("latin-1"),
        complete=complete,
    )


def redirect(flow: http.HTTPFlow, target: SplitResult) -> None:
    """Send the request to another upstream; its own bytes, the Host field included, stay as they are."""
    data = flow.request.data
    # The properties of the request would rewrite the Host header; its data do not.
    data.host = target.hostname or ""
    data.port = target.port or (443 if target.scheme == "https" else 80)
    data.scheme = target.scheme.encode()
    prefix = target.path.rstrip("/").encode()
    if prefix:
        data.path = prefix + data.path


def set_body(message: http.Message, body: bytes) -> None:
    """Another body; Content-Length follows where the message has one."""
    message.data.content = body
    if "content-length" in message.headers:
        message.headers["content-length"] = str(len(body))


def replace_headers(message: http.Message, changes: Mapping[str, str | None]) -> None:
    """Set or, with None, drop header fields; all others keep order, case and duplicates."""
    for name, value in changes.items():
        if value is None:
            message.headers.pop(name, None)
        elif name in message.headers:
            message.headers[name] = value


def refuse(flow: http.HTTPFlow, status: int, rule: str, text: str) -> None:
    """Answer instead of the upstream, in a form that people and SDKs can read."""
    said = {"code": status, "message": f"redtape: {text}", "rule": rule}
    body = json.dumps(said).encode()
    flow.response = http.Response.make(
        status, body, {"content-type": "application/json", "x-redtape": rule, "cache-control": "no-store"}
    )
