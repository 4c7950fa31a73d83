"""Server-sent events of a whole body, as WHATWG defines the format. Bytes in, events out; never raises."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_LINES: Final = re.compile(rb"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Event:
    """One event. `data` joins its data lines; `name` is empty for the default event."""

    name: str
    data: str
    id: str | None = None


def events(body: bytes) -> tuple[Event, ...]:
    """
    Every event of a body. An event that no blank line ends is dropped, as every client does.

    Source: https://html.spec.whatwg.org/multipage/server-sent-events.html, read 2026-11-30.
    """
    out: list[Event] = []
    name = ""
    data: list[str] = []
    ident: str | None = None
    # What follows the last line end is no line yet.
    for raw in _LINES.split(body.removeprefix(b"\xef\xbb\xbf"))[:-1]:
        line = raw.decode("utf-8", "replace")
        if not line:
            if data:
                out.append(Event(name, "\n".join(data), ident))
            name, data = "", []
            continue
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            data.append(value)
        elif field == "event":
            name = value
        elif field == "id" and "\0" not in value:
            ident = value
    return tuple(out)
