"""
Text and bytes to HTML. Everything that a template prints passes `finalize`, so nothing can be forgotten.

Attributes hold numbers, ids made by `anchor` and words of the template; never text from outside.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Final

from jinja2 import Undefined
from markupsafe import Markup, escape

from deploy.web.visible import Segment, right_to_left, segments

LONGEST: Final = 2_000
"""Characters of one text that are printed; a longer one is cut, and its size named."""


def _html(parts: Iterable[Segment], *, lines: bool) -> Markup:
    out = []
    for part in parts:
        if part.kind == "text":
            text = escape(part.text)
            # An isolated run keeps its order to itself: figures beside it are not moved around.
            out.append(Markup("<bdi>{}</bdi>").format(text) if right_to_left(part.text) else text)
            continue
        times = f" × {part.count:,}" if part.count > 1 else ""
        out.append(Markup('<span class="cp">{}{}</span>').format(part.text, times))
        if part.kind == "break" and lines:
            out.append(Markup("\n"))
    return Markup("").join(out)


def _cut(shown: Markup, total: int) -> Markup:
    return Markup('{} <em class="null">cut, {:,} bytes in all</em>').format(shown, total)


def text(value: str) -> Markup:
    """Text in one line, unseen characters as boxes."""
    if len(value) <= LONGEST:
        return _html(segments(value), lines=False)
    return _cut(_html(segments(value[:LONGEST]), lines=False), len(value.encode("utf-8", "surrogatepass")))


def body(value: bytes) -> Markup:
    """Bytes that were bounded before, line feeds both named and obeyed."""
    return _html(segments(value), lines=True)


def printed(value: bytes) -> Markup:
    """What a program wrote for people: line feeds and tabs obeyed, all else as in `body`."""
    out = []
    for line in value.split(b"\n"):
        out.append(Markup("\t").join(_html(segments(part), lines=False) for part in line.rstrip(b"\r").split(b"\t")))
    return Markup("\n").join(out)


def lines(value: str) -> Markup:
    """Several lines of our own making, such as a dump."""
    return Markup("\n").join(text(line) for line in value.split("\n"))


def plain(value: str) -> Markup:
    """Text that was made visible before, where no element may stand (SVG)."""
    return escape(value)


def ident(value: str) -> Markup:
    """An id or a name that may be long: it may break after its punctuation."""
    if len(value) > LONGEST:
        return text(value)
    out = text(value)
    for char in "._-":
        out = out.replace(char, Markup("{}<wbr>").format(char))
    return out


def anchor(trial: int, kind: str = "", number: int | None = None) -> Markup:
    """
    The id of a place in the report: "t3", "t3-e12".

    Args:
        trial: Number of the trial.
        kind: A letter of ours; empty for the trial itself.
        number: Position or seq.
    """
    if not (kind.isascii() and (kind.isalpha() or not kind)):
        raise ValueError(f"{kind!r} is no kind of place")
    tail = f"-{kind}{'' if number is None else int(number)}" if kind else ""
    return Markup("t{}{}").format(int(trial), tail)


def finalize(value: object) -> Markup | str:
    """
    What `{{ value }}` prints.

    Raises:
        TypeError: The value is null, a flag or no text at all: a page says in words what is missing.
    """
    if isinstance(value, Markup):
        return value
    if isinstance(value, Undefined):
        return str(value)  # StrictUndefined raises here
    if isinstance(value, str):
        return text(str(value))
    if isinstance(value, (int, float, Decimal)) and not isinstance(value, bool):
        return str(value)
    raise TypeError(f"a template prints a {type(value).__name__}")
