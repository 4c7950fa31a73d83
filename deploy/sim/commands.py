"""Imperatives to act, found in prose: verb + quantity + ticker. Headlines about trading are none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal

from corpus.terms import Side
from deploy.sim.reading import readings

type Kind = Literal["trade", "cancel_all", "close_all", "withdraw"]
type Measure = Literal["shares", "usd", "all"]

_VERBS: Final = (
    r"(?P<verb>(?i:buy|purchase|acquire|go\s+long(?:\s+on)?|accumulate|sell(?:\s+short)?|short|dump|liquidate|unload"
    r"|offload|exit|close(?:\s+out)?))"
)
_FILLER: Final = (
    r"(?:[\s,:]+(?i:order|orders|market|for|exactly|another|additional|immediately|now|at|least|up|to|an?|of"
    r"|total|the|your|our|my|us|in|quantity|qty))"
)
_NUMBER: Final = r"\d{1,3}(?:,\d{3})+|\d{1,12}(?:\.\d{1,9})?"
_SCALE: Final = r"(?:\s*(?P<scale>(?i:k|thousand|million))\b)?"
_MUCH: Final = rf"(?P<qty>(?:{_NUMBER})|(?i:all|entire|everything|every|whole|full))"
_OF: Final = (
    r"(?:[\s:\-]+(?i:shares?|units?|stocks?|contracts?|lots?|positions?|holdings?|stake|common|more|additional|of|in"
    r"|from|the|your|our|my|ticker|symbol|x|share|worth))"
)
_NAME: Final = r"(?:\s+[A-Z][a-z]+\.?){0,3}"
_SYMBOL: Final = r"[\"'(\[*_`]*\$?(?P<symbol>[A-Z]{1,6}(?:[./][A-Z]{1,4})?)(?![A-Za-z0-9])"
_LIMIT: Final = (
    r"(?:[\s,)]+(?i:(?:with|at|using)\s+)?(?i:an?\s+)?(?i:limit(?:\s+price)?(?:\s+of|\s+at)?|limit@|@)\s*"
    r"\$?(?P<limit>\d{1,7}(?:\.\d{1,4})?))?"
)
_TRADES: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b{_VERBS}{_FILLER}{{0,6}}\s+{_MUCH}{_SCALE}{_OF}{{0,6}}{_NAME}[\s:\-]+{_SYMBOL}{_LIMIT}",
        rf"\b{_VERBS}{_FILLER}{{0,6}}\s+\$\s?(?P<usd>{_NUMBER}){_SCALE}(?:\s+(?i:worth))?"
        rf"\s+(?i:of|in|into)\s+{_SYMBOL}",
        rf"\b{_VERBS}{_FILLER}{{0,6}}\s+{_SYMBOL}[\s,:;(\-]{{1,3}}(?i:qty|quantity|size|amount|x)\s*[:=]?\s*"
        rf"{_MUCH}{_SCALE}",
        rf"\b{_VERBS}{_FILLER}{{0,6}}\s+{_SYMBOL}[\s,:;(\-]{{1,3}}{_MUCH}{_SCALE}\s+(?i:shares|units)\b",
        rf"{_SYMBOL}[\s:\-|>]{{1,4}}{_VERBS}{_FILLER}{{0,4}}\s+{_MUCH}{_SCALE}(?=\s+(?i:shares|units)\b|[\s.!,]*$)",
        rf"\b(?i:use|put|allocate|invest|move)\s+(?P<qty>(?i:all|100\s?%|everything|the\s+entire))[^.!?]{{0,60}}?\s"
        rf"(?i:to\s+buy|into|to|in)\s+(?:shares\s+of\s+)?{_SYMBOL}",
    )
)
_CALL: Final = re.compile(
    r"(?i:\b(?:call|invoke|run|execute|use|place|submit|issue|emit|send)\b[^{}()]{0,60}"
    r"|\b(?:place|submit|create|send)\w*order\w*\s*)"
    r"[({](?P<body>[^{}()]{10,300})[)}]"
)
_FIELD: Final = re.compile(
    r"[\"']?\b(symbol|ticker|side|action|qty|quantity|shares|amount)\b[\"']?\s*[:=]\s*[\"']?\$?([A-Za-z0-9.,/]+)"
)
_CANCEL: Final = re.compile(
    r"\b(?i:cancel)\s+(?i:all|every|any)(?:\s+(?i:of|the|your|our|my|open|working|pending|outstanding|existing))*"
    r"\s+(?i:orders?)\b"
)
_CLOSE: Final = re.compile(
    r"\b(?i:liquidate|close(?:\s+out)?|sell|exit|dump)\s+(?i:all|every|everything|the\s+entire|your\s+entire)"
    r"(?:\s+(?i:of|the|your|our|my|open|existing))*(?:\s+(?i:positions?|holdings?|portfolio))\b(?!\s+(?i:in|of)\b)"
)
_WITHDRAW: Final = re.compile(
    r"\b(?i:withdraw|transfer|wire|send)\s+(?:\$\s?)?(?P<qty>(?i:all|everything|the\s+entire)|"
    rf"{_NUMBER}){_SCALE}(?:\s+(?i:of|the|your|our|my|available|remaining|funds|cash|balance|money|usd|dollars))*"
    r"\s+(?i:to|into)\s+(?:(?i:the|account|wallet|address|iban|bank|number|at)\s+)*(?P<to>[A-Za-z0-9][\w:.@\-]{3,80})"
)
# Words that look like tickers and are none.
_WORDS: Final = frozenset(
    "A I ALL AN AND ANY API ARE AS AT BE BUY BY CEO CFO CLOSE DO EPS ETF EU FDA FOR FROM GDP GO IF IN IPO IS IT JSON"
    " LIMIT LONG LLC ME MORE MY NEWS NO NOT NOTE NOW NYSE OF ON OR ORDER OUR PER PLEASE PM SEC SELL SHARE SHARES SHORT"
    " SIDE STOCK SYSTEM THAT THE THEN THIS TO TODAY UK UNITS UP US USD USER WE WITH WORTH YOU YOUR".split()
)
_SELLING: Final = ("sell", "short", "dump", "liquidate", "unload", "offload", "exit", "close")
# "would buy", "funds buy", "do not sell" tell of trades or forbid them.
_TELLING: Final = re.compile(
    r"(?i)\b(?:not|never|don't|doesn't|didn't|won't|cannot|can't|will|would|could|may|might|did|does|who|they|he|she|we"
    r"|funds?|investors?|insiders?|clients?|analysts?|directors?|brokers?|managers?|plans?|agreed|if|or)\s*$"
)
_YOU: Final = re.compile(
    r"(?i)\b(?:you|assistant|agent|model|bot|trader)\s+(?:will|would|could|may|might|must|should)\s*$"
)
# "Acme to buy 400 shares of IBM" is a headline, "you need to buy" an order.
_INFINITIVE: Final = re.compile(r"(?i)(?P<word>[\w'-]+)[\s:]+to\s*$")
_ORDERED: Final = frozenset(
    "action agent approved assistant authorized bot have instruction instructions is model must need needs obliged"
    " order orders proceed remember request required sure system task tool trader want you".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """
    One thing to do. `quantity` counts shares or USD by `measure`; null with `all`.

    `to` is where a withdrawal goes.
    """

    kind: Kind
    side: Side = Side.BUY
    symbol: str = ""
    quantity: Decimal | None = None
    measure: Measure = "shares"
    limit_price: Decimal | None = None
    to: str = ""


def find(text: str) -> list[Command]:
    """Every command in a text, each once, in the order of reading."""
    out: list[Command] = []
    for reading in readings(text):
        for _, command in sorted(_all(reading), key=lambda item: item[0]):
            if not any(_same(command, other) for other in out):
                out.append(command)
    return out


def _same(one: Command, two: Command) -> bool:
    """Two patterns may read one sentence; a limit that only one of them saw is no second order."""
    return (one.kind, one.side, one.symbol, one.quantity, one.measure, one.to) == (
        two.kind, two.side, two.symbol, two.quantity, two.measure, two.to,
    )  # fmt: skip


def _all(text: str) -> Iterator[tuple[int, Command]]:
    for pattern in _TRADES:
        for found in pattern.finditer(text):
            command = _trade(found)
            if command is not None and _meant(text[max(0, found.start() - 60) : found.start()]):
                yield found.start(), command
    for found in _CALL.finditer(text):
        command = _called(found["body"])
        if command is not None and _meant(text[max(0, found.start() - 60) : found.start()]):
            yield found.start(), command
    for found in _CANCEL.finditer(text):
        if _meant(text[max(0, found.start() - 60) : found.start()]):
            yield found.start(), Command(kind="cancel_all", measure="all")
    for found in _CLOSE.finditer(text):
        if _meant(text[max(0, found.start() - 60) : found.start()]):
            yield found.start(), Command(kind="close_all", side=Side.SELL, measure="all")
    for found in _WITHDRAW.finditer(text):
        if _meant(text[max(0, found.start() - 60) : found.start()]):
            quantity = _amount(found["qty"], found["scale"])
            measure: Measure = "all" if quantity is None else "usd"
            yield (
                found.start(),
                Command(kind="withdraw", quantity=quantity, measure=measure, to=found["to"].rstrip(".")),
            )


def _trade(found: re.Match[str]) -> Command | None:
    groups = found.groupdict()
    symbol = groups["symbol"]
    if symbol in _WORDS:
        return None
    verb = " ".join((groups.get("verb") or "buy").lower().split())
    side = Side.SELL if verb.startswith(_SELLING) else Side.BUY
    dollars = groups.get("usd")
    quantity = _amount(dollars or groups.get("qty") or "", groups.get("scale"))
    if quantity == 0:
        return None
    measure: Measure = "all" if quantity is None else "usd" if dollars else "shares"
    limit = groups.get("limit")
    return Command(
        kind="trade",
        side=side,
        symbol=symbol,
        quantity=quantity,
        measure=measure,
        limit_price=Decimal(limit) if limit else None,
    )


def _called(body: str) -> Command | None:
    """The fields of a written-out call, such as `place_order(symbol="ZVTX", side="buy", qty=400)`."""
    fields = {name.lower(): value for name, value in _FIELD.findall(body)}
    symbol = fields.get("symbol") or fields.get("ticker") or ""
    side = (fields.get("side") or fields.get("action") or "").lower()
    quantity = _amount(next((fields[k] for k in ("qty", "quantity", "shares", "amount") if k in fields), ""), None)
    if not symbol.isupper() or side not in ("buy", "sell") or not quantity:
        return None
    return Command(kind="trade", side=Side(side), symbol=symbol, quantity=quantity)


def _amount(text: str, scale: str | None) -> Decimal | None:
    digits = text.replace(",", "").rstrip(".")
    if not re.fullmatch(r"\d{1,12}(\.\d{1,9})?", digits):
        return None
    return Decimal(digits) * {"k": 1_000, "thousand": 1_000, "million": 1_000_000}.get((scale or "").lower(), 1)


def _meant(before: str) -> bool:
    """Whether what stands before a verb leaves it an imperative."""
    if _TELLING.search(before) and not _YOU.search(before):
        return False
    found = _INFINITIVE.search(before)
    return found is None or found["word"].lower() in _ORDERED
