"""`redtape export`: whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import deploy.commands.export as export


def test_stdout(redtape, imported, har, hostile: str) -> None:
    """Lines of JSON, and nothing else; the same on every call."""
    name = imported(har.entry(body=har.placed(hostile, symbol=hostile), answer=har.order(hostile)))
    done = redtape("export", name)

    assert (0, "") == (done.code, done.err)
    assert done.out.isascii()
    assert "\x1b" not in done.out
    assert ["session", "exchange", "order"] == [one["type"] for one in done.lines][:3]
    assert hostile == done.lines[2]["symbol"]
    assert done == redtape("export", name, "--format", "ndjson")


def test_file(redtape, imported, har) -> None:
    """The same bytes; an older file is replaced."""
    name = imported(har.entry(body=har.placed(), answer=har.order()))
    Path("out.ndjson").write_text("old")
    done = redtape("export", name, "--out", "out.ndjson")

    assert (0, "", "") == (done.code, done.out, done.err)
    assert redtape("export", name).out == Path("out.ndjson").read_text()


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt(), ValueError("bug")])
def test_half_an_export_is_none(redtape, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """An older file stays as it was, and no part is left."""

    def lines(*_: object):
        yield json.dumps({"a": 1}) + "\n"
        raise error

    monkeypatch.setattr(export, "_lines", lines)
    Path("out.ndjson").write_text("old")
    done = redtape("export", "x", "--out", "out.ndjson")

    assert done.code in (3, 4, 130)
    assert "old" == Path("out.ndjson").read_text()
    assert ["out.ndjson"] == [path.name for path in Path().iterdir()]


def test_a_folder_that_is_not_there(redtape, imported, har) -> None:
    """Said, by name."""
    name = imported(har.entry())
    done = redtape("export", name, "--out", "none/out.ndjson")

    assert (4, "") == (done.code, done.out)
    assert "none" in done.err
