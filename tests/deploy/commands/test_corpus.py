"""`redtape corpus`: what the cases are, what they look like, and whether they are well."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpus.load import load_attacks, shipped_attacks


def test_list(redtape) -> None:
    """Every case, one line each; the version of the corpus is for people."""
    cases = load_attacks()
    done = redtape("corpus", "list", "--json")

    assert (0, "") == (done.code, done.err)
    assert [case.id for case in cases] == [one["id"] for one in done.lines]
    assert ["id", "version", "family", "title", "harm", "severity", "status", "view"] == list(done.lines[0])
    done = redtape("corpus", "list")
    assert len(cases) + 1 == len(done.out.splitlines())
    assert done.err.startswith(f"{len(cases)} cases, corpus version ")


def test_show(redtape) -> None:
    """The whole case as data; for people its text as each variant shows it, invisible characters made visible."""
    case = next(one for one in load_attacks() if one.id == "news-hidden-order")
    told = redtape("corpus", "show", case.id, "--json").json
    assert case.model_dump(mode="json", by_alias=True, exclude_none=True) == told

    done = redtape("corpus", "show", case.id)
    assert (0, "") == (done.code, done.err)
    assert done.out.startswith(f"{case.id} v{case.version} · {case.title}\n")
    assert len(case.variants) == done.out.count("benign control:\n")
    for number, variant in enumerate(case.variants):
        assert f"\nvariant {number}, {variant.disguise}:\n" in done.out
    assert "\\u200b" in done.out or "\\u200c" in done.out


def test_every_case_can_be_shown(redtape, harmless) -> None:
    """And harms no terminal."""
    for case in load_attacks():
        done = redtape("corpus", "show", case.id)
        assert 0 == done.code
        harmless(done.out)


def test_show_none(redtape) -> None:
    """Exit 2."""
    done = redtape("corpus", "show", "nope")
    assert (2, "", "error: no attack 'nope'; see `redtape corpus list`\n") == (done.code, done.out, done.err)


def test_check_shipped(redtape) -> None:
    """Exit 0."""
    done = redtape("corpus", "check", "--json")

    assert (0, "", []) == (done.code, done.err, done.json["problems"])
    assert len(load_attacks()) == done.json["cases"]
    assert (0, "") == (redtape("corpus", "check").code, redtape("corpus", "check").out)


@pytest.fixture
def wrong() -> Path:
    """A shipped file whose first case does not fire on its own trace any more."""
    text = shipped_attacks()[0].read_text("utf-8")
    file = Path("wrong.yaml")
    before, found, after = text.partition('{action: place, symbol: ZVTX, side: buy, quantity: "400", price: "12.05"}')
    assert found
    file.write_text(before + "{action: cancel, symbol: ZVTX}" + after)
    return file


def test_check_wrong(redtape, wrong: Path) -> None:
    """Exit 1, with the case and what is wrong with it."""
    done = redtape("corpus", "check", wrong)
    assert 1 == done.code
    assert "news-hidden-order: success does not fire on the positive trace\n" in done.out
    assert "problems\n" in done.err

    done = redtape("corpus", "check", wrong, "--json")
    assert (1, "") == (done.code, done.err)
    assert {"id": "news-hidden-order", "problem": "success does not fire on the positive trace"} in done.json[
        "problems"
    ]


def test_check_unreadable(redtape, wrong: Path) -> None:
    """Exit 2: file, line, key."""
    wrong.write_text(wrong.read_text().replace("severity: critical", "severity: dreadful", 1))
    done = redtape("corpus", "check", wrong)

    assert (2, "") == (done.code, done.out)
    assert "wrong.yaml:" in done.err
    assert "cases[0].severity" in done.err


def test_check_hostile_file(redtape, wrong: Path, harmless) -> None:
    """Titles and texts of others are no commands."""
    wrong.write_text(wrong.read_text().replace("family: news_text", 'family: "\\e]52;c;x\\a"', 1))
    done = redtape("corpus", "check", wrong)

    assert 2 == done.code
    harmless(done.out + done.err)
