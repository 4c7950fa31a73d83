"""Content codings: what was encoded comes back, and what is damaged is never passed off as whole."""

from __future__ import annotations

import gzip
import random
import time
import tracemalloc
import zlib

import brotli
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.wire.codecs.content import codings, decode, encode
from proxy.wire.edit import Unreadable

NAMES = ["gzip", "deflate", "br", "zstd"]
TEXT = b'{"news":[{"headline":"Shares rise"}]}' * 20


def zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


@given(st.binary(max_size=4000), st.lists(st.sampled_from(NAMES), max_size=4).map(tuple))
def test_decoding_undoes_encoding(data: bytes, applied: tuple[str, ...]) -> None:
    assert data == decode(encode(data, applied), applied)


@pytest.mark.parametrize(
    ("name", "wire"),
    [
        ("gzip", gzip.compress(TEXT, mtime=0)),
        ("gzip", gzip.compress(TEXT[:100], mtime=0) + gzip.compress(b"", mtime=0) + gzip.compress(TEXT[100:], 9, mtime=0)),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", raw_deflate(TEXT)),
        ("br", brotli.compress(TEXT)),
        ("zstd", zstd(TEXT)),
        ("zstd", zstd(TEXT[:100]) + zstd(b"") + zstd(TEXT[100:])),
        ("zstd", b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc" + zstd(TEXT)),  # a skippable frame
    ],
)
def test_what_other_encoders_make(name: str, wire: bytes) -> None:
    assert TEXT == decode(wire, (name,))


@pytest.mark.parametrize("make", [gzip.compress, zlib.compress, raw_deflate, brotli.compress, zstd])
def test_no_truncation_is_silent(make) -> None:  # type: ignore[no-untyped-def]
    name = {gzip.compress: "gzip", brotli.compress: "br", zstd: "zstd"}.get(make, "deflate")
    wire = make(TEXT)
    for size in range(1, len(wire)):
        with pytest.raises(Unreadable):
            decode(wire[:size], (name,))


@given(st.binary(min_size=1, max_size=500), st.sampled_from(NAMES), st.data())
def test_a_truncation_of_a_stack_is_told(data: bytes, name: str, pick: st.DataObject) -> None:
    applied = (name, "gzip")
    wire = encode(data, applied)
    with pytest.raises(Unreadable):
        decode(wire[: pick.draw(st.integers(1, len(wire) - 1))], applied)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("junk", [b"\x00", b"junk", b"\x00" * 600])
def test_junk_behind_the_end_is_told(name: str, junk: bytes) -> None:
    with pytest.raises(Unreadable):
        decode(encode(TEXT, (name,)) + junk, (name,))


def test_a_second_zlib_stream_is_junk_for_deflate() -> None:
    with pytest.raises(Unreadable, match="follow the end"):
        decode(zlib.compress(TEXT) * 2, ("deflate",))


@pytest.mark.parametrize("name", NAMES)
def test_a_flipped_bit_is_told_or_changes_the_text(name: str) -> None:
    """deflate and brotli without a checksum may decode to other bytes, but must not crash."""
    wire = bytearray(encode(TEXT, (name,)))
    for at in range(len(wire)):
        wire[at] ^= 0x10
        try:
            decode(bytes(wire), (name,))
        except Unreadable:
            pass
        wire[at] ^= 0x10


@pytest.mark.parametrize("applied", [("snappy",), ("gzip", "compress"), ("",), ("gzip",) * 5])
def test_an_unknown_or_absurd_coding_is_told(applied: tuple[str, ...]) -> None:
    with pytest.raises(Unreadable):
        decode(b"x", applied)
    if len(applied) < 5:
        with pytest.raises(Unreadable, match="not known"):
            encode(b"x", applied)


def test_without_a_coding_it_is_the_same_object() -> None:
    body = b"as it is"
    assert decode(body, ()) is body
    assert encode(body, ()) is body


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_body_is_empty_whatever_its_coding(name: str) -> None:
    """Answers to HEAD and 304 name the coding of a body that they do not have."""
    assert b"" == decode(b"", (name,))
    assert b"" == decode(encode(b"", (name,)), (name,))


def test_an_empty_inner_body_is_a_truncation() -> None:
    with pytest.raises(Unreadable):
        decode(gzip.compress(b"", mtime=0), ("br", "gzip"))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((), ()),
        (("gzip",), ("gzip",)),
        (("GZip",), ("gzip",)),
        (("x-gzip",), ("gzip",)),
        (("gzip, br",), ("gzip", "br")),
        (("gzip", "br"), ("gzip", "br")),
        ((" , identity ,deflate,",), ("deflate",)),
    ],
)
def test_header_values_name_codings_in_order(values: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert expected == codings(values)


@pytest.mark.parametrize(
    ("name", "wire", "plain"),
    [
        ("gzip", gzip.compress(bytes(50_000_000)), 50_000_000),
        ("deflate", zlib.compress(bytes(50_000_000)), 50_000_000),
        ("zstd", zstd(bytes(512_000_000)), 512_000_000),
        ("br", brotli.compress(bytes(50_000_000), quality=5), 50_000_000),
    ],
)
def test_a_bomb_stops_at_its_cap_in_bounded_memory(name: str, wire: bytes, plain: int) -> None:
    assert len(wire) < 60_000
    limit = min(4_000_000, max(len(wire) * 1000, 1024 * 1024))
    tracemalloc.start()
    try:
        with pytest.raises(Unreadable, match=f"more than {limit} bytes"):
            decode(wire, (name,), cap=4_000_000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # zstd can't be stopped between blocks: 1 KB of them yields some 30 MB.
    assert peak < (45_000_000 if name == "zstd" else 12_000_000) < plain


@pytest.mark.parametrize("name", NAMES)
def test_a_bomb_in_a_bomb_stops_too(name: str) -> None:
    wire = encode(encode(bytes(20_000_000), (name,)), ("gzip",))
    with pytest.raises(Unreadable, match="more than"):
        decode(wire, (name, "gzip"), cap=1_000_000)


@pytest.mark.parametrize(("name", "part"), [("gzip", gzip.compress(b"", mtime=0)), ("zstd", zstd(b"a"))])
def test_a_megabyte_of_tiny_parts_ends_soon(name: str, part: bytes) -> None:
    began = time.process_time()
    with pytest.raises(Unreadable, match="parts in one body"):
        decode(part * (1_000_000 // len(part)), (name,))
    assert time.process_time() - began < 5


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10), st.sampled_from(NAMES))
def test_bodies_of_many_steps_come_back(seed: int, name: str) -> None:
    """Larger than any step that decoders take, compressible and not."""
    data = random.Random(seed).randbytes(150_000) + bytes(400_000)
    assert data == decode(encode(data, (name,)), (name,))
