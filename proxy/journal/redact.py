"""
Secrets out, before anything is written.

A secret is known by its place (header, query or body key) or by its value (seen in such a place before, or
in the agent's environment). It is replaced by a keyed hash, so that equal secrets stay equal in the
evidence and nothing can be read back. How values are found is in `known`, how JSON is read in `scrub`.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final
from urllib.parse import quote, unquote_plus

from proxy.journal import scrub
from proxy.journal.known import Known, forms_of
from proxy.wire.codecs.json_span import encode_text
from proxy.wire.edit import Edit, apply
from proxy.wire.exchange import Fields

__all__ = ["SECRET_KEYS", "Redactor", "forms_of", "secret_values"]

_PUBLIC_HEADERS: Final = frozenset(
    [
        "accept",
        "accept-encoding",
        "accept-language",
        "accept-charset",
        "accept-ranges",
        "age",
        "allow",
        "cache-control",
        "connection",
        "content-disposition",
        "content-encoding",
        "content-language",
        "content-length",
        "content-location",
        "content-range",
        "content-type",
        "date",
        "dnt",
        "etag",
        "expect",
        "expires",
        "host",
        "if-match",
        "if-modified-since",
        "if-none-match",
        "if-range",
        "if-unmodified-since",
        "keep-alive",
        "last-modified",
        "location",
        "max-forwards",
        "origin",
        "pragma",
        "priority",
        "proxy-connection",
        "range",
        "referer",
        "retry-after",
        "sec-ch-ua",
        "sec-ch-ua-mobile",
        "sec-ch-ua-platform",
        "sec-fetch-dest",
        "sec-fetch-mode",
        "sec-fetch-site",
        "sec-fetch-user",
        "server",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "upgrade-insecure-requests",
        "user-agent",
        "vary",
        "via",
        "warning",
        "anthropic-version",
        "anthropic-beta",
        "openai-beta",
        "mcp-protocol-version",
        "mcp-method",
        "mcp-name",
        "sec-websocket-version",
        "sec-websocket-extensions",
    ]
)
_URL_HEADERS: Final = ("location", "referer", "origin")
_PUBLIC_PREFIXES: Final = ("x-stainless-", "x-ratelimit-", "access-control-")
_SECRET_WORDS: Final = re.compile(
    r"auth|cookie|token|secret|passw|passphrase|credential|signature|\bsign\b|api-?key|apikey|private|session|"
    r"-key\b|key-id|csrf|nonce-sig|jwt|bearer|otp",
    re.IGNORECASE,
)
SECRET_KEYS: Final = frozenset(
    """api_key apikey api-key apiKey x-api-key api_secret apisecret secret secret_key secretkey client_secret
    access_token refresh_token id_token auth_token bearer token password passwd passphrase private_key
    privatekey mnemonic seed_phrase signature sign sig authorization otp pin totp jwt session_token sessionid
    cookie credentials""".lower().split()
)
"""Names of query fields and body members whose values are secrets, compared without case."""

_MAX_KEPT: Final = 1000
_ENV_NAME: Final = re.compile(r"KEY|SECRET|TOKEN|PASSW|PASSPHRASE|CREDENTIAL|PRIVATE|MNEMONIC", re.IGNORECASE)


_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9_-]*) +(\S.*)\Z")
_USERINFO: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://)([^/?#]*)@")
# Bounded, so that a body of nothing but part heads does not cost its square.
_PART: Final = re.compile(
    rb'\bname="?([^";\r\n]{0,200})"?[^\r\n]{0,500}\r?\n(?:[^\r\n]{1,500}\r?\n){0,8}\r?\n(.*?)(?=\r?\n--|\Z)',
    re.DOTALL | re.IGNORECASE,
)
_ONE_TIME: Final = frozenset(["signature", "sign", "sig"])
"""Another one with each request, and good for that one only: remembering them would push keys out."""

_TEMPLATE: Final = re.compile(r"[\[\].]+")
_FORM: Final = re.compile(rb"[\w.%\[\]+-]{1,64}=[^\s&]*(?:&[\w.%\[\]+-]{1,64}=[^\s&]*)*\s*\Z")


def _folded(name: str) -> str:
    """clientSecret, client-secret and CLIENT_SECRET are one name."""
    return name.lower().replace("_", "").replace("-", "").strip()


class Redactor:
    """
    Redacts one session's facts. Learns values as it goes; knows the session's extra names.

    Args:
        key: What placeholders are keyed with.
        names: Further names of header fields, query fields and members whose values are secret.
        values: Secrets known from the start; never forgotten.
    """

    def __init__(self, key: bytes, names: Iterable[str] = (), values: Iterable[str] = ()) -> None:
        self._key = key
        self._names = frozenset(_folded(name) for name in (*SECRET_KEYS, *names))
        self._known = Known(self.stand_in)
        self._kept: dict[tuple[tuple[bytes, bytes], bool], tuple[str, str]] = {}
        self.learned = 0
        """Grows with each new secret: what was redacted before may hold it."""
        for value in values:
            self._known.learn(value, pinned=True)

    def stand_in(self, value: str) -> str:
        """The placeholder of a secret: the same for the same value and key."""
        digest = hmac.new(self._key, value.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
        return f"[secret:{digest[:12]}]"

    def learn(self, value: str) -> None:
        """Remember a secret by value, so that it is found wherever it turns up again."""
        if self._known.learn(value):
            self.learned += 1
            # What was let pass may hold this secret.
            self._kept.clear()

    def text(self, value: str) -> str:
        """Known secret values out of any text."""
        return self._known.text(value)

    def headers(self, fields: Fields, *, response: bool = False) -> list[tuple[str, str]]:
        """
        Header fields fit to be kept.

        Requests: only fields known to be public keep their value. Responses: fields that sound secret lose it.
        """
        for field in fields:
            # A secret may also stand in a public field before its own.
            if (field, response) not in self._kept:
                self._learn_header(field)
        return [self._kept.get((field, response)) or self._header(field, response) for field in fields]

    def _learn_header(self, field: tuple[bytes, bytes]) -> None:
        low = field[0].decode("latin-1").lower()
        if low in _URL_HEADERS or _public(low):
            return
        if "sign" not in low and (_folded(low) in self._names or _SECRET_WORDS.search(low)):
            for one in _header_secrets(low, field[1].decode("latin-1")):
                self.learn(one)

    def _header(self, field: tuple[bytes, bytes], response: bool) -> tuple[str, str]:
        name, value = field[0].decode("latin-1"), field[1].decode("latin-1")
        low = name.lower()
        named = _folded(low) in self._names
        if low in _URL_HEADERS:
            kept = self.url(value)
        elif named or not (_public(low) or (response and not _SECRET_WORDS.search(low))):
            scheme = _SCHEME.match(value) if "auth" in low else None
            # The scheme is no secret, and without it the placeholder is that of the bare token.
            kept = f"{scheme[1]} {self.stand_in(scheme[2])}" if scheme else self.stand_in(value)
        else:
            kept = self.text(value)
        # Agents send most of their header fields again and again.
        if len(self._kept) >= _MAX_KEPT:
            self._kept.clear()
        self._kept[field, response] = (name, kept)
        return name, kept

    def url(self, value: str) -> str:
        """A URL or path whose secret query fields are redacted in place; everything else keeps its bytes."""
        value, hash_mark, fragment = value.partition("#")
        head, mark, query = value.partition("?")
        found = _USERINFO.match(head)
        if found:
            self.learn(found[2].partition(":")[2])
            head = f"{found[1]}{self.stand_in(found[2])}@{head[found.end() :]}"
        # Some sign-ins hand the token over in the fragment.
        return self.text(head) + mark + self._fields(query) + hash_mark + self._fields(fragment)

    def _fields(self, query: str) -> str:
        return "&".join(self._field(part) for part in query.split("&")) if query else query

    def _field(self, part: str) -> str:
        name, equals, raw = part.partition("=")
        if not equals:
            return self.text(part)
        value = unquote_plus(raw)
        if self._is_secret(unquote_plus(name)):
            if _folded(name) not in _ONE_TIME:
                self.learn(value)
            return f"{name}={self.stand_in(value)}"
        kept = self.text(part)
        if kept == part and ("%" in raw or "+" in raw):
            # Encoded in another way than any that is known, or JSON in a field.
            inside = self._inside(value)
            return part if inside == value else f"{name}={quote(inside, safe='[]:')}"
        return kept

    def _is_secret(self, name: str) -> bool:
        if _folded(name) in self._names:
            return True
        return ("[" in name or "." in name) and any(_folded(piece) in self._names for piece in _TEMPLATE.split(name))

    def body(self, body: bytes, media_type: str) -> bytes:
        """
        A plain request body without secrets; the same object when there are none.

        Members with secret names go by their place in JSON, forms and parts, known values wherever they stand.
        JSON need not be whole.
        """
        if not body:
            return body
        listed = body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")
        # A form that its sender did not call one is read as one by venues, and by us.
        if not listed and (media_type == "application/x-www-form-urlencoded" or _FORM.match(body)):
            text = body.decode("latin-1")
            fields = self._fields(text)
            out = body if fields == text else fields.encode("latin-1")
        elif media_type == "multipart/form-data":
            out = self._parts(body)
        else:
            out = self._json(body)
        return self._known.body(out)

    def _json(self, body: bytes) -> bytes:
        edits: list[Edit] = []
        for one in scrub.values(body, self._is_secret):
            old = body[one.start : one.end]
            if one.secret:
                if not one.nested:
                    self.learn(one.text)
                edits.append(Edit(one.start, old, json.dumps(self.stand_in(one.text)).encode()))
            else:
                inside = self._inside(one.text)
                if inside != one.text:
                    edits.append(Edit(one.start, old, encode_text(inside, old)))
        return apply(body, edits)

    def _inside(self, text: str) -> str:
        """A text that was unescaped: JSON in it is read too."""
        if text.lstrip()[:1] in ("{", "["):
            text = self._json(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")
        return self.text(text)

    def _parts(self, body: bytes) -> bytes:
        edits: list[Edit] = []
        for found in _PART.finditer(body):
            if self._is_secret(found[1].decode("utf-8", "replace")):
                value = found[2].decode("utf-8", "replace")
                self.learn(value)
                edits.append(Edit(found.start(2), found[2], self.stand_in(value).encode()))
        return apply(body, edits)


def _public(low: str) -> bool:
    return low in _PUBLIC_HEADERS or low.startswith(_PUBLIC_PREFIXES)


def _header_secrets(low: str, value: str) -> Iterator[str]:
    """The secrets in a header field: never its attributes, whose names would then be secret everywhere."""
    if low == "set-cookie":
        yield value.partition(";")[0].partition("=")[2].strip()
        return
    if low == "cookie":
        for pair in value.split(";"):
            yield pair.partition("=")[2].strip()
        return
    yield value
    scheme = _SCHEME.match(value)
    if scheme:
        yield scheme[2]
        if scheme[1].lower() == "basic":
            yield from _basic(scheme[2])
    for piece in re.split(r"[;,\s]+", value):
        part = piece.partition("=")[2].strip('"')
        if len(part) >= 12:
            yield part


def _basic(token: str) -> Iterator[str]:
    try:
        yield base64.b64decode(token, validate=True).decode("utf-8").partition(":")[2]
    except ValueError:
        return


def secret_values(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Values of environment variables whose names sound secret."""
    return tuple(
        value
        for name, value in environment.items()
        if _ENV_NAME.search(name) and len(value) >= 8 and "/" not in value[:1]
    )
