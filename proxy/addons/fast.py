"""
mitmproxy's core with less to do for each event, the outcome unchanged: what enters and leaves is mitmproxy's own.

Measured, a stock Master spends more time on looking for hooks, on a task for each of them and on copying
options than on HTTP. Each class says which internals of mitmproxy it touches; a test holds each of them, since
a release may change them.
"""

from __future__ import annotations

import inspect
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterator
from contextlib import contextmanager
from dataclasses import fields
from types import CoroutineType
from types import coroutine as coroutine_of
from typing import Any, Final

from mitmproxy import exceptions, flow, hooks, http, options
from mitmproxy.addonmanager import AddonManager
from mitmproxy.addons.proxyserver import Proxyserver
from mitmproxy.master import Master
from mitmproxy.proxy import commands, events, layer, server_hooks
from mitmproxy.proxy.mode_servers import ProxyConnectionHandler

type Hooks = tuple[Callable[..., Any], ...]

_PLAIN: Final = (str, int, bool, float, type(None))
_logger = logging.getLogger(__name__)


class FastOptions(options.Options):
    """
    Options whose plain values are read like attributes, not copied at each reading. Lists are still copied.

    Touches: `OptManager.__getattr__` (called for what the instance's dict does not hold) and
    `OptManager._notify_subscribers` (the first to hear of any change, before any reader).
    """

    def __getattr__(self, name: str) -> Any:
        value = super().__getattr__(name)
        if isinstance(value, _PLAIN):
            self.__dict__[name] = value
        return value

    def _notify_subscribers(self, updated: set[str]) -> None:
        for name in self._options:
            self.__dict__.pop(name, None)
        super()._notify_subscribers(updated)


class FastAddons(AddonManager):
    """
    Finds the hooks of an event once, and runs them without a task as long as none of them has to wait.

    As in mitmproxy a hook that raises is logged and the others still run. More than in mitmproxy, the flow that
    it was for is killed: whatever the hook would have kept back must not go on.

    Touches: `AddonManager.chain`, `_iter_hooks` and `handle_lifecycle`; the dataclass fields of hooks.
    """

    def __init__(self, master: Master) -> None:
        super().__init__(master)
        self._found: dict[str, Hooks] = {}
        self._names: dict[type[hooks.Hook], tuple[str, ...]] = {}
        self._begun: dict[hooks.Hook, Coroutine[Any, Any, None]] = {}

    def register(self, addon: Any) -> Any:
        """Also forget what was found."""
        self._found.clear()
        return super().register(addon)

    def add(self, *addons: Any) -> None:
        """Also forget what was found, since the chain grows after registering."""
        super().add(*addons)
        self._found.clear()

    def remove(self, addon: Any) -> None:
        """Also forget what was found."""
        super().remove(addon)
        self._found.clear()

    def clear(self) -> None:
        """Also forget what was found."""
        super().clear()
        self._found.clear()

    def _hooks(self, event: hooks.Hook) -> Hooks:
        found = self._found.get(event.name)
        if found is None:
            found = tuple(func for addon in self.chain for _, func in self._iter_hooks(addon, event))
            self._found[event.name] = found
        return found

    def _args(self, event: hooks.Hook) -> list[Any]:
        names = self._names.get(type(event))
        if names is None:
            names = self._names[type(event)] = tuple(field.name for field in fields(event))  # type: ignore[arg-type]
        return [getattr(event, name) for name in names]

    def begin(self, event: hooks.Hook) -> bool:
        """
        Run the hooks of an event; whether they are done.

        When one has to wait, the rest is run by `handle_lifecycle`, which must be called with the same event.
        """
        functions = self._hooks(event)
        if not functions:
            return True
        args = self._args(event)
        for number, function in enumerate(functions):
            try:
                waiting = function(*args)
                if waiting is not None and type(waiting) is CoroutineType:
                    waiting = _started(waiting)
            except exceptions.AddonHalt:
                return True
            except Exception as error:  # noqa: BLE001 (as mitmproxy does: one add-on must not break the others)
                self._failed(event, args, error)
                continue
            if waiting is not None and inspect.isawaitable(waiting):
                self._begun[event] = self._rest(event, args, waiting, functions[number + 1 :])
                return False
        return True

    async def _rest(self, event: hooks.Hook, args: list[Any], waiting: Awaitable[Any] | None, left: Hooks) -> None:
        remaining = iter(left)
        function: Callable[..., Any] | None = None
        while True:
            try:
                result = waiting if function is None else function(*args)
                if result is not None and inspect.isawaitable(result):
                    await result
            except exceptions.AddonHalt:
                return
            except Exception as error:  # noqa: BLE001 (as above)
                self._failed(event, args, error)
            function = next(remaining, None)
            if function is None:
                return

    def _failed(self, event: hooks.Hook, args: list[Any], error: Exception) -> None:
        _logger.error("hook %s failed: %r", event.name, error, exc_info=error)
        for data in args:
            if isinstance(data, flow.Flow) and data.killable:
                data.kill()
            elif event.name == "server_connect" and isinstance(data, server_hooks.ServerConnectionHookData):
                data.server.error = "redtape: internal error"

    async def handle_lifecycle(self, event: hooks.Hook) -> None:
        """Run the hooks of an event, or what is left of those that were begun."""
        rest = self._begun.pop(event, None)
        if rest is None and not self.begin(event):
            rest = self._begun.pop(event)
        if rest is not None:
            await rest
        (data, *_) = self._args(event)
        if isinstance(data, flow.Flow):
            updated = hooks.UpdateHook([data])
            if self._hooks(updated):
                await self.trigger_event(updated)


