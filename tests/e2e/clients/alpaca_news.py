"""Reads the news twice by the real alpaca-py; prints both lists of items as the SDK's model holds them."""

import json

from alpaca.data.historical import NewsClient
from alpaca.data.requests import NewsRequest

client = NewsClient("PKTESTTESTTEST", "alpaca-secret-0123456789")
for _ in range(2):
    found = client.get_news(NewsRequest(symbols="AAPL", include_content=True)).data["news"]
    print(json.dumps([item.model_dump(mode="json") for item in found]))
