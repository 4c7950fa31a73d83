"""Where a setting comes from: flag > REDTAPE_* > redtape.toml > default."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from deploy import cli, settings
from deploy.commands import COMMANDS


def where(redtape, *args: str, **variables: str) -> str:
    """The workspace that a call uses."""
    done = redtape(*args, "runs", "list", **variables)
    assert (0, "") == (done.code, done.out)
    return done.err.removeprefix("no workspace at ").strip()


def test_workspace(redtape) -> None:
    """Each source beats those after it."""
    here = Path.cwd()
    assert str(here / ".redtape") == where(redtape)
    Path("redtape.toml").write_text('workspace = "from-file"\n')
    assert str(here / "from-file") == where(redtape)
    assert str(here / "from-variable") == where(redtape, REDTAPE_WORKSPACE="from-variable")
    assert str(here / "from-flag") == where(redtape, "--workspace", "from-flag", REDTAPE_WORKSPACE="from-variable")
    assert str(here / "from-file") == where(redtape, REDTAPE_WORKSPACE="")


def test_home_is_expanded(redtape, tmp_path: Path) -> None:
    """As a shell would, also where no shell reads it."""
    Path("redtape.toml").write_text('workspace = "~/evidence"\n')

    assert str(tmp_path / "evidence") == where(redtape, HOME=str(tmp_path))


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch):
    """What `redtape proxy` was called with, instead of calling it."""
    import deploy.commands.proxy as proxy

    seen: dict[str, object] = {}
    monkeypatch.setattr(proxy.command, "callback", lambda **values: seen.update(values))
    return seen


def test_option_of_a_command(redtape, given) -> None:
    """The same for every option of every command."""

    def seed(*args: str, **variables: str) -> object:
        done = redtape("proxy", *args, "--", "true", **variables)
        assert (0, "") == (done.code, done.err)
        return given["seed"]

    assert 0 == seed()
    Path("redtape.toml").write_text("[proxy]\nseed = 3\n")
    assert 3 == seed()
    assert 4 == seed(REDTAPE_PROXY_SEED="4")
    assert 5 == seed("--seed", "5", REDTAPE_PROXY_SEED="4")


def test_settings_are_called_as_the_options_are(redtape, given) -> None:
    """`--upstream-ca` is upstream-ca or upstream_ca in the file, and REDTAPE_PROXY_UPSTREAM_CA."""
    Path("roots.pem").write_text("x")
    Path("redtape.toml").write_text(
        '[proxy]\nattack = ["a", "b"]\nmap = ["x=http://y"]\nupstream-ca = "roots.pem"\n'
        'replace = false\nlisten = "127.0.0.1:1"\n'
    )
    assert 0 == redtape("proxy", "--", "true").code
    assert ("a", "b") == given["attacks"]
    assert {"x": "http://y"} == given["maps"]
    assert Path("roots.pem") == given["upstream_ca"]
    assert (False, False) == (given["accept_real_orders"], given["replace"])
    assert ("127.0.0.1", 1) == given["listen"]

    done = redtape(
        "proxy",
        "--",
        "true",
        REDTAPE_PROXY_ATTACK="c d",
        REDTAPE_PROXY_REPLACE="1",
    )
    assert (0, "") == (done.code, done.err)
    assert ("c", "d") == given["attacks"]
    assert True is given["replace"]

    Path("redtape.toml").write_text('[proxy]\nattack = "one"\nupstream_ca = "roots.pem"\n')
    assert 0 == redtape("proxy", "--", "true").code
    assert ("one",) == given["attacks"]
    assert Path("roots.pem") == given["upstream_ca"]


@pytest.mark.parametrize("key", ["accept-real-orders", "accept_real_orders"])
@pytest.mark.parametrize("value", ["true", "false", '"yes"'])
def test_real_orders_are_accepted_on_the_command_line_alone(redtape, given, key: str, value: str) -> None:
    """Neither a file that was checked out nor a variable of some shell may risk money."""
    Path("redtape.toml").write_text(f"[proxy]\n{key} = {value}\n")
    for flags in ([], ["--accept-real-orders"]):
        done = redtape("proxy", *flags, "--", "true")
        assert (2, "", {}) == (done.code, done.out, given)
        assert done.err.startswith("error: redtape.toml: proxy.accept-real-orders: only the command line may say it")
    Path("redtape.toml").unlink()
    assert 0 == redtape("proxy", "--accept-real-orders", "--", "true").code
    assert True is given["accept_real_orders"]


@pytest.mark.parametrize("value", ["1", "true", "0", "x"])
def test_no_variable_accepts_real_orders(redtape, given, value: str) -> None:
    """Named; other commands don't mind, and an empty one is unset."""
    name = "REDTAPE_PROXY_ACCEPT_REAL_ORDERS"
    done = redtape("-q", "proxy", "--", "true", **{name: value})
    assert (2, "", {}) == (done.code, done.out, given)
    assert done.err.startswith(f"error: {name}: only the command line may say --accept-real-orders")
    assert 0 == redtape("runs", "list", **{name: value}).code
    assert 0 == redtape("proxy", "--", "true", **{name: ""}).code
    assert False is given["accept_real_orders"]


