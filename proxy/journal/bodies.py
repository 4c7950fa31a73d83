"""The decoded bodies of a kept exchange: as sent, and as shown or forwarded."""

from __future__ import annotations

from pathlib import Path

from proxy.journal.events import ExchangeRow
from proxy.journal.read import read_body
from proxy.wire.codecs import content
from proxy.wire.edit import Unreadable


def _coding(headers: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    return content.codings(tuple(value for name, value in headers if name.lower() == "content-encoding"))


def _plain(path: Path, digest: str | None, headers: tuple[tuple[str, str], ...]) -> bytes | None:
    if digest is None:
        return None
    body = read_body(path, digest)
    try:
        return content.decode(body, _coding(headers))
    except Unreadable:
        # Kept decoded because of a secret, or damaged on the wire: these are the bytes there are.
        return body


def plain_body(path: Path, row: ExchangeRow, leg: str) -> bytes | None:
    """
    The body as sent.

    Args:
        path: The session's file.
        row: The exchange.
        leg: request or response.

    Returns:
        Plain bytes; secrets in requests are redacted, so offsets may differ there. Null when not kept.
    """
    if leg == "request":
        return _plain(path, row.request_body, row.request_headers)
    return _plain(path, row.response_body, row.response_headers)


def edited_body(path: Path, row: ExchangeRow, leg: str) -> bytes | None:
    """The body as the other side got it: edited where an injection applied, else the same as sent."""
    if leg == "request":
        return _plain(path, row.forwarded_body or row.request_body, row.request_headers)
    return _plain(path, row.shown_body or row.response_body, row.response_headers)
