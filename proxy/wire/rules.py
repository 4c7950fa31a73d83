"""
The language of the catalogue's rules: where a value stands in a message, and when a row applies.

A rule sees a message as one document: `path` (template groups), `query`, `form`, `body` (JSON),
`args` (query, form and a JSON object's members together, since SDKs of one venue differ in where they put
things), `status` and `headers` of a response, `item` inside a list, `request` (the document of the request).
Numbers are source text throughout.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Annotated, Any, Final
from urllib.parse import parse_qsl, unquote

from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator

from corpus.base import Frozen, Several
from corpus.terms import decimal, decimal_text
from proxy.wire.codecs.json_span import Ambiguous, Number, Step, compile_path

type Doc = Mapping[str, Any]


@lru_cache(maxsize=8192)
def steps_of(path: str) -> tuple[Step, ...]:
    """`compile_path`, remembered."""
    return compile_path(path)


def find(doc: Any, path: str) -> Any:
    """The first value at a path, or None. `[*]` and `.*` take the first child that leads somewhere."""
    steps = steps_of(path)
    value = doc
    for n, step in enumerate(steps):
        # Names alone, by far the most paths, need no lists.
        if type(step) is not str or not isinstance(value, dict):
            found = find_all(value, steps[n:])
            return found[0] if found else None
        value = value.get(step)
        if value is None:
            return None
    return value


def find_all(doc: Any, steps: tuple[Step, ...]) -> list[Any]:
    """Every value at a path, in order."""
    level = [doc]
    for step in steps:
        below: list[Any] = []
        for value in level:
            if step is None:
                below += value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
            elif isinstance(step, int):
                if isinstance(value, list) and step < len(value):
                    below.append(value[step])
            elif isinstance(value, Mapping) and step in value:
                below.append(value[step])
        level = below
    return level


def pairs(text: str) -> dict[str, str]:
    """A query string or form body; a name that stands twice keeps its last value."""
    return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=2000)) if text else {}


def _as_text(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return str(value)
    return None


def _abs(value: str) -> str:
    number = decimal(value)
    # abs() rounds to the context's 28 digits.
    return value if number is None else decimal_text(number.copy_abs())


def _sign_side(value: str) -> str | None:
    number = decimal(value)
    return None if number is None or number == 0 else "sell" if number < 0 else "buy"


def _scaled(value: str, power: int) -> str | None:
    number = decimal(value)
    if number is None:
        return None
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    # scaleb() rounds to the context's 28 digits; token amounts are integers of any length.
    return decimal_text(Decimal((sign, digits, exponent + power)))


FUNCTIONS: Final[dict[str, Callable[[str], str | None]]] = {
    "lower": str.lower,
    "upper": str.upper,
    "abs": _abs,
    "sign_side": _sign_side,
    "unquote": unquote,
    "micro": lambda value: _scaled(value, -6),
}
"""Pure functions that a rule may name; text in, text out."""


class Take(Frozen):
    """One field's source: the first path that holds a value, then functions, then a map."""

    from_: Several[str] = Field(default=(), alias="from")
    const: str | None = None
    fn: Several[str] = ()
    map: dict[str, str | None] | None = None

    @field_validator("from_")
    @classmethod
    def _paths(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for path in value:
            compile_path(path)
        return value

    @field_validator("fn")
    @classmethod
    def _known(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            if name not in FUNCTIONS:
                raise ValueError(f"no function {name!r}; known: {', '.join(sorted(FUNCTIONS))}")
        return value

    @model_validator(mode="after")
    def _given(self) -> Take:
        if bool(self.from_) == (self.const is not None):
            raise ValueError("give exactly one of from, const")
        return self

    def text(self, doc: Doc) -> str | None:
        """The field's text, or None when the message does not hold it (null and "" do not count)."""
        if self.const is not None:
            return self.const
        for path in self.from_:
            found = find(doc, path)
            if isinstance(found, Ambiguous):
                return None
            value = _as_text(found)
            if value is None or value == "":
                continue
            out: str | None = value
            for name in self.fn:
                out = FUNCTIONS[name](out) if out is not None else None
            if self.map is not None and out is not None:
                out = self.map.get(out, self.map.get(out.lower(), self.map.get("*")))
            if out is not None:
                return out
        return None

    def given(self, doc: Doc) -> bool:
        """Whether the message holds the field at all, be it one that can't be read."""
        return any(not _absent(find(doc, path)) for path in self.from_)

    def number(self, doc: Doc) -> Decimal | None:
        """The field as an exact number, or None."""
        text = self.text(doc)
        return None if text is None else decimal(text)


def _take(value: object) -> object:
    return {"from": value} if isinstance(value, str | list) else value


type TakeLike = Annotated[Take, BeforeValidator(_take)]
"""A path, a list of paths, or a full `Take`."""


class Test(Frozen):
    """A condition that is more than equality."""

    present: bool | None = None
    matches: str | None = None
    not_: Several[str] | None = Field(default=None, alias="not")

    @field_validator("matches")
    @classmethod
    def _regex(cls, value: str | None) -> str | None:
        if value is not None:
            try:
                re.compile(value)
            except re.error as error:
                raise ValueError(f"{value!r} is no regular expression: {error}") from None
        return value


def _condition(value: object) -> object:
    if value is None:
        return {"present": False}
    if value == "present":
        return {"present": True}
    return value


type Condition = Annotated[Test | bool | int | str | tuple[str | int | bool, ...], BeforeValidator(_condition)]


def _paths_first(value: object) -> object:
    """A path that can't be read must be told when the file is loaded, not when the first request comes."""
    for path in value if isinstance(value, dict) else ():
        compile_path(str(path))
    return value


type When = Annotated[dict[str, Condition], BeforeValidator(_paths_first)]
"""Path to condition; all must hold. `present`, null (absent), a value, a list of values, or a `Test`."""


def holds(when: When, doc: Doc) -> bool:
    """Whether every condition holds."""
    return all(_holds(condition, find(doc, path)) for path, condition in when.items())


def _absent(value: Any) -> bool:
    return value is None or (value in ("", [], {}) and not isinstance(value, Ambiguous))


def _holds(condition: Any, value: Any) -> bool:
    absent = _absent(value)
    if isinstance(condition, Test):
        if condition.present is not None and condition.present == absent:
            return False
        text = _as_text(value)
        if condition.matches is not None and (text is None or re.search(condition.matches, text) is None):
            return False
        return condition.not_ is None or text not in condition.not_
    wanted = condition if isinstance(condition, tuple) else (condition,)
    return any(_equal(one, value) for one in wanted)


def _equal(wanted: Any, value: Any) -> bool:
    if value is None:
        return False
    if isinstance(wanted, bool) or isinstance(value, bool):
        return (_as_text(wanted) or "") == (_as_text(value) or "").lower()
    if isinstance(value, int):
        return str(wanted) == str(value) or (
            isinstance(wanted, str) and len(wanted) == 3 and wanted.endswith("xx") and wanted[0] == str(value)[0]
        )
    return isinstance(value, str) and str(wanted) == str(value)


def _path(value: str) -> str:
    compile_path(value)
    return value


type PathText = Annotated[str, AfterValidator(_path)]
"""A path, checked when it is loaded."""


class UnitRow(Frozen):
    """One row of a unit table: the first whose `when` holds says the unit."""

    when: When = {}
    is_: str = Field(alias="is")


def json_in_text(value: Any) -> Any:
    """A JSON document inside a text field (Binance batch orders, tool arguments), or None."""
    if not isinstance(value, str) or len(value) > 1_000_000:
        return None
    try:
        return json.loads(value, parse_float=Number, parse_int=Number, parse_constant=Number)
    except (ValueError, RecursionError):
        return None
