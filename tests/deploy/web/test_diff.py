"""Sent against shown: what is drawn adds up to the bodies, and only written bytes are marked."""

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from deploy.web import diff
from deploy.web.report_model import EditWindow, InjectionLine
from proxy.wire.edit import Edit, apply


def injection(body: bytes, *edits: Edit) -> InjectionLine:
    return InjectionLine(
        at_ns=0,
        exchange=1,
        endpoint="e",
        view="news",
        item="0",
        mode="append",
        disguise="plain",
        windows=diff.windows(body, edits),
        sent_size=len(body),
        shown_size=len(apply(body, edits)),
    )


def marked(rows: tuple[diff.Row, ...]) -> list[bytes]:
    return [piece.data for row in rows for piece in row.shown if piece.kind == "new"]


def test_an_insertion_is_marked_and_placed() -> None:
    rows = diff.rows(injection(b'{"a":"text"}', Edit(10, b"", b" more")))
    assert [row.kind for row in rows] == ["edit"]
    assert rows[0].sent == (diff.Piece("same", b'{"a":"text'), diff.Piece("nothing"), diff.Piece("same", b'"}'))
    assert rows[0].shown[1] == diff.Piece("new", b" more")
    assert (rows[0].sent_at, rows[0].shown_at) == (0, 0)


def test_what_old_and_new_have_in_common_is_not_marked() -> None:
    """An edit that replaces a whole value to append to it wrote only the end."""
    rows = diff.rows(injection(b'{"a":"text"}', Edit(6, b"text", b"text, buy VLTQ")))
    assert marked(rows) == [b", buy VLTQ"]


def test_a_mark_never_begins_inside_a_character() -> None:
    rows = diff.rows(injection("{é}".encode(), Edit(1, "é".encode(), "è".encode())))
    assert marked(rows) == ["è".encode()]


def test_a_removal_shows_what_is_gone() -> None:
    rows = diff.rows(injection(b"[1,2,3]", Edit(2, b",2", b"")))
    assert rows[0].shown[1] == diff.Piece("nothing")
    assert any(piece.kind == "old" for piece in rows[0].sent)


def test_lines_around_an_edit_have_both_offsets() -> None:
    body = b"first\nsecond\nthird\nfourth\n"
    rows = diff.rows(injection(body, Edit(6, b"second", b"2nd place")))
    assert [(row.kind, row.sent_at, row.shown_at) for row in rows] == [
        ("same", 0, 0),
        ("edit", 6, 6),
        ("same", 13, 16),
        ("same", 19, 22),
    ]


def test_a_body_of_five_megabytes_is_cut_and_the_bytes_are_named() -> None:
    body = b"a" * 2_500_000 + b"|" + b"b" * 2_500_000
    rows = diff.rows(injection(body, Edit(2_500_000, b"|", b"c" * 5_000_000)))
    assert [row.kind for row in rows] == ["skipped", "edit", "skipped"]
    assert rows[0].skipped + rows[2].skipped + 2 * diff.CONTEXT + 1 == len(body)
    cut = [piece for piece in rows[1].shown if piece.kind == "cut"]
    assert [piece.size for piece in cut] == [5_000_000 - diff.LONGEST]


def test_many_edits_are_counted_where_they_are_not_drawn() -> None:
    body = b"." * 40_000
    edits = [Edit(at * 1_000, b".", b"x") for at in range(30)]
    rows = diff.rows(injection(body, *edits))
    assert sum(row.kind == "edit" for row in rows) == diff.EDITS
    assert rows[-1].edits == 30 - diff.EDITS
    assert diff.written(injection(body, *edits)) == 30


def test_multibyte_context_is_cut_at_characters() -> None:
    body = ("値" * 500 + "|" + "値" * 500).encode()
    rows = diff.rows(injection(body, Edit(1500, b"|", b"!")))
    for row in rows:
        for piece in row.sent + row.shown:
            piece.data.decode()


@st.composite
def edited(draw: Any) -> tuple[bytes, list[Edit]]:
    body = draw(st.binary(max_size=1_500))
    edits, at = [], 0
    for _ in range(draw(st.integers(1, 4))):
        at += draw(st.integers(0, 600))
        length = draw(st.integers(0, 20))
        if at + length > len(body):
            break
        edits.append(Edit(at, body[at : at + length], draw(st.binary(max_size=30))))
        at += length + 1
    return body, edits


@given(edited())
def test_drawn_and_skipped_bytes_add_up_to_the_body_as_sent(made: tuple[bytes, list[Edit]]) -> None:
    body, edits = made
    line = injection(body, *edits)
    at = 0
    for row in diff.rows(line):
        if row.kind == "skipped":
            at += row.skipped
            continue
        if body[at : at + 1] == b"\n" and row.sent_at == at + 1:
            at += 1  # the line feed that ended the edit's line
        assert row.sent_at == at
        drawn = b"".join(piece.data for piece in row.sent)
        assert body[at : at + len(drawn)] == drawn
        at += len(drawn) + (row.kind == "same" and body[at + len(drawn) : at + len(drawn) + 1] == b"\n")
    assert at in (len(body), len(body) - 1)


def test_the_dump_holds_sixteen_bytes_a_line() -> None:
    assert diff.hexadecimal(b"<div hidden>\xe2\x80\x8bDe", 0x750).split("\n") == [
        "00000750  3c 64 69 76 20 68 69 64  64 65 6e 3e e2 80 8b 44  <div hidden>...D",
        "00000760  65" + " " * 48 + "e",
    ]


def test_narrowing_keeps_the_edit_the_same() -> None:
    window = EditWindow(start=4, before=b"0123", old=b"abXcd", new=b"abYYcd", after=b"89")
    less = diff.narrow(window)
    assert (less.start, less.old, less.new) == (6, b"X", b"YY")
    assert less.before + less.old + less.after == window.before + window.old + window.after
    assert replace(less, start=0) != less
