"""News items from a YAML file: text in, frozen items out. Parsed once a file and shared by every sim."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Annotated, Final

from pydantic import BeforeValidator, Field

from corpus.base import Frozen
from corpus.load import BadCorpus, build, parse_yaml, read_text
from corpus.terms import Instant, instant

SHIPPED: Final = Path(__file__).parent / "data" / "news.yaml"


def _instant(value: object) -> object:
    found = instant(value) if isinstance(value, str) else None
    if found is None:
        raise ValueError(f'"{value}" is no time; write 2012-06-15T13:05:00Z')
    return found


class NewsItem(Frozen):
    """One item. `content` is HTML, as the venue sends it; `updated` is when the text became what it is."""

    id: int = Field(ge=1, lt=10**10)
    created: Annotated[Instant, BeforeValidator(_instant)]
    updated: Annotated[Instant, BeforeValidator(_instant)]
    symbols: tuple[str, ...]
    headline: str
    author: str = "Redtape Sim"
    source: str = "simwire"
    summary: str = ""
    content: str = ""
    url: str = ""


class _File(Frozen):
    items: tuple[NewsItem, ...]


def load(path: Path | None) -> tuple[NewsItem, ...]:
    """
    Read a file of news items.

    Args:
        path: YAML with one key, `items`, or null for the shipped file.

    Returns:
        The items, by update time and id.

    Raises:
        BadCorpus: With file, line, key and what to do.
    """
    file = SHIPPED if path is None else path
    try:
        found = file.stat()
    except OSError as error:
        raise BadCorpus(f"can't be read: {error.strerror}", file=str(file)) from None
    return _load(file, (found.st_mtime_ns, found.st_size))


@lru_cache(maxsize=8)
def _load(path: Path, stamp: tuple[int, int]) -> tuple[NewsItem, ...]:
    value, lines = parse_yaml(read_text(path), str(path))
    items = build(_File, value, lines, str(path)).items
    seen: set[int] = set()
    for n, item in enumerate(items):
        line = lines.get(("items", n), 0)
        if item.id in seen:
            raise BadCorpus(
                "another item has this id; give each its own", file=str(path), line=line, key=f"items[{n}].id"
            )
        if item.updated < item.created:
            raise BadCorpus(
                "updated lies before created; swap them", file=str(path), line=line, key=f"items[{n}].updated"
            )
        seen.add(item.id)
    return tuple(sorted(items, key=lambda item: (item.updated, item.id)))