def test_options_below_a_group(redtape) -> None:
    """`[ca.env] proxy` and REDTAPE_CA_ENV_PROXY."""
    Path("redtape.toml").write_text('[ca.env]\nproxy = "http://file:1"\n')

    assert "export HTTPS_PROXY=http://file:1\n" in redtape("ca", "env").out
    done = redtape("ca", "env", REDTAPE_CA_ENV_PROXY="http://variable:1")
    assert "export HTTPS_PROXY=http://variable:1\n" in done.out
    assert "" == done.err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("workspace = ", "redtape.toml: not TOML"),
        ("[proxy\n", "redtape.toml: not TOML"),
        ("[proxy]\nseed = 1\nseed = 2\n", "redtape.toml: not TOML"),
        ("a = " + "[" * 5000, "redtape.toml: not TOML"),
        ("workspace = 3\n", "workspace: a path in quotes is wanted here"),
        ('workspace = "\\u0000"\n', "redtape.toml: workspace: a path can't have the character \\u0000"),
        ('workspace = "a\\u0000b"\n', "redtape.toml: workspace: a path can't have the character \\u0000"),
        ('workspce = "x"\n', "workspce: unknown key; did you mean workspace?"),
        ("[prxy]\nseed = 3\n", "prxy: unknown key; did you mean proxy?"),
        ("proxy = 3\n", "proxy: a table is wanted here; write [proxy]"),
        ("[proxy]\nsede = 3\n", "proxy.sede: unknown key; did you mean seed?"),
        ("[proxy]\ncommand_ = ['x']\n", "proxy.command_: unknown key"),
        ("[proxy]\nhelp = true\n", "proxy.help: unknown key"),
        ("[proxy]\nseed = 'x'\n", "'x' is not a valid integer"),
        ("[proxy]\nseed = 3.7\n", "'3.7' is not a valid integer"),
        ("[proxy]\nseed = [1]\n", "proxy.seed: text, a number, true or false is wanted here"),
        ("[proxy]\nseed = {a = 1}\n", "proxy.seed: text, a number, true or false is wanted here"),
        ("[proxy]\nseed = 2026-11-30\n", "proxy.seed: text, a number, true or false is wanted here"),
        ("[proxy]\nattack = [['a']]\n", "proxy.attack: text, a number, true or false is wanted here"),
        ("[proxy]\nreplace = 'perhaps'\n", "'perhaps' is not a valid boolean"),
        ("[proxy]\nbroker = 'paper'\n", "'paper' is not"),
    ],
)
def test_bad_project_file(redtape, given, text: str, says: str) -> None:
    """Exit 2, the key and what to do; a misspelt key is never passed over in silence."""
    Path("redtape.toml").write_text(text)
    done = redtape("proxy", "--", "true")

    assert (2, "", {}) == (done.code, done.out, given)
    assert says in done.err
    assert "Traceback" not in done.err


