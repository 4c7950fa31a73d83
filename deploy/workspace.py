"""Where a workspace keeps its things: session files, the results file, the CA, the redaction key."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from corpus.terms import valid_name


class WorkspaceError(ValueError):
    """A workspace, a session or a name that can't be used; says what to do."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """One folder."""

    path: Path

    def ensure(self) -> Workspace:
        """
        Make the folders.

        Raises:
            WorkspaceError: They can't be made or written.
        """
        try:
            for folder in (self.path, self.sessions, self.ca):
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise WorkspaceError(
                f"workspace {self.path} can't be used: {error.strerror}; choose another --workspace"
            ) from None
        if not os.access(self.sessions, os.W_OK):
            raise WorkspaceError(f"workspace {self.path} can't be written; choose another --workspace")
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
            known = ", ".join(self.names()[:8]) or "none"
            raise WorkspaceError(f"no session {name!r} in {self.path} (there are: {known})")
        return path

    def names(self) -> list[str]:
        """Names of the sessions, newest first."""
        files = sorted(self.sessions.glob("*.db"), key=lambda file: file.stat().st_mtime, reverse=True)
        return [file.stem for file in files]

    def replace(self, name: str) -> None:
        """Take an older session of that name away, with its side files."""
        path = self.session(name)
        for suffix in ("", "-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)

    def redaction_key(self) -> bytes:
        """The key that redacted secrets are hashed with; made once, readable by the owner alone."""
        path = self.path / "redact.key"
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return _whole_key(path)
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(32))
        return path.read_bytes()


def _whole_key(path: Path) -> bytes:
    key = path.read_bytes()
    if len(key) < 16:
        raise WorkspaceError(f"{path} is damaged; remove it to make a new key (older hashes will no longer match)")
    return key
