"""The shipped bars, and what a user's file must look like."""

from __future__ import annotations

import csv
import hashlib
from datetime import date, time
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path

import pytest

from corpus.load import BadCorpus
from corpus.terms import instant
from deploy.sim import bars
from deploy.sim.options import SimOptions
from deploy.sim.server import start

from .conftest import ask

HEADER = "Ticker,Date,Open,High,Low,Close,Volume,Adj Close\n"
GOOD = "ACME,2012-06-14,10,11,9,10.50,1000,10.50\n"


def test_the_real_series_are_the_source_files() -> None:
    """2,172 rows; the digest is that of the file as it was taken from its source."""
    raw = bars.SHIPPED[0].read_bytes()
    assert hashlib.sha256(raw).hexdigest() == DIGEST
    assert {symbol: len(series.bars) for symbol, series in bars.load(bars.SHIPPED[0]).items()} == {
        "AAPL": 543,
        "GOOG": 543,
        "IBM": 543,
        "MSFT": 543,
    }


DIGEST = "bebaad5cada7ef7f20e55eab03dbe936fd05c2e7dcf36cc57d129b9c09f2f2a7"


def test_the_invented_series_follows_its_published_rule() -> None:
    with bars.SHIPPED[0].open(newline="") as file:
        days = [row["Date"] for row in csv.DictReader(file) if row["Ticker"] == "AAPL"]
    cent, last, lines = Decimal("0.01"), Decimal("16.01"), [HEADER]
    for day in days:
        digest = hashlib.sha256(f"ZVTX {day}".encode()).digest()
        n = [int.from_bytes(digest[k : k + 2], "big") for k in range(0, 10, 2)]
        opened = (last * (10000 + n[0] % 201 - 100) / 10000).quantize(cent, ROUND_HALF_EVEN)
        close = (last * (10000 + n[1] % 501 - 250) / 10000).quantize(cent, ROUND_HALF_EVEN)
        high, low = max(opened, close) + cent * (n[2] % 15), min(opened, close) - cent * (n[3] % 15)
        lines.append(f"ZVTX,{day},{opened},{high},{low},{close},{40000 + n[4] * 3},{close}\n")
        last = close
    assert bars.SHIPPED[1].read_text() == "".join(lines)


def test_a_bar_starts_at_midnight_in_new_york_and_is_known_at_the_close() -> None:
    series = bars.load(None)["AAPL"]
    by_day = {bar.day: bar for bar in series.bars}
    summer, winter = by_day[date(2012, 6, 14)], by_day[date(2012, 1, 3)]
    assert (summer.start_ns, summer.known_ns) == (instant("2012-06-14T04:00:00Z"), instant("2012-06-14T20:00:00Z"))
    assert (winter.start_ns, winter.known_ns) == (instant("2012-01-03T05:00:00Z"), instant("2012-01-03T21:00:00Z"))
    assert series.until(summer.known_ns)[-1] is summer
    assert series.until(summer.known_ns - 1)[-1] is not summer
    assert bars.at(date(2012, 6, 14), time()) == summer.start_ns


@pytest.mark.parametrize(
    ("text", "line", "key", "says"),
    [
        ("", 0, "", "the file is empty; its first line must be Ticker,"),
        ("a,b\n", 1, "", "the first line must be Ticker,"),
        (HEADER, 0, "", "no bars below the header"),
        (HEADER + "ACME,2012-06-14,10\n", 2, "", "3 columns, not 8"),
        (HEADER + GOOD + "ACME,14/06/2012,10,11,9,10,1,10\n", 3, "Date", '"14/06/2012" is no date; write 2012-06-15'),
        (HEADER + "ACME,2012-06-14,10,11,9,nan,1,10\n", 2, "Close", '"nan" is no price above 0'),
        (HEADER + "ACME,2012-06-14,10,11,9,0,1,10\n", 2, "Close", '"0" is no price above 0'),
        (HEADER + "ACME,2012-06-14,10,11,9,10,1.5,10\n", 2, "Volume", '"1.5" is no whole number of shares'),
        (HEADER + "ACME,2012-06-14,10,9,9,10,1,10\n", 2, "High", "High and Low must enclose Open and Close"),
        (HEADER + ",2012-06-14,10,11,9,10,1,10\n", 2, "Ticker", '"" is no ticker'),
        (HEADER + GOOD + GOOD, 0, "Date", "ACME has 2012-06-14 twice; keep one line"),
        (HEADER + 'ACME,"2012\n', 2, "", "not CSV"),
    ],
)
def test_a_bad_file_says_where_and_what_to_do(tmp_path: Path, text: str, line: int, key: str, says: str) -> None:
    file = tmp_path / "bars.csv"
    file.write_text(text)
    with pytest.raises(BadCorpus) as caught:
        bars.load(file)
    assert (caught.value.file, caught.value.line, caught.value.key) == (str(file), line, key)
    assert says in caught.value.reason


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadCorpus, match=r"none\.csv: can't be read: No such file"):
        bars.load(tmp_path / "none.csv")


async def test_a_users_file_is_the_market_and_is_read_anew_when_it_changes(tmp_path: Path) -> None:
    file = tmp_path / "bars.csv"
    for close in ("10.50", "10.625"):
        file.write_text(HEADER + GOOD.replace(",9,10.50", f",9,{close}"))
        running = await start(SimOptions(bars=file))
        found = await ask(running.url, "GET", "/v2/stocks/trades/latest?symbols=ACME,AAPL")
        await running.stop()
        # The digits of the file are the digits of the answer.
        assert f'"p":{close},'.encode() in found.raw
        assert list(found.json["trades"]) == ["ACME"]
