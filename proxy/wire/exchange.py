"""Our own request, response and frame. Nothing inward of `proxy.addons` sees a mitmproxy flow."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from corpus.terms import Instant

type Fields = tuple[tuple[bytes, bytes], ...]


@dataclass(frozen=True, slots=True)
class Headers:
    """Header fields as sent: order, case and duplicates kept; lookups fold case."""

    fields: Fields = ()

    def get(self, name: str, default: str | None = None) -> str | None:
        """The first value of a field."""
        wanted = name.lower().encode()
        for key, value in self.fields:
            if key.lower() == wanted:
                return value.decode("latin-1")
        return default

    def get_all(self, name: str) -> tuple[str, ...]:
        """Every value of a field, in order."""
        wanted = name.lower().encode()
        return tuple(value.decode("latin-1") for key, value in self.fields if key.lower() == wanted)

    def media_type(self) -> str:
        """The Content-Type without parameters, lower case; empty when absent."""
        return (self.get("content-type") or "").split(";")[0].strip().lower()


@dataclass(frozen=True, slots=True)
class Request:
    """
    One request as the agent sent it. `host` is the original one, before any `--map`; `path` holds the query.

    `body` is content-encoded as on the wire; null when it was streamed past and not kept.
    """

    method: str
    scheme: str
    host: str
    port: int
    path: str
    headers: Headers
    body: bytes | None
    at_ns: Instant
    http_version: str = "HTTP/1.1"

    @property
    def bare_path(self) -> str:
        """The path without its query, and without the authority of an absolute target."""
        path = self.path.partition("?")[0]
        if "://" in path[:12]:
            return "/" + path.partition("://")[2].partition("/")[2]
        return path

    @property
    def query(self) -> str:
        return self.path.partition("?")[2].partition("#")[0]


@dataclass(frozen=True, slots=True)
class Response:
    """One response. `body` is content-encoded; null when streamed past and not kept."""

    status: int
    headers: Headers
    body: bytes | None
    at_ns: Instant
    """The first byte came."""
    end_ns: Instant
    """The last byte came."""
    reason: str = ""
    http_version: str = "HTTP/1.1"
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its response, if any came. `id` counts from 1 in a session."""

    id: int
    request: Request
    response: Response | None = None
    error: str | None = None
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """One WebSocket or server-sent-event frame of an exchange."""

    exchange: int
    number: int
    direction: Literal["to_server", "to_agent"]
    kind: Literal["text", "binary", "sse", "ndjson"]
    body: bytes
    at_ns: Instant
    meta: tuple[tuple[str, str], ...] = field(default=())
