"""Runs for the report's tests: an ordinary one, an empty one, and one made of hostile text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from deploy.web.report_model import Report

from .hostile import poison
from .ordinary import make_sample


@pytest.fixture
def sample() -> Report:
    """Two agents, each with a baseline, a control and three attacks."""
    return make_sample()


@pytest.fixture
def empty(sample: Report) -> Report:
    """A run of which nothing came."""
    return replace(sample, trials=(), agents=(), left_out=(), seed=None, upstream="", broker="")


@pytest.fixture
def poisoned(sample: Report) -> Callable[[str], Report]:
    """Makes the ordinary run with one hostile text everywhere."""
    return lambda text: poison(sample, text)
