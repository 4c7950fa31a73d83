"""One folder holds all, under names that can't leave it."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.errors import Inconclusive
from deploy.workspace import Workspace, WorkspaceError

from .conftest import ROOT


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "w").ensure()


def test_ensure_makes_it_private(workspace: Workspace) -> None:
    """Evidence is for its owner; making it twice is no error."""
    for folder in (workspace.path, workspace.sessions, workspace.ca):
        assert 0o700 == stat.S_IMODE(folder.stat().st_mode)
    assert workspace == workspace.ensure()


@pytest.mark.parametrize("below", ["", "/deeper"])
def test_a_file_in_the_way(tmp_path: Path, below: str) -> None:
    """Says which, why and what to do."""
    (tmp_path / "file").write_text("x")

    with pytest.raises(Inconclusive, match=r"file.* can't be used: .*; choose another --workspace"):
        Workspace(tmp_path / f"file{below}").ensure()


def test_a_folder_that_may_not_be_written(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Found out at the start, not at the first order. (A superuser may write anywhere: so the answer is told.)"""
    monkeypatch.setattr(os, "access", lambda path, mode: not (path == workspace.sessions and mode == os.W_OK))

    with pytest.raises(Inconclusive, match="can't be written"):
        workspace.ensure()


def test_a_read_only_folder_is_refused_by_the_system(tmp_path: Path) -> None:
    """The same with real permissions, as another user where this one may do everything."""
    folder = tmp_path / "w"
    Workspace(folder).ensure()
    for path in (folder / "sessions", folder):
        path.chmod(0o555)
    tmp_path.chmod(0o755)
    code = (
        "import os, sys; sys.path.insert(0, sys.argv[2])\n"
        "from pathlib import Path; from deploy.workspace import Workspace; from deploy.errors import Inconclusive\n"
        "os.geteuid() or os.setuid(65534)\n"
        "try: Workspace(Path(sys.argv[1])).ensure()\n"
        "except Inconclusive as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, folder, ROOT], capture_output=True, text=True, check=False)
    for path in (folder, folder / "sessions"):
        path.chmod(0o755)

    assert "choose another --workspace" in done.stdout, done.stderr


@pytest.mark.parametrize("name", ["a", "A9", "003-gullible-news", "a.b_c-d", "x" * 64, "a.db", "v1.2.3"])
def test_names(workspace: Workspace, name: str) -> None:
    """Letters, digits, dot, dash, underscore."""
    assert workspace.sessions / f"{name}.db" == workspace.session(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "../x",
        "a/b",
        "/etc/passwd",
        "a..b",
        ".hidden",
        "-x",
        "_x",
        "x" * 65,
        "a b",
        "a\n",
        "a\0b",
        "ä",
        "a\\b",
        "~",
        "CON:",
    ],
)
def test_names_that_are_refused(workspace: Workspace, name: str) -> None:
    """Whatever could leave the folder, hide in it, or be taken for a flag."""
    with pytest.raises(WorkspaceError, match="is no session name"):
        workspace.session(name)
    with pytest.raises(WorkspaceError, match="is no session name"):
        workspace.find(name)


def test_find(workspace: Workspace, tmp_path: Path) -> None:
    """By name, or as the path of a file; else the known names are told."""
    file = workspace.session("here")
    file.write_bytes(b"")
    elsewhere = tmp_path / "copied.db"
    elsewhere.write_bytes(b"")

    assert file == workspace.find("here")
    assert elsewhere == workspace.find(str(elsewhere))
    where = re.escape(str(workspace.path.resolve()))
    with pytest.raises(
        WorkspaceError, match=rf"^no session 'gone' in {where} \(1 session, see `redtape sessions list`\)$"
    ):
        workspace.find("gone")
    workspace.session("attacked").write_bytes(b"")
    with pytest.raises(WorkspaceError, match=rf"'atacked' in {where}; did you mean attacked\? \(2 sessions, see"):
        workspace.find("atacked")
    with pytest.raises(WorkspaceError, match="is no session name"):
        workspace.find(str(tmp_path / "missing.db"))


