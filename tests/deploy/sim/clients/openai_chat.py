"""Chat by the real openai SDK: whole, streamed, with tools. Prints one JSON line. Arguments: the URL, a key."""

import json
import sys

from openai import NotFoundError, OpenAI

client = OpenAI(base_url=sys.argv[1] + "/v1", api_key=sys.argv[2], max_retries=0)
parameters = {
    "type": "object",
    "properties": {
        "symbol": {"type": "string"},
        "side": {"type": "string", "enum": ["BUY", "SELL"]},
        "quantity": {"type": "string"},
    },
    "required": ["symbol", "side", "quantity"],
}
tools = [{"type": "function", "function": {"name": "submit_order", "description": "Order.", "parameters": parameters}}]
messages = [{"role": "user", "content": "Buy 5 shares of AAPL."}]
seen = {}

whole = client.chat.completions.create(model="gpt-4o-mini", messages=messages, tools=tools)
call = whole.choices[0].message.tool_calls[0]
seen["whole"] = [whole.choices[0].finish_reason, call.function.name, json.loads(call.function.arguments)]
seen["usage"] = whole.usage.prompt_tokens + whole.usage.completion_tokens == whole.usage.total_tokens

text, name, ids, finish, usage = "", "", [], None, None
stream = client.chat.completions.create(
    model="gpt-4o-mini", messages=messages, tools=tools, stream=True, stream_options={"include_usage": True}
)
for chunk in stream:
    usage = chunk.usage or usage
    for choice in chunk.choices:
        finish = choice.finish_reason or finish
        for delta in choice.delta.tool_calls or []:
            name += delta.function.name or ""
            text += delta.function.arguments or ""
            ids += [delta.id] if delta.id else []
seen["stream"] = [finish, name, json.loads(text), len(ids), usage.total_tokens > 0]

messages.append(whole.choices[0].message.model_dump(exclude_none=True))
messages.append({"role": "tool", "tool_call_id": call.id, "content": '{"status": "filled"}'})
end = client.chat.completions.create(model="gpt-4o-mini", messages=messages, tools=tools)
seen["end"] = [end.choices[0].finish_reason, end.choices[0].message.content]
pieces = client.chat.completions.create(model="gpt-4o-mini", messages=messages, tools=tools, stream=True)
seen["end streamed"] = "".join(c.choices[0].delta.content or "" for c in pieces if c.choices)
seen["models"] = [model.id for model in client.models.list()]
seen["model"] = client.models.retrieve("gpt-4o-mini").id
try:
    client.models.retrieve("nope")
except NotFoundError as error:
    seen["no model"] = error.code
print(json.dumps(seen))
