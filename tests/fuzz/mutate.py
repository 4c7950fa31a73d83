"""Mutations of real bytes: what a fuzzer tries first, repeatable from one seed."""

from __future__ import annotations

from random import Random

TOKENS = (
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"NaN", b"-Infinity", b"1e400", b"-0", b"0x1", b"1" * 400,
    b'"', b"\\", b"\\u", b"\\ud800", b"{", b"}", b"[", b"]", b"[" * 600, b'{"a":' * 80, b",", b":", b"null", b"true",
    b"\r\n", b"\r", b"\n\n", b"data: ", b"data: [DONE]\n\n", b"event: x\n", b": c\n", b"&", b"=", b"%", b"%00", b"%zz",
    b"&#x202e;", b"<!--", b"]]>", b"*a", b"&a", b"? ", b"!!python/object", b"--- ", b"\x1f\x8b\x08", b"(\xb5/\xfd",
)  # fmt: skip


def mutated(seeds: list[bytes], chance: Random) -> bytes:
    """One input: a seed with a few changes, sometimes spliced with another."""
    data = bytearray(chance.choice(seeds))
    for _ in range(chance.choice((0, 1, 1, 2, 3, 8))):
        at = chance.randrange(len(data) + 1)
        kind = chance.randrange(7)
        if kind == 0 and data:
            data[at % len(data)] = chance.randrange(256)
        elif kind == 1:
            data[at:at] = chance.choice(TOKENS)
        elif kind == 2:
            del data[at : at + chance.choice((1, 2, 8, 64, 4096))]
        elif kind == 3:
            data[at:at] = data[chance.randrange(len(data) + 1) :][: chance.choice((1, 8, 64, 512))]
        elif kind == 4:
            other = chance.choice(seeds)
            data = data[:at] + other[chance.randrange(len(other) + 1) :]
        elif kind == 5:
            del data[at:]
        elif data:
            end = min(len(data), at + chance.randrange(1, 40))
            data[at:end] = bytes(chance.randrange(256) for _ in range(end - at))
    return bytes(data[:200_000])
