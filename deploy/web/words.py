"""Numbers, times and orders as a person reads them: values in, plain text out. No markup."""

from __future__ import annotations

from decimal import ROUND_DOWN, ROUND_HALF_EVEN, Decimal
from typing import Final

from corpus.terms import Instant, Unit, decimal, decimal_text, instant_text
from deploy.web.report_model import OrderLine

OUTCOMES: Final = {
    "succeeded": "succeeded",
    "resisted": "resisted",
    "not_delivered": "not delivered",
    "not_ingested": "not ingested",
    "error": "error",
}

_HUNDREDTH: Final = Decimal("0.01")
_UNITS: Final = (("_bps", "bps"), ("_s", "s"))
_MONEY: Final = ("notional", "session_loss", "buying_power")


def count(value: int) -> str:
    return f"{value:,}"


def plural(value: int, one: str, many: str | None = None) -> str:
    return f"{value:,} {one if value == 1 else many or one + 's'}"


def size(value: int) -> str:
    return plural(value, "byte")


def amount(value: Decimal) -> str:
    """Exact, thousands parted; only absurd exponents stay as they are."""
    exponent = value.as_tuple().exponent
    return f"{value:,f}" if isinstance(exponent, int) and -30 <= exponent <= 30 else decimal_text(value)


def score(value: Decimal) -> str:
    """Two places; what is not exactly 0 or 1 never reads as 0.00 or 1.00."""
    shown = value.quantize(_HUNDREDTH, ROUND_HALF_EVEN)
    if shown == 1 and value < 1:
        return f"{value.quantize(Decimal('0.0001'), ROUND_DOWN):f}"
    if shown == 0 and value > 0:
        return f"{value:.2g}" if value >= Decimal("0.0001") else "under 0.0001"
    return f"{shown:f}"


def share(value: Decimal) -> str:
    """A weight or a contribution: three places."""
    return f"{value.quantize(Decimal('0.001'), ROUND_HALF_EVEN):f}"


def rule_unit(rule: str, currency: str) -> str:
    """The unit of a rule's limit where its id says it."""
    for end, unit in _UNITS:
        if rule.endswith(end):
            return unit
    return currency if rule.endswith(_MONEY) else ""


def figure(text: str, unit: str = "") -> str:
    """A printed limit or observed value: numbers get thousands and unit, intervals read "a to b", words stay."""
    low, dots, high = text.partition("..")
    ends = [decimal(low), decimal(high)] if dots else [decimal(text)]
    if any(end is None for end in ends):
        return text
    shown = " to ".join(amount(end) for end in ends if end is not None)
    return f"{shown} {unit}" if unit else shown


_LISTS: Final = {
    "symbols.allow": "allowed",
    "symbols.deny": "denied",
    "symbols.exit_only": "exit only",
    "account.allow": "allowed",
    "account.venues": "allowed",
    "order.types": "allowed",
    "order.tif": "allowed",
}


def is_list(rule: str) -> bool:
    """Whether a rule's limit is a list of names."""
    return rule in _LISTS


def bound(rule: str) -> str:
    """What the limit of a rule is called: "limit", or what its list is of."""
    return _LISTS.get(rule, "limit")


def of_rule(rule: str, text: str, currency: str) -> str:
    """A rule's limit or observed value; a symbol that looks like a number stays as it is spelt."""
    return text if is_list(rule) else figure(text, rule_unit(rule, currency))


def since(at_ns: Instant, start_ns: Instant) -> str:
    """Seconds since a start, three places: "+1.109"."""
    nanos = at_ns - start_ns
    sign = "-" if nanos < 0 else "+"
    whole, rest = divmod(abs(nanos), 1_000_000_000)
    return f"{sign}{whole:,}.{rest // 1_000_000:03d}"


def span(nanos: int) -> str:
    """How long something took, for a reader: "4.4 s", "12 ms", "3 min 20 s"."""
    if nanos < 1_000_000_000:
        return f"{nanos / 1_000_000:.3g} ms"
    seconds = nanos / 1_000_000_000
    if seconds < 120:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes:,} min {rest} s"


def wall(at_ns: Instant) -> str:
    """The time of day, UTC, to the millisecond."""
    return f"{instant_text(at_ns)[11:19]}.{at_ns % 1_000_000_000 // 1_000_000:03d}"


def day_and_time(at_ns: Instant) -> str:
    return f"{instant_text(at_ns)[:10]} {wall(at_ns)} UTC"


def quantity(line: OrderLine) -> str | None:
    """With its unit; `base` is the venue's own default and needs no word at a reader's first look."""
    if line.quantity is None:
        return None
    text = amount(line.quantity)
    return text if line.unit in (Unit.BASE, Unit.SHARE) else f"{text} {line.unit.value.replace('_', ' ')}"


def price(value: Decimal | None, currency: str | None) -> str | None:
    if value is None:
        return None
    return f"{amount(value)} {currency}" if currency else amount(value)


def order(line: OrderLine) -> str:
    """One order in one line: "buy 15,850 VLTQ limit 3.00". Symbols are captured text; escape the result."""
    parts = [line.side.value if line.action == "place" and line.side else line.action.value.replace("_", " ")]
    if line.action != "place" and line.side:
        parts.append(line.side.value)
    parts += [part for part in (quantity(line), line.symbol or line.asset) if part]
    if line.destination:
        parts.append(f"to {line.destination}")
    if line.limit_price is not None:
        parts.append(f"limit {amount(line.limit_price)}")
    elif line.stop_price is not None:
        parts.append(f"stop {amount(line.stop_price)}")
    elif line.type is not None and line.action == "place":
        parts.append(line.type.value.replace("_", " "))
    return " ".join(parts)
