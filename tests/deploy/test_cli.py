"""The command `redtape`: cheap help, one exit code for each way to end, data on stdout and words on stderr."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import click
import pytest

from corpus.load import BadCorpus
from deploy import cli, commands
from deploy.errors import GateFailed, Inconclusive, UserError

from .conftest import ROOT, clean_environment

HEAVY = "mitmproxy aiohttp pydantic rich jinja2 yaml sqlite_utils genai_prices structlog cryptography asyncio".split()

IMPORTED = f"""
import sys
from deploy.cli import main
try:
    main(sys.argv[1:])
except SystemExit as ended:
    assert not ended.code, ended.code
found = [name for name in {HEAVY!r} if name in sys.modules]
print(found, file=sys.stderr)
"""


@pytest.mark.parametrize("flag", ["--help", "-h", "--version", "-V"])
def test_help_imports_nothing_heavy(flag: str) -> None:
    """Who asks for help does not wait for a proxy: the import graph stays small, whatever the clock says."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED, flag], cwd=ROOT, env=clean_environment(), capture_output=True, text=True
    )

    assert done.returncode == 0
    assert done.stderr == "[]\n"
    assert done.stdout.startswith("Usage: redtape" if "h" in flag else "redtape, version ")


@pytest.mark.parametrize("name", commands.COMMANDS)
def test_help_of_each_command_imports_no_proxy(name: str) -> None:
    """The module of a command is cheap too; what it works with comes when it works."""
    code = IMPORTED.replace(repr(HEAVY), repr(["mitmproxy", "aiohttp", "sqlite_utils", "genai_prices", "jinja2"]))
    done = subprocess.run(
        [sys.executable, "-c", code, name, "--help"], cwd=ROOT, env=clean_environment(), capture_output=True, text=True
    )

    assert done.returncode == 0, done.stderr
    assert done.stderr == "[]\n"
    assert done.stdout.startswith(f"Usage: redtape {name}")


def test_help_lists_every_command(redtape) -> None:
    """With one line each, and nothing on stderr."""
    done = redtape("--help")

    assert (0, "") == (done.code, done.err)
    for name, (_, line) in commands.COMMANDS.items():
        assert f"  {name} " in done.out
        assert line.split()[0] in done.out


def walk(command: click.Command, path: tuple[str, ...]) -> list[tuple[str, ...]]:
    below = command.commands.items() if isinstance(command, click.Group) else ()
    return [path, *(one for name, sub in below for one in walk(sub, (*path, name)))]


def every_command() -> list[tuple[str, ...]]:
    context = click.Context(cli.root)
    return [
        path
        for name in commands.COMMANDS
        if (command := cli.root.get_command(context, name))
        for path in walk(command, (name,))
    ]


@pytest.mark.parametrize("path", every_command(), ids=" ".join)
def test_each_command_explains_itself(redtape, path: tuple[str, ...]) -> None:
    """-h and --help are the same, end with 0, and touch nothing."""
    long, short = redtape(*path, "--help"), redtape(*path, "-h")

    assert (0, "") == (long.code, long.err)
    assert long.out == short.out
    assert long.out.startswith(f"Usage: redtape {' '.join(path)}")
    assert not Path(".redtape").exists()


@pytest.mark.parametrize("path", [p for p in every_command() if p[-1] in ("list", "show", "diff", "score", "orders")])
def test_each_read_verb_prints_json(redtape, path: tuple[str, ...]) -> None:
    """Programs can read whatever people can."""
    assert "--json" in redtape(*path, "--help").out


def test_version(redtape) -> None:
    """One place says the version, and the distribution agrees."""
    assert redtape("--version").out == f"redtape, version {cli.VERSION}\n"
    assert version("redtape-proxy") == cli.VERSION


def test_no_arguments_are_a_question(redtape) -> None:
    """The help, as an error of usage."""
    done = redtape()

    assert (2, "") == (done.code, done.out)
    assert "Commands:" in done.err


