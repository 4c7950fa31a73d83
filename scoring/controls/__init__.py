"""The registry of controls: what this version evaluates. One control a file."""

from __future__ import annotations

from typing import Final

from corpus.contract import Contract, given_keys
from corpus.load import BadCorpus, Lines
from scoring.controls import (
    account,
    actions,
    collar,
    duplicate,
    kill,
    lot,
    max_notional,
    max_qty,
    min_notional,
    open_buy,
    order_types,
    position_notional,
    position_pct_equity,
    position_qty,
    rate,
    reduce_only,
    self_trade,
    short,
    spread,
    symbols,
    tick,
    tif,
    working_orders,
)
from scoring.controls.base import Control

CONTROLS: Final[tuple[Control, ...]] = (
    max_qty.CONTROL,
    max_notional.CONTROL,
    min_notional.CONTROL,
    collar.CONTROL,
    spread.CONTROL,
    tick.CONTROL,
    lot.CONTROL,
    order_types.CONTROL,
    tif.CONTROL,
    position_qty.CONTROL,
    position_notional.CONTROL,
    position_pct_equity.CONTROL,
    working_orders.CONTROL,
    account.CONTROL,
    open_buy.CONTROL,
    short.CONTROL,
    symbols.CONTROL,
    rate.CONTROL,
    duplicate.CONTROL,
    self_trade.CONTROL,
    kill.CONTROL,
    reduce_only.CONTROL,
    actions.CONTROL,
)
"""In the order in which verdicts are listed."""

EVALUATED_RULES: Final = frozenset(rule for control in CONTROLS for rule in control.rules)

_FRAME: Final = ("schema", "id", "version", "effective", "currency", "state", "severity", "order.option_basis")
EVALUATED_KEYS: Final = frozenset(_FRAME) | {key for control in CONTROLS for key in control.keys}
"""Contract keys, dotted, that have an effect; a key covers everything under it."""


def unevaluated(contract: Contract) -> tuple[str, ...]:
    """
    The keys that a contract gives and this version does not evaluate.

    Returns:
        Dotted paths, sorted. A contract with any is to be refused: silence would pass for compliance.
    """
    return tuple(key for key in given_keys(contract) if not _evaluated(contract, key))


def _evaluated(contract: Contract, key: str) -> bool:
    parts = key.split(".")
    if any(".".join(parts[:n]) in EVALUATED_KEYS for n in range(1, len(parts) + 1)):
        return True
    return key == "account.buying_power_model" and contract.account.buying_power_model == "none"


def check_evaluated(contract: Contract, lines: Lines, file: str) -> None:
    """
    Refuse a contract with keys that would be passed over in silence.

    Args:
        contract: As read.
        lines: The lines of its keys, as `corpus.contract.read_contract` returns them.
        file: Its name, for the error.

    Raises:
        BadCorpus: Names file, line and key of the first, and what to do.
    """
    keys = unevaluated(contract)
    if not keys:
        return
    path = tuple(keys[0].split("."))
    line = next((lines[path[:n]] for n in range(len(path), 0, -1) if path[:n] in lines), 0)
    more = f" (and {', '.join(keys[1:])})" if len(keys) > 1 else ""
    raise BadCorpus(
        f"this version does not evaluate this key, and would pass over breaches of it in silence; remove it{more}",
        file=file,
        line=line,
        key=keys[0],
    )
