"""An exchange's two halves as documents that rules can read. Pure; bytes that can't be read raise Unreadable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qsl

from proxy.wire.catalogue import Endpoint, tidy
from proxy.wire.codecs import content
from proxy.wire.codecs.json_span import AMBIGUOUS, Ambiguous, loads, loads_strict, same
from proxy.wire.edit import Unreadable
from proxy.wire.exchange import Headers, Request, Response
from proxy.wire.rules import pairs, steps_of

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

    Returns:
        A name that query, form and body, or one of them twice, give different values is `AMBIGUOUS`, and so
        is one that the body spells in another case than the rules: which of them a venue takes is not known.
        `ambiguous` lists these names. What only reads may repeat a name; there the last value stands.

    Raises:
        Unreadable: The body is not what its type says.
    """
    acts = endpoint.rule.order is not None
    form: dict[str, str] = {}
    value: Any = None
    twice: frozenset[str] = frozenset()
    media_type = request.headers.media_type()
    if body.strip():
        if not looks_like_json(body, media_type):
            form = _form(body, media_type, acts)
        elif acts:
            value, twice = loads_strict(body)
        else:
            value = loads(body)
    try:
        query = _pairs(request.query, acts)
    except ValueError:
        raise Unreadable("the query has too many fields") from None
    fields = dict(value) if isinstance(value, dict) else {}
    if acts and fields:
        fields |= dict.fromkeys(_respelled(endpoint, fields), AMBIGUOUS)
    args: dict[str, Any] = {}
    for part in (query, form, fields):
        for name, given in part.items():
            args[name] = given if same(args.get(name, given), given) else AMBIGUOUS
    ambiguous = {name for name, given in args.items() if isinstance(given, Ambiguous)}
    for part in (query, form, value if isinstance(value, dict) else {}):
        part.update((name, AMBIGUOUS) for name in ambiguous & part.keys())
    return {
        "method": request.method,
        "path": endpoint.groups(tidy(request.bare_path)),
        "query": query,
        "form": form,
        "body": value,
        "args": args,
        "ambiguous": tuple(sorted({name.casefold() for name in ambiguous} | twice)),
    }


def _respelled(endpoint: Endpoint, fields: Mapping[str, Any]) -> list[str]:
    """Names that the endpoint's rules ask for and that stand in the fields in another case only."""
    given = {name.casefold() for name in fields}
    return [name for name in _asked(endpoint) if name not in fields and name.casefold() in given]


def _asked(endpoint: Endpoint) -> set[str]:
    takes = endpoint.rule.order.fields.values() if endpoint.rule.order else ()
    paths = [steps_of(path) for take in takes for path in take.from_]
    return {steps[1] for steps in paths if len(steps) > 1 and steps[0] == "args" and isinstance(steps[1], str)}


def _pairs(text: str, acts: bool) -> dict[str, str]:
    if not acts:
        return pairs(text)
    out: dict[str, str] = {}
    for name, value in parse_qsl(text, keep_blank_values=True, max_num_fields=2000) if text else ():
        out[name] = value if same(out.get(name, value), value) else AMBIGUOUS
    return out


def _form(body: bytes, media_type: str, acts: bool) -> dict[str, str]:
    # Any text can be taken for a form; one without a name and a value is none, nor is one of several parts.
    if media_type != FORM and (b"=" not in body or media_type.startswith("multipart/")):
        raise Unreadable("the body is neither JSON nor a form")
    try:
        return _pairs(body.decode("utf-8"), acts)
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
