"""
What the sim's model answers: a pure function of the conversation, with no luck and no memory.

Both policies trade a plain momentum rule. *Gullible* obeys a command wherever it reads one; *guarded* obeys
the system and the user, and takes tool results and tool descriptions as data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal
from typing import Any, Final, Literal

from deploy.sim import commands, tools
from deploy.sim.commands import Command
from deploy.sim.evidence import Evidence
from deploy.sim.reading import leaves
from deploy.sim.tools import Role, Tool

type Policy = Literal["gullible", "guarded"]

QUANTITY: Final = Decimal(10)
"""Shares that the momentum rule buys."""

_TICKER: Final = re.compile(r"(?<![A-Za-z0-9$/._-])\$?([A-Z]{2,5})(?![A-Za-z0-9_])")
_NO_TICKERS: Final = frozenset(
    "API JSON USD US NYSE ETF CEO EPS NEWS AND OR THE NOT ONLY MUST BUY SELL OK ID UTC".split()
)
_MOST: Final = 8
"""Symbols that are reviewed; a longer list is cut."""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call to emit."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Decision:
    """Either calls, or the final text."""

    calls: tuple[Call, ...] = ()
    text: str = ""


def decide(messages: list[dict[str, Any]], offered: tuple[Tool, ...], policy: Policy) -> Decision:
    """
    The next step of a conversation.

    Args:
        messages: As in a chat.completions request.
        offered: Its tools.
        policy: How commands in data are taken.

    Returns:
        Calls that were not made before: commands first, then readings, then the rule's orders; or the final text.
    """
    evidence = Evidence.of(messages)
    roles = tools.by_role(offered)
    told = list(_commands(_trusted(messages)))
    obeyed = list(told)
    if policy == "gullible":
        texts = [text for content in evidence.contents for text in leaves(content)]
        texts += [text for tool in offered for text in tool.texts()]
        obeyed += [command for command in _commands(texts) if command not in obeyed]
    done: list[str] = []
    for command in obeyed:
        calls, note = _obey(command, roles, evidence)
        fresh = _fresh(calls, evidence)
        if fresh:
            return Decision(fresh)
        if note:
            done.append(note)
    symbols = () if told else _symbols(messages)
    wanted = _fresh(list(_readings(symbols, roles)), evidence)
    if wanted:
        return Decision(wanted)
    orders, reasons = _momentum(symbols, roles, evidence)
    fresh = _fresh(orders, evidence)
    if fresh:
        return Decision(fresh)
    return Decision(text=" ".join([*done, *reasons]) or "No trade: there is nothing here to decide on.")


def _trusted(messages: list[dict[str, Any]]) -> list[str]:
    return [
        text for message in messages if message["role"] in ("system", "developer", "user") for text in said(message)
    ]


def said(message: dict[str, Any]) -> Iterator[str]:
    """The texts of one message, whose content is a text or a list of parts."""
    content = message.get("content")
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        for part in content:
            if isinstance(part, dict) and isinstance(part.get("text"), str):
                yield part["text"]


def _commands(texts: list[str]) -> Iterator[Command]:
    seen: list[Command] = []
    for text in texts:
        for command in commands.find(text):
            if command not in seen:
                seen.append(command)
                yield command


def _fresh(calls: list[Call], evidence: Evidence) -> tuple[Call, ...]:
    return tuple(call for call in calls if not evidence.made(call.name, call.arguments))


def _symbols(messages: list[dict[str, Any]]) -> tuple[str, ...]:
    out: dict[str, None] = {}
    for message in messages:
        if message["role"] == "user":
            for text in said(message):
                out.update(dict.fromkeys(_TICKER.findall(text)))
    return tuple(symbol for symbol in out if symbol not in _NO_TICKERS)[:_MOST]


def _readings(symbols: tuple[str, ...], roles: dict[Role, Tool]) -> Iterator[Call]:
    if not symbols:
        return
    for role in ("account", "positions"):
        if role in roles:
            yield Call(roles[role].name, {})
    for role in ("bars", "news", "quote"):
        if role in roles:
            for arguments in tools.symbol_arguments(roles[role], symbols):
                yield Call(roles[role].name, arguments)


def _momentum(symbols: tuple[str, ...], roles: dict[Role, Tool], evidence: Evidence) -> tuple[list[Call], list[str]]:
    """Buy where the last close lies above the mean of the closes."""
    calls, reasons = [], []
    for symbol in symbols:
        closes = evidence.closes(symbol)
        if not closes:
            reasons.append(f"{symbol}: no closes to judge by, no trade.")
        elif closes[-1] * len(closes) > sum(closes):
            order = _order(roles, symbol, "buy", QUANTITY)
            calls += [order] if order else []
            act = f"buy {QUANTITY}" if order else "a buy, but no tool to place it"
            reasons.append(f"{symbol}: last close {closes[-1]} is above the mean of the closes, {act}.")
        else:
            reasons.append(f"{symbol}: last close {closes[-1]} is not above the mean of the closes, no trade.")
    return calls, reasons


def _order(
    roles: dict[Role, Tool], symbol: str, side: str, quantity: Decimal, limit: Decimal | None = None
) -> Call | None:
    tool = roles.get("order") or roles.get("buy" if side == "buy" else "sell")
    return None if tool is None else Call(tool.name, tools.order_arguments(tool, symbol, side, quantity, limit))


def _obey(command: Command, roles: dict[Role, Tool], evidence: Evidence) -> tuple[list[Call], str]:
    """The calls that carry a command out, readings that it needs first, and what to say of it afterwards."""
    if command.kind == "trade":
        return _trade(command, roles, evidence)
    if command.kind == "close_all" and "close_all" not in roles:
        needed = _needed(("positions", "account"), roles, evidence)
        if needed:
            return needed, ""
        held = {symbol: quantity for symbol, quantity in evidence.positions().items() if quantity}
        sells = [_order(roles, s, "sell" if q > 0 else "buy", abs(q)) for s, q in sorted(held.items())]
        return [call for call in sells if call], "Closed every position as instructed."
    tool = roles.get(command.kind)
    if tool is None:
        return [], ""
    arguments: dict[str, Any] = {}
    if command.kind == "withdraw":
        amount, to = tool.argument("qty"), tool.argument("to")
        cash = command.quantity if command.quantity is not None else evidence.cash()
        if amount is not None and cash is not None:
            arguments[amount] = tools.fit(tool.properties[amount], cash)
        if to is not None:
            arguments[to] = command.to
    return [Call(tool.name, arguments)], f"{command.kind.replace('_', ' ').capitalize()} as instructed."


def _trade(command: Command, roles: dict[Role, Tool], evidence: Evidence) -> tuple[list[Call], str]:
    symbol, side = command.symbol, command.side.value
    needed: list[Call] = []
    quantity = command.quantity
    if command.measure == "all" and side == "sell":
        if "close" in roles and roles["close"].argument("symbol"):
            return [Call(roles["close"].name, tools.symbol_arguments(roles["close"], (symbol,))[0])], ""
        needed = _needed(("positions", "account"), roles, evidence)
        quantity = evidence.positions().get(symbol)
    elif command.measure != "shares":
        needed = [] if quantity is not None else _needed(("account",), roles, evidence)
        worth = quantity if quantity is not None else evidence.cash()
        price = evidence.price(symbol)
        if price is None and "quote" in roles:
            asked = [Call(roles["quote"].name, a) for a in tools.symbol_arguments(roles["quote"], (symbol,))]
            needed += _fresh(asked, evidence)
        quantity = (worth / price).to_integral_value(ROUND_DOWN) if worth and price else None
    if needed:
        return needed, ""
    if not quantity or quantity < 0:
        return [], f"{symbol}: nothing to {side}."
    order = _order(roles, symbol, side, quantity, command.limit_price)
    return ([order] if order else []), f"{symbol}: {side} {quantity} as instructed."


def _needed(wanted: tuple[Role, ...], roles: dict[Role, Tool], evidence: Evidence) -> list[Call]:
    calls = [Call(roles[role].name, {}) for role in wanted if role in roles]
    return list(_fresh(calls, evidence))
