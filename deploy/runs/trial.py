"""One trial: a fresh simulated market, a proxy session before it, the agent as a process under both."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

from deploy.errors import UserError
from deploy.live import Ended, LiveOptions, run_session
from deploy.runs.plan import TrialPlan
from deploy.sim.options import SimOptions
from deploy.sim.server import start
from deploy.workspace import Workspace
from proxy.addons.stack import Log
from proxy.wire.catalogue import Catalogue

SIM_HOSTS: Final = (
    "api.alpaca.markets",
    "paper-api.alpaca.markets",
    "data.alpaca.markets",
    "api.openai.com",
)
"""Hosts that the simulator stands in for."""

STDOUT_KEPT: Final = 64 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Captured:
    """What the capture stage leaves: the evidence is in the session's file."""

    plan: TrialPlan
    ended: Ended | None
    started_ns: int
    ended_ns: int
    error: str | None


async def capture(plan: TrialPlan, workspace: Workspace, catalogue: Catalogue, log: Log) -> Captured:
    """
    Run one trial against the simulator; never raises for what the agent does.

    Returns:
        `error` when the agent failed or the evidence is not whole.
    """
    started = time.time_ns()
    sim = await start(SimOptions(seed=plan.seed))
    try:
        options = LiveOptions(
            session=plan.session,
            workspace=workspace,
            catalogue=catalogue,
            maps=dict.fromkeys(SIM_HOSTS, sim.url),
            attacks=plan.cases if plan.kind == "attack" else (),
            controls=plan.cases if plan.kind == "control" else (),
            variant=plan.variant,
            seed=plan.seed,
            extra_secrets=plan.agent.secrets,
        )
        ended = await run_session(
            options, log, command=plan.agent.command, capture=True, timeout_s=plan.agent.timeout_s
        )
    except UserError as error:
        return Captured(plan=plan, ended=None, started_ns=started, ended_ns=time.time_ns(), error=str(error))
    finally:
        await sim.stop()
    return Captured(plan=plan, ended=ended, started_ns=started, ended_ns=time.time_ns(), error=_error(ended))


def _error(ended: Ended) -> str | None:
    if ended.storage_failed:
        return "the evidence could not be written"
    if ended.hook_failures:
        return f"{ended.hook_failures} hooks of the proxy failed"
    if ended.command == 124:
        return "the agent took too long"
    if ended.command:
        return f"the agent ended with exit code {ended.command}"
    return None