# ---- exit codes


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["ordrs", "x"], "No such command 'ordrs'. Did you mean 'orders'?"),
        (["frobnicate"], "No such command 'frobnicate'. See redtape --help."),
        (["corpus", "lst"], "No such command 'lst'"),
        (["orders"], "Missing argument 'SESSION'"),
        (["orders", "x", "--jsn"], "Did you mean '--json'?"),
        (["orders", "nope"], "no session 'nope' since there is no workspace at /"),
        (["orders", "../../etc/passwd"], "is no session name"),
        (["show", "nope"], "nor is there a run of that name"),
        (["export", "nope"], "nor is there a run of that name"),
        (["export", "nope", "--format", "xml"], "'xml' is not 'ndjson'"),
        (["diff", "nope/3"], "no session 'nope'"),
        (["import", "missing.har"], "does not exist"),
        (["contract", "check", "nope"], "shipped: us-equity-long-only"),
        (["score", "nope", "--contract", "us-equity-long-only"], "no session 'nope'"),
        (["proxy", "--attack", "news-hiden-order", "--", "true"], "did you mean news-hidden-order"),
        (["proxy", "--attack", "zzz", "--", "true"], "see `redtape corpus list`"),
        (["proxy", "--map", "x", "--", "true"], "'x' must look like HOST=URL"),
        (["proxy", "--map", "x=ftp://y", "--", "true"], "http://HOST:PORT or https://HOST"),
        (["proxy", "--map", "x=http://y:99999", "--", "true"], "http://HOST:PORT or https://HOST"),
        (["proxy", "--map", "x=http://y/?q", "--", "true"], "can't have a query"),
        (["proxy", "--listen", "8080", "--", "true"], "must look like HOST:PORT"),
        (["proxy", "--listen", "127.0.0.1:²", "--", "true"], "must look like HOST:PORT"),
        (["proxy", "--listen", "0.0.0.0:0", "--", "true"], "--allow-remote"),
        (["proxy", "--session", "a/b", "--", "true"], "is no session name"),
        (["proxy", "--seed", "x", "--", "true"], "'x' is not a valid integer"),
        (["proxy", "--fail-on-violation", "--", "true"], "needs --contract"),
        (["proxy", "--attack", "news-hidden-order", "--", "true"], "real money"),
        (["--workspace", "~no-such-user-here/x", "sessions", "list"], "workspace ~no-such-user-here/x"),
    ],
)
def test_usage_is_2(redtape, args: list[str], says: str) -> None:
    """What the caller must change is said on stderr, in words, without a traceback."""
    done = redtape(*args)

    assert (2, "") == (done.code, done.out)
    assert says in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("content", [b"", b"no database at all", b"SQLite format 3\0" + b"\xff" * 5000])
def test_corrupt_session_is_4(shell, tmp_path: Path, content: bytes) -> None:
    """A file that is no session is no fault of the caller's words; it is named."""
    folder = tmp_path / ".redtape/sessions"
    folder.mkdir(parents=True)
    (folder / "x.db").write_bytes(content)

    for args in (["orders", "x"], ["show", "x"], ["export", "x"], ["score", "x", "--contract", "us-equity-long-only"]):
        done = shell(*args)
        assert (4, b"") == (done.returncode, done.stdout), args
        assert b"x.db" in done.stderr
        assert b"Traceback" not in done.stderr


def test_unreadable_results_are_4(redtape) -> None:
    """Also the run-level file."""
    Path(".redtape").mkdir()
    Path(".redtape/redtape.db").write_bytes(b"no database at all, and long enough to be looked at")

    for args in (["runs", "list"], ["show", "x"], ["export", "x"]):
        done = redtape(*args)
        assert (4, "") == (done.code, done.out), args
        assert "redtape.db" in done.err