def test_project_file_that_is_no_text(redtape) -> None:
    """Nor one that is no file."""
    Path("redtape.toml").write_bytes(b"workspace = '\xff'\n")
    assert 2 == redtape("runs", "list").code
    Path("redtape.toml").unlink()
    Path("redtape.toml").mkdir()
    assert 0 == redtape("runs", "list").code


def test_the_table_of_another_command_does_not_matter_here(redtape) -> None:
    """What it says is looked at when that command runs: nothing is loaded for it before."""
    Path("redtape.toml").write_text("[proxy]\nsede = 3\n[sim]\nseed = 1\n")

    assert 0 == redtape("runs", "list").code
    assert 2 == redtape("proxy", "--", "true").code


def test_unknown_variables_warn(redtape) -> None:
    """On stderr, once each, and never a failure: they may belong to a newer version."""
    done = redtape(
        "runs",
        "list",
        REDTAPE_WORKSPCE="x",
        REDTAPE_PROXY_SEDE="3",
        REDTAPE_VERSION="1.2",
        REDTAPE_HELP="1",
        REDTAPE_RUNS_LIST_HELP="1",
        REDTAPE_CORPUS="x",
    )

    assert (0, "") == (done.code, done.out)
    for name in ("WORKSPCE", "PROXY_SEDE", "VERSION", "HELP", "RUNS_LIST_HELP", "CORPUS"):
        assert 1 == done.err.count(f"warning: REDTAPE_{name} is no setting of redtape and has no effect\n")


def test_known_variables_do_not_warn(redtape) -> None:
    """Nor does what our own test-runs are told."""
    known = {
        "REDTAPE_NO_SKIPS": "1",
        "REDTAPE_PROXY_SEED": "3",
        "REDTAPE_CORPUS_LIST_JSON": "1",
        "REDTAPE_IMPORT_SESSION": "x",
    }
    known |= {"REDTAPE_WORKSPACE": "w", "REDTAPE_VERBOSE": "1", "REDTAPE_DEBUG": "0", "REDTAPE": "x", "XREDTAPE_A": "x"}

    assert f"no workspace at {Path.cwd() / 'w'}\n" == redtape("runs", "list", **known).err


def test_quiet_warns_of_nothing(redtape) -> None:
    """-q is for errors alone."""
    assert "warning" not in redtape("-q", "runs", "list", REDTAPE_WORKSPCE="x").err
    assert "warning" not in redtape("runs", "list", REDTAPE_WORKSPCE="x", REDTAPE_QUIET="1").err


def test_a_hostile_variable_name(redtape) -> None:
    """The name of a variable is text of others, too."""
    assert "\x1b" not in redtape("runs", "list", **{"REDTAPE_\x1b[31m": "x"}).err


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, None),
        ({"TERM": "xterm"}, None),
        ({"NO_COLOR": ""}, None),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, True),
        ({"TERM": "dumb"}, False),
    ],
)
def test_colour(variables: dict[str, str], expected: bool | None) -> None:
    """NO_COLOR wins; empty is unset."""
    assert expected is settings.colour(variables)


def test_every_option_has_one_variable_of_its_own() -> None:
    """No two options share a name, and none is called as a setting of all commands is."""
    context = click.Context(cli.root)
    found = [
        name
        for word in COMMANDS
        if (command := cli.root.get_command(context, word)) is not None
        for name in settings._variables(command)
    ]

    assert len(found) == len(set(found))
    assert not set(found) & settings._OURS
    assert {"REDTAPE_PROXY_SEED", "REDTAPE_PROXY_MAP", "REDTAPE_ORDERS_JSON", "REDTAPE_CONTRACT_TEST_JSON"} <= set(
        found
    )
