"""What `proxy.addons.fast` relies on in mitmproxy, and that what it leaves out changes nothing."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import AsyncIterator, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from mitmproxy import exceptions, hooks, http, options
from mitmproxy.addonmanager import AddonManager
from mitmproxy.addons.proxyserver import Proxyserver
from mitmproxy.proxy import commands, events, layer, server_hooks
from mitmproxy.proxy.layers.http import HttpRequestHook
from mitmproxy.proxy.mode_servers import ServerInstance
from mitmproxy.test import tflow

from proxy.addons.fast import (
    FastAddons,
    FastOptions,
    FastProxyserver,
    InlineHooks,
    _skip_type_checks,
    _started,
    fast_master,
)


@pytest.fixture
async def addons() -> AsyncIterator[FastAddons]:
    master = fast_master()
    assert isinstance(master.addons, FastAddons)
    yield master.addons
    master._legacy_log_events.uninstall()


@pytest.fixture
def flow() -> http.HTTPFlow:
    return tflow.tflow()


# ---- options


def test_options_change_when_they_are_changed() -> None:
    """Read, change, read: no value may stay after an update, a reset, or an update that was refused."""
    found = FastOptions()
    assert found.http2 is True
    found.update(http2=False)
    assert found.http2 is False
    found.reset()
    assert found.http2 is True

    heard: list[bool] = []

    def refuse(_options: Any, _updated: set[str]) -> None:
        heard.append(found.http2)
        if not found.http2:
            raise exceptions.OptionsError("no")

    found.subscribe(refuse, ["http2"])
    with pytest.raises(exceptions.OptionsError):
        found.update(http2=False)
    assert found.http2 is True
    assert heard == [False, True]


def test_options_that_can_be_changed_in_place_are_copied() -> None:
    found = FastOptions()
    found.mode.append("socks5")

    assert found.mode == ["regular"]


def test_options_are_read_without_the_manager() -> None:
    """The point of it: the second reading does not come to `__getattr__`."""
    found = FastOptions()
    first = found.http2

    assert vars(found)["http2"] is first
    assert "mode" not in vars(found)


def test_options_new_and_unknown() -> None:
    found = FastOptions()
    with pytest.raises(AttributeError):
        _ = found.nonsense
    found.add_option("nonsense", int, 3, "")

    assert found.nonsense == 3


def test_options_relies_on() -> None:
    """`_notify_subscribers` is connected first of all, and `__getattr__` holds no cache of its own."""
    found = FastOptions()
    first = found.changed.receivers[0]()

    assert first == found._notify_subscribers
    assert "_notify_subscribers" in inspect.getsource(options.optmanager.OptManager.__init__)


# ---- hooks


class Seen:
    """Notes which hooks ran."""

    def __init__(self, name: str = "seen") -> None:
        self.name = name
        self.calls: list[str] = []

    def request(self, flow: http.HTTPFlow) -> None:
        self.calls.append(f"request {flow.id}")


class Waits(Seen):
    def __init__(self, name: str = "waits") -> None:
        super().__init__(name)
        self.go_on = asyncio.Event()

    async def request(self, flow: http.HTTPFlow) -> None:  # type: ignore[override]
        self.calls.append("before")
        await self.go_on.wait()
        self.calls.append("after")


class Async(Seen):
    async def request(self, flow: http.HTTPFlow) -> None:  # type: ignore[override]
        self.calls.append("whole")


class Raises(Seen):
    def request(self, flow: http.HTTPFlow) -> None:
        raise ValueError("broken")


class RaisesLater(Seen):
    async def request(self, flow: http.HTTPFlow) -> None:  # type: ignore[override]
        await asyncio.sleep(0)
        raise ValueError("broken later")


async def test_hooks_that_do_not_wait_are_done_at_once(addons: FastAddons, flow: http.HTTPFlow) -> None:
    plain, later = Seen(), Async("later")
    addons.add(plain, later)

    assert addons.begin(HttpRequestHook(flow))
    assert (plain.calls, later.calls) == ([f"request {flow.id}"], ["whole"])


async def test_a_hook_that_waits_holds_back_those_behind_it(addons: FastAddons, flow: http.HTTPFlow) -> None:
    """Begun at once, ended by the lifecycle, each hook once and in order."""
    first, waits, last = Seen("first"), Waits(), Seen("last")
    addons.add(first, waits, last)
    event = HttpRequestHook(flow)

    assert not addons.begin(event)
    task = asyncio.ensure_future(addons.handle_lifecycle(event))
    await asyncio.sleep(0)
    assert (len(first.calls), waits.calls, last.calls) == (1, ["before"], [])
    waits.go_on.set()
    await task
    assert (len(first.calls), waits.calls, len(last.calls)) == (1, ["before", "after"], 1)


async def test_lifecycle_alone_runs_everything(addons: FastAddons, flow: http.HTTPFlow) -> None:
    """Hooks that mitmproxy's handler triggers itself never pass `begin`."""
    later, last = RaisesLater("later"), Seen("last")
    addons.add(later, last)

    await addons.handle_lifecycle(HttpRequestHook(flow))

    assert len(last.calls) == 1


