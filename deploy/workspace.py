"""Where a workspace keeps its things: session files, the results file, the CA, the redaction key."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from corpus.terms import valid_name
from deploy.errors import Inconclusive


class WorkspaceError(ValueError):
    """A session, a name or a key that can't be used; says what to do."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """One folder."""

    path: Path

    def check(self) -> Workspace:
        """
        For commands that read only: it may be missing.

        Raises:
            WorkspaceError: Something else is in its place.
        """
        if self.path.exists() and not self.path.is_dir():
            raise WorkspaceError(f"workspace {self.path.resolve()} is a file; choose another --workspace")
        return self

    def ensure(self) -> Workspace:
        """
        Make the folders.

        Raises:
            Inconclusive: They can't be made or written.
        """
        try:
            for folder in (self.path, self.sessions, self.ca):
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise Inconclusive(
                f"workspace {self.path} can't be used: {error.strerror}; choose another --workspace"
            ) from None
        if not os.access(self.sessions, os.W_OK):
            raise Inconclusive(f"workspace {self.path} can't be written; choose another --workspace")
        return self

    @property
    def sessions(self) -> Path:
        return self.path / "sessions"

    @property
    def ca(self) -> Path:
        return self.path / "ca"

    @property
    def results(self) -> Path:
        return self.path / "redtape.db"

    def session(self, name: str) -> Path:
        """
        The file of a session.

        Raises:
            WorkspaceError: The name is not allowed.
        """
        if not valid_name(name):
            raise WorkspaceError(
                f"{name!r} is no session name: letters, digits, dot, dash and underscore, at most 64, no '..'"
            )
        return self.sessions / f"{name}.db"

    def find(self, name: str) -> Path:
        """The file of a session that exists, by its name or as a path. Raises WorkspaceError."""
        direct = Path(name)
        if name.endswith(".db") and direct.is_file():
            return direct
        path = self.session(name)
        if not path.is_file():
            raise WorkspaceError(f"no session {name!r} {self._hint(name)}")
        return path

    def _hint(self, name: str) -> str:
        where = self.check().path.resolve()
        if not where.is_dir():
            return f"since there is no workspace at {where}; choose another --workspace"
        known = self.names()
        if not known:
            return f"in {where}, which holds none"
        near = get_close_matches(name, known, 1)
        meant = f"; did you mean {near[0]}?" if near else ""
        count = "1 session" if len(known) == 1 else f"{len(known)} sessions"
        return f"in {where}{meant} ({count}, see `redtape sessions list`)"

    def names(self) -> list[str]:
        """Names of the sessions, newest first; files that no session can be called are none."""
        changed = {}
        for file in self.sessions.glob("*.db"):
            with contextlib.suppress(OSError):  # it may go away meanwhile
                if valid_name(file.stem):
                    changed[file.stem] = file.stat().st_mtime_ns
        return sorted(changed, key=lambda name: (-changed[name], name))

    def replace(self, name: str) -> None:
        """Take an older session of that name away, with its side files."""
        path = self.session(name)
        for suffix in ("", "-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)

    def redaction_key(self) -> bytes:
        """
        The key that redacted secrets are hashed with; made once, readable by the owner alone.

        Raises:
            WorkspaceError: It is damaged, or readable by others.
        """
        path = self.path / "redact.key"
        if not path.exists():
            # Whole from the start: another process may want it at once. The first one made stays.
            temporary = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(secrets.token_bytes(32))
            with contextlib.suppress(FileExistsError):
                path.hardlink_to(temporary)
            temporary.unlink()
        return _whole_key(path)


def _whole_key(path: Path) -> bytes:
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        raise WorkspaceError(f"{path} is readable by others (mode {mode:04o}); run: chmod 600 {path}")
    key = path.read_bytes()
    if len(key) < 16:
        raise WorkspaceError(f"{path} is damaged; remove it to make a new key (older hashes will no longer match)")
    return key
