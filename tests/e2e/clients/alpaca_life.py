"""Every call of the capture alpaca-py.har, by the real alpaca-py. Prints one JSON line for each: result and raw answer."""

import base64
import json
from datetime import UTC, datetime

from alpaca.data.historical import NewsClient, StockHistoricalDataClient
from alpaca.data.requests import NewsRequest, StockBarsRequest, StockLatestQuoteRequest
from alpaca.data.timeframe import TimeFrame
from alpaca.trading.client import TradingClient
from alpaca.trading.enums import OrderClass, OrderSide, PositionIntent, QueryOrderStatus, TimeInForce
from alpaca.trading.requests import (
    ClosePositionRequest,
    GetOrdersRequest,
    LimitOrderRequest,
    MarketOrderRequest,
    OptionLegRequest,
    ReplaceOrderRequest,
    StopLossRequest,
    TakeProfitRequest,
    TrailingStopOrderRequest,
)

KEY, SECRET = "PKTESTTESTTEST", "alpaca-secret-0123456789"
trading = TradingClient(KEY, SECRET, paper=True)
stocks = StockHistoricalDataClient(KEY, SECRET)
news = NewsClient(KEY, SECRET)
BUY, SELL, DAY, GTC = OrderSide.BUY, OrderSide.SELL, TimeInForce.DAY, TimeInForce.GTC
CALL = "AAPL261218C00200000"
ORDER = "61e69015-8549-4bfd-b9c3-01e75843f47d"
PERIOD = {"start": datetime(2026, 11, 1, tzinfo=UTC)}
saw = []


def keep(response, *_args, **_kwargs):
    fields = list(response.raw.headers.items())
    saw.append([response.status_code, response.reason, fields, base64.b64encode(response.content).decode()])


for client in (trading, stocks, news):
    client._session.hooks["response"].append(keep)


def plain(result):
    if isinstance(result, list):
        return [plain(one) for one in result]
    if isinstance(result, dict):
        return {name: plain(one) for name, one in result.items()}
    return result.model_dump(mode="json") if hasattr(result, "model_dump") else result


def place(request):
    return trading.submit_order(request)


calls = {
    "market_qty": lambda: place(MarketOrderRequest(symbol="AAPL", qty=1, side=BUY, time_in_force=DAY)),
    "market_notional": lambda: place(
        MarketOrderRequest(symbol="AAPL", notional=100.5, side=BUY, time_in_force=DAY, client_order_id="cid-1")
    ),
    "limit": lambda: place(LimitOrderRequest(symbol="AAPL", qty=1, side=SELL, time_in_force=GTC, limit_price=150.25)),
    "bracket": lambda: place(
        LimitOrderRequest(
            symbol="AAPL",
            qty=1,
            side=BUY,
            time_in_force=DAY,
            limit_price=150,
            order_class=OrderClass.BRACKET,
            take_profit=TakeProfitRequest(limit_price=170),
            stop_loss=StopLossRequest(stop_price=140, limit_price=139),
        )
    ),
    "oco": lambda: place(
        LimitOrderRequest(
            symbol="AAPL",
            qty=1,
            side=SELL,
            time_in_force=GTC,
            order_class=OrderClass.OCO,
            take_profit=TakeProfitRequest(limit_price=170),
            stop_loss=StopLossRequest(stop_price=140),
        )
    ),
    "trailing": lambda: place(
        TrailingStopOrderRequest(symbol="AAPL", qty=1, side=SELL, time_in_force=GTC, trail_percent=1.5)
    ),
    "crypto": lambda: place(MarketOrderRequest(symbol="BTC/USD", qty=0.01, side=BUY, time_in_force=GTC)),
    "option": lambda: place(
        LimitOrderRequest(
            symbol=CALL,
            qty=1,
            side=BUY,
            time_in_force=DAY,
            limit_price=5,
            position_intent=PositionIntent.BUY_TO_OPEN,
        )
    ),
    "mleg": lambda: place(
        LimitOrderRequest(
            qty=1,
            time_in_force=DAY,
            limit_price=1.2,
            order_class=OrderClass.MLEG,
            legs=[
                OptionLegRequest(symbol=CALL, ratio_qty=1, side=BUY),
                OptionLegRequest(symbol="AAPL261218C00210000", ratio_qty=1, side=SELL),
            ],
        )
    ),
    "replace": lambda: trading.replace_order_by_id(ORDER, ReplaceOrderRequest(qty=2, limit_price=151)),
    "cancel": lambda: trading.cancel_order_by_id(ORDER),
    "cancel_all": lambda: trading.cancel_orders(),
    "positions": lambda: trading.get_all_positions(),
    "close_position_pct": lambda: trading.close_position("AAPL", ClosePositionRequest(percentage="50")),
    "close_all": lambda: trading.close_all_positions(cancel_orders=True),
    "account": lambda: trading.get_account(),
    "orders": lambda: trading.get_orders(GetOrdersRequest(status=QueryOrderStatus.OPEN, limit=5)),
    "clock": lambda: trading.get_clock(),
    "bars": lambda: (
        stocks.get_stock_bars(
            StockBarsRequest(
                symbol_or_symbols="AAPL", timeframe=TimeFrame.Day, end=datetime(2026, 11, 28, tzinfo=UTC), **PERIOD
            )
        ).data
    ),
    "latest_quote": lambda: stocks.get_stock_latest_quote(StockLatestQuoteRequest(symbol_or_symbols="AAPL")),
    "news": lambda: news.get_news(NewsRequest(symbols="AAPL", **PERIOD)).data["news"],
}
for name, call in calls.items():
    print(json.dumps([name, plain(call()), saw.pop()]))
