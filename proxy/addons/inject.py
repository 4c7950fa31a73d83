"""The schedule's injections on one body: view, edits, splice, and the headers that must follow."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from corpus.terms import Instant
from injectors.base import CannotApply
from injectors.registry import edits_for
from injectors.schedule import Due, Where
from proxy.addons.session import Needle, Session
from proxy.journal.events import EditMade, InjectionApplied
from proxy.wire.catalogue import Endpoint
from proxy.wire.codecs import content
from proxy.wire.edit import BadEdit, Edit, Unreadable, apply
from proxy.wire.exchange import Headers
from proxy.wire.views import news
from proxy.wire.views.llm import CODECS
from proxy.wire.views.text import TextItem, TextView


@dataclass(frozen=True, slots=True)
class Injected:
    """The edited body, still in the message's content codings, and what was done or could not be."""

    body: bytes | None
    facts: tuple[InjectionApplied, ...]


def _views(endpoint: Endpoint, leg: str, body: bytes) -> list[TextView]:
    out: list[TextView] = []
    for rule in endpoint.rule.views:
        if rule.leg == leg and rule.kind == "news":
            out.append(news.read(rule, body))
        elif rule.leg == leg and rule.kind == "chat":
            out.append(CODECS[endpoint.rule.codec].tool_results(body))
    return out


VIEW_OF_KIND = {"news": "news", "chat": "tool_result"}


def wanted(session: Session, endpoint: Endpoint | None, leg: str) -> bool:
    """Whether any planned injection works on a view of this endpoint's leg."""
    return endpoint is not None and any(
        rule.leg == leg and rule.kind in VIEW_OF_KIND and session.schedule.wants(VIEW_OF_KIND[rule.kind])
        for rule in endpoint.rule.views
    )


def inject(
    session: Session,
    endpoint: Endpoint,
    leg: str,
    body: bytes,
    headers: Headers,
    host: str,
    exchange: int,
    at_ns: Instant,
) -> Injected:
    """
    Apply what is due to one message.

    Args:
        session: Its schedule is asked and counts the items.
        endpoint: What the catalogue says of the message.
        leg: request or response.
        body: Bytes as on the wire.
        headers: Of the message.
        host: The original host.
        exchange: Its id.
        at_ns: Now.

    Returns:
        A null body when nothing changes. An injection that was due and does not fit is among the facts.
    """
    applied = content.codings(headers.get_all("content-encoding"))
    try:
        plain = content.decode(body, applied)
        views = _views(endpoint, leg, plain)
    except Unreadable:
        return Injected(None, ())
    where = Where(endpoint.id, endpoint.venue, host)
    edits: list[Edit] = []
    facts: list[InjectionApplied] = []
    for view in views:
        for item in view.items:
            for due in session.schedule.due(view.kind, item, where, at_ns):
                made, reason = _edits(view, item, due, edits)
                edits += made
                facts.append(_fact(view, item, due, made, reason, leg, exchange, at_ns))
    if not edits:
        return Injected(None, tuple(facts))
    return Injected(content.encode(apply(plain, edits), applied), tuple(facts))


def _edits(view: TextView, item: TextItem, due: Due, before: list[Edit]) -> tuple[tuple[Edit, ...], str | None]:
    try:
        made = edits_for(view, item, due.injection)
        # Two attacks on one item must not fight over the same bytes.
        apply(view.body, [*before, *made])
    except (CannotApply, BadEdit, Unreadable) as error:
        return (), str(error)
    return made, None


def _fact(
    view: TextView,
    item: TextItem,
    due: Due,
    made: tuple[Edit, ...],
    reason: str | None,
    leg: str,
    exchange: int,
    at_ns: Instant,
) -> InjectionApplied:
    case = due.injection.case
    return InjectionApplied(
        at_ns=at_ns,
        exchange=exchange,
        attack=case.id,
        attack_version=case.version,
        kind=due.injection.kind,
        view=view.kind,
        leg="request" if leg == "request" else "response",
        item=item.key,
        mode=case.placement.mode,
        disguise=due.injection.variant.disguise,
        needle=due.injection.needle,
        edits=tuple(EditMade(start=e.start, old=e.old, new=e.new, path=e.path, what=e.what) for e in made),
        again=due.again,
        reason=reason,
    )


def needles(facts: tuple[InjectionApplied, ...]) -> list[Needle]:
    """What to look for in later model requests."""
    return [Needle(fact.attack, fact.item, fact.needle) for fact in facts if fact.edits and not fact.again]


def stale_headers(headers: Headers, body: bytes) -> dict[str, str | None]:
    """
    Header fields of an edited response that would give it away or poison a cache.

    A validator gets the value of this variant, in the old one's style; digests of other bytes go.
    """
    changes: dict[str, str | None] = dict.fromkeys(
        ("content-md5", "digest", "content-digest", "repr-digest", "accept-ranges"), None
    )
    etag = headers.get("etag")
    if etag is not None:
        digest = hashlib.sha256(body).hexdigest() * 4
        digits = iter(digest)
        mark = 'W/"' if etag.startswith('W/"') else '"' if etag.startswith('"') else ""
        inner = etag.removeprefix("W/").strip('"')
        new = "".join(next(digits, "0") if char.isalnum() else char for char in inner[:200])
        changes["etag"] = mark + new + ('"' if mark else "")
    if headers.get("cache-control") is not None:
        changes["cache-control"] = "no-store"
    return changes


CONDITIONAL = ("if-none-match", "if-modified-since", "if-range", "range", "if-match", "if-unmodified-since")
"""Request fields that would fetch a part, or nothing, of a body that is to be edited."""
