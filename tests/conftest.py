"""
What every test shares: in CI a test that did not run is a failure.

With REDTAPE_NO_SKIPS=1 (or CI set and REDTAPE_NO_SKIPS not 0) a skipped or expectedly failing test makes the
session fail, and all of them are listed with their reasons. A gap that nobody sees would otherwise stay green.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

# Machines that test are shared and slow at times; no property here is about time.
settings.register_profile("redtape", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
settings.load_profile("redtape")


def _no_skips() -> bool:
    said = os.environ.get("REDTAPE_NO_SKIPS")
    return (said if said is not None else os.environ.get("CI", "")).lower() not in ("", "0", "false", "no")


class NoSkips:
    """Collects what did not run. Lives in the process that reports, not in pytest-xdist's workers."""

    def __init__(self) -> None:
        self.found: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped or hasattr(report, "wasxfail"):
            self.note(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self.note(report)

    def note(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        wasxfail = getattr(report, "wasxfail", None)
        if wasxfail is not None:
            reason = f"xfail {wasxfail}".strip()
        else:
            reason = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)
        self.found[report.nodeid] = reason

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.found and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.found:
            terminalreporter.section("tests that did not run, which is a failure here", red=True)
            for nodeid, reason in sorted(self.found.items()):
                terminalreporter.line(f"{nodeid}: {reason}")


def pytest_configure(config: pytest.Config) -> None:
    if _no_skips() and not hasattr(config, "workerinput"):
        config.pluginmanager.register(NoSkips(), "redtape-no-skips")