def test_find_without_sessions(tmp_path: Path) -> None:
    """Which folder was looked into is said whole; it may be the wrong one."""
    empty, missing, file = Workspace(tmp_path / "e").ensure(), Workspace(tmp_path / "m"), Workspace(tmp_path / "f")
    file.path.write_text("x")
    for workspace, says in (
        (empty, f"in {tmp_path / 'e'}, which holds none"),
        (missing, f"there is no workspace at {tmp_path / 'm'}; choose another --workspace"),
        (file, f"workspace {tmp_path / 'f'} is a file"),
    ):
        with pytest.raises(WorkspaceError, match=re.escape(says)):
            workspace.find("s")
    assert missing == missing.check()


def test_a_folder_is_no_session(workspace: Workspace) -> None:
    """Nor a link to nowhere."""
    workspace.session("folder").mkdir()
    workspace.session("dangling").symlink_to(workspace.path / "nowhere")

    for name in ("folder", "dangling"):
        with pytest.raises(WorkspaceError, match="no session"):
            workspace.find(name)


def test_names_newest_first(workspace: Workspace) -> None:
    """Files that no session can be called are left out, and a dangling link is no error."""
    for age, name in enumerate(("new", "older", "oldest")):
        workspace.session(name).write_bytes(b"")
        os.utime(workspace.session(name), ns=(10**18 - age, 10**18 - age))
    for odd in ("with space.db", ".part.db", "\x1b[31m.db", "notes.txt"):
        (workspace.sessions / odd).write_bytes(b"")
    (workspace.sessions / "dangling.db").symlink_to("nowhere")

    assert ["new", "older", "oldest"] == workspace.names()
    assert [] == Workspace(workspace.path / "none").names()


def test_replace_takes_side_files_along(workspace: Workspace) -> None:
    """A WAL that stayed behind would be read into the next file; a link's target stays."""
    file = workspace.session("s")
    for suffix in ("", "-wal", "-shm"):
        Path(f"{file}{suffix}").write_bytes(b"x")
    other = workspace.path / "other"
    other.write_bytes(b"precious")
    workspace.session("link").symlink_to(other)

    for name in ("s", "link", "never-there"):
        workspace.replace(name)
    assert [] == list(workspace.sessions.iterdir())
    assert b"precious" == other.read_bytes()


def test_redaction_key(workspace: Workspace) -> None:
    """Made once, random, for its owner alone."""
    key = workspace.redaction_key()

    assert 32 == len(key)
    assert key == workspace.redaction_key()
    assert 0o600 == stat.S_IMODE((workspace.path / "redact.key").stat().st_mode)
    assert key != Workspace(workspace.path / "other").ensure().redaction_key()


@pytest.mark.parametrize(
    ("content", "mode", "says"), [(b"short", 0o600, "is damaged; remove it"), (b"k" * 32, 0o640, "run: chmod 600")]
)
def test_redaction_key_that_can_not_be_trusted(workspace: Workspace, content: bytes, mode: int, says: str) -> None:
    """A half key hashes badly, and a public one can be tried against the evidence."""
    path = workspace.path / "redact.key"
    path.write_bytes(content)
    path.chmod(mode)

    with pytest.raises(WorkspaceError, match=says):
        workspace.redaction_key()


def test_processes_agree_on_the_redaction_key(workspace: Workspace) -> None:
    """Whoever is first makes it; nobody ever reads half of it."""
    code = "import sys; from pathlib import Path; from deploy.workspace import Workspace\nprint(Workspace(Path(sys.argv[1])).redaction_key().hex())"
    started = [
        subprocess.Popen([sys.executable, "-c", code, workspace.path], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    keys = {process.communicate(timeout=60)[0] for process in started}

    assert {workspace.redaction_key().hex() + "\n"} == keys
    assert ["ca", "redact.key", "sessions"] == sorted(path.name for path in workspace.path.iterdir())
