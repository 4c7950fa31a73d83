"""
YAML files to frozen models. Every error names file, line, key and what to do.

Stricter than YAML: no aliases (they expand without bound), no duplicate keys, no dates or sexagesimals,
`yes` and `no` stay words, and a float stays its own source text until a model asks for a Decimal.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import BaseModel, ValidationError

MAX_BYTES: Final = 5_000_000
MAX_DEPTH: Final = 60


class BadCorpus(ValueError):
    """A file that its author must mend: says where and how."""

    def __init__(self, message: str, *, file: str = "", line: int = 0, key: str = "") -> None:
        self.file, self.line, self.key, self.reason = file, line, key, message
        where = ":".join(part for part in (file, str(line) if line else "") if part)
        super().__init__(": ".join(part for part in (where, key, message) if part))


class Printed(str):
    """A number as its author printed it; models turn it into a Decimal or an int, never through float."""

    __slots__ = ()


_INT: Final = re.compile(r"[-+]?(0|[1-9][0-9]*)\Z")
_FLOAT: Final = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)([eE][-+]?[0-9]+)?\Z")

type Lines = dict[tuple[str | int, ...], int]
"""Key path to line number, counted from 1."""


class _Reader:
    def __init__(self, file: str) -> None:
        self.file = file
        self.lines: Lines = {}

    def fail(self, message: str, node: yaml.Node, path: tuple[str | int, ...]) -> BadCorpus:
        return BadCorpus(message, file=self.file, line=node.start_mark.line + 1, key=_dotted(path))

    def value(self, node: yaml.Node, path: tuple[str | int, ...]) -> Any:
        if len(path) > MAX_DEPTH:
            raise self.fail(f"nested deeper than {MAX_DEPTH} levels", node, path[:4])
        self.lines[path] = node.start_mark.line + 1
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item, (*path, n)) for n, item in enumerate(node.value)]
        assert isinstance(node, yaml.ScalarNode)
        return self.scalar(node, path)

    def mapping(self, node: yaml.MappingNode, path: tuple[str | int, ...]) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise self.fail("a key must be plain text", key_node, path)
            key = key_node.value
            if key in out:
                raise self.fail("this key stands twice; keep one", key_node, (*path, key))
            out[key] = self.value(value_node, (*path, key))
            self.lines[(*path, key)] = key_node.start_mark.line + 1
        return out

    def scalar(self, node: yaml.ScalarNode, path: tuple[str | int, ...]) -> Any:
        text = node.value
        if node.tag not in ("tag:yaml.org,2002:str", "!") and not node.tag.startswith("tag:yaml.org,2002:"):
            raise self.fail(f"tag {node.tag} is not allowed; write the plain value", node, path)
        if node.style in ('"', "'", "|", ">"):
            return text
        if text in ("", "~", "null"):
            return None
        if text in ("true", "false"):
            return text == "true"
        if _INT.match(text):
            return int(text) if len(text) < 4000 else Printed(text)
        if _FLOAT.match(text):
            return Printed(text)
        return text


def _dotted(path: tuple[str | int, ...]) -> str:
    out = ""
    for part in path:
        out += f"[{part}]" if isinstance(part, int) else f".{part}" if out else part
    return out


def parse_yaml(text: str, file: str) -> tuple[Any, Lines]:
    """
    Read one YAML document strictly.

    Args:
        text: The document.
        file: Its name, for errors.

    Returns:
        Plain values, and the line of every key path.

    Raises:
        BadCorpus: Not YAML, or one of the forms that are not allowed here.
    """
    if len(text) > MAX_BYTES:
        raise BadCorpus(f"larger than {MAX_BYTES} bytes; split the file", file=file)
    reader = _Reader(file)
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent):
                raise BadCorpus(
                    "aliases (*name) are not allowed; write the value out", file=file, line=event.start_mark.line + 1
                )
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise BadCorpus(
            f"not YAML: {error.problem or error.context}", file=file, line=mark.line + 1 if mark else 0
        ) from None
    except yaml.YAMLError as error:
        raise BadCorpus(f"not YAML: {str(error).splitlines()[0]}", file=file) from None
    except RecursionError:
        raise BadCorpus(f"nested deeper than {MAX_DEPTH} levels", file=file) from None
    if node is None:
        raise BadCorpus("the file is empty", file=file)
    return reader.value(node, ()), reader.lines


def read_text(path: Path) -> str:
    """The file's text, or BadCorpus naming it and why it can't be read."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise BadCorpus(f"larger than {MAX_BYTES} bytes; split the file", file=str(path))
        return path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise BadCorpus(f"not UTF-8 at byte {error.start}; save it as UTF-8", file=str(path)) from None
    except OSError as error:
        raise BadCorpus(f"can't be read: {error.strerror}", file=str(path)) from None


def build[M: BaseModel](model: type[M], value: Any, lines: Lines, file: str, at: tuple[str | int, ...] = ()) -> M:
    """
    Turn plain values into a model.

    Args:
        model: A frozen pydantic model.
        value: What `parse_yaml` returned, or a part of it.
        lines: The lines that `parse_yaml` returned.
        file: The file's name, for errors.
        at: The key path of `value` in the file.

    Raises:
        BadCorpus: The first thing that does not fit, with its line and key.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        path = (*at, *_known(first["loc"], at, lines))
        line = next((lines[path[:n]] for n in range(len(path), -1, -1) if path[:n] in lines), 0)
        more = error.error_count() - 1
        tail = f" (and {more} more)" if more else ""
        raise BadCorpus(_fix(first, model) + tail, file=file, line=line, key=_dotted(path)) from None


def _known(loc: tuple[str | int, ...], at: tuple[str | int, ...], lines: Lines) -> tuple[str | int, ...]:
    """Pydantic's location without the names that it adds for unions and validators."""
    out: tuple[str | int, ...] = ()
    for n, part in enumerate(loc):
        if (*at, *out, part) in lines or n == len(loc) - 1:
            out = (*out, part)
    return out


def _fix(error: Any, model: type[BaseModel]) -> str:
    kind, message = error["type"], error["msg"]
    if kind == "extra_forbidden":
        names = sorted(_siblings(model, error["loc"]))
        return f"unknown key; known keys here: {', '.join(names)}" if names else "unknown key; remove it"
    if kind == "missing":
        return "this key is missing; add it"
    return str(message).removeprefix("Value error, ")


def _siblings(model: type[BaseModel], loc: tuple[str | int, ...]) -> set[str]:
    at: Any = model
    for part in loc[:-1]:
        if isinstance(part, str) and isinstance(at, type) and issubclass(at, BaseModel) and part in at.model_fields:
            at = _model_in(at.model_fields[part].annotation)
        elif not isinstance(part, int):
            return set()
    if isinstance(at, type) and issubclass(at, BaseModel):
        return {field.alias or name for name, field in at.model_fields.items()}
    return set()


def _model_in(annotation: Any) -> Any:
    if isinstance(annotation, type):
        return annotation
    for part in getattr(annotation, "__args__", ()):
        found = _model_in(part)
        if isinstance(found, type) and issubclass(found, BaseModel):
            return found
    return None


def load[M: BaseModel](model: type[M], path: Path) -> M:
    """One file, one model. Raises BadCorpus."""
    value, lines = parse_yaml(read_text(path), str(path))
    return build(model, value, lines, str(path))
