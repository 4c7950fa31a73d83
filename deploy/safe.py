"""Captured text for a terminal: control, bidi and invisible characters are shown, never obeyed."""

from __future__ import annotations

import unicodedata
from typing import Final

_SHOWN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def safe(text: object, *, limit: int = 4000, newlines: bool = False) -> str:
    """
    Text that a terminal prints and does not interpret.

    Args:
        text: Anything captured.
        limit: Characters at most; what is cut is counted.
        newlines: Keep line feeds.
    """
    raw = str(text)
    cut = len(raw) - limit
    out = "".join(_visible(char, newlines) for char in raw[:limit])
    return f"{out}… ({cut} more characters)" if cut > 0 else out


def _visible(char: str, newlines: bool) -> str:
    if char == "\n" and newlines:
        return char
    if char.isascii():
        return char if char >= " " and char != "\x7f" else f"\\x{ord(char):02x}"
    if unicodedata.category(char) in _SHOWN:
        code = ord(char)
        return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
    return char
