"""Chat by the real openai SDK: whole, with a tool and its result, streamed. Prints what it saw as JSON lines."""

import base64
import json

from openai import OpenAI

client = OpenAI(api_key="sk-test-0123456789abcdef", max_retries=0)
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "place_order",
            "description": "Send an order.",
            "parameters": {
                "type": "object",
                "properties": {"symbol": {"type": "string"}, "side": {"type": "string"}, "qty": {"type": "number"}},
                "required": ["symbol", "side", "qty"],
            },
        },
    }
]
messages = [{"role": "user", "content": "Buy 5 shares of AAPL. Café ☕."}]


def show(name, raw):
    http = raw.http_response
    fields = [[key.decode(), value.decode()] for key, value in http.headers.raw]
    parsed = raw.parse()
    print(json.dumps([name, http.status_code, fields, base64.b64encode(http.content).decode()]))
    return parsed


complete = client.chat.completions.with_raw_response.create
whole = show("whole", complete(model="gpt-4o-mini", messages=messages, tools=TOOLS))
message = whole.choices[0].message
call = message.tool_calls[0]
messages.append(message.model_dump(exclude_none=True))
messages.append({"role": "tool", "tool_call_id": call.id, "content": '{"status": "filled", "note": "Café"}'})
end = show("end", complete(model="gpt-4o-mini", messages=messages, tools=TOOLS))
print(json.dumps(["said", end.choices[0].message.content, call.function.arguments]))

options = {"model": "gpt-4o-mini", "messages": messages, "tools": TOOLS, "stream": True}
chunks = client.chat.completions.create(stream_options={"include_usage": True}, **options)
print(json.dumps(["stream", [chunk.model_dump(mode="json") for chunk in chunks]]))
