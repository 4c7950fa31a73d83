"""`redtape scan`: says where, never what; exit 1 when there is something."""

from __future__ import annotations

from pathlib import Path

SECRET = "canary-secret-000001"


def test_clean(redtape, ordinary: str) -> None:
    """A session that was imported holds no secret."""
    done = redtape("scan", AGENT_API_KEY=SECRET)

    assert (0, "") == (done.code, done.out)
    assert "1 known secrets, 0 findings\n" == done.err
    assert 0 == redtape("scan", ordinary).code


def test_nothing_to_look_for(redtape, ordinary: str, monkeypatch) -> None:
    """A clean bill that says how little was looked for."""
    monkeypatch.setattr("proxy.journal.redact.secret_values", lambda _: ())
    done = redtape("scan")

    says = "no secrets were given; looked for text that looks like a key only, 0 findings\n"
    assert (0, "", says) == (done.code, done.out, done.err)


def test_found(redtape, ordinary: str) -> None:
    """By the environment or by a file of values."""
    Path(".redtape/notes.txt").write_text(f"the key is {SECRET}")
    Path("values").write_text(f"\n{SECRET}\nshort\n")
    for args, variables in (((), {"AGENT_API_KEY": SECRET}), (("--values", "values"), {})):
        done = redtape("scan", *args, **variables)
        assert 1 == done.code
        assert ".redtape/notes.txt: its bytes: a secret that was given\n" == done.out
        assert SECRET not in done.out + done.err
        assert [{"file": ".redtape/notes.txt", "where": "its bytes", "what": "a secret that was given"}] == redtape(
            "scan", "--json", *args, **variables
        ).lines
    # One session alone does not hold it.
    assert 0 == redtape("scan", ordinary, "--values", "values").code


def test_usage(redtape) -> None:
    """Exit 2: no workspace, no session, no file of values."""
    for args, says in (
        ((), "no workspace at .redtape"),
        (("x",), "no session 'x'"),
        (("--values", "none"), "--values none: can't be read"),
    ):
        done = redtape("scan", *args)
        assert (2, "") == (done.code, done.out)
        assert says in done.err


def test_hostile(redtape, tampered: list[str], hostile: str, harmless) -> None:
    """Names of files and of bodies are text of others."""
    Path(".redtape", "a\x1b[31m\u202e.txt").write_text("-----BEGIN PRIVATE KEY-----")
    done = redtape("scan")

    assert 1 == done.code
    harmless(done.out + done.err)
