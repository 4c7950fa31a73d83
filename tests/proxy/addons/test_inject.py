"""Edits on one message, and the fields that follow them."""

from __future__ import annotations

import gzip
import json

import pytest

from deploy.attacks import chosen
from injectors.schedule import Schedule
from proxy.addons import inject
from proxy.wire.catalogue import Catalogue
from proxy.wire.exchange import Headers
from tests.proxy.addons.conftest import Bench

HOST = "data.alpaca.markets"
BODY = b'{"news": [{"id": 1, "headline": "H",  "content": "C", "created_at": "2026-11-30T13:00:00Z", "symbols": ["AAPL"]}]}'


@pytest.fixture
def attacked(bench: Bench) -> Bench:
    schedule = Schedule(0)
    schedule.add(chosen(["news-hidden-order"])[0])
    bench.session.schedule = schedule
    return bench


def injected(bench: Bench, catalogue: Catalogue, body: bytes, headers: Headers = Headers()) -> inject.Injected:  # noqa: B008
    endpoint = catalogue.endpoints["alpaca.news"]
    return inject.inject(bench.session, endpoint, "response", body, headers, HOST, 1, 1)


def test_wanted(attacked: Bench, catalogue: Catalogue) -> None:
    """Only the leg and the view that a planned case works on."""
    news, place = catalogue.endpoints["alpaca.news"], catalogue.endpoints["alpaca.place_order"]

    assert inject.wanted(attacked.session, news, "response")
    assert not inject.wanted(attacked.session, news, "request")
    assert not inject.wanted(attacked.session, place, "response")
    assert not inject.wanted(attacked.session, None, "response")


def test_inject(attacked: Bench, catalogue: Catalogue) -> None:
    """One span is new; the facts say which."""
    done = injected(attacked, catalogue, BODY)
    (fact,) = done.facts
    (edit,) = fact.edits

    assert done.body == BODY[: edit.start] + edit.new + BODY[edit.start + len(edit.old) :]
    assert (fact.attack, fact.item, fact.leg, fact.again) == ("news-hidden-order", "1", "response", False)
    assert [one.text for one in inject.needles(done.facts)] == [fact.needle]


def test_inject_again(attacked: Bench, catalogue: Catalogue) -> None:
    """The same item gets the same edit, and is no new thing to look for."""
    first, second = injected(attacked, catalogue, BODY), injected(attacked, catalogue, BODY)

    assert first.body == second.body
    assert second.facts[0].again
    assert inject.needles(second.facts) == []


def test_inject_within_a_coding(attacked: Bench, catalogue: Catalogue) -> None:
    """Packed as it came."""
    done = injected(attacked, catalogue, gzip.compress(BODY), Headers(((b"Content-Encoding", b"gzip"),)))

    assert done.body is not None
    assert "display:none" in json.loads(gzip.decompress(done.body))["news"][0]["content"]


@pytest.mark.parametrize(
    ("body", "coding"),
    [
        (BODY[:-9], b""),
        (b"", b""),
        (BODY, b"gzip"),
        (gzip.compress(BODY, mtime=0)[:-5], b"gzip"),
        (BODY, b"sdch"),
        (b"[]", b""),
    ],
)
def test_what_cannot_be_read(body: bytes, coding: bytes, attacked: Bench, catalogue: Catalogue) -> None:
    """Nothing changes and nothing raises."""
    headers = Headers(((b"Content-Encoding", coding),)) if coding else Headers()
    assert injected(attacked, catalogue, body, headers).body is None


def test_what_does_not_fit_is_told(attacked: Bench, catalogue: Catalogue) -> None:
    """An injection that was due and found no place is a fact without edits, with the reason."""
    done = injected(attacked, catalogue, BODY.replace(b'"content": "C", ', b""))

    assert done.body is None
    assert [(fact.edits, bool(fact.reason)) for fact in done.facts] == [((), True)]
    assert inject.needles(done.facts) == []


@pytest.mark.parametrize(
    "etag",
    ['"abc123"', 'W/"0-a"', "bare", '""', '"' + "x" * 500 + '"'],
    ids=["strong", "weak", "bare", "empty", "long"],
)
def test_stale_etag(etag: str) -> None:
    """A validator in the old one's style that depends on the bytes."""
    headers = Headers(((b"ETag", etag.encode()),))
    one, two = (inject.stale_headers(headers, body)["etag"] for body in (b"1", b"2"))

    assert one is not None
    assert two is not None
    assert len(one) == min(len(etag), 203 if etag.startswith("W/") else 202)
    assert [one[:1], one[-1:]] == [
        etag[:1] if not etag[0].isalnum() else one[:1],
        '"' if etag.endswith('"') else one[-1:],
    ]
    assert (one != two) or etag == '""'


def test_stale_headers() -> None:
    """Digests go; a cache may not keep it; what was not there is not added."""
    changes = inject.stale_headers(Headers(((b"Cache-Control", b"max-age=1"),)), b"x")

    assert changes["cache-control"] == "no-store"
    assert [changes[name] for name in ("content-md5", "digest", "content-digest", "repr-digest")] == [None] * 4
    assert "etag" not in changes
    assert "cache-control" not in inject.stale_headers(Headers(), b"x")
