"""The rule that a test that did not run is a failure in CI."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

RUNS = "def test_runs(): pass\n"
SKIPS = "import pytest\n@pytest.mark.skip(reason='no browser')\ndef test_skips(): pass\n"
SKIPS_INSIDE = "import pytest\ndef test_skips(): pytest.skip('not now')\n"
SKIPS_ALL = "import pytest\npytest.importorskip('no_such_module_anywhere')\n"
XFAILS = "import pytest\n@pytest.mark.xfail(reason='bug 7')\ndef test_xfails(): assert False\n"
XPASSES = "import pytest\n@pytest.mark.xfail(reason='bug 8')\ndef test_xpasses(): pass\n"
FAILS = "def test_fails(): assert False\n"


def run(tmp_path: Path, env: dict[str, str], *sources: str, workers: int = 0) -> tuple[int, str]:
    (tmp_path / "conftest.py").write_text((ROOT / "tests/conftest.py").read_text("utf-8"), "utf-8")
    for n, source in enumerate(sources):
        (tmp_path / f"test_{n}.py").write_text(source, "utf-8")
    clean = {key: value for key, value in os.environ.items() if key not in ("CI", "REDTAPE_NO_SKIPS")}
    clean = {key: value for key, value in clean.items() if not key.startswith("PYTEST_")}
    command = [sys.executable, "-m", "pytest", "-c", os.devnull, "--rootdir", ".", "-q", "-p", "no:cacheprovider"]
    command += ["-n", str(workers)] if workers else ["-p", "no:xdist"]
    done = subprocess.run(command, cwd=tmp_path, env=clean | env, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


@pytest.mark.parametrize("workers", [0, 2])
def test_what_did_not_run_fails_the_session(tmp_path: Path, workers: int) -> None:
    """Skips and expected failures of every kind are listed and fail, in one process and in several."""
    sources = (RUNS, SKIPS, SKIPS_INSIDE, SKIPS_ALL, XFAILS, XPASSES)
    code, out = run(tmp_path, {"REDTAPE_NO_SKIPS": "1"}, *sources, workers=workers)

    assert code == 1
    listed = out.partition("tests that did not run")[2]
    for reason in ("no browser", "not now", "no_such_module_anywhere", "xfail bug 7", "xfail bug 8"):
        assert reason in listed
    assert "1 passed" in out.splitlines()[-1]


@pytest.mark.parametrize("source", [SKIPS, SKIPS_ALL, XFAILS])
def test_one_is_enough(tmp_path: Path, source: str) -> None:
    """Each kind fails the session by itself, even when nothing else ran."""
    assert run(tmp_path, {"REDTAPE_NO_SKIPS": "1"}, source)[0] == 1


@pytest.mark.parametrize(
    ("env", "code"),
    [({}, 0), ({"CI": "true"}, 1), ({"CI": "false"}, 0), ({"CI": "true", "REDTAPE_NO_SKIPS": "0"}, 0)],
)
def test_when_the_rule_holds(tmp_path: Path, env: dict[str, str], code: int) -> None:
    """In CI, unless told otherwise; not on a developer's machine."""
    assert code == run(tmp_path, env, RUNS, SKIPS)[0]


def test_other_outcomes_stay(tmp_path: Path) -> None:
    """A clean session stays 0, a failing one 1, an empty one 5."""
    env = {"REDTAPE_NO_SKIPS": "1"}

    assert run(tmp_path, env)[0] == 5
    assert run(tmp_path, env, RUNS)[0] == 0
    assert run(tmp_path, env, RUNS, FAILS)[0] == 1