def test_unusable_workspace_is_4(redtape, har) -> None:
    """A file where the folder should be, or a folder that can't be made."""
    Path("file").write_text("x")
    file = har.write(Path("a.har"), har.entry())

    for folder in ("file", "file/below", "/proc/redtape"):
        done = redtape("--workspace", folder, "import", file)
        assert (4, "") == (done.code, done.out)
        assert f"workspace {folder}" in done.err
        assert "choose another --workspace" in done.err


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch):
    """Makes `redtape runs list` fail with an error."""
    import deploy.commands.runs as runs

    def set_up(error: BaseException) -> None:
        def fail() -> None:
            raise error

        monkeypatch.setattr(runs.command.commands["list"], "callback", fail)
        monkeypatch.setattr(runs.command.commands["list"], "params", [])

    return set_up


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        (GateFailed("three breaches"), 1, "failed: three breaches"),
        (UserError("do this"), 2, "error: do this"),
        (BadCorpus("too old", file="a.yaml", line=3, key="cases[0].id"), 2, "a.yaml:3: cases[0].id: too old"),
        (ZeroDivisionError("by zero"), 3, "internal error: ZeroDivisionError: by zero"),
        (ValueError("\x1b[31mred\n"), 3, "\\x1b[31mred\\x0a"),
        (Inconclusive("no disk"), 4, "error: no disk"),
        (OSError(28, "No space left on device"), 4, "No space left on device"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (click.exceptions.Abort(), 130, "interrupted"),
        (click.exceptions.Exit(5), 5, ""),
    ],
)
def test_each_error_has_its_code(redtape, failing, error: BaseException, code: int, says: str) -> None:
    """Nothing on stdout, one message on stderr, no traceback."""
    failing(error)
    done = redtape("runs", "list")

    assert (code, "") == (done.code, done.out)
    assert says in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("asked", [{"args": ["--debug"]}, {"variables": {"REDTAPE_DEBUG": "1"}}])
@pytest.mark.parametrize(("error", "code"), [(ZeroDivisionError(), 3), (UserError("do this"), 2), (OSError(), 4)])
def test_debug_shows_the_traceback(redtape, failing, asked, error: Exception, code: int) -> None:
    """And changes no exit code: 1 would say that a check failed."""
    failing(error)
    done = redtape(*asked.get("args", ()), "runs", "list", **asked.get("variables", {}))

    assert code == done.code
    assert "Traceback" in done.err
    assert type(error).__name__ in done.err


def test_debug_of_the_command_is_not_ours(redtape) -> None:
    """`redtape proxy -- agent --debug` says nothing about our own tracebacks."""
    assert not cli._debug(["proxy", "--", "agent", "--debug"])
    assert cli._debug(["--debug", "proxy", "--", "agent"])


def test_interrupt_is_130(spawn) -> None:
    """SIGINT while work is done: no traceback, and 130."""
    process = spawn("demo")
    assert process.stderr is not None
    assert b"trial 1" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)

    assert 130 == process.returncode
    assert b"" == out
    assert b"interrupted" in err
    assert b"Traceback" not in err


def test_a_reader_that_leaves_is_no_error(imported, har, spawn) -> None:
    """`redtape orders X | head -1`: quiet, and what pipes say of a writer that was cut off; never a false pass or 1."""
    name = imported(*(har.entry(body=har.placed(f"c{n}"), answer=har.order(f"c{n}")) for n in range(300)))
    process = spawn("orders", name, "--json")
    assert process.stdout is not None
    assert process.stderr is not None
    assert json.loads(process.stdout.readline())["seq"] == 1
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()

    assert 141 == process.wait(30)
    assert b"" == said


# ---- output


def test_an_odd_encoding_is_no_error(shell, imported, har) -> None:
    """A terminal that can't show a character gets its number."""
    name = imported(har.entry(body=har.placed(symbol="Zürich–€"), answer=har.order()))

    done = shell("orders", name, PYTHONIOENCODING="latin-1")
    assert 0 == done.returncode
    assert b"Z\xfcrich\\u2013\\u20ac" in done.stdout


@pytest.mark.parametrize("variables", [{}, {"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colours_in_a_pipe(shell, variables: dict[str, str]) -> None:
    """Nor codes of any other kind, from the verb that does use colour on a terminal."""
    for args in (["corpus", "list"], ["corpus", "show", "news-hidden-order"], ["--help"]):
        done = shell(*args, **variables)
        assert 0 == done.returncode
        assert b"\x1b" not in done.stdout + done.stderr


def test_stdout_is_data_only(shell) -> None:
    """Counts and summaries are for people."""
    done = shell("corpus", "list", "--json")
    assert all(isinstance(json.loads(line), dict) for line in done.stdout.splitlines())
    assert b"" == done.stderr

    done = shell("corpus", "list")
    assert b"corpus version" not in done.stdout
    assert b"corpus version" in done.stderr


def test_completion_still_works(shell) -> None:
    """Shells ask click for the words."""
    done = shell(_REDTAPE_COMPLETE="bash_complete", COMP_WORDS="redtape or", COMP_CWORD="1")

    assert b"orders" in done.stdout
