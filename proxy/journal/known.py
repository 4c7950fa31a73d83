"""
Secret values, found wherever they turn up again: plain, URL-encoded, JSON-escaped or in base64.

Values in, texts without them out. Readers on other threads see the last state that was complete.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple
from urllib.parse import quote, quote_plus

MIN_VALUE: Final = 8
"""Shorter values are let stand where only the value tells: they would be found in prices and ids."""

MAX_VALUES: Final = 400
"""Values that are remembered; of more, those go first that were seen longest ago (signatures, nonces)."""

_SHORT_TEXT: Final = 4096


class _State[T: (str, bytes)](NamedTuple):
    forms: Mapping[T, T]
    prefixes: Mapping[T, list[T]]


class Known:
    """The secret values of one session and what stands in for each."""

    def __init__(self, stand_in: Callable[[str], str]) -> None:
        self._stand_in = stand_in
        self._pinned: dict[str, tuple[str, ...]] = {}
        self._learned: dict[str, tuple[str, ...]] = {}
        self._text: _State[str] = _State({}, {})
        self._bytes: _State[bytes] = _State({}, {})

    def learn(self, value: str, *, pinned: bool = False) -> bool:
        """Remember a value; pinned ones for good. Says whether it is new."""
        if len(value) < MIN_VALUE or value in self._pinned:
            return False
        before = self._learned.pop(value, None)
        if pinned:
            self._pinned[value] = before or forms_of(value)
        else:
            self._learned[value] = before or forms_of(value)
        if before is not None and not pinned:
            return False
        while len(self._learned) > MAX_VALUES:
            self._learned.pop(next(iter(self._learned)))
        self._rebuild()
        return True

    def _rebuild(self) -> None:
        texts: dict[str, str] = {}
        for value, forms in (*self._pinned.items(), *self._learned.items()):
            stand_in = self._stand_in(value)
            for form in forms:
                texts.setdefault(form, stand_in)
        raw = {form.encode("utf-8", "surrogatepass"): stand_in.encode() for form, stand_in in texts.items()}
        self._text, self._bytes = _State(texts, _prefixes(texts)), _State(raw, _prefixes(raw))

    def text(self, value: str) -> str:
        """A text without known values; the same object when it holds none."""
        state = self._text
        found = _present(value, state)
        if not found:
            return value
        pattern = re.compile("|".join(map(re.escape, found)))
        return pattern.sub(lambda hit: state.forms[hit[0]], value)

    def body(self, value: bytes) -> bytes:
        """Bytes without known values; the same object when they hold none."""
        state = self._bytes
        found = _present(value, state)
        if not found:
            return value
        pattern = re.compile(b"|".join(map(re.escape, found)))
        return pattern.sub(lambda hit: state.forms[hit[0]], value)


def _prefixes[T: (str, bytes)](forms: Iterable[T]) -> Mapping[T, list[T]]:
    out: dict[T, list[T]] = {}
    for form in forms:
        out.setdefault(form[:MIN_VALUE], []).append(form)
    return out


def _present[T: (str, bytes)](value: T, state: _State[T]) -> list[T]:
    """
    The forms that a text holds, longest first.

    Never one pattern of them all: it would be compiled anew with each value learned, and try hundreds of
    alternatives at each character.
    """
    if not state.forms or len(value) < MIN_VALUE:
        return []
    if len(value) < _SHORT_TEXT:
        heads = {value[n : n + MIN_VALUE] for n in range(len(value) - MIN_VALUE + 1)}
        found = [form for head in heads & state.prefixes.keys() for form in state.prefixes[head] if form in value]
    else:
        found = [form for form in state.forms if form in value]
    return sorted(found, key=len, reverse=True)


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
