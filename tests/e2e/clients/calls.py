"""The calls that each plain HTTP client makes, so that they can be compared. No client is imported here."""

import gzip
import json

HTTPS = "https://venue.example"
ODD = {"X-OdD-CaSe": "Kept", "Accept-Encoding": "gzip, br, zstd"}
ORDER = json.dumps({"symbol": "AAPL", "qty": "1.10", "side": "buy", "type": "market", "time_in_force": "day"})


def calls(base):
    """Method, URL, header fields, body."""
    return [
        ("GET", base + "/json?b=2&a=1&a=%2F%20+x", ODD, None),
        ("POST", base + "/json", {**ODD, "Content-Type": "application/json"}, b'{"a":1.10,  "a":2, "n":NaN}\n'),
        ("POST", base + "/form", {"Content-Type": "application/x-www-form-urlencoded"}, b"a=1&b=%20+&a=2"),
        ("PUT", base + "/binary", {"Content-Type": "application/octet-stream"}, bytes(range(256)) * 40),
        ("PATCH", base + "/packed", {"Content-Encoding": "gzip"}, gzip.compress(b'{"a":1}' * 100, mtime=0)),
        ("DELETE", base + "/none", {}, None),
        ("GET", base + "/gzip", ODD, None),
        ("GET", base + "/damaged", ODD, None),
        ("GET", base + "/cookies", {"Cookie": "first=1; second=2"}, None),
        ("GET", base + "/chunked", {}, None),
        ("GET", base + "/events", {"Accept": "text/event-stream"}, None),
        ("GET", base + "/big", {}, None),
        ("GET", base + "/teapot", {}, None),
        ("HEAD", base + "/json", {}, None),
        ("POST", "https://paper-api.alpaca.markets/v2/orders", {"Content-Type": "application/json"}, ORDER.encode()),
    ]
