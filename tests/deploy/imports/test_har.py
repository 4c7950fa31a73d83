"""HAR files of any origin: read as live traffic would be, or refused in words; nothing in between."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpus.terms import instant
from deploy.errors import UserError
from deploy.imports import har as module
from deploy.imports.har import exchange_of, import_har, read_har
from deploy.workspace import Workspace
from proxy.journal.bodies import plain_body
from proxy.journal.events import Evidence
from proxy.journal.read import read
from proxy.wire.catalogue import Catalogue, load_catalogue
from proxy.wire.exchange import Exchange

T0 = instant("2026-11-25T15:00:00Z") or 0
CATALOGUE = load_catalogue()


@pytest.fixture
def catalogue() -> Catalogue:
    return CATALOGUE


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "w")


def exchange(entry: Any) -> Exchange:
    return exchange_of(entry, 1, Path("x.har"))[0]


def evidence(workspace: Workspace, name: str = "s") -> Evidence:
    return read(workspace.session(name))


# ---- one entry


def test_entry(har) -> None:
    """Everything that a HAR says of an exchange."""
    told = exchange(
        har.entry(
            "POST",
            "https://Paper-API.alpaca.markets:8443/v2/orders?a=b#c",
            {"x": 1},
            {"y": 2},
            status=201,
            comment="one",
        )
    )
    request, response = told.request, told.response

    assert ("POST", "https", "paper-api.alpaca.markets", 8443) == (
        request.method,
        request.scheme,
        request.host,
        request.port,
    )
    assert ("/v2/orders?a=b", b'{"x": 1}', "one") == (request.path, request.body, told.label)
    assert response is not None
    assert (201, b'{"y": 2}', T0, T0 + 5_000_000) == (
        response.status,
        response.body,
        request.at_ns,
        response.end_ns,
    )
    assert "application/json" == request.headers.media_type()


@pytest.mark.parametrize(("scheme", "port"), [("http", 80), ("https", 443), ("ws", 80), ("wss", 443)])
def test_default_ports(har, scheme: str, port: int) -> None:
    """And a path where none is."""
    request = exchange(har.entry("GET", f"{scheme}://example.com")).request
    assert (port, "/") == (request.port, request.path)


def test_base64(har) -> None:
    """Both ways round."""
    raw = bytes(range(256))
    entry = har.entry()
    # Some recorders break the lines.
    entry["request"]["postData"] = {"text": base64.encodebytes(raw).decode(), "encoding": "base64"}
    entry["response"]["content"] = {"text": base64.b64encode(raw).decode(), "encoding": "base64"}
    told = exchange(entry)

    assert raw == told.request.body
    assert told.response is not None
    assert raw == told.response.body


@pytest.mark.parametrize("text", ["=", "a", "é", "AAA", "plain words", "QUJD*"])
def test_bad_base64_is_not_kept(har, text: str) -> None:
    """Not known is not empty."""
    entry = har.entry(answer="x")
    entry["response"]["content"] = {"text": text, "encoding": "base64"}
    told = exchange(entry)

    assert told.response is not None
    assert told.response.body is None


def test_dropped_bodies_are_not_empty(har) -> None:
    """A size without a text: the recorder left it out, on either side."""
    entry = har.entry(answer=None)
    entry["request"]["bodySize"] = 120
    entry["response"]["content"] = {"size": 4096}
    told = exchange(entry)

    assert told.request.body is None
    assert told.response is not None
    assert told.response.body is None
    # -1 is how HAR says that it does not know, 0 that there was none.
    for size in (-1, 0, None, "many"):
        entry["request"]["bodySize"] = entry["response"]["content"]["size"] = size
        told = exchange(entry)
        assert told.response is not None
        assert (b"", b"") == (told.request.body, told.response.body)


def test_form_params(har) -> None:
    """Some recorders take a form apart."""
    entry = har.entry()
    params = [
        {"name": "symbol", "value": "A&B ü"},
        {"name": "flag"},
        {"name": "none", "value": None},
        "odd",
        {"value": 3},
    ]
    entry["request"]["postData"] = {"mimeType": "application/x-www-form-urlencoded", "params": params}

    assert b"symbol=A%26B+%C3%BC&flag=&none=&=3" == exchange(entry).request.body


@pytest.mark.parametrize(
    "response", [None, {}, {"status": 0}, {"status": -1}, {"status": "200"}, {"status": 10**30}, {"status": 20}, []]
)
def test_no_response(har, response: Any) -> None:
    """Blocked, broken off, or never recorded."""
    assert exchange(har.entry(response=response)).response is None


def test_decoded_text_is_not_decoded_again(har) -> None:
    """HAR keeps text without its content coding, under headers that still name it."""
    entry = har.entry(answer={"a": 1})
    coding = [
        {"name": "Content-Encoding", "value": "gzip"},
        {"name": "transfer-encoding", "value": "chunked"},
        {"name": "X", "value": None},
    ]
    entry["response"]["headers"] += coding
    told = exchange(entry)

    assert told.response is not None
    assert told.response.headers.get("content-encoding") is None
    assert (b"x", b"") not in told.response.headers.fields
    assert "" == told.response.headers.get("x")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "yesterday",
        "0001-01-01T00:00:00Z",
        "9999-12-31T23:59:59Z",
        "1969-12-31T00:00:00Z",
        5,
        None,
        [],
        "0001-01-01T00:00:00+23:00",
    ],
)
def test_times_that_no_file_can_hold(har, text: Any) -> None:
    """The entry's number stands in: order stays, and nothing overflows."""
    assert 1 == exchange(har.entry(at=text)).request.at_ns


