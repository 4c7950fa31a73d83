"""Logs for people and machines, on stderr: a console form on a terminal, JSON lines elsewhere."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

from deploy.safe import safe
from deploy.settings import colour


def _escaped(_logger: Any, _name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Captured text is hostile: nothing in a log line is interpreted by a terminal."""
    return {
        key: safe(value, limit=2000, newlines=key in ("trace", "exception")) if isinstance(value, str) else value
        for key, value in event.items()
        if value is not None
    }


def configure(level: int) -> None:
    """Set logging up for this process; only the command line does."""
    colours = colour(os.environ) is not False
    renderer: Any = structlog.processors.JSONRenderer()
    if sys.stderr.isatty():
        renderer = structlog.dev.ConsoleRenderer(colors=colours)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True, key="ts"),
            _escaped,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )


def level_for(*, verbose: int, quiet: bool, default: int = logging.WARNING) -> int:
    """The level that -v and -q ask for."""
    if quiet:
        return logging.ERROR
    return logging.DEBUG if verbose > 1 else logging.INFO if verbose else default
