"""What a reader must find in a capture, and how it is compared: by the rules of expected_orders.yaml's header."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

from tests.e2e.support.upstream import Handler, Received, Send, answer

CAPTURES = Path(__file__).parents[2] / "vectors" / "captures"
NUMBERS = ("quantity", "limit_price", "stop_price")


def expected(capture: str) -> list[dict[str, Any]]:
    entries = yaml.safe_load((CAPTURES / "expected_orders.yaml").read_text("utf-8"))[capture]
    assert entries
    return list(entries)


def differences(entries: Sequence[dict[str, Any]], lines: Sequence[dict[str, Any]], *, labels: bool) -> Iterator[str]:
    """In order; only the keys of an entry; decimals by value; the label after the colon of the comment."""
    if len(entries) != len(lines):
        yield f"{len(entries)} orders expected, {len(lines)} found"
    for n, (entry, line) in enumerate(zip(entries, lines, strict=False)):
        for key, wanted in entry.items():
            if key == "label":
                found = (line["exchange_label"] or "").partition(":")[2] if labels else wanted
            else:
                found = line[key]
            same = Decimal(found or "NaN") == Decimal(wanted) if key in NUMBERS else found == wanted
            if not same:
                yield f"{n} {entry.get('label')}: {key} should be {wanted!r}, is {found!r}"


def entries_of(capture: str) -> list[dict[str, Any]]:
    return list(json.loads((CAPTURES / f"{capture}.har").read_bytes())["log"]["entries"])


def played(capture: str) -> Handler:
    """
    An upstream that answers as in a capture: by method and path, each recorded answer in its turn.

    The stand-ins echo numbers of orders as numbers; the venue prints them as strings, and the SDK's models insist.
    """
    left: dict[tuple[str, str], list[bytes]] = {}
    for entry in entries_of(capture):
        sent, got = entry["request"], entry["response"]
        path = "/" + sent["url"].split("/", 3)[3].partition("?")[0]
        fields = [(one["name"], one["value"]) for one in got["headers"]]
        text = got["content"].get("text") or ""
        if path.startswith(("/v2/orders", "/v2/positions")):
            text = re.sub(r'"(notional|qty|limit_price|stop_price|trail_percent)": ([0-9.]+)', r'"\1": "\2"', text)
        raw = answer(text.encode(), *fields, status=f"{got['status']} X", kind=None)
        if got["status"] == 204:
            raw = b"HTTP/1.1 204 No Content\r\n\r\n"
        left.setdefault((sent["method"], path), []).append(raw)

    async def handle(received: Received, send: Send) -> None:
        answers = left[received.method, received.path]
        await send(answers.pop(0) if len(answers) > 1 else answers[0])

    return handle
