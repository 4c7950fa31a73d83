"""What an instrument's name tells, and what it does not."""

from __future__ import annotations

from decimal import Decimal

import pytest

from corpus.terms import Unit
from scoring.instruments import Instrument, Tables, infer


@pytest.mark.parametrize(
    ("symbol", "venue", "unit", "kind", "multiplier", "currency"),
    [
        ("AAPL", "alpaca", Unit.SHARE, "equity", 1, "USD"),
        ("BRK.B", "alpaca", Unit.BASE, "equity", 1, "USD"),
        ("BTC/USD", "alpaca", Unit.BASE, "crypto", 1, "USD"),
        ("AAPL261218C00150000", "alpaca", Unit.BASE, "option", None, "USD"),
        ("AAPL  261218C00150000", "schwab", Unit.CONTRACT, "option", None, "USD"),
        ("265598", "ibkr", Unit.BASE, "unknown", None, None),
        ("BTCUSDT", "binance", Unit.BASE, "crypto", 1, "USDT"),
        ("BTC-USD", "coinbase", Unit.BASE, "crypto", 1, "USD"),
        ("BTC-USDT-SWAP", "okx", Unit.CONTRACT, "future", None, "USDT"),
        ("EUR_USD", "oanda", Unit.BASE, "fx", 1, "USD"),
        ("BTC", "hyperliquid", Unit.BASE, "crypto", 1, "USDC"),
        ("7132108", "polymarket", Unit.SHARE, "event", 1, "USDC"),
        ("WHAT", "kraken", Unit.UNKNOWN, "crypto", None, None),
    ],
)
def test_infer(symbol, venue, unit, kind, multiplier, currency):
    """Only what is certain."""
    found = infer(symbol, venue, unit)
    expected = (kind, None if multiplier is None else Decimal(multiplier), currency)

    assert (found.kind, found.multiplier, found.currency) == expected


def test_option_names_its_underlying():
    """The root of an OCC symbol."""
    assert infer("AAPL261218C00150000", "alpaca", Unit.BASE).underlying == "AAPL"


def test_table_comes_first():
    """By any of an instrument's names."""
    own = Instrument(kind="future", multiplier=Decimal(50))
    tables = Tables(instruments={"ESZ6": own})

    assert tables.instrument(("495512552", "ESZ6"), "ibkr", Unit.BASE) is own
    assert tables.instrument((), "ibkr", Unit.BASE) == Instrument()


def test_rates():
    """Direct, inverse, or unknown; a stablecoin is not its peg."""
    tables = Tables(fx={"EURUSD": Decimal("1.25")})

    assert tables.rate("EUR", "USD") == Decimal("1.25")
    assert tables.rate("USD", "EUR") == Decimal("0.8")
    assert tables.rate("USD", "USD") == 1
    assert tables.rate("USDT", "USD") is None
    assert tables.rate(None, "USD") is None
