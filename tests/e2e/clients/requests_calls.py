"""The calls by requests. Argument: a base URL. Prints one JSON line for each: status, reason, fields, raw body."""

import base64
import json
import sys

import requests
from calls import calls

with requests.Session() as session:
    for method, url, headers, body in calls(sys.argv[1]):
        with session.request(method, url, headers=headers, data=body, stream=True, timeout=30) as response:
            raw = response.raw.read(decode_content=False)
            fields = list(response.raw.headers.items())
            print(json.dumps([url, response.status_code, response.reason, fields, base64.b64encode(raw).decode()]))
