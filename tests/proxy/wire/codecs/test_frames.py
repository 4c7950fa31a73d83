"""Frames of a stream: nothing is lost, nothing is held back, whatever the chunking."""

from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.wire.codecs import sse
from proxy.wire.codecs.frames import Frame, Splitter

LINES = st.sampled_from(
    [
        "data: {}",
        "data:x",
        "data",
        "event: a",
        "id: 7",
        ": comment",
        "retry: 10",
        "",
        "data: é\u2028",
        "field: v",
        "data: ",
    ]
)
STREAMS = st.lists(st.tuples(LINES, st.sampled_from(["\n", "\r\n", "\r"])), max_size=30)


def cut(data: bytes, sizes: list[int]) -> list[bytes]:
    out, at, n = [], 0, 0
    while at < len(data):
        size = sizes[n % len(sizes)]
        out.append(data[at : at + size])
        at, n = at + size, n + 1
    return out


def run(kind: Literal["sse", "ndjson"], pieces: list[bytes], cap: int = 10_000) -> list[Frame]:
    splitter = Splitter(kind, cap)
    return [frame for piece in pieces for frame in splitter.feed(piece)] + splitter.finish()


@given(STREAMS, st.lists(st.integers(1, 9), min_size=1, max_size=8))
def test_events_are_those_of_the_whole_body_and_bytes_are_kept(stream: list[tuple[str, str]], sizes: list[int]) -> None:
    data = "".join(line + end for line, end in stream).encode()
    frames = run("sse", cut(data, sizes))
    assert data == b"".join(frame.raw for frame in frames)
    # A lone CR may leave its LF to the next frame; readers skip it there as they do here.
    got = [event.data for frame in frames if frame.kind == "sse" for event in sse.events(frame.raw)]
    assert [event.data for event in sse.events(data)] == got


@given(st.binary(max_size=300), st.lists(st.integers(1, 20), min_size=1), st.sampled_from(["sse", "ndjson"]))
def test_random_bytes_come_out_as_they_went_in(data: bytes, sizes: list[int], kind: Literal["sse", "ndjson"]) -> None:
    assert data == b"".join(frame.raw for frame in run(kind, cut(data, sizes), cap=40))


def test_an_event_is_given_as_soon_as_it_is_whole() -> None:
    splitter = Splitter("sse")
    assert splitter.feed(b"data: 1\n") == []
    assert [frame.raw for frame in splitter.feed(b"\nda")] == [b"data: 1\n\n"]
    assert [frame.raw for frame in splitter.feed(b"ta: 2\r\r")] == [b"data: 2\r\r"]


def test_the_payload_of_an_event_and_of_a_line() -> None:
    assert Frame(b'event: a\ndata: {"x":1}\nid: 3\n\n', "sse").payload() == (15, b'{"x":1}')
    assert Frame(b"data:x\r\n\r\n", "sse").payload() == (5, b"x")
    assert Frame(b"data: a\ndata: b\n\n", "sse").payload() is None
    assert Frame(b": ping\n\n", "sse").payload() is None
    assert Frame(b'{"x":1}\r\n', "ndjson").payload() == (0, b'{"x":1}')
    assert Frame(b"\n", "ndjson").payload() is None


def test_a_last_line_without_line_feed_is_a_line_and_half_an_event_is_not() -> None:
    assert run("ndjson", [b'{"a":1}\n{"b"', b":2}"]) == [Frame(b'{"a":1}\n', "ndjson"), Frame(b'{"b":2}', "ndjson")]
    assert run("sse", [b"data: 1\n\ndata: 2\n"]) == [Frame(b"data: 1\n\n", "sse"), Frame(b"data: 2\n", "raw")]


@pytest.mark.parametrize("kind", ["sse", "ndjson"])
def test_a_frame_over_the_cap_is_released_and_ends_the_reading(kind: Literal["sse", "ndjson"]) -> None:
    splitter = Splitter(kind, cap=100)
    assert splitter.feed(b"x" * 60) == []
    assert splitter.feed(b"x" * 60) == [Frame(b"x" * 120, "raw")]
    assert splitter.over
    assert splitter.feed(b"data: 1\n\n") == [Frame(b"data: 1\n\n", "raw")]
    assert splitter.finish() == []


def test_two_megabytes_in_tiny_pieces_are_no_cliff() -> None:
    splitter = Splitter("sse", cap=3_000_000)
    for _ in range(400_000):
        assert splitter.feed(b"12345") == []
    assert [len(frame.raw) for frame in splitter.feed(b"\n\n")] == [2_000_002]
