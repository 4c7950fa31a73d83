"""
Secrets out, before anything is written.

A secret is known by its place (header, query or body key) or by its value (seen in such a place before, or
in the agent's environment). It is replaced by a keyed hash, so that equal secrets stay equal in the
evidence and nothing can be read back. Values are found in plain, URL, base64 and JSON-escaped form.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import parse_qsl, quote, quote_plus, urlsplit

from proxy.wire.codecs import json_span
from proxy.wire.codecs.json_span import Node
from proxy.wire.edit import Edit, Unreadable, apply
from proxy.wire.exchange import Fields

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
        "sec-websocket-protocol",
    ]
)
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

_MIN_VALUE: Final = 6
_MAX_VALUES: Final = 400
_MAX_KEPT: Final = 1000
_ENV_NAME: Final = re.compile(r"KEY|SECRET|TOKEN|PASSW|PASSPHRASE|CREDENTIAL|PRIVATE|MNEMONIC", re.IGNORECASE)


class Redactor:
    """Redacts one session's facts. Learns values as it goes; knows the session's extra names."""

    def __init__(self, key: bytes, names: Iterable[str] = (), values: Iterable[str] = ()) -> None:
        self._key = key
        self._names = SECRET_KEYS | {name.lower() for name in names}
        self._values: dict[str, str] = {}
        self._pattern: re.Pattern[str] | None = None
        self._bytes_pattern: re.Pattern[bytes] | None = None
        self._kept: dict[tuple[tuple[bytes, bytes], bool], tuple[str, str]] = {}
        for value in values:
            self.learn(value)

    def stand_in(self, value: str) -> str:
        """The placeholder of a secret: the same for the same value and key."""
        digest = hmac.new(self._key, value.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()
        return f"[secret:{digest[:12]}]"

    def learn(self, value: str) -> None:
        """Remember a secret by value, so that it is found wherever it turns up again."""
        for part in {value, value.rpartition(" ")[2]}:
            if len(part) >= _MIN_VALUE and part not in self._values and len(self._values) < _MAX_VALUES * 6:
                for form in forms_of(part):
                    self._values.setdefault(form, self.stand_in(part))
                self._pattern = None
                # What was let pass may hold this secret.
                self._kept.clear()

    def text(self, value: str) -> str:
        """Known secret values out of any text."""
        self._compile()
        if self._pattern is None:
            return value
        return self._pattern.sub(lambda found: self._values[found[0]], value)

    def _compile(self) -> None:
        if self._pattern is None and self._values:
            longest_first = sorted(self._values, key=len, reverse=True)
            self._pattern = re.compile("|".join(map(re.escape, longest_first)))
            self._bytes_pattern = re.compile(
                b"|".join(re.escape(one.encode("utf-8", "replace")) for one in longest_first)
            )

    def _values_out(self, body: bytes) -> bytes:
        self._compile()
        if self._bytes_pattern is None:
            return body
        return self._bytes_pattern.sub(lambda found: self._values[found[0].decode("utf-8")].encode(), body)

    def headers(self, fields: Fields, *, response: bool = False) -> list[tuple[str, str]]:
        """
        Header fields fit to be kept.

        Requests: only fields known to be public keep their value. Responses: fields that sound secret lose it.
        """
        return [self._kept.get((field, response)) or self._header(field, response) for field in fields]

    def _header(self, field: tuple[bytes, bytes], response: bool) -> tuple[str, str]:
        name, value = field[0].decode("latin-1"), field[1].decode("latin-1")
        low = name.lower()
        public = low in _PUBLIC_HEADERS or low.startswith(_PUBLIC_PREFIXES)
        secret = low in self._names or (bool(_SECRET_WORDS.search(low)) if response else not public)
        if secret and low not in ("location", "referer"):
            if low in self._names or _SECRET_WORDS.search(low):
                self.learn(value)
                for piece in re.split(r"[;,=\s]+", value):
                    # Short words are attributes such as Path or Secure, not values.
                    if len(piece) >= 12:
                        self.learn(piece)
            kept = self.stand_in(value)
        elif low in ("location", "referer", "origin"):
            kept = self.url(value)
        else:
            kept = self.text(value)
        # Agents send most of their header fields again and again.
        if len(self._kept) >= _MAX_KEPT:
            self._kept.clear()
        self._kept[field, response] = (name, kept)
        return name, kept

    def url(self, value: str) -> str:
        """A URL or path whose secret query fields are redacted in place; everything else keeps its bytes."""
        head, mark, query = value.partition("?")
        query, hash_mark, fragment = query.partition("#")
        userinfo = urlsplit(head).netloc.rpartition("@")[0] if "://" in head and "@" in head else ""
        if userinfo:
            self.learn(userinfo.partition(":")[2])
            head = head.replace(userinfo, self.stand_in(userinfo), 1)
        return self.text(head) + mark + self._fields(query) + hash_mark + self.text(fragment)

    def _fields(self, query: str) -> str:
        parts = []
        for part in query.split("&"):
            name, equals, raw = part.partition("=")
            if equals and self._is_secret(_unquoted(name)):
                self.learn(_unquoted(raw))
                parts.append(f"{name}={self.stand_in(_unquoted(raw))}")
            else:
                parts.append(self.text(part))
        return "&".join(parts)

    def _is_secret(self, name: str) -> bool:
        return name.lower() in self._names

    def body(self, body: bytes, media_type: str) -> bytes:
        """
        A plain request body without secrets; the same object when there are none.

        Members with secret names go by their place in the JSON or form, known values wherever they stand.
        """
        if not body:
            return body
        if media_type == "application/x-www-form-urlencoded":
            try:
                out = self._fields(body.decode("utf-8")).encode()
            except UnicodeDecodeError:
                out = self._values_out(body)
            return body if out == body else out
        if media_type == "multipart/form-data":
            return self._values_out(body)
        if body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
            body = self._json(body)
        return self._values_out(body)

    def _json(self, body: bytes) -> bytes:
        low = body.lower()
        if not any(name.encode() in low for name in self._names):
            return body
        edits: list[Edit] = []
        try:
            self._json_edits(body, json_span.root(body), edits, 0)
        except (Unreadable, RecursionError):
            return body
        return apply(body, edits)

    def _json_edits(self, body: bytes, node: Node, edits: list[Edit], depth: int) -> None:
        if depth > 60:
            return
        for child in json_span.children(body, node):
            if isinstance(child.key, str) and self._is_secret(child.key):
                value = json_span.printed(body, child)
                if value is not None and value not in ("true", "false", ""):
                    self.learn(value)
                    old = body[child.start : child.end]
                    edits.append(Edit(child.start, old, json.dumps(self.stand_in(value)).encode()))
                    continue
            if child.kind in ("object", "array"):
                self._json_edits(body, child, edits, depth + 1)

    def same_length(self, body: bytes) -> bytes:
        """Every value of a token response blanked: letters and digits become x, so that lengths stay."""
        return re.sub(rb'(:\s*")((?:[^"\\]|\\.)*)(")', lambda m: m[1] + b"x" * len(m[2]) + m[3], body)


def _unquoted(text: str) -> str:
    found = parse_qsl("v=" + text, keep_blank_values=True)
    return found[0][1] if found else text


def forms_of(value: str) -> tuple[str, ...]:
    """The forms in which a secret travels: plain, URL-encoded, JSON-escaped, base64 at any phase."""
    raw = value.encode("utf-8", "surrogatepass")
    encoded = base64.b64encode(raw).decode().rstrip("=")
    urlsafe = base64.urlsafe_b64encode(raw).decode().rstrip("=")
    forms = [value, quote(value, safe=""), quote_plus(value), json.dumps(value)[1:-1], encoded, urlsafe]
    for shift in (1, 2):
        # Inside a longer base64 text the value can start at three phases; its middle is the same then.
        inner = base64.b64encode(b"\0" * shift + raw).decode().rstrip("=")[4:-2]
        if len(inner) >= 10:
            forms.append(inner)
    return tuple(dict.fromkeys(form for form in forms if len(form) >= _MIN_VALUE))


def secret_values(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Values of environment variables whose names sound secret."""
    return tuple(
        value
        for name, value in environment.items()
        if _ENV_NAME.search(name) and len(value) >= 8 and "/" not in value[:1]
    )
