"""Flow files of mitmproxy, whole and damaged."""

from __future__ import annotations

from pathlib import Path

import pytest
from mitmproxy import flow as mitm_flow
from mitmproxy import http
from mitmproxy.io import FlowWriter
from mitmproxy.test import tflow

from proxy.addons.flowfile import FlowFileError, read_flows
from tests.proxy.addons.conftest import flow_of, reply


def written(path: Path, *flows: mitm_flow.Flow) -> Path:
    with path.open("wb") as file:
        writer = FlowWriter(file)
        for one in flows:
            writer.add(one)
    return path


def order() -> http.HTTPFlow:
    flow = flow_of("POST", "https://127.0.0.1/v2/orders", b'{"a": 1.10}', (b"X-oDD", b"1"), response=reply(b"{}", 201))
    flow.request.data.headers["Host"] = "api.alpaca.markets"
    flow.comment = "sdk:place"
    return flow


def test_exchanges(tmp_path: Path) -> None:
    """Bytes, fields and comment; the host is the one that was asked for. Other flows are left out."""
    path = written(tmp_path / "x.mitm", order(), tflow.ttcpflow(), flow_of("GET", "https://a.example/x"))
    (first, _), (second, messages) = read_flows(path)

    assert (first.id, first.label, first.request.host, first.request.body) == (
        *(1, "sdk:place"),
        *("api.alpaca.markets", b'{"a": 1.10}'),
    )
    assert (b"X-oDD", b"1") in first.request.headers.fields
    assert first.response is not None
    assert (first.response.status, first.response.body) == (201, b"{}")
    assert (second.id, second.response, messages) == (2, None, [])


def test_frames(tmp_path: Path) -> None:
    """WebSocket messages, in order, each with its direction."""
    flow = tflow.twebsocketflow()
    ((_, messages),) = read_flows(written(tmp_path / "x.mitm", flow))

    assert [one.number for one in messages] == [1, 2, 3]
    assert [one.direction for one in messages] == ["to_server", "to_server", "to_agent"]
    assert [one.kind for one in messages] == ["binary", "text", "text"]


def test_a_broken_exchange(tmp_path: Path) -> None:
    """What went wrong is kept."""
    flow = tflow.tflow(err=True)
    ((exchange, _),) = read_flows(written(tmp_path / "x.mitm", flow))

    assert exchange.error == "error"


@pytest.mark.parametrize(("cut", "whole"), [(-1, 1), (-200, 1), (30, 0)])
def test_a_cut_file(cut: int, whole: int, tmp_path: Path) -> None:
    """What is whole is read; the error says how many those were."""
    path = written(tmp_path / "x.mitm", order(), order())
    path.write_bytes(path.read_bytes()[:cut])
    found = []
    with pytest.raises(FlowFileError) as raised:
        found.extend(read_flows(path))

    assert raised.value.read == whole


@pytest.mark.parametrize("data", [b"not a flow file", b"9999999999:", b"4:true!", b"0:~", b"5:hello,"])
def test_no_flow_file(data: bytes, tmp_path: Path) -> None:
    """Any bytes end in an error of ours."""
    path = tmp_path / "x.mitm"
    path.write_bytes(data)

    with pytest.raises(FlowFileError, match=r"x\.mitm"):
        list(read_flows(path))