@pytest.mark.parametrize("took", [float("nan"), float("inf"), -1, 1e300, "5", None, 10**400, True])
def test_durations_that_mean_nothing(har, took: Any) -> None:
    """No time at all."""
    told = exchange(har.entry(time=took))
    assert told.response is not None
    assert told.response.end_ns - T0 in (0, 1_000_000)


def test_websocket_messages(har) -> None:
    """Text and binary, both directions; what is no message is left out."""
    messages = [
        {"type": "send", "time": 1795618800.5, "opcode": 1, "data": '{"op":"subscribe"}'},
        {"type": "receive", "time": 9.3e9, "opcode": 2, "data": base64.b64encode(b"\0\1").decode()},
        {"type": "receive", "time": float("nan"), "opcode": 2, "data": "not base64 é"},
        {"type": "receive", "data": 5},
        "odd",
        None,
        {"type": "receive", "time": -1, "data": "\ud800"},
    ]
    _, told = exchange_of(har.entry("GET", "wss://stream.example.com/", _webSocketMessages=messages), 7, Path("x"))

    assert [
        (1, "to_server", "text"),
        (2, "to_agent", "binary"),
        (3, "to_agent", "binary"),
        (7, "to_agent", "text"),
    ] == [(one.number, one.direction, one.kind) for one in told]
    assert [b'{"op":"subscribe"}', b"\0\1", "not base64 é".encode(), b"\xed\xa0\x80"] == [one.body for one in told]
    assert [1795618800_500_000_000, T0, T0, T0] == [one.at_ns for one in told]
    assert {7} == {one.exchange for one in told}


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        ({}, r"log.entries\[0\].request needs url and method"),
        ({"url": 5, "method": "GET"}, "needs url and method"),
        ({"url": "https://x/", "method": None}, "needs url and method"),
        ({"url": "https://x:99999/", "method": "GET"}, r"request.url is no URL \(.*\): https://x:99999/"),
        ({"url": "https://x:port/", "method": "GET"}, "request.url is no URL"),
        ({"url": "https://[::1/", "method": "GET"}, "request.url is no URL"),
        ({"url": "https://a\u2100b/", "method": "GET"}, "request.url is no URL"),
    ],
)
def test_requests_that_are_none(har, request_: Any, says: str) -> None:
    """Named by their place in the file."""
    with pytest.raises(UserError, match=says):
        exchange(har.entry(request=request_))


# ---- whole files


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe\xfa", "not JSON"),
        (b'{"log": {"entries": [' + b"[" * 100_000, "not JSON"),
        (b'{"n": ' + b"1" * 5000 + b"}", "not JSON"),
        (b"[]", "no HAR: log.entries is missing"),
        (b"null", "no HAR: log.entries is missing"),
        (b'{"log": []}', "no HAR: log.entries is missing"),
        (b'{"log": {"entries": {}}}', "no HAR: log.entries is missing"),
        (b'{"log": {"entries": [5]}}', r"log.entries\[0\].request is missing"),
        (
            b'{"log": {"entries": [{"request": {"method": "GET", "url": "http://x/"}}, {"request": []}]}}',
            r"log.entries\[1\].request",
        ),
    ],
)
def test_files_that_are_none(workspace, catalogue, tmp_path: Path, content: bytes, says: str) -> None:
    """Refused before anything is written."""
    file = tmp_path / "x.har"
    file.write_bytes(content)

    with pytest.raises(UserError, match=says):
        import_har(file, "s", workspace, catalogue)
    assert not workspace.session("s").exists()


