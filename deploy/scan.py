"""Secrets that should not be in a workspace: known values in every form, and text that looks like a key."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import zstandard

from proxy.journal.redact import forms_of

SHAPES: Final = {
    "private key": rb"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----",
    "OpenAI or Anthropic key": rb"\bsk-(?:ant-|proj-|live-)?[A-Za-z0-9_-]{24,}",
    "AWS key id": rb"\bAKIA[0-9A-Z]{16}\b",
    "GitHub token": rb"\bgh[pousr]_[A-Za-z0-9]{30,}",
    "Slack token": rb"\bxox[abprs]-[A-Za-z0-9-]{10,}",
    "JSON web token": rb"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
    "bearer credential": rb"[Bb]earer [A-Za-z0-9._~+/-]{20,}",
    "Alpaca key id": rb"\b[PA]K[A-Z0-9]{18}\b",
}
"""What credentials of well-known services look like, by name."""

_SHAPES: Final = {name: re.compile(pattern) for name, pattern in SHAPES.items()}
_SKIPPED: Final = ("redact.key",)
_CHUNK: Final = 8 * 1024 * 1024
_OVERLAP: Final = 4096


@dataclass(frozen=True, slots=True)
class Finding:
    """Where something was found; never what."""

    file: Path
    where: str
    what: str


def scan(folder: Path, values: Iterable[str], files: Iterable[Path] | None = None) -> Iterator[Finding]:
    """
    Search a workspace.

    Args:
        folder: The workspace; its CA folder and redaction key are left out, being secrets by design.
        values: Secrets to look for; in plain, URL, base64 and JSON-escaped form.
        files: Only these files.

    Yields:
        Findings, file by file. A file that can't be read is a finding too.
    """
    wanted = [(form.encode("utf-8", "replace"), n) for n, value in enumerate(values, 1) for form in forms_of(value)]
    pattern = re.compile(b"|".join(re.escape(form) for form, _ in wanted)) if wanted else None
    for file in sorted(files if files is not None else _files(folder)):
        try:
            yield from _file(file, pattern)
        except (OSError, sqlite3.Error, zstandard.ZstdError, TypeError) as error:
            yield Finding(file, "the file", f"can't be read: {error}")


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink() and path.name not in _SKIPPED and path.parent != folder / "ca":
            yield path


def _file(file: Path, pattern: re.Pattern[bytes] | None) -> Iterator[Finding]:
    seen: set[str] = set()
    for chunk in _chunks(file):
        for what in _found(chunk, pattern):
            if what not in seen:
                seen.add(what)
                yield Finding(file, "its bytes", what)
    if file.suffix == ".db":
        # Bodies are compressed: their text is not among the file's bytes.
        for digest, body in _bodies(file):
            for what in _found(body, pattern):
                yield Finding(file, f"body {str(digest)[:16]}", what)


def _chunks(file: Path) -> Iterator[bytes]:
    kept = b""
    with file.open("rb") as handle:
        while data := handle.read(_CHUNK):
            yield kept + data
            kept = data[-_OVERLAP:]


def _bodies(file: Path) -> Iterator[tuple[str, bytes]]:
    with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True, timeout=10)) as connection:
        if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'bodies'").fetchone() is None:
            return
        for digest, size, data in connection.execute("SELECT hash, size, data FROM bodies"):
            yield digest, zstandard.ZstdDecompressor().decompress(data, max_output_size=size or 1)


def _found(data: bytes, pattern: re.Pattern[bytes] | None) -> Iterator[str]:
    if pattern is not None and pattern.search(data):
        yield "a secret that was given"
    for name, shape in _SHAPES.items():
        if shape.search(data):
            yield f"looks like a {name}"
