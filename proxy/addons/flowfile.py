"""A mitmproxy flow file as our exchanges and messages. Reads only; a cut file gives what is whole in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from mitmproxy import exceptions, http
from mitmproxy.io import FlowReader

from proxy.addons.adapt import nanoseconds, request_of, response_of
from proxy.wire.exchange import Exchange, Message


class FlowFileError(ValueError):
    """The file is no flow file, or damaged from some flow on; `read` flows were whole."""

    def __init__(self, message: str, read: int) -> None:
        super().__init__(message)
        self.read = read


def read_flows(path: Path) -> Iterator[tuple[Exchange, list[Message]]]:
    """
    Every HTTP flow of a file, in its order.

    Args:
        path: Written by mitmproxy or mitmdump.

    Yields:
        The exchange, numbered from 1, and its WebSocket messages.

    Raises:
        FlowFileError: After the last flow that could be read.
        OSError: The file can't be opened.
    """
    number = 0
    with path.open("rb") as file:
        try:
            for flow in FlowReader(file).stream():
                if isinstance(flow, http.HTTPFlow):
                    number += 1
                    yield _exchange(flow, number), _messages(flow, number)
        except (exceptions.FlowReadException, ValueError, TypeError, KeyError, AttributeError) as error:
            raise FlowFileError(f"{path}: {error}", number) from None


def _exchange(flow: http.HTTPFlow, number: int) -> Exchange:
    # The Host field is what the agent asked for; the address may be where a map or a resolver sent it.
    host = flow.request.pretty_host
    now = nanoseconds(flow.timestamp_created, 0)
    request = request_of(flow, host, flow.request.port, now)
    response = response_of(flow, flow.response.data.content, now) if flow.response is not None else None
    return Exchange(number, request, response, flow.error.msg if flow.error else None, flow.comment or None)


def _messages(flow: http.HTTPFlow, number: int) -> list[Message]:
    out = []
    for n, frame in enumerate(flow.websocket.messages if flow.websocket is not None else (), 1):
        direction: Literal["to_server", "to_agent"] = "to_server" if frame.from_client else "to_agent"
        out.append(
            Message(
                exchange=number,
                number=n,
                direction=direction,
                kind="text" if frame.is_text else "binary",
                body=frame.content,
                at_ns=nanoseconds(frame.timestamp, 0),
            )
        )
    return out
