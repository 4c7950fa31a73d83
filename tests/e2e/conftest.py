"""What the end-to-end tests share: certificates of the venues, and the way to the clients."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.e2e.support import certs
from tests.e2e.support.running import clients_python


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> certs.Certificates:
    return certs.make(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="session")
def python() -> str:
    """The interpreter that has the real SDKs."""
    return clients_python()


@pytest.fixture(scope="session")
def curl() -> str:
    found = shutil.which("curl")
    if found is None:
        pytest.fail("curl is missing (apt-get install curl)")
    return found


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return tmp_path / "workspace"
