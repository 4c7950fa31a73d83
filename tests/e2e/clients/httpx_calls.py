"""The calls by httpx. Argument: a base URL. Prints one JSON line for each: status, reason, fields, raw body."""

import base64
import json
import sys

import httpx
from calls import calls

with httpx.Client(timeout=30) as client:
    for method, url, headers, body in calls(sys.argv[1]):
        with client.stream(method, url, headers=headers, content=body) as response:
            raw = b"".join(response.iter_raw())
            fields = [[key.decode("latin-1"), value.decode("latin-1")] for key, value in response.headers.raw]
            print(
                json.dumps([url, response.status_code, response.reason_phrase, fields, base64.b64encode(raw).decode()])
            )
