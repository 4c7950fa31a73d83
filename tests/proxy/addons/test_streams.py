"""Streams on their way: nothing is lost, nothing ends early, a failure passes what came."""

from __future__ import annotations

import gzip
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.addons.streams import Copy, EditFrames, Hold
from proxy.wire.codecs.frames import Frame

CHUNKS = st.lists(st.binary(min_size=1, max_size=40), max_size=12)


def run(stream: Any, chunks: list[bytes]) -> list[bytes]:
    """What mitmproxy would send; an empty chunk before the end would be the end."""
    out: list[bytes] = []
    for chunk in [*chunks, b""]:
        got = stream(chunk)
        assert got != b""
        out += [got] if isinstance(got, bytes) else got
    assert all(out)
    return out


def refuse(error: Exception) -> None:
    raise AssertionError(error)


@given(CHUNKS)
def test_a_copy_passes_each_chunk_as_it_came(chunks: list[bytes]) -> None:
    copy = Copy()
    assert chunks == run(copy, chunks)
    assert b"".join(chunks) == copy.truth.bytes()


@given(CHUNKS)
def test_a_held_body_goes_out_whole(chunks: list[bytes]) -> None:
    seen: list[bytes] = []
    hold = Hold(lambda body: (seen.append(body), body)[1], refuse)
    assert b"".join(chunks) == b"".join(run(hold, chunks))
    assert seen == [b"".join(chunks)]
    assert hold.truth == b"".join(chunks)


def test_a_held_body_can_be_edited() -> None:
    hold = Hold(lambda body: body.replace(b"b", b"BBB"), refuse)
    assert run(hold, [b"a", b"b", b"c"]) == [b"aBBBc"]
    assert hold.truth == b"abc"


def test_past_the_cap_a_held_body_is_released_and_never_edited() -> None:
    hold = Hold(lambda body: pytest.fail("finished"), refuse, cap=5)
    assert hold(b"abc") == []
    assert hold(b"def") == [b"abc", b"def"]
    assert hold(b"g") == b"g"
    assert hold(b"") == []
    assert hold.released
    assert hold.truth is None


def test_a_copy_past_its_cap_keeps_nothing_and_says_so() -> None:
    copy = Copy(cap=5)
    assert run(copy, [b"abc", b"def", b"g"]) == [b"abc", b"def", b"g"]
    assert (copy.truth.whole, copy.truth.bytes(), copy.truth.size) == (False, b"", 7)


def test_a_failure_while_editing_passes_the_body_and_is_reported() -> None:
    failures: list[Exception] = []
    hold = Hold(lambda body: 1 / 0, failures.append)  # type: ignore[arg-type, return-value]
    assert run(hold, [b"a", b"b"]) == [b"ab"]
    assert [type(error) for error in failures] == [ZeroDivisionError]


def shout(frame: Frame) -> bytes:
    return frame.raw.replace(b"buy", b"SELL") if b"buy" in frame.raw else frame.raw


EVENTS = b"event: a\ndata: buy 1\n\n: ping\n\ndata: x\r\n\r\ndata: buy 2\n\n"


@given(st.lists(st.integers(1, 9), min_size=1, max_size=8), st.sampled_from([(), ("gzip",)]))
def test_frames_are_edited_at_any_chunking_and_others_are_identical(sizes: list[int], applied: tuple[str, ...]) -> None:
    wire = gzip.compress(EVENTS) if applied else EVENTS
    chunks, at, n = [], 0, 0
    while at < len(wire):
        chunks.append(wire[at : at + sizes[n % len(sizes)]])
        at, n = at + sizes[n % len(sizes)], n + 1
    stream = EditFrames("sse", applied, shout, refuse)
    assert b"".join(run(stream, chunks)) == EVENTS.replace(b"buy", b"SELL")
    assert stream.truth.bytes() == EVENTS
    assert stream.shown is not None
    assert stream.shown.bytes() == EVENTS.replace(b"buy", b"SELL")
    assert stream.edited


def test_each_frame_goes_out_as_soon_as_it_is_whole() -> None:
    stream = EditFrames("sse", (), shout, refuse)
    assert stream(b"data: 1\n") == []
    assert stream(b"\ndata: 2") == [b"data: 1\n\n"]
    assert not stream.edited


def test_an_edit_that_fails_is_reported_once_and_the_rest_passes() -> None:
    failures: list[Exception] = []

    def broken(frame: Frame) -> bytes:
        raise KeyError(frame.raw)

    stream = EditFrames("ndjson", (), broken, failures.append)
    assert b"".join(run(stream, [b'{"a":1}\n{"b"', b":2}\n"])) == b'{"a":1}\n{"b":2}\n'
    assert len(failures) == 1


def test_a_damaged_coding_ends_the_reading_and_is_reported() -> None:
    failures: list[Exception] = []
    stream = EditFrames("sse", ("gzip",), shout, failures.append)
    assert run(stream, [b"no gzip at all", b"more"]) == []
    assert len(failures) == 1
