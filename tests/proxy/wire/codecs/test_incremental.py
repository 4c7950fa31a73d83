"""Incremental decoders: the same bytes at any chunking, never a guess."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from proxy.wire.codecs.incremental import Decoder
from proxy.wire.edit import Unreadable


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


ENCODERS = {
    "gzip": lambda data: gzip.compress(data, mtime=0),
    "deflate": zlib.compress,
    "raw deflate": raw_deflate,
    "br": lambda data: brotli.compress(data, quality=3),
    "zstd": lambda data: zstandard.ZstdCompressor().compress(data),
    "gzip, two members": lambda data: gzip.compress(data[:7]) + gzip.compress(data[7:]),
    "zstd, two frames": lambda data: (
        zstandard.ZstdCompressor().compress(data[:7]) + zstandard.ZstdCompressor().compress(data[7:])
    ),
}


def names(kind: str) -> tuple[str, ...]:
    return (kind.removeprefix("raw ").partition(",")[0],)


@pytest.mark.parametrize("kind", ENCODERS)
@given(data=st.binary(max_size=3000), sizes=st.lists(st.integers(1, 400), min_size=1, max_size=20))
def test_any_chunking_gives_the_same_bytes(kind: str, data: bytes, sizes: list[int]) -> None:
    wire = ENCODERS[kind](data)
    decoder = Decoder(names(kind))
    out, at, n = b"", 0, 0
    while at < len(wire):
        size = sizes[n % len(sizes)]
        out += decoder.feed(wire[at : at + size])
        at, n = at + size, n + 1
    decoder.finish()
    assert data == out


@given(data=st.binary(min_size=1, max_size=2000), order=st.permutations(["gzip", "br", "zstd", "deflate"]))
def test_stacked_codings_are_undone_last_first(data: bytes, order: list[str]) -> None:
    wire = data
    for name in order:
        wire = ENCODERS[name](wire)
    decoder = Decoder(tuple(order))
    assert data == b"".join(decoder.feed(wire[n : n + 11]) for n in range(0, len(wire), 11))
    decoder.finish()


@pytest.mark.parametrize("kind", ["gzip", "deflate", "raw deflate", "br", "zstd"])
def test_every_truncation_is_told(kind: str) -> None:
    wire = ENCODERS[kind](b"What ends too early is never passed off as whole. " * 9)
    for size in range(1, len(wire)):
        decoder = Decoder(names(kind))
        with pytest.raises(Unreadable):  # noqa: PT012 (either step may tell)
            decoder.feed(wire[:size])
            decoder.finish()


@pytest.mark.parametrize("kind", ["gzip", "deflate", "br", "zstd"])
def test_junk_after_the_end_is_told(kind: str) -> None:
    decoder = Decoder(names(kind))
    with pytest.raises(Unreadable):  # noqa: PT012 (either step may tell)
        decoder.feed(ENCODERS[kind](b"whole") + b"\x00junk")
        decoder.finish()


@pytest.mark.parametrize("kind", ["gzip", "br", "zstd"])
def test_a_bomb_stops_at_the_cap_in_little_memory(kind: str) -> None:
    wire = ENCODERS[kind](bytes(300_000_000 if kind != "br" else 100_000_000))
    tracemalloc.start()
    try:
        with pytest.raises(Unreadable, match="decodes to more than"):
            Decoder(names(kind), cap=8_000_000).feed(wire)
        assert tracemalloc.get_traced_memory()[1] < 60_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("applied", [("sdch",), ("gzip", "snappy"), ("gzip",) * 5])
def test_what_is_not_known_is_refused_at_the_start(applied: tuple[str, ...]) -> None:
    with pytest.raises(Unreadable):
        Decoder(applied)


def test_an_empty_body_is_whole() -> None:
    decoder = Decoder(("gzip",))
    assert decoder.feed(b"") == b""
    decoder.finish()


@given(st.binary(max_size=300), st.sampled_from(["gzip", "deflate", "br", "zstd"]))
def test_random_bytes_raise_nothing_else(data: bytes, name: str) -> None:
    decoder = Decoder((name,))
    try:
        decoder.feed(data)
        decoder.finish()
    except Unreadable:
        pass


@pytest.mark.parametrize("kind", ["gzip", "zstd"])
def test_thousands_of_empty_parts_are_refused(kind: str) -> None:
    """Each costs a decoder: a megabyte of them would take seconds, a body of the largest size minutes."""
    wire = ENCODERS[kind](b"") * 30_000
    with pytest.raises(Unreadable, match="compressed parts in one body"):
        Decoder(names(kind)).feed(wire)
