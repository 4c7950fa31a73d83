"""
YAML text to plain values and the line of every key. Every error names file, line, key and what to do.

Stricter than YAML: no anchors, aliases or merge keys (aliases expand without bound), no tags, no duplicate
keys, one document, no dates or sexagesimals, `yes` and `no` stay words, and a number that is no plain
integer stays its own source text until a model asks for a Decimal.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final

import yaml

MAX_BYTES: Final = 5_000_000
MAX_DEPTH: Final = 60

type KeyPath = tuple[str | int, ...]

type Lines = dict[KeyPath, int]
"""Key path to line number, counted from 1."""


class BadCorpus(ValueError):
    """A file that its author must mend: says where and how."""

    def __init__(self, message: str, *, file: str = "", line: int = 0, key: str = "") -> None:
        self.file, self.line, self.key, self.reason = file, line, key, message
        where = ":".join(part for part in (file, str(line) if line else "") if part)
        super().__init__(": ".join(part for part in (where, key, message) if part))


class Printed(str):
    """A number as its author printed it; models turn it into a Decimal or an int, never through float."""

    __slots__ = ()


# libyaml's parser gives the same events more than ten times as fast. Wheels hold it, other builds may not.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_INT: Final = re.compile(r"[-+]?(0|[1-9][0-9]*)\Z")
_FLOAT: Final = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)([eE][-+]?[0-9]+)?\Z")
_MAX_DIGITS: Final = 400
_PLAIN_KEY: Final = re.compile(r"[A-Za-z0-9_-]+\Z")

# YAML's own list less NEL, LS and PS: YAML counts these as line breaks and editors do not.
_BAD_CHARACTER: Final = re.compile("[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TAB: Final = re.compile(r" *\t")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def dotted(path: KeyPath) -> str:
    """A key path for people: `cases[2].success.order`; keys of other characters stand in quotes."""
    out = ""
    for part in path:
        if isinstance(part, int):
            out += f"[{part}]"
        elif _PLAIN_KEY.match(part):
            out += f".{part}" if out else part
        else:
            out += f"[{json.dumps(part)}]"
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
    text = text.removeprefix("\ufeff")
    if len(text) > MAX_BYTES or len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise BadCorpus(f"larger than {MAX_BYTES} bytes; split the file", file=file)
    bad = _BAD_CHARACTER.search(text)
    if bad:
        message = f"character U+{ord(bad[0]):04X} is not allowed; remove it, or write its escape in double quotes"
        raise BadCorpus(message, file=file, line=text.count("\n", 0, bad.start()) + 1)
    reader = _Reader(file)
    return reader.read(text), reader.lines


@dataclass(slots=True)
class _Open:
    """A mapping or list whose end has not come yet. `key` waits for its value."""

    path: KeyPath
    value: dict[str, Any] | list[Any]
    key: str | None = None


class _Reader:
    """
    Builds values from events, without recursion and without a tree in between.

    So depth is checked before anything deep exists, and each error knows the key that it stands at.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.lines: Lines = {}
        self.open: list[_Open] = []
        self.line = 1
        self.documents = 0
        self.root: Any = None
        self.blank = True

    def read(self, text: str) -> Any:
        try:
            for event in yaml.parse(text, Loader=_LOADER):
                if event.start_mark is not None:
                    self.line = event.start_mark.line + 1
                self.event(event)
        except BadCorpus:
            raise
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            self.line = mark.line + 1 if mark else self.line
            if mark and _TAB.match(text.split("\n")[mark.line] if mark.line <= text.count("\n") else ""):
                raise self.fail("a tab; indent with spaces") from None
            raise self.fail(f"not YAML: {error.problem or error.context}; mend the line or the one before") from None
        except (yaml.YAMLError, ValueError, OverflowError) as error:
            # The pure-Python parser lets chr() and int() raise on absurd escapes and versions.
            raise self.fail(f"not YAML: {str(error).splitlines()[0]}; mend it") from None
        if self.blank:
            raise BadCorpus("the file is empty; write the keys that are wanted", file=self.file, line=1)
        return self.root

    def fail(self, message: str, path: KeyPath | None = None) -> BadCorpus:
        return BadCorpus(message, file=self.file, line=self.line, key=dotted(self.here() if path is None else path))

    def here(self) -> KeyPath:
        if not self.open:
            return ()
        top = self.open[-1]
        if isinstance(top.value, list):
            return (*top.path, len(top.value))
        return top.path if top.key is None else (*top.path, top.key)

    def event(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                raise self.fail("a second document starts here; keep one, and remove the line ---", ())
        elif isinstance(event, yaml.AliasEvent):
            raise self.fail(f"aliases (*{event.anchor}) are not allowed; write the value out")
        elif isinstance(event, yaml.CollectionEndEvent):
            self.open.pop()
        elif isinstance(event, yaml.NodeEvent):
            self.node(event)

    def node(self, event: yaml.NodeEvent) -> None:
        if event.anchor is not None:
            raise self.fail(f"anchors (&{event.anchor}) are not allowed; remove it")
        if getattr(event, "tag", None) is not None:
            raise self.fail(f"tags ({event.tag}) are not allowed; write the plain value")  # type: ignore[attr-defined]
        top = self.open[-1] if self.open else None
        if top is not None and isinstance(top.value, dict) and top.key is None:
            self.key(event, top, top.value)
            return
        path = self.here()
        self.lines.setdefault(path, self.line)
        if isinstance(event, yaml.ScalarEvent):
            self.blank = top is None and event.value == "" and event.implicit[0]
            self.put(self.scalar(event))
            return
        if len(path) >= MAX_DEPTH:
            raise self.fail(f"nested deeper than {MAX_DEPTH} levels; make it flatter", path[:4])
        self.blank = False
        value: dict[str, Any] | list[Any] = {} if isinstance(event, yaml.MappingStartEvent) else []
        self.put(value)
        self.open.append(_Open(path, value))

    def key(self, event: yaml.NodeEvent, top: _Open, mapping: dict[str, Any]) -> None:
        if not isinstance(event, yaml.ScalarEvent):
            raise self.fail("a key must be plain text; write a word before the colon")
        key = self.text(event)
        path = (*top.path, key)
        if key == "<<" and event.implicit[0]:
            raise self.fail("merge keys (<<) are not allowed; write the keys out", path)
        if key in mapping:
            raise self.fail(f"this key stands twice (first in line {self.lines[path]}); keep one", path)
        self.lines[path] = self.line
        top.key = key

    def put(self, value: Any) -> None:
        if not self.open:
            self.root = value
            return
        top = self.open[-1]
        if isinstance(top.value, list):
            top.value.append(value)
        else:
            assert top.key is not None
            top.value[top.key] = value
            top.key = None

    def text(self, event: yaml.ScalarEvent) -> str:
        text: str = event.value
        if _SURROGATE.search(text):
            raise self.fail("half of a surrogate pair is no character; write the character itself")
        return text

    def scalar(self, event: yaml.ScalarEvent) -> Any:
        text = self.text(event)
        if not event.implicit[0]:  # quoted or a block: text, whatever it looks like
            return text
        if text in ("", "~", "null"):
            return None
        if text in ("true", "false"):
            return text == "true"
        if _INT.match(text):
            return int(text) if len(text) <= _MAX_DIGITS else Printed(text)
        if _FLOAT.match(text):
            return Printed(text)
        return text
