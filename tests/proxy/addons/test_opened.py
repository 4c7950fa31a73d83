"""The state of an exchange: which body is the upstream's, and which the agent's."""

from __future__ import annotations

from proxy.addons.opened import Opened
from proxy.addons.streams import Copy, EditFrames, Hold
from proxy.wire.codecs.frames import Frame
from proxy.wire.exchange import Headers, Request
from proxy.wire.reader import RequestReading


def opened() -> Opened:
    request = Request("GET", "https", "a.example", 443, "/", Headers(), b"", 1)
    return Opened(1, request, RequestReading(None, None, None, None))


def refuse(error: Exception) -> None:
    raise AssertionError(error)


def test_a_body_that_mitmproxy_holds() -> None:
    state = opened()
    assert state.body(b"held") == b"held"
    assert state.as_shown() is None
    state.shown = b"edited"
    assert state.as_shown() == b"edited"


def test_a_copied_body_is_whole_or_not_kept() -> None:
    state = opened()
    state.stream = Copy(cap=3)
    state.stream(b"abc")
    assert state.body(None) == b"abc"
    state.stream(b"d")
    assert state.body(None) is None


def test_a_held_body_is_there_even_when_it_breaks_off_and_not_once_released() -> None:
    state = opened()
    state.stream = Hold(lambda body: body, refuse, cap=4)
    state.stream(b"ab")
    assert state.body(None) == b"ab"
    state.stream(b"cdef")
    assert state.body(None) is None


def test_frames_are_shown_only_when_one_was_edited() -> None:
    state = opened()
    state.stream = EditFrames("ndjson", (), lambda frame: frame.raw, refuse)
    state.stream(b'{"a":1}\n')
    assert (state.body(None), state.as_shown()) == (b'{"a":1}\n', None)

    def double(frame: Frame) -> bytes:
        return frame.raw * 2

    state.stream = EditFrames("ndjson", (), double, refuse)
    state.stream(b"{}\n")
    assert (state.body(None), state.as_shown()) == (b"{}\n", b"{}\n{}\n")


def test_what_we_answered_ourselves() -> None:
    state = opened()
    assert not state.ours
    state.outcome = "blocked"
    assert state.ours
