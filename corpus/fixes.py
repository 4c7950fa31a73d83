"""What is wrong with a value and how to mend it: pydantic's errors in, one sentence for the author out."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Final

from pydantic import BaseModel

from corpus.strict_yaml import KeyPath, Printed

_SHOWN: Final = 60
_COUNT: Final = re.compile(r"[0-9][0-9,]*\Z")
_IDS: Final = ("^[a-z0-9]", "^[a-z]")


def fix(error: Any, model: type[BaseModel], path: KeyPath) -> str:
    """
    One error in the author's words.

    Args:
        error: Of pydantic's `errors()`, with its input.
        model: What was to be built.
        path: Where it stands in the file.
    """
    value = error["input"]
    match error["type"]:
        case "extra_forbidden":
            return _unknown(str(path[-1]) if path else "", sorted(_siblings(model, error["loc"])))
        case "missing":
            return "this key is missing; add it"
        case "model_type" | "model_attributes_type" | "dict_type":
            return "keys with values are wanted here; write them as `key: value`, one a line"
        case "tuple_type" | "list_type":
            return "a list is wanted here; write `- ` before each item"
        case "string_type":
            return f"text is wanted here; put it in quotes{_quoted(value)}"
        case "int_type" | "int_parsing" | "int_from_float":
            return _whole(value)
        case "bool_type" | "bool_parsing":
            return f"write true or false, not {shown(value)}"
        case "literal_error" | "enum":
            return _one_of(error["ctx"]["expected"], value)
        case "greater_than_equal":
            return f"must be {error['ctx']['ge']} or more, not {shown(value)}"
        case "string_pattern_mismatch":
            return _form(error["ctx"]["pattern"], value)
    return str(error["msg"]).removeprefix("Value error, ")


def shown(value: object) -> str:
    """A value as its author may have written it; long ones are cut."""
    if isinstance(value, (Printed, Decimal)):
        text = str(value)
    else:
        text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def near(name: str, known: Iterable[str]) -> str:
    """ "did you mean market? ", or nothing."""
    found = difflib.get_close_matches(name, list(known), n=1)
    return f"did you mean {found[0]}? " if found else ""


def _quoted(value: object) -> str:
    return f": {json.dumps(str(value))}" if isinstance(value, (int, Printed)) and not isinstance(value, bool) else ""


def _whole(value: object) -> str:
    if isinstance(value, str) and not isinstance(value, Printed) and _COUNT.match(value):
        comma = " and commas" if "," in value else ""
        return (
            f"write a whole number without quotes{comma}: {shown(Printed(value.replace(',', '')))}, not {shown(value)}"
        )
    return f"a whole number is wanted here, such as 20, not {shown(value)}"


def _one_of(expected: str, value: object) -> str:
    known = re.findall(r"'([^']*)'", expected)
    if not known:
        return f"must be {expected.lower()}, not {shown(value)}"
    return f"must be {', '.join(known[:-1])}{' or ' if known[1:] else ''}{known[-1]}, not {shown(value)}" + (
        f"; {guess.strip()}" if isinstance(value, str) and (guess := near(value, known)) else ""
    )


def _form(pattern: str, value: object) -> str:
    if pattern.startswith(_IDS):
        return f"lower-case letters, digits, dots, dashes and underscores only, at most 64, not {shown(value)}"
    return f"must be of the form {pattern}, not {shown(value)}"


def _unknown(key: str, known: list[str]) -> str:
    if key.isdigit():
        return "unknown key; a comma inside a number starts a new key here: write 25000 or 0.25, without a comma"
    if not known:
        return "unknown key; remove it"
    return f"unknown key; {near(key, known)}Known keys here: {', '.join(known)}"


def _siblings(model: type[BaseModel], loc: KeyPath) -> set[str]:
    """The keys that would have been right at a location."""
    at: Any = model
    for part in loc[:-1]:
        if at is None:
            return set()
        fields = {field.alias or name: field for name, field in at.model_fields.items()}
        # Any other part is an index, a key of the author's own, or a name that pydantic adds: the model stays.
        if part in fields:
            at = _model_in(fields[part].annotation)
    return set() if at is None else {field.alias or name for name, field in at.model_fields.items()}


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    parts = getattr(annotation, "__args__", ()) or (getattr(annotation, "__value__", None),)
    return next((found for part in parts if part is not None and (found := _model_in(part))), None)
