"""The search for secrets finds them where they hide, and never repeats them."""

from __future__ import annotations

import base64
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest
import zstandard

from deploy import scan as module
from deploy.scan import Finding, scan
from deploy.workspace import Workspace

SECRET = 'canary/secret+"0001"'


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "w").ensure()


def found(workspace: Workspace, *values: str) -> list[Finding]:
    return list(scan(workspace.path, values))


@pytest.mark.parametrize(
    "text",
    [
        SECRET,
        f"key={quote(SECRET, safe='')}&x",
        json.dumps({"key": SECRET}),
        base64.b64encode(SECRET.encode()).decode(),
        base64.b64encode(b"user:" + SECRET.encode() + b":more").decode(),
    ],
)
def test_known_secret_in_every_form(workspace: Workspace, text: str) -> None:
    """Plain, URL, JSON and base64, also inside a longer text."""
    (workspace.path / "report.html").write_text(f"before {text} after")

    (one,) = found(workspace, "another-secret", SECRET)
    assert ("report.html", "its bytes", "a secret that was given") == (one.file.name, one.where, one.what)
    assert SECRET not in repr(one)
    assert [] == found(workspace, "another-secret")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("-----BEGIN EC PRIVATE KEY-----", "looks like a private key"),
        ("sk-proj-" + "a1" * 20, "looks like a OpenAI or Anthropic key"),
        ("AKIA" + "A1B2" * 4, "looks like a AWS key id"),
        ("ghp_" + "a1" * 18, "looks like a GitHub token"),
        ("Bearer " + "a1" * 15, "looks like a bearer credential"),
        ("PK" + "A1" * 9, "looks like a Alpaca key id"),
    ],
)
def test_what_looks_like_a_key(workspace: Workspace, text: str, what: str) -> None:
    """Without being told."""
    (workspace.path / "a.txt").write_text(f"x {text} y")

    assert what in [one.what for one in found(workspace)]


def test_ordinary_text_is_no_key(workspace: Workspace) -> None:
    """Words, ids and placeholders."""
    (workspace.path / "a.txt").write_text(
        "sk-sim-gullible [secret:0123456789ab] task-force AKIA Bearer of news PKW 9f52db45-89a0-455d"
    )

    assert [] == found(workspace)


def body(file: Path, data: object, size: object = None, digest: object = "ab" * 32) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE bodies (hash, size, data)")
        connection.execute("INSERT INTO bodies VALUES (?, ?, ?)", (digest, size, data))


def test_compressed_bodies(workspace: Workspace) -> None:
    """Their text need not be among the bytes of the file."""
    plain = bytes(range(32, 127)) * 20 + SECRET.encode() + b"".join(b"%d %x," % (n, n * n) for n in range(2000))
    packed = zstandard.ZstdCompressor(level=19).compress(plain)
    assert SECRET.encode() not in packed
    body(workspace.session("s"), packed, len(plain))

    assert [("s.db", f"body {'ab' * 8}")] == [(one.file.name, one.where) for one in found(workspace, SECRET)]


@pytest.mark.parametrize("data", [b"no zstd", None, 5, "text"])
def test_what_can_not_be_read_is_a_finding(workspace: Workspace, data: object) -> None:
    """Nothing proves that no secret is in it."""
    body(workspace.session("s"), data, 10, digest=None)
    workspace.session("t").write_bytes(b"no database at all, but long enough")

    assert {"s.db", "t.db"} == {one.file.name for one in found(workspace) if one.what.startswith("can't be read")}


def test_secrets_by_design_are_left_out(workspace: Workspace, tmp_path: Path) -> None:
    """The authority's key and the redaction key; and links lead nowhere."""
    (workspace.ca / "mitmproxy-ca.pem").write_text("-----BEGIN PRIVATE KEY-----")
    workspace.redaction_key()
    (tmp_path / "outside.txt").write_text(SECRET)
    (workspace.path / "link.txt").symlink_to(tmp_path / "outside.txt")

    assert [] == found(workspace, SECRET)
    assert 1 == len(list(scan(workspace.path, [SECRET], [tmp_path / "outside.txt"])))


def test_across_the_seam_of_two_reads(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """And found once, although it stands in both."""
    monkeypatch.setattr(module, "_CHUNK", 64)
    for before in range(40, 70):
        (workspace.path / "a.txt").write_text("-" * before + SECRET + "-" * 100)
        assert 1 == len(found(workspace, SECRET))
