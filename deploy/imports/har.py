"""A HAR file as a session: the same reading as live traffic, written to the same journal. No mitmproxy."""

from __future__ import annotations

import base64
import binascii
import json
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from corpus.terms import instant
from deploy.errors import UserError
from deploy.imports.record import record
from deploy.workspace import Workspace
from proxy.wire.catalogue import Catalogue
from proxy.wire.exchange import Exchange, Headers, Message, Request, Response

MAX_BYTES: Final = 1_000_000_000
MAX_NS: Final = 9_200_000_000_000_000_000
"""In the year 2261: what an SQLite integer can hold, with room for how long things took."""


def entries_of(path: Path) -> list[dict[str, Any]]:
    """
    The entries of a HAR file.

    Raises:
        UserError: It can't be read, or is no HAR.
    """
    try:
        if path.stat().st_size > MAX_BYTES:
            raise UserError(f"{path}: larger than {MAX_BYTES} bytes; split the file")
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise UserError(f"{path}: can't be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: not JSON: {error}") from None
    log = data.get("log") if isinstance(data, dict) else None
    entries = log.get("entries") if isinstance(log, dict) else None
    if not isinstance(entries, list):
        raise UserError(f"{path}: no HAR: log.entries is missing")
    for n, entry in enumerate(entries):
        if not isinstance(entry, dict) or not isinstance(entry.get("request"), dict):
            raise UserError(f"{path}: log.entries[{n}].request is missing")
    return entries


def import_har(path: Path, name: str, workspace: Workspace, catalogue: Catalogue, *, replace: bool = False) -> int:
    """
    Write a HAR file as a session.

    Args:
        path: The file.
        name: The session's name.
        workspace: Where it goes.
        catalogue: How it is read.
        replace: Take an older session of that name away.

    Returns:
        How many exchanges were read.

    Raises:
        UserError: The file is no HAR, or the session exists. Nothing is written then.
    """
    return record(read_har(path), name, path.name, workspace, catalogue, replace=replace)


def read_har(path: Path) -> list[tuple[Exchange, list[Message]]]:
    """Every entry of a HAR file. Raises UserError."""
    return [exchange_of(entry, n, path) for n, entry in enumerate(entries_of(path), 1)]


def exchange_of(entry: dict[str, Any], number: int, path: Path) -> tuple[Exchange, list[Message]]:
    """
    One entry.

    Raises:
        UserError: Its URL or method is missing.
    """
    sent = entry["request"]
    url, method = sent.get("url"), sent.get("method")
    where = f"{path}: log.entries[{number - 1}]"
    if not isinstance(url, str) or not isinstance(method, str):
        raise UserError(f"{where}.request needs url and method")
    try:
        parts = urlsplit(_clean(url))
        port = parts.port or (80 if parts.scheme in ("http", "ws") else 443)
    except ValueError as error:
        raise UserError(f"{where}.request.url is no URL ({error}): {url[:200]}") from None
    at_ns = _instant(entry.get("startedDateTime")) or number
    took_ms = entry.get("time")
    end_ns = at_ns + (int(took_ms * 1_000_000) if isinstance(took_ms, int | float) and 0 <= took_ms < 1e9 else 0)
    request = Request(
        method=_clean(method),
        scheme=parts.scheme,
        host=parts.hostname or "",
        port=port,
        path=(parts.path or "/") + (f"?{parts.query}" if parts.query else ""),
        headers=_headers(sent.get("headers"), decoded=True),
        body=_sent_body(sent.get("postData"), sent.get("bodySize")),
        at_ns=at_ns,
        http_version=_clean(sent.get("httpVersion") or "HTTP/1.1"),
    )
    label = entry.get("comment")
    exchange = Exchange(
        number,
        request,
        _response(entry.get("response"), at_ns, end_ns),
        label=_clean(label) if label is not None else None,
    )
    return exchange, _messages(entry.get("_webSocketMessages"), number, at_ns)


def _clean(value: Any) -> str:
    """Text that can be stored: JSON may escape half a character, which is none."""
    return str(value).encode("utf-8", "backslashreplace").decode()


def _instant(value: Any) -> int | None:
    """A time that a file can hold and a calendar knows: years 1 to 9999 are JSON, 1970 to 2261 are stored."""
    at_ns = instant(value) if isinstance(value, str) else None
    return at_ns if at_ns is not None and 0 < at_ns < MAX_NS else None


def _headers(value: Any, *, decoded: bool) -> Headers:
    fields: list[tuple[bytes, bytes]] = []
    for item in value if isinstance(value, list) else ():
        if not isinstance(item, dict) or not isinstance(item.get("name"), str):
            continue
        # HAR holds decoded text: a coding that is named is no longer there.
        if decoded and item["name"].lower() in ("content-encoding", "transfer-encoding"):
            continue
        said = item.get("value")
        text = "" if said is None else str(said)
        fields.append((item["name"].encode("latin-1", "replace"), text.encode("utf-8", "surrogatepass")))
    return Headers(tuple(fields))


def _text_bytes(text: str, encoding: Any) -> bytes | None:
    if encoding == "base64":
        try:
            return base64.b64decode("".join(text.split()), validate=True)
        except (binascii.Error, ValueError):
            return None
    return text.encode("utf-8", "surrogatepass")


def _sent_body(post: Any, size: Any) -> bytes | None:
    # A size without a text: the recorder dropped the body; it is not known to be empty.
    missing = None if isinstance(size, int) and size > 0 else b""
    if not isinstance(post, dict):
        return missing
    text = post.get("text")
    if isinstance(text, str) and text:
        return _text_bytes(text, post.get("encoding") or post.get("_encoding"))
    params = post.get("params")
    if isinstance(params, list) and params:
        from urllib.parse import urlencode

        pairs = [(_clean(p.get("name") or ""), _clean(p.get("value") or "")) for p in params if isinstance(p, dict)]
        return urlencode(pairs).encode()
    return missing


def _response(value: Any, at_ns: int, end_ns: int) -> Response | None:
    status = value.get("status") if isinstance(value, dict) else None
    if not isinstance(status, int) or not 100 <= status <= 999:
        return None
    content = value.get("content")
    text = content.get("text") if isinstance(content, dict) else None
    body: bytes | None = b""
    if isinstance(text, str):
        body = _text_bytes(text, content.get("encoding"))
    elif isinstance(content, dict) and isinstance(content.get("size"), int) and content["size"] > 0:
        # The recorder dropped the body; it is not known to be empty.
        body = None
    return Response(
        status=status,
        headers=_headers(value.get("headers"), decoded=True),
        body=body,
        at_ns=at_ns,
        end_ns=end_ns,
        reason=_clean(value.get("statusText") or ""),
        http_version=_clean(value.get("httpVersion") or "HTTP/1.1"),
    )


def _messages(value: Any, exchange: int, at_ns: int) -> list[Message]:
    out: list[Message] = []
    for n, item in enumerate(value if isinstance(value, list) else (), 1):
        if not isinstance(item, dict) or not isinstance(item.get("data"), str):
            continue
        binary = item.get("opcode") == 2
        body = _text_bytes(item["data"], "base64" if binary else None)
        kind: Literal["text", "binary"] = "binary" if binary else "text"
        when = item.get("time")
        out.append(
            Message(
                exchange=exchange,
                number=n,
                direction="to_server" if item.get("type") == "send" else "to_agent",
                kind=kind,
                body=body if body is not None else item["data"].encode("utf-8", "surrogatepass"),
                at_ns=int(when * 1_000_000_000)
                if isinstance(when, int | float) and 0 < when < MAX_NS // 10**9
                else at_ns,
            )
        )
    return out
