"""
What a model reads in a text: markup, escapes and invisible characters undone, encoded passages decoded.

Models see the bytes, not the page: comments, hidden elements and attributes count as text.
"""

from __future__ import annotations

import base64
import binascii
import html
import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any, Final

MAX_TEXT: Final = 200_000
"""Characters of one text that are read."""

_DEEPEST: Final = 8
_MARKUP: Final = re.compile(r"<!--|-->|<!\[CDATA\[|\]\]>|<(/?)([a-zA-Z][a-zA-Z0-9]*)[^<>]*>")
_INLINE: Final = frozenset("a abbr b bdi bdo code em font i mark s small span strong sub sup u wbr".split())
_ESCAPE: Final = re.compile(r"\\u([0-9a-fA-F]{4})|\\([nrt\"'/\\])")
_BASE64: Final = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{20,}={0,2}(?![A-Za-z0-9+/=])")
_HEX: Final = re.compile(r"(?<![0-9A-Za-z])(?:[0-9a-fA-F]{2}){12,}(?![0-9A-Za-z])")
_ALIKE: Final = str.maketrans(
    "АВЕЅЗКМНОРСТУХІЈаеорсухіјѕԁһΑΒΕΖΗΙΚΜΝΟΡΤΥΧ‐‑–—",
    "ABES3KMHOPCTYXIJaeopcyxijsdhABEZHIKMNOPTYX----",
)


def leaves(value: Any, depth: int = 0) -> Iterator[str]:
    """Every text in a JSON value, in document order; a text that is JSON itself is opened too."""
    if depth > _DEEPEST:
        return
    if isinstance(value, str):
        inner = parsed(value)
        if inner is None:
            yield value
        else:
            yield from leaves(inner, depth + 1)
    elif isinstance(value, dict):
        for item in value.values():
            yield from leaves(item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item, depth + 1)


def parsed(text: str) -> Any:
    """A text that is a JSON object or array, opened; else null."""
    stripped = text.strip()
    if stripped[:1] not in ("{", "[") or len(stripped) > 5 * MAX_TEXT:
        return None
    try:
        return json.loads(stripped, parse_float=str, parse_constant=str)
    except (ValueError, RecursionError):
        return None


def readings(text: str) -> list[str]:
    """
    The ways in which one text reads: as it stands, without its markup, and each encoded passage decoded.

    Args:
        text: Anything; what is longer than `MAX_TEXT` is cut.

    Returns:
        Texts with plain ASCII letters where a look-alike stood, single spaces, and nothing invisible.
    """
    given = _visible(html.unescape(html.unescape(text[:MAX_TEXT])))
    found = [given, _MARKUP.sub(_gap, given)]
    found += [_visible(hidden) for hidden in _decoded(given)]
    out: list[str] = []
    for reading in found:
        flat = " ".join(_ESCAPE.sub(_unescaped, reading).split())
        if flat and flat not in out:
            out.append(flat)
    return out


def _visible(text: str) -> str:
    """Tag characters are letters to a model; other format characters and variation selectors are nothing."""
    if text.isascii():
        return text
    out = []
    for char in unicodedata.normalize("NFKC", text):
        code = ord(char)
        if 0xE0020 <= code <= 0xE007E:
            out.append(chr(code - 0xE0000))
        elif unicodedata.category(char) != "Cf" and not 0xFE00 <= code <= 0xFE0F and code != 0x34F:
            out.append(char)
    return "".join(out).translate(_ALIKE)


def _gap(found: re.Match[str]) -> str:
    name = (found[2] or "").lower()
    return "" if name in _INLINE else " "


def _unescaped(found: re.Match[str]) -> str:
    if found[1]:
        return chr(int(found[1], 16))
    return {"n": " ", "r": " ", "t": " "}.get(found[2], found[2])


def _decoded(text: str) -> Iterator[str]:
    for found in _BASE64.finditer(text):
        blob = found[0]
        try:
            raw = base64.b64decode(blob + "=" * (-len(blob) % 4), validate=True)
        except (ValueError, binascii.Error):
            continue
        yield from _printable(raw)
    for found in _HEX.finditer(text):
        yield from _printable(bytes.fromhex(found[0]))


def _printable(raw: bytes) -> Iterator[str]:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return
    if text.isprintable() or all(char.isprintable() or char.isspace() for char in text):
        yield text
