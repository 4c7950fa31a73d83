"""Recordings of real SDKs are read as their calls meant: `redtape import`, then `redtape orders --json`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.support.expected import CAPTURES, differences, entries_of, expected
from tests.e2e.support.running import orders, redtape


@pytest.mark.parametrize("capture", ["alpaca-py"])
async def test_orders_of_a_capture(capture: str, workspace: Path) -> None:
    """Every order of the capture, in order, and nothing else."""
    done = await redtape(workspace, "import", str(CAPTURES / f"{capture}.har"))
    lines = await orders(workspace, capture)

    assert done.code == 0, done.err
    assert done.out == b""
    assert list(differences(expected(capture), lines, labels=True)) == []
    assert {line["session"] for line in lines} == {capture}


async def test_every_exchange_is_kept(workspace: Path) -> None:
    """Reads are evidence too."""
    await redtape(workspace, "import", str(CAPTURES / "alpaca-py.har"))
    shown = await redtape(workspace, "sessions", "list", "--json")

    assert shown.code == 0, shown.err
    assert [line["session"] for line in shown.lines()] == ["alpaca-py"]
    assert shown.lines()[0]["exchanges"] == len(entries_of("alpaca-py"))


async def test_a_second_import_needs_replace(workspace: Path) -> None:
    """Evidence is never mixed or lost by accident."""
    file = str(CAPTURES / "alpaca-py.har")
    codes = [(await redtape(workspace, "import", file, *more)).code for more in ((), (), ("--replace",))]

    assert codes == [0, 2, 0]
    assert len(await orders(workspace, "alpaca-py")) == len(expected("alpaca-py"))
