"""One exchange under way: what was asked, what is known of its answer so far."""

from __future__ import annotations

from dataclasses import dataclass

from proxy.addons.streams import Copy, EditFrames, Hold
from proxy.journal.events import ExchangeOutcome
from proxy.wire.exchange import Headers, Request
from proxy.wire.reader import RequestReading


@dataclass(slots=True)
class Opened:
    """
    State of an exchange between its hooks.

    `acted`: it may have moved orders or money, so its answer is never replaced. `stream` is what its body passes
    through, null when mitmproxy holds the body. `shown` is the edited body, where there is one.
    """

    id: int
    request: Request
    asked: RequestReading
    outcome: ExchangeOutcome = "passed"
    forwarded_body: bytes | None = None
    forwarded_headers: Headers | None = None
    truth_headers: Headers | None = None
    upstream: str | None = None
    stream: Copy | Hold | EditFrames | None = None
    shown: bytes | None = None
    marks: tuple[str, ...] = ()
    acted: bool = False
    done: bool = False

    @property
    def ours(self) -> bool:
        """Whether we answered, and no upstream was asked."""
        return self.outcome in ("blocked", "refused")

    def body(self, held: bytes | None) -> bytes | None:
        """
        The upstream's body, as far as it is kept.

        Args:
            held: What mitmproxy holds.

        Returns:
            Null when it was too long to be kept.
        """
        stream = self.stream
        if stream is None:
            return held
        if isinstance(stream, Hold):
            return None if stream.released else stream.so_far()
        return stream.truth.bytes() if stream.truth.whole else None

    def as_shown(self) -> bytes | None:
        """The body that the agent got, when it is not the upstream's."""
        if isinstance(self.stream, EditFrames):
            shown = self.stream.shown
            return shown.bytes() if self.stream.edited and shown is not None and shown.whole else None
        return self.shown
