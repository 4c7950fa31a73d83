"""
Secret values, found wherever they turn up again: plain, URL-encoded, JSON-escaped or in base64.

Values in, texts without them out. Readers on other threads see the last state that was complete.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from typing import Final
from urllib.parse import quote, quote_plus

MIN_VALUE: Final = 8
"""Shorter values are let stand where only the value tells: they would be found in prices and ids."""

MAX_VALUES: Final = 400
"""Values that are remembered; of more, those go first that were seen longest ago (signatures, nonces)."""

_FEW_FORMS: Final = 600
_SHORT_TEXT: Final = 500
_BLOCK: Final = 65536


class _Forms[T: (str, bytes)]:
    """Forms and what stands in for each, found by their first characters."""

    def __init__(self) -> None:
        self._stand_ins: dict[T, T] = {}
        self._uses: dict[T, int] = {}
        self._heads: dict[T, list[T]] = {}

    def add(self, form: T, stand_in: T) -> None:
        self._uses[form] = self._uses.get(form, 0) + 1
        if form not in self._stand_ins:
            self._stand_ins[form] = stand_in
            self._heads.setdefault(form[:MIN_VALUE], []).append(form)

    def drop(self, form: T) -> None:
        # Values that begin alike share forms.
        self._uses[form] -= 1
        if self._uses[form]:
            return
        del self._uses[form], self._stand_ins[form]
        head = form[:MIN_VALUE]
        left = [other for other in self._heads[head] if other != form]
        if left:
            self._heads[head] = left
        else:
            del self._heads[head]

    def present(self, value: T) -> list[T]:
        """
        The forms that a text holds, longest first.

        Never one pattern of them all: it would be compiled anew with each value learned, and try hundreds of
        alternatives at each character.
        """
        if not self._stand_ins or len(value) < MIN_VALUE:
            return []
        if len(value) > _SHORT_TEXT and len(self._stand_ins) < _FEW_FORMS:
            found = {form for form in tuple(self._stand_ins) if form in value}
        else:
            found = set()
            last = len(value) - MIN_VALUE + 1
            for at in range(0, last, _BLOCK):
                heads = {value[n : n + MIN_VALUE] for n in range(at, min(at + _BLOCK, last))}
                for head in heads & self._heads.keys():
                    found.update(form for form in self._heads.get(head, ()) if form in value)
        return sorted(found, key=len, reverse=True)

    def stand_in(self, form: T) -> T:
        return self._stand_ins.get(form, form[:0])


class Known:
    """The secret values of one session and what stands in for each. One thread learns, others may read."""

    def __init__(self, stand_in: Callable[[str], str]) -> None:
        self._stand_in = stand_in
        self._pinned: set[str] = set()
        self._learned: dict[str, None] = {}
        self._text: _Forms[str] = _Forms()
        self._bytes: _Forms[bytes] = _Forms()

    def learn(self, value: str, *, pinned: bool = False) -> bool:
        """Remember a value; pinned ones for good. Says whether it is new."""
        if len(value) < MIN_VALUE or value in self._pinned:
            return False
        known = value in self._learned
        if known:
            del self._learned[value]
        if pinned:
            self._pinned.add(value)
        else:
            self._learned[value] = None
        if known:
            return False
        stand_in = self._stand_in(value)
        for form in forms_of(value):
            self._text.add(form, stand_in)
            self._bytes.add(form.encode("utf-8", "surrogatepass"), stand_in.encode())
        while len(self._learned) > MAX_VALUES:
            self._forget(next(iter(self._learned)))
        return True

    def _forget(self, value: str) -> None:
        del self._learned[value]
        for form in forms_of(value):
            self._text.drop(form)
            self._bytes.drop(form.encode("utf-8", "surrogatepass"))

    def text(self, value: str) -> str:
        """A text without known values; the same object when it holds none."""
        found = self._text.present(value)
        if not found:
            return value
        return re.sub("|".join(map(re.escape, found)), lambda hit: self._text.stand_in(hit[0]), value)

    def body(self, value: bytes) -> bytes:
        """Bytes without known values; the same object when they hold none."""
        found = self._bytes.present(value)
        if not found:
            return value
        return re.sub(b"|".join(map(re.escape, found)), lambda hit: self._bytes.stand_in(hit[0]), value)


def forms_of(value: str) -> tuple[str, ...]:
    """The forms in which a secret travels: plain, URL-encoded, JSON-escaped, base64 at any phase."""
    raw = value.encode("utf-8", "surrogatepass")
    urls = (quote(raw, safe=""), quote_plus(raw), quote(raw))
    forms = [value, *urls, *map(_lower_hex, urls), json.dumps(value)[1:-1], json.dumps(value).replace("/", "\\/")[1:-1]]
    for shift in range(3):
        # Inside a longer base64 text the value starts at one of three phases; what depends on neighbours is cut.
        start, end = -(-shift * 8 // 6), (shift + len(raw)) * 8 // 6
        whole = base64.b64encode(b"\0" * shift + raw).decode()
        for text in (whole, whole.replace("+", "-").replace("/", "_")):
            inner = text[start:end]
            forms += [inner, quote(inner, safe="")]
    return tuple(dict.fromkeys(form for form in forms if len(form) >= MIN_VALUE))


def _lower_hex(text: str) -> str:
    return re.sub(r"%[0-9A-F]{2}", lambda found: found[0].lower(), text)
