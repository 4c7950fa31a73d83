"""
Secrets in running text: URLs, header lines of commands, code, markup, private keys.

Where a secret ends is a guess here, so names must be clear and bare words must look like secrets. Every
pattern passes a text once. Text in, spans out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Final, NamedTuple
from urllib.parse import unquote_plus

from proxy.journal.names import Kind, counts, looks_random, plausible

__all__ = ["Span", "spans"]

_OPEN: Final = r"(?:[?&;#]|%(?:25)*+(?:3[Ff]|26|3[Bb]|23))"
_SHUT: Final = r"(?:26|23|3[Bb]|22|27|20|0[AaDd])"
# A query field, also of a URL that is itself the value of a field, encoded once or many times.
_FIELD: Final = re.compile(
    _OPEN + r"((?:[\w.\[\]-]|%(?:25)*+(?:5[BbDdFf]|2[DdEe]|[46][1-9A-Fa-f]|[57][0-9Aa]))++)(?:=|%(?:25)*+3[Dd])"
)
_FIELD_VALUE: Final = re.compile(rf"(?:[^%&;#\s\"'<>\\`]|%(?!(?:25)*+{_SHUT}))++")
_USERINFO: Final = re.compile(r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]*+://[^\s/@:\"'<>?#]*+:([^\s/@\"'<>]++)@")
_NAMED: Final = re.compile(r"(?<![\w.\[\]-])([A-Za-z_][\w.\[\]-]*+)(?:\\*+[\"'`])?[ \t]*+(?::(?!//)|=(?!=))[ \t]*+")
_NAMED_VALUE: Final = re.compile(
    r"\"((?:[^\"\\\r\n]|\\.)*+)|'((?:[^'\\\r\n]|\\.)*+)|\\++[\"']([^\"'\\\r\n]*+)|([^\s\"'\\,;&<>(){}\[\]`]++)"
)
_NAMED_ON: Final = re.compile(r"\\*+[\"'`]?[ \t]*+[:=]")
_BARE: Final = 4
_LONG: Final = 500
"""A longer value that is no secret is not read again for what it holds, so that a text is not read for its square."""
_LINE: Final = re.compile(
    r"(?<![\w-])(?:(?:proxy-)?authorization|(?:set-)?cookie)[ \t]*+:[ \t]*+([^\"'\r\n\\`]++)", re.IGNORECASE
)
_SCHEME: Final = re.compile(r"(?:[A-Za-z][A-Za-z0-9_-]*+)[ ]++(?=\S)")
_BEARER: Final = re.compile(r"\bbearer[ ]++([A-Za-z0-9._~+/=-]{16,})", re.IGNORECASE)
_SAID: Final = re.compile(
    r"\b(?:key|token|secret|password|passphrase|passcode|credential|jwt)[ ]is:?[ ][\"'`]?([^\s\"'`,;<>(){}\[\]]{8,})",
    re.IGNORECASE,
)
_ELEMENT: Final = re.compile(r"<([A-Za-z_][\w.:-]*+)>([^<>]++)</")
_PEM: Final = re.compile(
    r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----.*?"
    r"(?:-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----|\Z)",
    re.DOTALL,
)
_BOT: Final = re.compile(r"/bot([^/\s:]{6,64}:[^/\s?#]{3,})/")
_PIECE: Final = re.compile(r"[\s=;,]+")
_BROKEN: Final = re.compile(r"[\s,:\[\]{}]*")


class Span(NamedTuple):
    """`text[start:end]` is secret. `value` is what it says once decoded; `sure` when it may be looked for elsewhere."""

    start: int
    end: int
    value: str
    sure: bool


def spans(text: str, kind_of: Callable[[str], Kind]) -> list[Span]:
    """
    Secrets of a text, in their order, none within another.

    Args:
        text: Any text; JSON strings unescaped.
        kind_of: What a name says of its value.
    """
    found = sorted(_found(text, kind_of), key=attrgetter("start"))
    out: list[Span] = []
    for one in found:
        if not out or one.start >= out[-1].end:
            out.append(one)
        elif one.end > out[-1].end:
            last = out[-1]
            out[-1] = Span(last.start, one.end, text[last.start : one.end], sure=False)
    return out


def _found(text: str, kind_of: Callable[[str], Kind]) -> Iterator[Span]:
    if "PRIVATE KEY" in text:
        for pem in _PEM.finditer(text):
            yield Span(*pem.span(), pem[0], sure=False)
    if "=" in text or "%" in text:
        yield from _fields(text, kind_of)
    if "://" in text and "@" in text:
        for login in _USERINFO.finditer(text):
            yield Span(*login.span(1), unquote_plus(login[1]), sure=True)
    if "=" in text or ":" in text:
        yield from _assigned(text, kind_of)
    low = text.lower()
    if "cookie" in low or "authorization" in low:
        for line in _LINE.finditer(text):
            yield from _line(line)
    for needle, pattern in (("bearer ", _BEARER), (" is", _SAID)):
        if needle in low:
            for said in pattern.finditer(text):
                if plausible(said[1]):
                    yield Span(*said.span(1), said[1], sure=looks_random(said[1]))
    if "</" in text:
        for element in _ELEMENT.finditer(text):
            if counts(kind_of(element[1]), element[2].strip(), string=True):
                yield Span(*element.span(2), element[2], sure=looks_random(element[2]))
    if "/bot" in text:
        for bot in _BOT.finditer(text):
            yield Span(*bot.span(1), bot[1], sure=False)


def _fields(text: str, kind_of: Callable[[str], Kind]) -> Iterator[Span]:
    at = 0
    while (found := _FIELD.search(text, at)) is not None:
        # The value of a field that is no secret may be a URL that has fields.
        at = found.end()
        name = _plain(found[1]) if "%" in found[1] else found[1]
        kind = kind_of(name)
        if kind is Kind.NO or (held := _FIELD_VALUE.match(text, at)) is None:
            continue
        value = _plain(held[0]) if "%" in held[0] or "+" in held[0] else held[0]
        fits = name.lower() == "key" or counts(kind, value, string=True)
        if fits or len(held[0]) > _LONG:
            at = held.end()
        if fits:
            yield Span(*held.span(), value, sure=kind is not Kind.ONCE and looks_random(value))


def _plain(text: str) -> str:
    for _ in range(4):
        after = unquote_plus(text)
        if after == text:
            break
        text = after
    return text


def _assigned(text: str, kind_of: Callable[[str], Kind]) -> Iterator[Span]:
    at = 0
    while (found := _NAMED.search(text, at)) is not None:
        # What is assigned to a name that is no secret may hold an assignment itself.
        at = found.end()
        kind = kind_of(found[1])
        if kind is Kind.NO or (held := _NAMED_VALUE.match(text, at)) is None:
            continue
        group = held.lastindex or _BARE
        value = held[group]
        fits = plausible(value) if group == _BARE else not _BROKEN.fullmatch(value)
        fits = fits and counts(kind, value, string=True)
        if fits and len(value) <= _LONG and kind_of(value) is not Kind.NO and _NAMED_ON.match(text, held.end()):
            # A name itself, whose value is the secret.
            continue
        if fits or len(value) > _LONG:
            at = held.end()
        if fits:
            yield Span(*held.span(group), value, sure=kind is not Kind.ONCE and looks_random(value))


def _line(found: re.Match[str]) -> Iterator[Span]:
    value = found[1].rstrip()
    if not any(plausible(piece) for piece in _PIECE.split(value)):
        return
    scheme = _SCHEME.match(value)
    skipped = scheme.end() if scheme else 0
    start = found.start(1) + skipped
    yield Span(start, start + len(value) - skipped, value[skipped:], sure=looks_random(value[skipped:]))
