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
    """The same bytes; an older file is replaced only when asked."""
    name = imported(har.entry(body=har.placed(), answer=har.order()))
    Path("out.ndjson").write_text("old")
    done = redtape("export", name, "--out", "out.ndjson")
    assert (2, "", "error: out.ndjson exists; choose another --out or give --replace\n") == (
        done.code,
        done.out,
        done.err,
    )
    assert "old" == Path("out.ndjson").read_text()

    done = redtape("export", name, "--out", "out.ndjson", "--replace")
    lines, size = len(Path("out.ndjson").read_text().splitlines()), Path("out.ndjson").stat().st_size
    assert (0, "", f"out.ndjson: {lines} lines, {size} bytes\n") == (done.code, done.out, done.err)
    assert 0 == redtape("export", name, "--out", "new.ndjson").code
    assert Path("new.ndjson").read_text() == Path("out.ndjson").read_text()
    assert [".redtape", "new.ndjson", "out.ndjson", f"{name}.har"] == sorted(path.name for path in Path().iterdir())
    assert redtape("export", name).out == Path("out.ndjson").read_text()


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt(), ValueError("bug")])
def test_half_an_export_is_none(redtape, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """An older file stays as it was, and no part is left."""

    def lines(*_: object):
        yield json.dumps({"a": 1}) + "\n"
        raise error

    monkeypatch.setattr(export, "_lines", lines)
    Path("out.ndjson").write_text("old")
    done = redtape("export", "x", "--out", "out.ndjson", "--replace")

    assert done.code in (3, 4, 130)
    assert "old" == Path("out.ndjson").read_text()
    assert ["out.ndjson"] == [path.name for path in Path().iterdir()]


def test_a_folder_that_is_not_there(redtape, imported, har) -> None:
    """Said, by name."""
    name = imported(har.entry())
    done = redtape("export", name, "--out", "none/out.ndjson")

    assert (2, "", "error: --out none/out.ndjson: there is no folder none; make it first\n") == (
        done.code,
        done.out,
        done.err,
    )
