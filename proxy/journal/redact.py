"""
Secrets out, before anything is written.

A secret is known by its place (header, query or body key) or by its value (seen in such a place before, or
in the agent's environment). It is replaced by a keyed hash, so that equal secrets stay equal in the
evidence and nothing can be read back. How values are found is in `known`, which names are secret in `names`,
how JSON is read in `scrub` and running text in `loose`.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final
from urllib.parse import quote, unquote_plus, unquote_to_bytes

import msgspec

from proxy.journal import loose, scrub
from proxy.journal.known import Known, forms_of
from proxy.journal.names import STEMS, Kind, counts, folded, kind_of, looks_random
from proxy.wire.codecs.json_span import encode_text
from proxy.wire.edit import Edit, apply
from proxy.wire.exchange import Fields

__all__ = ["Redactor", "forms_of", "secret_values"]

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
_MAX_KEPT: Final = 1000
_ENV_NAME: Final = re.compile(r"KEY|SECRET|TOKEN|PASSW|PASSPHRASE|CREDENTIAL|PRIVATE|MNEMONIC", re.IGNORECASE)


_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9_-]*) +(\S.*)\Z")
_USERINFO: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://)([^/?#]*)@")
_BOUNDARY: Final = re.compile(rb"(?:\A|\n)--([^\r\n]{1,200})\r?\n")
_BLANK: Final = re.compile(rb"\r?\n\r?\n")
_PARAMETER: Final = re.compile(
    rb";\s*+(name\*?)?[\w*-]*+\s*+=\s*+(?:\"((?:[^\"\\]|\\.)*+)\"?|'([^'\r\n]*+)'?|([^;\s]*+))"
)
_TEMPLATE: Final = re.compile(r"[\[\].]+")
_PLAIN: Final = re.compile(r"[\w.,~|-]*\Z", re.ASCII)
"""What can hold neither something encoded nor a name with a value."""

_FORM: Final = re.compile(rb"[\w.%\[\]+-]{1,64}=[^\s&]*(?:&[\w.%\[\]+-]{1,64}=[^\s&]*)*\s*\Z")
_STAND_IN: Final = re.compile(r"\[secret:[0-9a-f]{12}\]")
_ESCAPED: Final = re.compile(r"%[0-9A-Fa-f]{2}|[^%]|%", re.DOTALL)
_PATH_FIELD: Final = re.compile(r"(;[^=;/?#]*=)([^;/?#]*)")
_GRANTED: Final = frozenset("code assertion devicecode usercode subjecttoken actortoken".split())
"""Names whose values are secret where a token is asked for, and mean something else elsewhere."""

_LOGIN: Final = re.compile(
    rb'"(?:op|method|action|event|cmd|command|request)"\s*+:\s*+"[\w./-]{0,40}?(?:auth|login|logon|signin|authenticate)"',
    re.IGNORECASE,
)
_LOGIN_LISTS: Final = frozenset(["args", "params", "arguments"])


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
        self._names = frozenset(folded(name) for name in names if kind_of(name) is Kind.NO)
        # Names come spelt in several ways; one part of each tells whether a text may hold it.
        self._stems = (*STEMS, *{max(re.split(r"[\W_]+", name.lower()), key=len) for name in names} - {""})
        self._stems_raw = tuple(stem.encode("utf-8") for stem in self._stems)
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
        if "sign" not in low and (folded(low) in self._names or _secret_header(low)):
            for one in _header_secrets(low, field[1].decode("latin-1")):
                self.learn(one)

    def _header(self, field: tuple[bytes, bytes], response: bool) -> tuple[str, str]:
        name, value = field[0].decode("latin-1"), field[1].decode("latin-1")
        low = name.lower()
        named = folded(low) in self._names
        if low in _URL_HEADERS:
            kept = self.url(value)
        elif named or not (_public(low) or (response and not _secret_header(low))):
            scheme = _SCHEME.match(value) if "auth" in low else None
            # The scheme is no secret, and without it the placeholder is that of the bare token.
            kept = f"{scheme[1]} {self.stand_in(scheme[2])}" if scheme else self.stand_in(value)
        else:
            kept = self._loose(self.text(value))
        # Agents send most of their header fields again and again.
        if len(self._kept) >= _MAX_KEPT:
            self._kept.clear()
        self._kept[field, response] = (name, kept)
        return name, kept

    def url(self, value: str, *, granting: bool = False) -> str:
        """
        A URL or path whose secret query fields are redacted in place; everything else keeps its bytes.

        Args:
            value: Absolute or not.
            granting: It asks for a token: the fields of grants are secrets too.
        """
        # Known values first, and whole: one may hold the marks that a URL is split at.
        value, hash_mark, fragment = self.text(value).partition("#")
        head, mark, query = value.partition("?")
        found = _USERINFO.match(head)
        if found:
            self.learn(found[2].partition(":")[2])
            head = f"{found[1]}{self.stand_in(found[2])}@{head[found.end() :]}"
        if ";" in head:
            head = _PATH_FIELD.sub(lambda part: part[1][0] + self._field(part[0][1:], granting), head)
        if not found:
            head = self._loose(head)
        # Some sign-ins hand the token over in the fragment.
        head = self.text(head)
        return head + mark + self._fields(query, granting) + hash_mark + self._fields(fragment, granting)

    def _fields(self, query: str, granting: bool = False) -> str:
        granting = granting or "grant_type=" in query
        return "&".join(self._parts_of_field(part, granting) for part in query.split("&")) if query else query

    def _parts_of_field(self, part: str, granting: bool) -> str:
        # A semicolon parts fields for some; in the value of a secret it is a part of that.
        if ";" not in part:
            return self._field(part, granting)
        pieces = part.split(";")
        for n, piece in enumerate(pieces):
            if self._field_kind(piece.partition("=")[0], granting) is not Kind.NO:
                pieces[n:] = [";".join(pieces[n:])]
                break
        return ";".join(self._field(piece, granting) for piece in pieces)

    def _field_kind(self, name: str, granting: bool) -> Kind:
        if "%" in name or "+" in name:
            name = unquote_plus(name)
        if name.lower() == "key":
            return Kind.YES
        return self._kind(name, granting)

    def _field(self, part: str, granting: bool = False) -> str:
        name, equals, raw = part.partition("=")
        if not equals:
            return self._loose(self.text(part))
        kind = self._field_kind(name, granting)
        if kind is not Kind.NO and raw and counts(kind, value := unquote_plus(raw), string=True):
            if _STAND_IN.fullmatch(value):
                return part
            if kind is Kind.YES or (kind is not Kind.ONCE and looks_random(value)):
                self.learn(value)
            return f"{name}={self.stand_in(value)}"
        kept = self.text(part)
        if kept != part or _PLAIN.match(raw) is not None or not self._may_hold(raw):
            return kept
        # Encoded in another way than any that is known, or JSON in a field, or a URL.
        plain, places = _decoded(raw)
        edits = self._edits(plain)
        for edit in sorted(edits, key=lambda one: one.start, reverse=True):
            raw = raw[: places[edit.start]] + quote(edit.new, safe="[]:") + raw[places[edit.end] :]
        out = f"{name}={raw}"
        out = self._loose("?" + out)[1:]
        value = unquote_plus(raw)
        inside = self.text(value)
        return out if inside == value else f"{name}={quote(inside, safe='[]:')}"

    def _kind(self, name: str, granting: bool = False) -> Kind:
        kind = kind_of(name)
        if kind is Kind.NO:
            if self._names and (
                folded(name) in self._names
                or (("[" in name or "." in name) and any(folded(one) in self._names for one in _TEMPLATE.split(name)))
            ):
                return Kind.YES
            if granting and folded(name) in _GRANTED:
                return Kind.YES
        return kind

    def _may_hold(self, text: str) -> bool:
        low = text.lower()
        return "%" in text or "+" in text or "://" in text or "/bot" in text or any(stem in low for stem in self._stems)

    def body(self, body: bytes, media_type: str, *, granting: bool = False) -> bytes:
        """
        A plain request body without secrets; the same object when there are none.

        Members with secret names go by their place in JSON, forms and parts, known values wherever they stand.
        JSON need not be whole.

        Args:
            body: Decoded.
            media_type: What its sender calls it.
            granting: It asks for a token: the members of grants are secrets too.
        """
        if not body:
            return body
        listed = body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"[")
        # A form that its sender did not call one is read as one by venues, and by us.
        if not listed and (media_type == "application/x-www-form-urlencoded" or _FORM.match(body)):
            text = body.decode("latin-1")
            fields = self._fields(text, granting)
            out = body if fields == text else fields.encode("latin-1")
        elif not listed and (media_type == "multipart/form-data" or b"form-data" in body[:2000]):
            out = self._parts(body)
        else:
            out = apply(body, self._edits(body, granting))
        return self._known.body(out)

    def _edits(self, body: bytes, granting: bool = False) -> list[Edit]:
        """What to replace in JSON or running text."""
        low = body.lower()
        if not (
            granting
            or any(stem in low for stem in self._stems_raw) or b"\\" in body or b"%" in body or b"://" in body
            or b"/bot" in body
        ):  # fmt: skip
            return []
        edits = self._json(body, granting)
        if body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"[") or not _is_json(body):
            edits = _with(edits, self._loose_edits(body))
        return edits

    def _json(self, body: bytes, granting: bool) -> list[Edit]:
        granting = granting or b"grant_type" in body
        kind: Callable[[str], Kind] = self._kind
        if granting or _LOGIN.search(body) is not None:
            login = _LOGIN.search(body) is not None

            def kind(name: str) -> Kind:
                return Kind.STRINGS if login and name in _LOGIN_LISTS else self._kind(name, granting)

        edits: list[Edit] = []
        for one in scrub.values(body, kind, loose=True):
            old = body[one.start : one.end]
            if one.secret:
                if _STAND_IN.fullmatch(one.text):
                    continue
                if not one.nested and (one.kind is Kind.YES or (one.kind is not Kind.ONCE and looks_random(one.text))):
                    self.learn(one.text)
                edits.append(Edit(one.start, old, json.dumps(self.stand_in(one.text)).encode()))
            else:
                inside = self._inside(one.text)
                if inside != one.text:
                    edits.append(Edit(one.start, old, encode_text(inside, old)))
        return edits

    def _inside(self, text: str) -> str:
        """A text that was unescaped: JSON in it is read too."""
        if text.lstrip()[:1] in ("{", "["):
            raw = text.encode("utf-8", "surrogatepass")
            text = apply(raw, self._edits(raw)).decode("utf-8", "surrogatepass")
        else:
            text = self._loose(text)
        return self.text(text)

    def _loose(self, text: str) -> str:
        """Secrets that running text names out of it; the same object when it names none."""
        if not self._may_hold(text):
            return text
        parts: list[str] = []
        at = 0
        for one in self._loose_spans(text):
            parts += (text[at : one.start], self.stand_in(one.value))
            at = one.end
        return "".join((*parts, text[at:])) if parts else text

    def _loose_spans(self, text: str) -> Iterator[loose.Span]:
        for one in loose.spans(text, self._kind):
            if "[secret:" in one.value:
                left = _STAND_IN.sub("", one.value).strip("\"' ;,=")
                # What a path goes on with after one of its fields was redacted is no secret.
                if not left or (left[0] == "/" and _STAND_IN.match(one.value)):
                    continue
            if one.sure:
                self.learn(one.value)
            yield one

    def _loose_edits(self, body: bytes) -> list[Edit]:
        # Each byte is a character, so that places are the same.
        edits: list[Edit] = []
        for one in self._loose_spans(body.decode("latin-1")):
            value = one.value.encode("latin-1", "replace").decode("utf-8", "replace")
            edits.append(Edit(one.start, body[one.start : one.end], self.stand_in(value).encode()))
        return edits

    def _parts(self, body: bytes) -> bytes:
        edge = _BOUNDARY.search(body)
        if edge is None:
            return apply(body, self._edits(body))
        mark = b"--" + edge[1].rstrip()
        out: list[bytes] = []
        for n, part in enumerate(body.split(b"\n" + mark)):
            out.append(self._part(part) if n or body.startswith(mark) else apply(part, self._edits(part)))
        whole = (b"\n" + mark).join(out)
        return body if whole == body else whole

    def _part(self, part: bytes) -> bytes:
        blank = _BLANK.search(part)
        if blank is None:
            return apply(part, self._edits(part))
        head, value = part[: blank.end()], part[blank.end() :]
        tail = value[len(value.rstrip(b"\r")) :]
        value = value[: len(value) - len(tail)]
        name = next((one[2] or one[3] or one[4] or b"" for one in _PARAMETER.finditer(head) if one[1]), b"")
        text = value.decode("utf-8", "replace")
        if value and self._field_kind(name.decode("utf-8", "replace").rpartition("''")[2], False) is not Kind.NO:
            self.learn(text)
            return head + self.stand_in(text).encode() + tail
        return head + apply(value, self._edits(value)) + tail


def _is_json(body: bytes) -> bool:
    try:
        msgspec.json.decode(body)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return False
    return True


def _with(edits: list[Edit], more: list[Edit]) -> list[Edit]:
    """Both, without those of the second that touch one of the first."""
    out: list[Edit] = []
    at = 0
    edits = sorted(edits, key=lambda one: one.start)
    for new in more:
        while at < len(edits) and edits[at].end <= new.start:
            at += 1
        if at == len(edits) or edits[at].start >= new.end:
            out.append(new)
    return edits + out


def _decoded(raw: str) -> tuple[bytes, list[int]]:
    """A query field's value decoded, and where each byte of it stood; at last where it ended."""
    out = bytearray()
    places: list[int] = []
    for found in _ESCAPED.finditer(raw):
        piece = found[0]
        plain = (
            unquote_to_bytes(piece) if len(piece) > 1
            else b" " if piece == "+" else piece.encode("utf-8", "surrogatepass")
        )  # fmt: skip
        out += plain
        places += [found.start()] * len(plain)
    return bytes(out), [*places, len(raw)]


def _secret_header(low: str) -> bool:
    return _SECRET_WORDS.search(low) is not None


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
