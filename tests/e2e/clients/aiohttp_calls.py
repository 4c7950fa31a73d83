"""The calls by aiohttp. Argument: a base URL. Prints one JSON line for each: status, reason, fields, raw body."""

import asyncio
import base64
import json
import sys

import aiohttp
from calls import calls


async def main():
    jar = aiohttp.DummyCookieJar()
    async with aiohttp.ClientSession(trust_env=True, auto_decompress=False, cookie_jar=jar) as session:
        for method, url, headers, body in calls(sys.argv[1]):
            async with session.request(method, url, headers=headers, data=body) as response:
                raw = await response.read()
                fields = [[key.decode("latin-1"), value.decode("latin-1")] for key, value in response.raw_headers]
                print(json.dumps([url, response.status, response.reason, fields, base64.b64encode(raw).decode()]))


asyncio.run(main())
