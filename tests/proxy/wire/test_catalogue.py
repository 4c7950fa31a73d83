"""The endpoint catalogue: files that say what is wrong with them, and matching as servers read paths."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.load import BadCorpus
from corpus.terms import Unit
from proxy.wire.catalogue import Catalogue, compile_template, load_catalogue, load_venue, shipped, tidy
from proxy.wire.reader import Reader
from tests.proxy.wire.support import JSON, request

CATALOGUE = load_catalogue()

MINE = """\
schema: venue/1
venue: mine
title: Mine
source: none
hosts:
  trading: {role: trading, live: [Broker.Example], paper: [paper.example]}
objects:
  order:
    fields: {venue_order_id: item.id, status: item.state}
    status: {open: acked}
endpoints:
  - id: mine.place
    on: trading
    method: [POST, PUT]
    path: /orders
    action: place
    order:
      fields: {symbol: args.sym, quantity: args.q}
      unit:
        - {when: {args.kind: lots}, is: contract}
    reply:
      - {when: {status: 2xx}, object: order, at: body}
"""


@pytest.fixture
def write(tmp_path: Path):  # type: ignore[no-untyped-def]
    def make(text: str, name: str = "mine.yaml") -> Path:
        path = tmp_path / name
        path.write_text(text, "utf-8")
        return path

    return make


@pytest.mark.parametrize(
    ("host", "method", "path", "expected"),
    [
        ("api.alpaca.markets", "POST", "/v2/orders", "alpaca.place_order"),
        ("API.Alpaca.Markets", "post", "/v2/orders", "alpaca.place_order"),
        ("api.alpaca.markets.", "POST", "/v2/orders", "alpaca.place_order"),
        ("paper-api.alpaca.markets", "POST", "//v2///orders//", "alpaca.place_order"),
        ("api.alpaca.markets", "POST", "/v2/%6Frders", "alpaca.place_order"),
        ("api.alpaca.markets", "POST", "/v2/x/../orders", "alpaca.place_order"),
        ("api.alpaca.markets", "POST", "/../v2/./orders/.", "alpaca.place_order"),
        ("api.alpaca.markets", "GET", "/v2/orders", "alpaca.orders"),
        ("api.alpaca.markets", "GET", "/v2/orders/", "alpaca.orders"),
        ("api.alpaca.markets", "DELETE", "/v2/orders", "alpaca.cancel_all"),
        ("api.alpaca.markets", "DELETE", "/v2/orders/x", "alpaca.cancel_order"),
        ("api.alpaca.markets", "GET", "/v2/orders:by_client_order_id", "alpaca.order_by_client_id"),
        ("api.alpaca.markets", "DELETE", "/v2/positions/BTC%2FUSD", "alpaca.close_position"),
        ("api.alpaca.markets", "GET", "/v2/assets/BTC/USD", "alpaca.asset"),
        ("api.alpaca.markets", "POST", "/V2/ORDERS", None),
        ("api.alpaca.markets", "POST", "/v2/orders/x/y", None),
        ("api.alpaca.markets", "POST", "/v2/orders%2F", None),
        ("api.alpaca.markets", "POST", "/v2", None),
        ("api.alpaca.markets", "POST", "", None),
        ("api.alpaca.markets", "PUT", "/v2/orders", None),
        ("api.alpaca.markets.evil.example", "POST", "/v2/orders", None),
        ("data.alpaca.markets", "POST", "/v2/orders", None),
        ("data.alpaca.markets", "GET", "/v1beta1/news", "alpaca.news"),
        ("data.alpaca.markets", "GET", "/v2/stocks/bars/latest", "alpaca.stock_latest_bars"),
        ("data.alpaca.markets", "GET", "/v2/stocks/AAPL/bars/latest", "alpaca.stock_latest_bar_of"),
        ("api.openai.com", "POST", "/v1/chat/completions", "openai.chat"),
        ("gateway.example", "POST", "/openai/deployments/x/chat/completions", "openai.chat"),
        ("gateway.example", "GET", "/v1/chat/completions", None),
    ],
)
def test_matching(host: str, method: str, path: str, expected: str | None) -> None:
    found = CATALOGUE.match(host, method, path)
    assert expected == (found.id if found else None)


def test_hosts_say_what_they_hold() -> None:
    live, paper = CATALOGUE.host("API.alpaca.markets."), CATALOGUE.host("paper-api.alpaca.markets")
    assert live is not None
    assert paper is not None
    assert ("alpaca", "trading", False) == (live.venue, live.role, live.paper)
    assert paper.paper
    assert CATALOGUE.host("example.com") is None
    assert "api.alpaca.markets" in CATALOGUE.trading_hosts()
    assert not {"paper-api.alpaca.markets", "data.alpaca.markets"} & set(CATALOGUE.trading_hosts())


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("", "/"),
        ("/", "/"),
        ("//", "/"),
        ("/a/", "/a"),
        ("/a//b///c", "/a/b/c"),
        ("/a/./b", "/a/b"),
        ("/a/../b", "/b"),
        ("/a/..", "/"),
        ("/../../a", "/a"),
        ("/.well-known/x", "/.well-known/x"),
        ("/a..b/...", "/a..b/..."),
        ("/%41%2d%2E%5f%7e", "/A-._~"),
        ("/a%2Fb%20c%25", "/a%2Fb%20c%25"),
        ("/%zz%", "/%zz%"),
        ("/%2e%2e/a", "/a"),
    ],
)
def test_tidy(path: str, expected: str) -> None:
    assert expected == tidy(path)


@given(st.text(alphabet="/.%25eEabA-", max_size=30).map(lambda tail: "/" + tail))
def test_what_is_tidy_stays_so(path: str) -> None:
    once = tidy(path)
    assert once.startswith("/")
    assert "//" not in once
    assert not {".", ".."} & set(once.split("/"))


@pytest.mark.parametrize(
    ("template", "path", "groups"),
    [
        ("/a/{id}", "/a/b", {"id": "b"}),
        ("/a/{id}", "/a/b/c", None),
        ("/a/{id}", "/a/", None),
        ("/a{rest*}", "/a", {"rest": ""}),
        ("/a{rest*}", "/a/b/c", {"rest": "/b/c"}),
        ("/{p*}chat/completions", "/v1/x/chat/completions", {"p": "v1/x/"}),
        ("/a.b", "/aXb", None),
    ],
)
def test_templates(template: str, path: str, groups: dict[str, str] | None) -> None:
    found = compile_template(template).fullmatch(path)
    assert groups == (found.groupdict() if found else None)


def test_an_own_file_adds_a_venue(write) -> None:  # type: ignore[no-untyped-def]
    catalogue = load_catalogue([write(MINE)])
    found = catalogue.match("broker.example", "PUT", "/orders")
    assert found is not None
    assert ("mine.place", "mine", "trading") == (found.id, found.venue, found.role)
    assert "broker.example" in catalogue.trading_hosts()
    assert catalogue.match("api.alpaca.markets", "POST", "/v2/orders") is not None


def test_no_unit_row_that_holds_is_unknown(write) -> None:  # type: ignore[no-untyped-def]
    reader = Reader(load_catalogue([write(MINE)]))
    units = [
        reader.request(request("POST", "https://broker.example/orders", body, JSON), 1).orders[0].unit
        for body in (b'{"q": "1", "kind": "lots"}', b'{"q": "1", "kind": "coins"}', b'{"q": "1"}')
    ]
    assert [Unit.CONTRACT, Unit.UNKNOWN, Unit.UNKNOWN] == units


def test_an_own_file_replaces_the_shipped_venue(write) -> None:  # type: ignore[no-untyped-def]
    catalogue = load_catalogue([write(MINE.replace("venue: mine", "venue: alpaca"))])
    assert catalogue.match("api.alpaca.markets", "POST", "/v2/orders") is None
    assert catalogue.host("api.alpaca.markets") is None
    assert catalogue.match("broker.example", "POST", "/orders") is not None


@pytest.mark.parametrize(
    ("old", "new", "where", "says"),
    [
        ("schema: venue/1", "schema: venue/9", r":1: schema", "venue/1"),
        ("title: Mine\n", "", r": title", "missing"),
        ("title: Mine", "titel: Mine", r":3: titel", "did you mean title"),
        ("venue: mine", "venue: Mine!", r":2: venue", "must be of the form"),
        ("role: trading", "role: broker", r":6: hosts.trading.role", "trading"),
        ("on: trading", "on: data", r"", "no set 'data'"),
        ("path: /orders", "path: orders", r":15: endpoints\[0\].path", "must be of the form"),
        ("path: /orders\n    action: place", "path: /orders\n    action: buy", r":16: endpoints\[0\].action", "place"),
        ("symbol: args.sym", "simbol: args.sym", r":18: endpoints\[0\].order.fields", "unknown field 'simbol'"),
        ("args.q}", "'args['}", r":18: endpoints\[0\].order.fields.quantity", "no path"),
        ("{args.kind: lots}", "{'args[': lots}", r":20: endpoints\[0\].order.unit\[0\].when", "no path"),
        ("is: contract", "is: bushel", r":1[79]: endpoints\[0\].order.unit|:20", "bushel"),
        ("open: acked", "open: aked", r":10: objects.order.status.open", "acked"),
        ("venue_order_id: item.id", "order_id: item.id", r":9: objects.order.fields", "unknown field 'order_id'"),
        ("object: order, at: body", "object: ordre, at: body", r"", "objects has no 'ordre'"),
        ("object: order, at: body", "object: order", r":22: endpoints\[0\].reply\[0\]", "at or items"),
        ("at: body", "at: 'body['", r":22: endpoints\[0\].reply\[0\].at", "no path"),
        ("object: order, at: body", "event: aked", r":22: endpoints\[0\].reply\[0\].event", "acked"),
        ("    order:\n      fields: {symbol: args.sym, quantity: args.q}\n      unit:\n        - {when: {args.kind: lots}, is: contract}\n", "", r":12: endpoints\[0\]", "needs the key order"),
        ("hosts:", "hosts: [", r":\d+:", "not YAML"),
        ("venue: mine", "venue: mine\nvenue: twice", r":3: venue", "stands twice"),
    ],
)  # fmt: skip
def test_a_bad_file_says_where_and_what(write, old: str, new: str, where: str, says: str) -> None:  # type: ignore[no-untyped-def]
    assert old in MINE
    path = write(MINE.replace(old, new, 1))
    with pytest.raises(BadCorpus) as caught:
        load_venue(path)
    text = str(caught.value)
    assert text.startswith(f"{path}:")
    assert re.search(where, text.removeprefix(str(path))), text
    assert says in text


def test_an_id_that_stands_twice_is_told(write) -> None:  # type: ignore[no-untyped-def]
    endpoint = MINE[MINE.index("  - id: mine.place") :]
    with pytest.raises(BadCorpus, match=r"mine.yaml:23: endpoints\[1\].id: id mine.place stands twice"):
        load_venue(write(MINE + endpoint))


def test_an_id_of_another_venue_is_told(write) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(BadCorpus, match=r"alpaca.place_order also stands in .*alpaca.yaml"):
        load_catalogue([write(MINE.replace("mine.place", "alpaca.place_order"))])


def test_a_positions_view_needs_its_parts(write) -> None:  # type: ignore[no-untyped-def]
    text = (
        MINE
        + "  - id: mine.held\n    on: trading\n    method: GET\n    path: /held\n    views: [{kind: positions, parts: {symbol: s}}]\n"
    )
    with pytest.raises(BadCorpus, match="needs the parts symbol and quantity"):
        load_venue(write(text))


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(BadCorpus, match=r"none.yaml: .*can't be read"):
        load_venue(Path("none.yaml"))


@pytest.mark.parametrize("path", shipped(), ids=lambda path: path.name)
def test_shipped_files_load_and_own_their_ids(path: Path) -> None:
    venue = load_venue(path)
    assert [e.id for e in venue.endpoints if not e.id.startswith(f"{venue.venue}.")] == []
    assert path.stem == venue.venue


def test_no_two_shipped_endpoints_share_a_url() -> None:
    """The second one of the same method and path would never, or silently, win."""
    seen: dict[tuple[str, str, str], str] = {}
    for endpoint in CATALOGUE.endpoints.values():
        for method in endpoint.rule.method:
            key = (f"{endpoint.venue}.{endpoint.rule.on}", method, re.sub(r"\{[a-z_]+", "{", endpoint.rule.path))
            assert key not in seen, (endpoint.id, seen[key])
            seen[key] = endpoint.id


def test_an_empty_catalogue_knows_nothing() -> None:
    assert Catalogue(()).match("api.alpaca.markets", "POST", "/v2/orders") is None
