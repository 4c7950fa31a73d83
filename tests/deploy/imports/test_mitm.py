"""mitmproxy's flow files: what they hold, as a session; what they don't, in words."""

from __future__ import annotations

from pathlib import Path

import pytest
from mitmproxy.io import FlowWriter
from mitmproxy.test import tflow, tutils

from deploy.errors import UserError
from deploy.imports.mitm import import_mitm
from deploy.workspace import Workspace
from proxy.journal.read import read
from proxy.wire.catalogue import load_catalogue

CATALOGUE = load_catalogue()


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "w")


@pytest.fixture
def file(tmp_path: Path, har) -> Path:
    """An order, an exchange that broke off, and one with WebSocket messages."""
    import json

    sent = json.dumps(har.placed()).encode()
    headers = ((b"content-type", b"application/json"), (b"host", b"paper-api.alpaca.markets"))
    request = tutils.treq(
        method=b"POST",
        scheme=b"https",
        host="paper-api.alpaca.markets",
        port=443,
        path=b"/v2/orders",
        headers=headers,
        content=sent,
    )
    answer = tutils.tresp(headers=((b"content-type", b"application/json"),), content=json.dumps(har.order()).encode())
    path = tmp_path / "a.mitm"
    with path.open("wb") as handle:
        writer = FlowWriter(handle)
        for flow in (tflow.tflow(req=request, resp=answer), tflow.tflow(err=True), tflow.twebsocketflow()):
            writer.add(flow)
    return path


def test_import(workspace: Workspace, file: Path) -> None:
    """Orders are read as live traffic would be."""
    assert 3 == import_mitm(file, "s", workspace, CATALOGUE)
    found = read(workspace.session("s"))

    assert ["passed", "error", "passed"] == [row.outcome for row in found.exchanges]
    assert ["requested", "acked"] == [fact.event.kind for fact in found.orders]
    assert (("import", "a.mitm"),) == found.meta.options


def test_command(redtape, file: Path) -> None:
    """By its ending."""
    assert "a: 3 exchanges\n" == redtape("import", file).err
    assert ["c1"] == [one["client_order_id"] for one in redtape("orders", "a", "--json").lines]


def test_cut_file(workspace: Workspace, file: Path) -> None:
    """Nothing is written; what was whole is counted, so that its owner can cut there."""
    file.write_bytes(file.read_bytes()[:-40])

    with pytest.raises(UserError, match=r"a.mitm: .*; 2 flows before it were whole, the file may be cut"):
        import_mitm(file, "s", workspace, CATALOGUE)
    assert not workspace.session("s").exists()


@pytest.mark.parametrize("content", [b"no flow file", b'{"log": {}}', b"5:hello;", b"\x00" * 100])
def test_other_files(workspace: Workspace, tmp_path: Path, content: bytes) -> None:
    """Refused by name."""
    file = tmp_path / "b.mitm"
    file.write_bytes(content)

    with pytest.raises(UserError, match=r"b.mitm"):
        import_mitm(file, "s", workspace, CATALOGUE)
    assert not workspace.session("s").exists()


def test_missing_file(workspace: Workspace, tmp_path: Path) -> None:
    """Said in words."""
    with pytest.raises(UserError, match="can't be read: No such file"):
        import_mitm(tmp_path / "none.mitm", "s", workspace, CATALOGUE)


def test_empty_file(workspace: Workspace, tmp_path: Path) -> None:
    """A session without exchanges."""
    (tmp_path / "c.mitm").write_bytes(b"")

    assert 0 == import_mitm(tmp_path / "c.mitm", "s", workspace, CATALOGUE)
