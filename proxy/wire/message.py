"""An exchange's two halves as documents that rules can read. Pure; bytes that can't be read raise Unreadable."""

from __future__ import annotations

from typing import Any, Final

from proxy.wire.catalogue import Endpoint, tidy
from proxy.wire.codecs import content
from proxy.wire.codecs.json_span import loads
from proxy.wire.edit import Unreadable
from proxy.wire.exchange import Headers, Request, Response
from proxy.wire.rules import pairs

FORM: Final = "application/x-www-form-urlencoded"


def plain(body: bytes | None, headers: Headers) -> bytes:
    """
    A body without its content codings.

    Raises:
        Unreadable: Not kept, or its codings can't be undone.
    """
    if body is None:
        raise Unreadable("the body was not kept")
    return content.decode(body, content.codings(headers.get_all("content-encoding")))


def looks_like_json(body: bytes, media_type: str) -> bool:
    """By media type, else by its first byte: some venues label JSON as text, and curl calls every body a form."""
    if media_type in ("application/json", "text/json") or media_type.endswith("+json"):
        return True
    return body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")


def request_doc(endpoint: Endpoint, request: Request, body: bytes) -> dict[str, Any]:
    """
    A request as rules see it.

    Args:
        endpoint: Where it goes; gives the path's groups.
        request: The request; only its head is read.
        body: Its plain bytes.

    Raises:
        Unreadable: The body is not what its type says.
    """
    form: dict[str, str] = {}
    value: Any = None
    media_type = request.headers.media_type()
    if body.strip():
        if looks_like_json(body, media_type):
            value = loads(body)
        else:
            form = _form(body, media_type)
    try:
        query = pairs(request.query)
    except ValueError:
        raise Unreadable("the query has too many fields") from None
    args: dict[str, Any] = {**query, **form}
    if isinstance(value, dict):
        args |= value
    return {
        "method": request.method,
        "path": endpoint.groups(tidy(request.bare_path)),
        "query": query,
        "form": form,
        "body": value,
        "args": args,
    }


def _form(body: bytes, media_type: str) -> dict[str, str]:
    # Any text can be taken for a form; one without a name and a value is none, nor is one of several parts.
    if media_type != FORM and (b"=" not in body or media_type.startswith("multipart/")):
        raise Unreadable("the body is neither JSON nor a form")
    try:
        return pairs(body.decode("utf-8"))
    except ValueError:
        raise Unreadable("the body is neither JSON nor a form") from None


def response_doc(response: Response, body: bytes, request: dict[str, Any] | None) -> dict[str, Any]:
    """
    A response as rules see it; `request` is the document of the request.

    Raises:
        Unreadable: The body says JSON and is not.
    """
    value: Any = None
    if body.strip() and looks_like_json(body, response.headers.media_type()):
        value = loads(body)
    headers = {key.decode("latin-1").lower(): text.decode("latin-1") for key, text in response.headers.fields}
    return {"status": response.status, "headers": headers, "body": value, "request": request or {}}