def test_files_that_can_not_be_read(workspace, catalogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Missing, a folder, or larger than memory should be asked to hold."""
    with pytest.raises(UserError, match="can't be read"):
        import_har(tmp_path / "missing.har", "s", workspace, catalogue)
    with pytest.raises(UserError, match="can't be read"):
        import_har(tmp_path, "s", workspace, catalogue)
    monkeypatch.setattr(module, "MAX_BYTES", 3)
    (tmp_path / "large.har").write_bytes(b"{   }")
    with pytest.raises(UserError, match="larger than 3 bytes; split the file"):
        import_har(tmp_path / "large.har", "s", workspace, catalogue)


def test_import(workspace, catalogue, tmp_path: Path, har) -> None:
    """The same facts as live traffic would leave: exchanges, orders and what became of them."""
    lost = har.entry(body=har.placed("c2"), response=None, at="2026-11-25T15:00:01Z")
    file = har.write(tmp_path / "a.har", har.entry(body=har.placed(), answer=har.order(), comment="first"), lost)

    assert 2 == import_har(file, "s", workspace, catalogue)
    found = evidence(workspace)
    assert ("s", "closed", (("import", "a.har"),)) == (found.meta.id, found.meta.status, found.meta.options)
    assert [("alpaca.place_order", "passed", "first"), ("alpaca.place_order", "error", None)] == [
        (row.endpoint, row.outcome, row.label) for row in found.exchanges
    ]
    assert ["requested", "acked", "requested", "unknown"] == [fact.event.kind for fact in found.orders]
    assert found.exchanges[0].request_body is not None
    assert json.dumps(har.placed()).encode() == plain_body(workspace.session("s"), found.exchanges[0], "request")


def test_dropped_order_body_is_marked(workspace, catalogue, tmp_path: Path, har) -> None:
    """An order that can't be read is still an order, and the reader of the evidence is told."""
    entry = har.entry()
    entry["request"]["bodySize"] = 120
    import_har(har.write(tmp_path / "a.har", entry), "s", workspace, catalogue)
    found = evidence(workspace)

    assert ("not_inspected",) == found.exchanges[0].marks
    assert ["requested", "unknown"] == [fact.event.kind for fact in found.orders]


def test_empty_har(workspace, catalogue, tmp_path: Path, har) -> None:
    """A session without exchanges."""
    assert 0 == import_har(har.write(tmp_path / "a.har"), "s", workspace, catalogue)
    assert () == evidence(workspace).exchanges


def test_existing_session_stays(workspace, catalogue, tmp_path: Path, har) -> None:
    """Unless it is to be replaced; and also then, when the new file turns out to be none."""
    first = har.write(tmp_path / "a.har", har.entry(comment="first"))
    second = har.write(tmp_path / "b.har", har.entry(comment="second"))
    bad = har.write(tmp_path / "c.har", har.entry(), har.entry("GET", "https://[::1/"))
    import_har(first, "s", workspace, catalogue)

    with pytest.raises(UserError, match="session s exists; choose another --session name or give --replace"):
        import_har(second, "s", workspace, catalogue)
    with pytest.raises(UserError, match=r"log.entries\[1\]"):
        import_har(bad, "s", workspace, catalogue, replace=True)
    assert "first" == evidence(workspace).exchanges[0].label
    import_har(second, "s", workspace, catalogue, replace=True)
    assert "second" == evidence(workspace).exchanges[0].label
    assert ["s.db"] == [path.name for path in workspace.sessions.iterdir()]


def test_secrets_are_not_in_the_file(workspace, catalogue, tmp_path: Path, har) -> None:
    """Headers, query, body, cookies and the places that repeat them: searched in the raw file."""
    secrets = (
        "PK-canary-key-000001",
        "sk-canary-secret-000002",
        "Bearer-canary-000003",
        "cookie-canary-000004",
        "query-canary-000005",
    )
    headers = zip(("APCA-API-KEY-ID", "APCA-API-SECRET-KEY", "Authorization", "Cookie"), secrets, strict=False)
    entry = har.entry(
        "POST",
        f"https://paper-api.alpaca.markets/v2/orders?api_key={secrets[4]}",
        har.placed(note=secrets[1], secret=secrets[2]),
        har.order(),
    )
    entry["request"]["headers"] += [{"name": name, "value": value} for name, value in headers]
    import_har(har.write(tmp_path / "a.har", entry), "s", workspace, catalogue)
    found = evidence(workspace)
    kept = workspace.session("s").read_bytes() + (
        plain_body(workspace.session("s"), found.exchanges[0], "request") or b""
    )

    assert [] == [secret for secret in secrets if secret.encode() in kept]
    assert b"[secret:" in kept


def test_half_characters(workspace, catalogue, tmp_path: Path, har) -> None:
    """JSON may escape half of a character; as a text it can't be stored, so it is shown."""
    entry = har.entry("GET\ud800", "https://example.com/\ud800?q=\udfff", comment="label \ud800")
    entry["request"]["headers"] = [{"name": "x-\ud800", "value": "\ud800"}]
    entry["response"] |= {"statusText": "\ud800", "httpVersion": "\ud800"}
    import_har(har.write(tmp_path / "a.har", entry), "s", workspace, catalogue)
    (row,) = evidence(workspace).exchanges

    assert ("GET\\ud800", "/\\ud800?q=\\udfff", "label \\ud800") == (row.method, row.path, row.label)


def test_large_and_hostile(workspace, catalogue, tmp_path: Path, har, hostile: str) -> None:
    """Five megabytes of text in one field, and text that terminals obey, are kept as they are."""
    big = har.placed("c1", symbol="X" * 5_000_000)
    odd = har.placed(hostile, symbol=hostile)
    file = har.write(
        tmp_path / "a.har", har.entry(body=big, answer=har.order()), har.entry(body=odd, answer=har.order(hostile))
    )
    import_har(file, "s", workspace, catalogue)
    found = [fact.event for fact in evidence(workspace).orders if fact.event.kind == "requested"]

    assert ["X" * 5_000_000, hostile] == [getattr(event, "symbol", None) for event in found]


# ---- anything at all

TEXT = st.text(alphabet=st.characters(), max_size=12)  # half characters too
LEAF = st.none() | st.booleans() | st.integers(-(10**40), 10**40) | st.floats() | TEXT
JSON = st.recursive(
    LEAF, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=6
)


def keys(**known: Any) -> st.SearchStrategy[Any]:
    """An object whose keys are those of HAR, with values of the right or of any type; or no object."""
    return st.fixed_dictionaries({}, optional={name: value | JSON for name, value in known.items()}) | LEAF


URLS = st.sampled_from(
    [
        "https://paper-api.alpaca.markets/v2/orders",
        "https://paper-api.alpaca.markets/v2/orders/x",
        "https://paper-api.alpaca.markets/v2/positions",
        "https://data.alpaca.markets/v1beta1/news?symbols=AAPL",
        "https://data.alpaca.markets/v2/stocks/bars?symbols=AAPL&timeframe=1Day",
        "https://api.openai.com/v1/chat/completions",
        "wss://stream.example.com/",
        "https://[::1/",
        "nonsense",
        "",
    ]
)
HEADERS = st.lists(
    keys(name=TEXT | st.sampled_from(["Content-Type", "Content-Encoding"]), value=TEXT | st.just("application/json")),
    max_size=2,
)
ORDERS = st.dictionaries(
    st.sampled_from(
        "symbol qty notional side type legs order_class take_profit limit_price id status filled_qty messages model usage".split()
    ),
    JSON,
    max_size=5,
)
BODY = ORDERS.map(json.dumps) | JSON.map(json.dumps) | TEXT
ENCODING = st.sampled_from(["base64", "", None])
ENTRY = keys(
    startedDateTime=TEXT | st.sampled_from(["2026-11-25T15:00:00Z", "9999-12-31T23:59:59.999999999Z", "0001-01-01"]),
    time=st.floats(),
    comment=TEXT,
    request=st.fixed_dictionaries(
        {"method": st.sampled_from(["GET", "POST", "DELETE", "PATCH"]) | TEXT, "url": URLS},
        optional={
            "headers": HEADERS,
            "httpVersion": TEXT,
            "bodySize": st.integers(),
            "postData": keys(text=BODY, encoding=ENCODING, params=st.lists(keys(name=TEXT, value=TEXT), max_size=2)),
        },
    ),
    response=keys(
        status=st.integers(-1, 600),
        headers=HEADERS,
        content=keys(text=BODY, encoding=ENCODING, size=st.integers()),
        statusText=TEXT,
    ),
    _webSocketMessages=st.lists(keys(type=TEXT, time=st.floats(), opcode=st.integers(0, 3), data=BODY), max_size=2),
)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(ENTRY, max_size=3))
def test_anything_is_a_session_or_refused(tmp_path_factory: pytest.TempPathFactory, entries: list[Any]) -> None:
    """Whatever stands in a HAR: a session that can be read whole, or a word for the user and no file."""
    folder = tmp_path_factory.mktemp("har")
    workspace = Workspace(folder / "w")
    file = folder / "a.har"
    file.write_text(json.dumps({"log": {"entries": entries}}), "utf-8")
    try:
        count = import_har(file, "s", workspace, CATALOGUE)
    except UserError:
        assert not workspace.session("s").exists()
    else:
        assert len(entries) == count == len(evidence(workspace).exchanges)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(JSON)
def test_any_json_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, value: Any) -> None:
    """At the top too."""
    file = tmp_path_factory.mktemp("har") / "a.har"
    file.write_text(json.dumps(value), "utf-8")
    with pytest.raises(UserError, match=r"no HAR|is missing"):
        read_har(file)
