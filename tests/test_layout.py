"""House rules that no linter knows: mirrored tests, clean layers, no traces of a machine, sourced vectors."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("corpus", "proxy", "injectors", "scoring", "deploy")

UNTESTED = {
    "deploy/requirements/hook.py": "runs in the build backend only; every `make venv` runs it",
    "proxy/journal/events.py": "declarations only: frozen facts without a method",
    "scoring/results.py": "declarations only: frozen results without a method",
}
"""Modules without a test of their own, and why. A module with an `if` in it does not belong here."""


def modules() -> list[str]:
    found = (path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py")))
    return [str(path.relative_to(ROOT)) for path in found if path.name != "__init__.py"]


def repository_files() -> list[Path]:
    """Every file that is, or would be, under version control."""
    git = shutil.which("git")
    if git and (ROOT / ".git").exists():
        command = [git, "-c", f"safe.directory={ROOT}", "ls-files", "-z", "-co", "--exclude-standard"]
        names = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    else:  # an unpacked archive
        skipped = {
            ".venv",
            ".venv-clients",
            "__pycache__",
            ".pytest_cache",
            ".hypothesis",
            ".mypy_cache",
            ".ruff_cache",
        }
        found = (path.relative_to(ROOT) for path in ROOT.rglob("*"))
        names = [str(path) for path in found if not skipped & set(path.parts)]
    return [path for name in names if name and (path := ROOT / name).is_file() and not path.is_symlink()]


def texts() -> Iterator[tuple[str, str]]:
    for path in repository_files():
        try:
            yield str(path.relative_to(ROOT)), path.read_text("utf-8")
        except UnicodeDecodeError:
            continue  # a picture or a recording


def hits(pattern: str) -> list[str]:
    wanted = re.compile(pattern)
    return [
        f"{name}:{number}: {line.strip()[:120]}"
        for name, text in texts()
        if name != "tests/test_layout.py"
        for number, line in enumerate(text.splitlines(), 1)
        if wanted.search(line)
    ]


@pytest.mark.parametrize("package", PACKAGES)
def test_each_module_has_its_test(package: str) -> None:
    """proxy/wire/edit.py is tested by tests/proxy/wire/test_edit.py, or by test files in tests/proxy/wire/edit/."""
    missing = []
    for name in modules():
        path = Path(name)
        beside = Path("tests", *path.parts[:-1], f"test_{path.stem}.py")
        inside = ROOT / "tests" / path.with_suffix("")
        if name not in UNTESTED and not (ROOT / beside).is_file() and not any(inside.glob("test_*.py")):
            missing.append(str(beside))

    assert [name for name in missing if name.startswith(f"tests/{package}/")] == []


def test_excuses_are_still_needed() -> None:
    """An excused module exists, has a reason, and branches nowhere unless it is no code of the product."""
    for name, reason in UNTESTED.items():
        assert reason
        tree = ast.parse((ROOT / name).read_text("utf-8"))
        if reason.startswith("declarations only"):
            assert not [node for node in ast.walk(tree) if isinstance(node, ast.If | ast.FunctionDef | ast.For)], name


def test_no_paths_of_a_machine() -> None:
    """Nothing in the repository says on whose machine it was written."""
    assert (
        hits(r"(?<![\w.])/(work/(main|shared)|root/[\w.]|Users/\w|home/(?!redtape|nonroot)\w|opt/(wheels|pypi))") == []
    )


def test_no_package_index() -> None:
    """Installs use whatever index the user's pip is set up with: no URL, no host, no option of it here."""
    options = r"--(extra-)?index-url|--find-links|--trusted-host|--default-index"
    hosts = r"pypi\.org|pythonhosted\.org|registry\.npmjs|deb\.debian\.org"

    assert hits(f"{options}|{hosts}") == []


@pytest.mark.parametrize("name", ["build", "runtime", "dev", "clients"])
def test_requirements_are_pinned_with_hashes(name: str) -> None:
    """Every requirement is one version and carries at least one hash."""
    text = (ROOT / f"deploy/requirements/{name}.txt").read_text("utf-8")
    entries = [line for line in text.replace("\\\n", " ").splitlines() if line and not line.lstrip().startswith("#")]

    assert entries
    for entry in entries:
        assert re.match(r"[a-z0-9._-]+(\[[a-z,]+\])?==\S+ .*--hash=sha256:[0-9a-f]{64}", entry), entry[:80]


def test_dev_has_what_runtime_has() -> None:
    """Tests run on the very versions that users get, so that one environment serves both."""

    def pins(name: str) -> set[str]:
        return set(
            re.findall(r"^(\S+==\S+)", (ROOT / f"deploy/requirements/{name}.txt").read_text("utf-8"), re.MULTILINE)
        )

    assert pins("runtime") <= pins("dev")


def test_proxy_imports_nothing_by_itself() -> None:
    """`import proxy.wire` must not drag a proxy in."""
    assert (ROOT / "proxy/__init__.py").read_bytes() == b""


def test_packages_are_typed() -> None:
    """Type checkers of others may rely on ours."""
    assert [name for name in PACKAGES if not (ROOT / name / "py.typed").is_file()] == []


def test_mitmproxy_stays_in_the_shell() -> None:
    """Only the addons and the host know mitmproxy; nothing inward sees a flow."""
    found = []
    for module in modules():
        if module.startswith("proxy/addons/") or module == "deploy/proxyhost.py":
            continue
        for node in ast.walk(ast.parse((ROOT / module).read_text("utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            if any(name.split(".")[0] == "mitmproxy" for name in names):
                found.append(f"{module}:{node.lineno}")

    assert found == []


def has_source(path: Path) -> bool:
    """A file says its source itself, or a README.md of its folder or one above names it and a source."""
    if path.suffix in (".yaml", ".yml") and re.search(
        r"^(?:# )?source: *\S", path.read_text("utf-8"), re.MULTILINE | re.IGNORECASE
    ):
        return True
    top = ROOT / "tests/vectors"
    for folder in path.parents:
        readme = folder / "README.md"
        if readme.is_file():
            text = readme.read_text("utf-8")
            if f"`{path.relative_to(folder)}`" in text and re.search(r"\bsource\b", text, re.IGNORECASE):
                return True
        if folder == top:
            return False
    return False


def test_every_vector_has_a_source() -> None:
    """Who can't say where an expectation comes from can't say that it is right."""
    top = ROOT / "tests/vectors"
    vectors = [path for path in repository_files() if top in path.parents and path.name != "README.md"]

    assert [str(path.relative_to(ROOT)) for path in vectors if not has_source(path)] == []


@pytest.mark.parametrize("script", [".ci/run", "deploy/requirements/setup.sh"])
def test_scripts(script: str) -> None:
    """Shell scripts parse and may be run."""
    assert os.access(ROOT / script, os.X_OK)
    shell = "bash" if script == ".ci/run" else "sh"
    assert subprocess.run([shell, "-n", ROOT / script], capture_output=True, check=False).stderr == b""
