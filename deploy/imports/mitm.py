"""A mitmproxy flow file as a session, WebSocket messages included."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from deploy.errors import UserError
from deploy.imports.record import Recorded, record
from deploy.workspace import Workspace
from proxy.addons.flowfile import FlowFileError, read_flows
from proxy.wire.catalogue import Catalogue


def import_mitm(path: Path, name: str, workspace: Workspace, catalogue: Catalogue, *, replace: bool = False) -> int:
    """
    Write a flow file as a session.

    Returns:
        How many exchanges were read.

    Raises:
        UserError: The file is none, or the session exists. Nothing is written then.
    """
    return record(_flows(path), name, path.name, workspace, catalogue, replace=replace)


def _flows(path: Path) -> Iterator[Recorded]:
    try:
        yield from read_flows(path)
    except FlowFileError as error:
        hint = f"; {error.read} flows before it were whole, the file may be cut" if error.read else ""
        raise UserError(f"{error}{hint}") from None
    except OSError as error:
        raise UserError(f"{path}: can't be read: {error.strerror}") from None
