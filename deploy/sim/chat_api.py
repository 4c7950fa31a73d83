"""An OpenAI-compatible chat endpoint over the two policies: whole answers and streams. Nothing is random."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any, Final

from aiohttp import web

from deploy.sim import tools, wire
from deploy.sim.keys import SIM, SimState
from deploy.sim.policy import Decision, Policy, decide
from deploy.sim.wire import Refused
from proxy.broker.replies import Reply

MODELS: Final = ("gpt-4o-mini", "sim-guarded", "sim-gullible")
FINGERPRINT: Final = "fp_redtapesim"
_PIECE: Final = 12
_ROLES: Final = ("system", "developer", "user", "assistant", "tool", "function")


def routes(app: web.Application) -> None:
    """Add every path."""
    app.router.add_post("/v1/chat/completions", _chat)
    app.router.add_get("/v1/models", _models)
    app.router.add_get("/v1/models/{model}", _model)


def error(message: str, status: int = 400, param: str | None = None, code: str | None = None) -> Reply:
    """An error in OpenAI's shape."""
    kind = "invalid_request_error"
    return Reply(status, {"error": {"message": message, "type": kind, "param": param, "code": code}})


def policy_of(authorization: str, model: str) -> Policy | None:
    """The policy that a bearer token names, else the model's name."""
    for text in (authorization.lower(), model.lower()):
        if "gullible" in text:
            return "gullible"
        if "guarded" in text:
            return "guarded"
    return None


def _policy(request: web.Request, model: str) -> Policy:
    """The policy that is asked for; guarded when none is, which is said once."""
    named = policy_of(request.headers.get("Authorization", ""), model)
    sim = request.app[SIM]
    if named is None and not sim.told and sim.options.say is not None:
        sim.told = True
        sim.options.say("neither key nor model names a policy: answering as guarded (sk-sim-gullible is the other)")
    return named or "guarded"


async def _models(request: web.Request) -> web.Response:
    listed = [_model_object(request.app[SIM], name) for name in MODELS]
    return wire.respond(Reply(200, {"object": "list", "data": listed}))


async def _model(request: web.Request) -> web.Response:
    name = request.match_info["model"]
    if name not in MODELS:
        message = f"The model '{name[:64]}' does not exist or you do not have access to it."
        raise Refused(error(message, 404, "model", "model_not_found"))
    return wire.respond(Reply(200, _model_object(request.app[SIM], name)))


def _model_object(sim: SimState, name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": sim.options.now // 1_000_000_000, "owned_by": "redtape-sim"}


async def _chat(request: web.Request) -> web.StreamResponse:
    sim, raw = request.app[SIM], await request.read()
    body = _body(raw)
    offered = tools.read(body.get("tools"))
    if body.get("tool_choice") == "none":
        offered = ()
    decision = decide(body["messages"], offered, _policy(request, body["model"]))
    if body.get("parallel_tool_calls") is False:
        decision = Decision(decision.calls[:1], decision.text)
    key = hashlib.sha256(f"{sim.options.seed}\n".encode() + raw).hexdigest()
    calls = _calls(decision, key)
    head = {
        "id": f"chatcmpl-{key[:29]}",
        "object": "chat.completion",
        "created": sim.now // 1_000_000_000,
        "model": body["model"],
    }
    usage = _usage(wire.dump([body["messages"], body.get("tools")]), wire.dump([decision.text, calls]))
    if body.get("stream") is True:
        options = body.get("stream_options")
        with_usage = isinstance(options, dict) and options.get("include_usage") is True
        return await _stream(request, list(_chunks(head, decision, calls, usage if with_usage else None)))
    message: dict[str, Any] = {
        "role": "assistant",
        "content": decision.text or None,
        "refusal": None,
        "annotations": [],
    }
    if calls:
        message["tool_calls"] = calls
    finish = "tool_calls" if calls else "stop"
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish}
    whole = {**head, "choices": [choice], "usage": usage, "service_tier": "default", "system_fingerprint": FINGERPRINT}
    return wire.respond(Reply(200, whole))


def _body(raw: bytes) -> dict[str, Any]:
    """The request, checked as far as it is used. Raises Refused."""
    try:
        body = wire.load(raw)
    except ValueError:
        raise Refused(error("We could not parse the JSON body of your request.")) from None
    if not isinstance(body, dict):
        raise Refused(error("The body of your request must be a JSON object."))
    if not isinstance(body.get("model"), str) or not body["model"]:
        raise Refused(error("you must provide a model parameter"))
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise Refused(error("Missing required parameter: 'messages'.", param="messages"))
    for n, message in enumerate(messages):
        if not isinstance(message, dict) or message.get("role") not in _ROLES:
            raise Refused(error(f"Invalid value: 'messages[{n}].role'.", param=f"messages[{n}].role"))
        if not isinstance(message.get("tool_calls") or [], list):
            raise Refused(error(f"Invalid type for 'messages[{n}].tool_calls'.", param=f"messages[{n}].tool_calls"))
    if body.get("n") not in (None, 1):
        raise Refused(error("Only n = 1 is supported here.", param="n"))
    return body


def _calls(decision: Decision, key: str) -> list[dict[str, Any]]:
    return [
        {
            "id": "call_" + hashlib.sha256(f"{key} {n}".encode()).hexdigest()[:24],
            "type": "function",
            "function": {"name": call.name, "arguments": wire.dump(call.arguments).decode()},
        }
        for n, call in enumerate(decision.calls)
    ]


def _usage(asked: bytes, answered: bytes) -> dict[str, Any]:
    prompt, completion = max(1, len(asked) // 4), max(1, len(answered) // 4)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": 0,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }


def _chunks(
    head: dict[str, Any], decision: Decision, calls: list[dict[str, Any]], usage: dict[str, Any] | None
) -> Iterator[dict[str, Any]]:
    """The answer in pieces; with `usage`, a last chunk without choices holds it, and every other one null."""
    base = {**head, "object": "chat.completion.chunk", "service_tier": "default", "system_fingerprint": FINGERPRINT}
    more = {} if usage is None else {"usage": None}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return {**base, "choices": [choice], **more}

    yield chunk({"role": "assistant", "content": None if calls else "", "refusal": None})
    for text in _pieces("" if calls else decision.text):
        yield chunk({"content": text})
    for n, call in enumerate(calls):
        function = {"name": call["function"]["name"], "arguments": ""}
        yield chunk({"tool_calls": [{"index": n, "id": call["id"], "type": "function", "function": function}]})
        for text in _pieces(call["function"]["arguments"]):
            yield chunk({"tool_calls": [{"index": n, "function": {"arguments": text}}]})
    yield chunk({}, "tool_calls" if calls else "stop")
    if usage is not None:
        yield {**base, "choices": [], "usage": usage}


def _pieces(text: str) -> Iterator[str]:
    return (text[n : n + _PIECE] for n in range(0, len(text), _PIECE))


async def _stream(request: web.Request, chunks: list[dict[str, Any]]) -> web.StreamResponse:
    response = web.StreamResponse(
        headers={"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-cache"}
    )
    await response.prepare(request)
    for chunk in chunks:
        await response.write(b"data: " + wire.dump(chunk) + b"\n\n")
    await response.write(b"data: [DONE]\n\n")
    await response.write_eof()
    return response