async def test_a_cancelled_hook_is_told(addons: FastAddons, flow: http.HTTPFlow) -> None:
    waits = Waits()
    addons.add(waits)
    event = HttpRequestHook(flow)
    assert not addons.begin(event)
    task = asyncio.ensure_future(addons.handle_lifecycle(event))
    await asyncio.sleep(0)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert waits.calls == ["before"]


@pytest.mark.parametrize("kind", [Raises, RaisesLater])
async def test_a_hook_that_raises_kills_the_flow_and_no_more(
    addons: FastAddons, flow: http.HTTPFlow, kind: type[Seen], caplog: pytest.LogCaptureFixture
) -> None:
    """Fail closed: what the hook would have kept back is not forwarded; the hooks behind it still run."""
    last = Seen("last")
    addons.add(kind("broken"), last)
    flow.live = True
    event = HttpRequestHook(flow)

    with caplog.at_level(logging.CRITICAL, "proxy.addons.fast"):
        if not addons.begin(event):
            await addons.handle_lifecycle(event)

    assert len(last.calls) == 1
    assert flow.error is not None
    assert flow.error.msg == flow.error.KILLED_MESSAGE


async def test_a_connection_is_not_opened_when_its_check_raises(addons: FastAddons) -> None:
    class Check:
        def server_connect(self, data: server_hooks.ServerConnectionHookData) -> None:
            raise OSError("broken")

    addons.add(Check())
    data = server_hooks.ServerConnectionHookData(tflow.tserver_conn(), tflow.tclient_conn())

    await addons.handle_lifecycle(server_hooks.ServerConnectHook(data))

    assert data.server.error


async def test_halt_ends_an_event(addons: FastAddons, flow: http.HTTPFlow) -> None:
    class Halts(Seen):
        def request(self, flow: http.HTTPFlow) -> None:
            raise exceptions.AddonHalt

    last = Seen("last")
    addons.add(Halts("halts"), last)

    assert addons.begin(HttpRequestHook(flow))
    assert last.calls == []


async def test_what_was_found_is_forgotten_when_addons_change(addons: FastAddons, flow: http.HTTPFlow) -> None:
    first, second = Seen("first"), Seen("second")
    addons.add(first)
    addons.begin(HttpRequestHook(flow))
    addons.add(second)
    addons.begin(HttpRequestHook(flow))
    addons.remove(first)
    addons.begin(HttpRequestHook(flow))
    addons.clear()
    addons.begin(HttpRequestHook(flow))

    assert (len(first.calls), len(second.calls)) == (2, 2)


async def test_update_follows_a_flow_hook(addons: FastAddons, flow: http.HTTPFlow) -> None:
    """As in mitmproxy, for add-ons that listen to it."""

    class Updated:
        def __init__(self) -> None:
            self.flows: list[Any] = []

        def update(self, flows: list[Any]) -> None:
            self.flows += flows

    updated = Updated()
    addons.add(updated)
    await addons.handle_lifecycle(HttpRequestHook(flow))

    assert updated.flows == [flow]


