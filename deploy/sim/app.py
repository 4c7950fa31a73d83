"""The sim as an aiohttp application: every venue on one port, told apart by path."""

from __future__ import annotations

from typing import Final

from aiohttp import web
from aiohttp.typedefs import Middleware

from deploy.sim import calendar_api, chat_api, data_api, trading_api, wire
from deploy.sim.keys import SIM, make_state
from deploy.sim.options import Handler, Hook, SimOptions
from deploy.sim.wire import Refused
from proxy.broker import refusals
from proxy.broker.replies import Reply

_READS: Final = ("GET", "HEAD", "OPTIONS")


def create_app(options: SimOptions) -> web.Application:
    """
    A fresh market.

    Args:
        options: What to simulate. Instances share parsed files, and nothing else.

    Returns:
        An application with its state under `deploy.sim.keys.SIM`.

    Raises:
        corpus.load.BadCorpus: A file of bars or news is at fault.
    """
    hooks = [_as_middleware(hook) for hook in options.hooks]
    app = web.Application(middlewares=[_answer, *hooks], client_max_size=wire.MAX_BODY)
    app[SIM] = make_state(options)
    app.router.add_post("/sim/reset", _reset)
    if "alpaca" in options.venues:
        trading_api.routes(app)
        calendar_api.routes(app)
        data_api.routes(app)
    if "openai" in options.venues:
        chat_api.routes(app)
    return app


def _as_middleware(hook: Hook) -> Middleware:
    @web.middleware
    async def around(request: web.Request, handler: Handler) -> web.StreamResponse:
        return await hook(request, handler)

    return around


async def _reset(request: web.Request) -> web.Response:
    request.app[SIM].reset()
    return web.Response(status=204)


@web.middleware
async def _answer(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Note what the broker received, and turn every refusal into the JSON of the venue that was asked."""
    sim = request.app[SIM]
    try:
        if request.method not in _READS and not request.path.startswith("/v1/"):
            body = await request.read()
            sim.received.append((request.method, request.raw_path, body))
        return await handler(request)
    except Refused as refused:
        return wire.respond(refused.reply)
    except web.HTTPRequestEntityTooLarge:
        return wire.respond(_error(request, 413, f"request body is larger than {wire.MAX_BODY} bytes"))
    except web.HTTPMethodNotAllowed:
        return wire.respond(_error(request, 405, "method not allowed"))
    except web.HTTPNotFound:
        return wire.respond(_not_found(request))


def _error(request: web.Request, status: int, message: str) -> Reply:
    if request.path.startswith("/v1/"):
        return chat_api.error(message, status)
    if request.path.startswith(("/v2/stocks", "/v1beta1/")):
        return Reply(status, {"message": message})
    return Reply(status, {"code": status * 100_000, "message": message})


def _not_found(request: web.Request) -> Reply:
    if request.path.startswith("/v1/"):
        return _error(request, 404, f"Invalid URL ({request.method} {request.path[:200]})")
    if request.path.startswith(("/v2/stocks", "/v1beta1/")):
        return _error(request, 404, "endpoint not found.")
    return refusals.endpoint_not_found()