def _started(coroutine: CoroutineType[Any, Any, Any]) -> Awaitable[Any] | None:
    """
    Run a coroutine up to where it waits; null when it never does, as most hooks of most exchanges.

    Until then it runs within whichever task called: hooks must not ask for the current task.
    """
    try:
        waits_for = coroutine.send(None)
    except StopIteration:
        return None
    return _resumed(coroutine, waits_for)


@coroutine_of
def _resumed(coroutine: CoroutineType[Any, Any, Any], waits_for: Any) -> Generator[Any, Any, None]:
    """Hand on what a started coroutine waits for, and to it what comes back."""
    try:
        while True:
            try:
                value = yield waits_for
            except BaseException as error:  # noqa: BLE001 (handed on, cancellation too)
                waits_for = coroutine.throw(error)
            else:
                waits_for = coroutine.send(value)
    except StopIteration:
        return


class InlineHooks:
    """
    Stands before a connection's top layer and answers its hooks at once, where mitmproxy starts a task for each.

    A hook that has to wait goes on to the connection handler, which does as always.

    Touches: `Layer.handle_event` (all that a handler calls), `Layer.context`, `StartHook.blocking`,
    `events.HookCompleted`, and that an event is handled to its end before the next one.
    """

    __slots__ = ("_addons", "_layer")

    def __init__(self, top: layer.Layer, addons: FastAddons) -> None:
        self._layer = top
        self._addons = addons

    @property
    def context(self) -> Any:
        """The layer's own."""
        return self._layer.context

    def handle_event(self, event: events.Event) -> Iterator[commands.Command]:
        """The layer's commands, without the hooks that are done."""
        begin = self._addons.begin
        waiting: deque[events.Event] | None = None
        while True:
            for command in self._layer.handle_event(event):
                if isinstance(command, commands.StartHook) and begin(command):
                    if command.blocking:
                        if waiting is None:
                            waiting = deque()
                        waiting.append(events.HookCompleted(command))
                else:
                    yield command
            if not waiting:
                return
            event = waiting.popleft()


class FastProxyserver(Proxyserver):
    """
    Puts `InlineHooks` before each connection.

    Touches: `Proxyserver.register_connection`, called when a handler has its top layer and handles nothing yet;
    `get_name` of add-ons, which must stay `proxyserver`.
    """

    name = "proxyserver"

    @contextmanager
    def register_connection(
        self, connection_id: tuple[Any, ...] | str, handler: ProxyConnectionHandler
    ) -> Iterator[None]:
        """As in mitmproxy."""
        addons = handler.master.addons
        if isinstance(addons, FastAddons):
            handler.layer = InlineHooks(handler.layer, addons)  # type: ignore[assignment]
        with super().register_connection(connection_id, handler):
            yield


def fast_master() -> Master:
    """
    A Master with fast options and add-ons, before any is added.

    Touches: `Master.addons`, replaced while it is empty.
    """
    master = Master(FastOptions())
    master.addons = FastAddons(master)
    _skip_type_checks()
    return master


def _skip_type_checks() -> None:
    """
    Drop the check of each field's type on each message that is made: `python -O` leaves it out too.

    It guards against add-ons of others that put wrong types in; here there are none.

    Touches: `http.MessageData.__post_init__`, which only exists for that check.
    """
    if "__post_init__" in vars(http.MessageData):
        http.MessageData.__post_init__ = _unchecked  # type: ignore[method-assign]


def _unchecked(_message: http.MessageData) -> None:
    return None
