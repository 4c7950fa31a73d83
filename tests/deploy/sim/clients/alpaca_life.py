"""A full life of an account, by the real alpaca-py. Prints what it saw as one JSON line. Argument: the sim's URL."""

import json
import sys
from datetime import UTC, date, datetime

from alpaca.common.exceptions import APIError
from alpaca.data.enums import Adjustment, DataFeed
from alpaca.data.historical import NewsClient, StockHistoricalDataClient
from alpaca.data.requests import (
    NewsRequest,
    StockBarsRequest,
    StockLatestBarRequest,
    StockLatestQuoteRequest,
    StockLatestTradeRequest,
    StockQuotesRequest,
    StockSnapshotRequest,
    StockTradesRequest,
)
from alpaca.data.timeframe import TimeFrame
from alpaca.trading.client import TradingClient
from alpaca.trading.enums import OrderClass, OrderSide, QueryOrderStatus, TimeInForce
from alpaca.trading.requests import (
    ClosePositionRequest,
    GetCalendarRequest,
    GetOrderByIdRequest,
    GetOrdersRequest,
    LimitOrderRequest,
    MarketOrderRequest,
    ReplaceOrderRequest,
    StopLossRequest,
    StopOrderRequest,
    TakeProfitRequest,
    TrailingStopOrderRequest,
)

url = sys.argv[1]
trading = TradingClient("key", "secret", paper=True, url_override=url)
stocks = StockHistoricalDataClient("key", "secret", url_override=url)
seen = {}
day = TimeInForce.DAY


def refused(call):
    try:
        call()
    except APIError as error:
        return [error.status_code, error.code, error.message]
    return None


account = trading.get_account()
seen["start"] = [account.cash, account.buying_power, account.status.value]
seen["clock"] = trading.get_clock().is_open

market = trading.submit_order(MarketOrderRequest(symbol="AAPL", qty=10, side=OrderSide.BUY, time_in_force=day))
filled = trading.get_order_by_id(market.id)
seen["market"] = [market.status.value, filled.status.value, filled.filled_qty, filled.filled_avg_price]

limit = trading.submit_order(
    LimitOrderRequest(
        symbol="MSFT",
        qty=5,
        side=OrderSide.BUY,
        time_in_force=TimeInForce.GTC,
        limit_price=20.5,
        client_order_id="mine-1",
    )
)
by_client = trading.get_order_by_client_id("mine-1")
seen["limit"] = [by_client.status.value, by_client.limit_price, by_client.id == limit.id]
changed = trading.replace_order_by_id(limit.id, ReplaceOrderRequest(qty=6, limit_price=21.0))
old = trading.get_order_by_id(limit.id)
seen["replace"] = [changed.qty, changed.limit_price, str(changed.replaces) == str(limit.id), old.status.value]
seen["open"] = [
    str(o.id) == str(changed.id) for o in trading.get_orders(GetOrdersRequest(status=QueryOrderStatus.OPEN))
]
trading.cancel_order_by_id(changed.id)
seen["cancel"] = trading.get_order_by_id(changed.id).status.value
seen["cancel again"] = refused(lambda: trading.cancel_order_by_id(changed.id))

trading.submit_order(StopOrderRequest(symbol="AAPL", qty=2, side=OrderSide.SELL, time_in_force=day, stop_price=500))
trailing = trading.submit_order(
    TrailingStopOrderRequest(symbol="AAPL", qty=1, side=OrderSide.SELL, time_in_force=day, trail_percent=5)
)
seen["trailing"] = trading.get_order_by_id(trailing.id).trail_percent
seen["available"] = trading.get_open_position("AAPL").qty_available
seen["cancel all"] = [answer.status for answer in trading.cancel_orders()]

