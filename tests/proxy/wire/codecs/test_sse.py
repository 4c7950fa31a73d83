"""Server-sent events, as WHATWG's specification prints its examples."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.wire.codecs.sse import Event, events


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # https://html.spec.whatwg.org/multipage/server-sent-events.html, section 9.2.6
        (b"data: YHOO\ndata: +2\ndata: 10\n\n", [Event("", "YHOO\n+2\n10")]),
        (
            b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
            [Event("", "first event", "1"), Event("", "second event", ""), Event("", " third event", "")],
        ),
        (b"data\n\ndata\ndata\n\ndata:", [Event("", ""), Event("", "\n")]),
        (b"data:test\n\ndata: test\n\n", [Event("", "test"), Event("", "test")]),
        (b"event: add\ndata: 73857293\n\n", [Event("add", "73857293")]),
        # names last until the next blank line only
        (b"event: a\n\ndata: b\n\n", [Event("", "b")]),
        (b"\xef\xbb\xbfdata: bom\n\n", [Event("", "bom")]),
        (b"id: a\0b\ndata: x\n\n", [Event("", "x")]),
        (b"retry: 5\nunknown: y\ndata: x\n\n", [Event("", "x")]),
        (b"data: no blank line\n", []),
        (b"data: \xff\n\n", [Event("", "\ufffd")]),
        (b"", []),
    ],
)
def test_the_specification(body: bytes, expected: list[Event]) -> None:
    assert expected == list(events(body))


LINES = st.sampled_from(["data: a", "data:b", "data", "event: e", "id: 1", ": c", "", "data: é\u2028"])


@given(st.lists(LINES, max_size=25), st.lists(st.sampled_from(["\n", "\r\n", "\r"]), min_size=1, max_size=9))
def test_line_ends_make_no_difference(lines: list[str], ends: list[str]) -> None:
    # A lone CR before a line that begins with LF would be one line end.
    plain = "".join(line + "\n" for line in lines)
    mixed = "".join(line + end for line, end in zip(lines, ends * 25, strict=False))
    if not _ambiguous(lines, ends * 25):
        assert events(plain.encode()) == events(mixed.encode())


def _ambiguous(lines: list[str], ends: list[str]) -> bool:
    return any(
        end == "\r" and following == "" and next_end.startswith("\n")
        for end, following, next_end in zip(ends, lines[1:], ends[1:], strict=False)
    )


@given(st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=20), max_size=8))
def test_what_is_written_is_read(texts: list[str]) -> None:
    body = "".join(f"data: {text}\n\n" for text in texts).encode()
    assert texts == [event.data for event in events(body)]


@given(st.binary(max_size=400))
def test_random_bytes_never_raise(body: bytes) -> None:
    for event in events(body):
        assert isinstance(event.data, str)


@pytest.mark.parametrize("piece", [b"\n", b"\r", b"data:\n", b":", b"data: {}\n\n", b"id: 1\n", b"\xff"])
def test_a_megabyte_of_anything_ends_soon(piece: bytes) -> None:
    began = time.process_time()
    events(piece * (1_000_000 // len(piece)))
    assert time.process_time() - began < 5
