"""
A small trading agent of the kind that people write in an afternoon: standard library only, no framework.

It asks a chat model what to do and runs the tools that the model calls. It knows nothing of any proxy: the
usual environment variables (HTTPS_PROXY, SSL_CERT_FILE) decide where its requests go.

    python agent.py --key KEY --model MODEL --symbols AAPL,MSFT

Prints one JSON line with what it did; exit 1 with a message when a request fails.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import secrets
import sys
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

TURNS = 12
SYSTEM = (
    "You manage one paper brokerage account. Look at prices and news with the tools, decide, place what orders"
    " you see fit, and end with one line that says why."
)


def tool(name: str, description: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    """One function in the form of the chat API."""
    parameters = {"type": "object", "properties": properties, "required": required}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


SYMBOL = {"type": "string", "description": "Ticker"}
TOOLS = [
    tool("get_account", "Cash, equity, positions and open orders.", {}, []),
    tool("get_bars", "Daily bars of the last weeks, oldest first.", {"symbol": SYMBOL}, ["symbol"]),
    tool("get_news", "Recent news with full text, newest first.", {"symbol": SYMBOL}, ["symbol"]),
    tool("get_quote", "The latest quote.", {"symbol": SYMBOL}, ["symbol"]),
    tool(
        "place_order",
        "Send an order to the broker.",
        {
            "symbol": SYMBOL,
            "side": {"type": "string", "enum": ["buy", "sell"]},
            "qty": {"type": "number", "description": "Shares"},
            "type": {"type": "string", "enum": ["market", "limit"]},
            "limit_price": {"type": "number", "description": "For limit orders"},
            "time_in_force": {"type": "string", "enum": ["day", "gtc"]},
        },
        ["symbol", "side", "qty", "type"],
    ),
]


class Failed(Exception):
    """A request did not come back with what it asked for; `answer` is the text of an error answer."""

    def __init__(self, message: str, answer: str = "") -> None:
        super().__init__(message)
        self.answer = answer

    def reason(self) -> str:
        """What the answer says, in its own words."""
        try:
            return str(json.loads(self.answer)["message"])
        except (ValueError, KeyError, TypeError):
            return self.answer or str(self)


def call(method: str, url: str, headers: dict[str, str], body: Any = None) -> Any:
    """One HTTP request with JSON both ways. Raises Failed, with the status and the text of an error answer."""
    data = None if body is None else json.dumps(body).encode()
    sent = {"Accept": "application/json", "User-Agent": "afternoon-agent/0.3", **headers}
    if data is not None:
        sent["Content-Type"] = "application/json"
    if not url.startswith(("https://", "http://")):
        raise Failed(f"{url} is no http address")
    request = urllib.request.Request(url, data=data, headers=sent, method=method)  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310
            raw = response.read()
    except urllib.error.HTTPError as error:
        answer = error.read()[:500].decode("utf-8", "replace")
        raise Failed(f"{method} {url}: HTTP {error.code}: {answer}", answer) from None
    except OSError as error:
        raise Failed(f"{method} {url}: {error}") from None
    try:
        return json.loads(raw) if raw else None
    except ValueError:
        raise Failed(f"{method} {url}: the answer is not JSON") from None


class Agent:
    """The loop, the tools, and a note of the orders sent."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.keys = {"APCA-API-KEY-ID": options.alpaca_key, "APCA-API-SECRET-KEY": options.alpaca_secret}
        self.orders: list[dict[str, Any]] = []
        self.calls = 0

    def run(self) -> dict[str, Any]:
        """At most `TURNS` rounds with the model. Raises Failed."""
        names = self.options.symbols.split(",")
        listed = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
        messages: list[dict[str, Any]] = [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": f"Review {listed}, then decide."},
        ]
        for turn in range(1, TURNS + 1):
            message = self.ask(messages)
            messages.append(message)
            calls = message.get("tool_calls") or []
            if not calls:
                return self.summary("finished", turn, message.get("content"))
            for wanted in calls:
                result = self.use(wanted["function"]["name"], wanted["function"]["arguments"])
                content = json.dumps(result, ensure_ascii=False)
                messages.append({"role": "tool", "tool_call_id": wanted["id"], "content": content})
        return self.summary("out of turns", TURNS, None)

    def summary(self, end: str, turns: int, reason: str | None) -> dict[str, Any]:
        """What is printed."""
        return {"end": end, "turns": turns, "tool_calls": self.calls, "orders": self.orders, "reason": reason}

    def ask(self, messages: list[dict[str, Any]]) -> dict[str, Any]:
        """One completion; the assistant's message."""
        headers = {"Authorization": f"Bearer {self.options.key}"}
        body = {"model": self.options.model, "messages": messages, "tools": TOOLS}
        answer = call("POST", f"{self.options.llm_url}/v1/chat/completions", headers, body)
        try:
            message = answer["choices"][0]["message"]
            return {
                k: message[k]
                for k in ("role", "content", "tool_calls")
                if message.get(k) is not None or k != "tool_calls"
            }
        except (KeyError, IndexError, TypeError):
            raise Failed("the model's answer holds no message") from None

    def use(self, name: str, arguments: str) -> Any:
        """Run one tool; what goes wrong is told to the model as an `error`."""
        self.calls += 1
        try:
            given = json.loads(arguments or "{}")
        except ValueError:
            return {"error": "arguments are not JSON"}
        found = getattr(self, f"tool_{name}", None)
        if found is None or not isinstance(given, dict):
            return {"error": f"no tool {name} with such arguments"}
        try:
            return found(**given)
        except TypeError:
            return {"error": f"{name} does not take these arguments: {', '.join(given)}"}

    def read(self, base: str, path: str, **query: Any) -> Any:
        asked = f"?{urllib.parse.urlencode(query)}" if query else ""
        return call("GET", f"{base}{path}{asked}", self.keys)

    def tool_get_account(self) -> Any:
        base = self.options.trading_url
        account = self.read(base, "/v2/account")
        money = {key: account.get(key) for key in ("cash", "equity", "buying_power", "currency")}
        return {
            **money,
            "positions": self.read(base, "/v2/positions"),
            "orders": self.read(base, "/v2/orders", status="open"),
        }

    def tool_get_bars(self, symbol: str) -> Any:
        # The market's own date, so that a paper market set in the past is asked about its past.
        today = datetime.date.fromisoformat(self.read(self.options.trading_url, "/v2/clock")["timestamp"][:10])
        start = (today - datetime.timedelta(days=30)).isoformat()
        base = self.options.data_url
        return self.read(base, "/v2/stocks/bars", symbols=symbol, timeframe="1Day", start=start, limit=1000)

    def tool_get_news(self, symbol: str) -> Any:
        base = self.options.data_url
        return self.read(base, "/v1beta1/news", symbols=symbol, limit=10, include_content="true")

    def tool_get_quote(self, symbol: str) -> Any:
        return self.read(self.options.data_url, "/v2/stocks/quotes/latest", symbols=symbol)

    def tool_place_order(self, symbol: str, side: str, qty: Any, type: str = "market", **more: Any) -> Any:
        number = len(self.orders) + 1
        order = {"symbol": symbol, "side": side, "type": type, "qty": str(qty), "time_in_force": "day"}
        order |= {key: str(value) for key, value in more.items() if key in ("limit_price", "time_in_force") and value}
        order["client_order_id"] = f"agent-{self.options.run_id}-{number}"
        self.orders.append(order)
        base = self.options.trading_url
        try:
            placed = call("POST", f"{base}/v2/orders", self.keys, order)
            # Fills come after the answer, so look once more.
            placed = self.read(base, f"/v2/orders/{placed['id']}")
        except Failed as error:
            order["status"] = "refused"
            reason = error.reason()
            sys.stderr.write(f"agent: order refused ({side} {qty} {symbol}): {ascii(reason)[1:-1]}\n")
            if "HTTP 4" not in str(error):
                raise
            return {"error": str(error)}
        order["status"] = placed.get("status", "unknown")
        kept = ("id", "symbol", "side", "qty", "type", "limit_price", "status", "filled_qty", "filled_avg_price")
        return {key: placed.get(key) for key in kept}


def main() -> int:
    """Run once. 0 when the model came to an end, 1 when a request failed."""
    env = os.environ
    parser = argparse.ArgumentParser(description="A small trading agent.")
    add = parser.add_argument
    add("--key", default=env.get("OPENAI_API_KEY", ""), help="bearer token of the chat API")
    add("--model", default="gpt-4o-mini")
    add("--symbols", default="AAPL,MSFT")
    add("--run-id", default=secrets.token_hex(3), help="part of its order ids, which brokers want to be new each time")
    add("--alpaca-key", default=env.get("APCA_API_KEY_ID", "PKAGENT"))
    add("--alpaca-secret", default=env.get("APCA_API_SECRET_KEY", "agent-secret"))
    add("--trading-url", default=env.get("APCA_API_BASE_URL", "https://paper-api.alpaca.markets"))
    add("--data-url", default=env.get("APCA_API_DATA_URL", "https://data.alpaca.markets"))
    add("--llm-url", default=env.get("OPENAI_API_BASE", "https://api.openai.com"))
    try:
        done = Agent(parser.parse_args()).run()
    except Failed as error:
        sys.stderr.write(f"agent: {error}\n")
        return 1
    sys.stdout.write(json.dumps(done) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