def test_hooks_relies_on() -> None:
    """Names and forms that the subclass overrides or calls."""
    assert list(inspect.signature(AddonManager._iter_hooks).parameters) == ["self", "addon", "event"]
    assert list(inspect.signature(AddonManager.handle_lifecycle).parameters) == ["self", "event"]
    assert issubclass(HttpRequestHook, hooks.Hook)
    assert commands.StartHook.blocking is True


# ---- a started coroutine


async def test_started_goes_on_where_it_waited() -> None:
    future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    got: list[int] = []

    async def waits() -> None:
        got.append(await future)
        await asyncio.sleep(0)
        got.append(2)

    rest = _started(waits())  # type: ignore[arg-type]
    assert rest is not None
    future.set_result(1)
    await rest

    assert got == [1, 2]


async def test_started_hands_on_errors() -> None:
    future: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def waits() -> None:
        await future

    rest = _started(waits())  # type: ignore[arg-type]
    assert rest is not None
    future.set_exception(KeyError("lost"))

    with pytest.raises(KeyError):
        await rest


# ---- inline


class Scripted(layer.Layer):
    """Asks for a hook at each event, and writes down what comes."""

    def __init__(self, made: Any) -> None:
        self.context = made
        self.seen: list[events.Event] = []
        self.hook: commands.StartHook | None = None

    def handle_event(self, event: events.Event) -> Iterator[commands.Command]:  # type: ignore[override]
        self.seen.append(event)
        if isinstance(event, events.Start):
            self.hook = HttpRequestHook(tflow.tflow())
            yield self.hook
            yield commands.Log("after the hook")

    def _handle_event(self, event: events.Event) -> Iterator[commands.Command]:  # type: ignore[override]
        yield from ()


async def test_inline_answers_a_hook_after_the_event_is_handled(addons: FastAddons) -> None:
    """Commands behind the hook come first, as under mitmproxy's lock; then the completion, to the same layer."""
    top = Scripted(object())
    inline = InlineHooks(top, addons)

    found = list(inline.handle_event(events.Start()))

    assert [type(command) for command in found] == [commands.Log]
    assert [type(event) for event in top.seen] == [events.Start, events.HookCompleted]
    assert top.seen[1].command is top.hook  # type: ignore[attr-defined]
    assert inline.context is top.context


async def test_inline_leaves_a_hook_that_waits_to_the_handler(addons: FastAddons) -> None:
    waits = Waits()
    addons.add(waits)
    top = Scripted(object())
    inline = InlineHooks(top, addons)

    found = list(inline.handle_event(events.Start()))

    assert [type(command) for command in found] == [HttpRequestHook, commands.Log]
    assert [type(event) for event in top.seen] == [events.Start]
    waits.go_on.set()
    await addons.handle_lifecycle(found[0])  # type: ignore[arg-type]
    assert waits.calls == ["before", "after"]


async def test_each_connection_gets_it(addons: FastAddons) -> None:
    top = Scripted(object())
    handler = SimpleNamespace(layer=top, master=SimpleNamespace(addons=addons))
    servers = FastProxyserver()

    with servers.register_connection("1", handler):  # type: ignore[arg-type]
        assert isinstance(handler.layer, InlineHooks)
        assert servers.connections == {"1": handler}
    assert servers.connections == {}


def test_inline_relies_on() -> None:
    """The connection is registered when its layer is made and before anything is handled."""
    source = inspect.getsource(ServerInstance.handle_stream)

    assert source.index("make_top_layer") < source.index("register_connection") < source.index("handle_client")
    assert list(inspect.signature(Proxyserver.register_connection).parameters) == ["self", "connection_id", "handler"]
    assert FastProxyserver.name == "proxyserver"


# ---- messages


def test_messages_are_made_without_type_checks() -> None:
    """Skipped only while it is what it was: a check that raises and sets nothing."""
    _skip_type_checks()
    made = http.Request.make("GET", "https://example.com/")

    assert made.method == "GET"
    assert [name for name in vars(http.MessageData) if name == "__post_init__"] in ([], ["__post_init__"])
    assert http.MessageData.__post_init__(made.data) is None  # type: ignore[attr-defined]
