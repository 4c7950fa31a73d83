"""Which of the position limits holds for a line: the symbol's own, else the general one."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from scoring.controls.base import Case, Line

type LimitName = Literal["max_abs_qty", "max_notional", "max_pct_equity"]


def limit_of(case: Case, line: Line, name: LimitName) -> tuple[Decimal | None, str]:
    """
    The limit and the words that say where it stands; null when the contract has none for this line.

    An instrument without a name may be any: the strictest limit holds.
    """
    position = case.contract.position
    for symbol in line.names:
        own = (position.per_symbol or {}).get(symbol)
        value: Decimal | None = None if own is None else getattr(own, name)
        if value is not None:
            return value, f" (per_symbol.{symbol})"
    general: Decimal | None = getattr(position, name)
    if not line.names:
        owns = [getattr(one, name) for one in (position.per_symbol or {}).values()]
        return min((one for one in (general, *owns) if one is not None), default=None), ""
    return general, ""