bracket = trading.submit_order(
    MarketOrderRequest(
        symbol="IBM",
        qty=3,
        side=OrderSide.BUY,
        time_in_force=day,
        order_class=OrderClass.BRACKET,
        take_profit=TakeProfitRequest(limit_price=220),
        stop_loss=StopLossRequest(stop_price=180),
    )
)
nested = trading.get_order_by_id(bracket.id, GetOrderByIdRequest(nested=True))
seen["bracket"] = [nested.status.value, [[leg.type.value, leg.side.value, leg.status.value] for leg in nested.legs]]

positions = {p.symbol: [p.qty, p.side.value, p.avg_entry_price, p.qty_available] for p in trading.get_all_positions()}
seen["positions"] = positions
half = trading.close_position("AAPL", ClosePositionRequest(percentage="50"))
seen["half"] = [half.qty, trading.get_open_position("AAPL").qty]
seen["close all"] = [[answer.symbol, answer.status] for answer in trading.close_all_positions(cancel_orders=True)]
seen["flat"] = trading.get_all_positions()
seen["no position"] = refused(lambda: trading.get_open_position("AAPL"))
seen["too dear"] = refused(
    lambda: trading.submit_order(MarketOrderRequest(symbol="GOOG", qty=9000, side=OrderSide.BUY, time_in_force=day))
)
seen["notional"] = trading.submit_order(
    MarketOrderRequest(symbol="ZVTX", notional=100, side=OrderSide.BUY, time_in_force=day)
).notional
seen["assets"] = [asset.symbol for asset in trading.get_all_assets()]
asset = trading.get_asset("IBM")
seen["asset"] = [asset.exchange.value, asset.tradable, str(trading.get_asset(asset.id).symbol)]
calendar = trading.get_calendar(GetCalendarRequest(start=date(2012, 6, 14), end=date(2012, 6, 18)))
seen["calendar"] = [str(entry.date) for entry in calendar]
seen["configuration"] = trading.get_account_configurations().no_shorting

start, end = datetime(2012, 6, 1, tzinfo=UTC), datetime(2012, 6, 15, 12, tzinfo=UTC)
bars = stocks.get_stock_bars(
    StockBarsRequest(symbol_or_symbols=["AAPL", "MSFT"], timeframe=TimeFrame.Day, start=start, end=end, limit=9)
)
seen["bars"] = {symbol: len(rows) for symbol, rows in bars.data.items()}
last = stocks.get_stock_bars(
    StockBarsRequest(symbol_or_symbols="AAPL", timeframe=TimeFrame.Day, start=start, adjustment=Adjustment.RAW)
).data["AAPL"][-1]
seen["bar"] = [last.timestamp.isoformat(), last.open, last.high, last.low, last.close, last.volume]
quote = stocks.get_stock_latest_quote(StockLatestQuoteRequest(symbol_or_symbols="AAPL"))["AAPL"]
seen["quote"] = [quote.bid_price, quote.ask_price]
seen["trade"] = stocks.get_stock_latest_trade(StockLatestTradeRequest(symbol_or_symbols="AAPL"))["AAPL"].price
seen["latest bar"] = stocks.get_stock_latest_bar(StockLatestBarRequest(symbol_or_symbols="AAPL"))["AAPL"].close
snapshot = stocks.get_stock_snapshot(StockSnapshotRequest(symbol_or_symbols="AAPL", feed=DataFeed.IEX))["AAPL"]
seen["snapshot"] = [snapshot.daily_bar.close, snapshot.previous_daily_bar.close]
history = {"symbol_or_symbols": "AAPL", "start": start, "end": end}
seen["quotes"] = len(stocks.get_stock_quotes(StockQuotesRequest(**history)).data["AAPL"])
seen["trades"] = len(stocks.get_stock_trades(StockTradesRequest(**history)).data["AAPL"])

news = NewsClient("key", "secret", url_override=url)
found = news.get_news(
    NewsRequest(symbols="AAPL", start=datetime(2012, 1, 1, tzinfo=UTC), end=end, include_content=True)
)
seen["news"] = [found.data["news"][0].headline, "<p>" in found.data["news"][0].content, len(found.data["news"])]
print(json.dumps(seen))
