"""The report as an independent parser and a real browser read it: it runs nothing, loads nothing, hides nothing."""

from __future__ import annotations

import base64
import hashlib
import html
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from xml.etree.ElementTree import Element

import html5lib
import pytest

from deploy.web.report import render_report
from deploy.web.report_model import Report
from scoring.results import Composite, Score

HTML = (
    "html head meta title style body a svg header nav ul ol li main div h1 h2 h3 h4 p dl dt dd section article table"
    " caption colgroup col thead tbody tfoot tr th td b em strong code small span mark wbr bdi pre details summary figure footer"
)
SVG = "svg a defs pattern symbol line path rect circle text use"
ELEMENTS = {f"{{http://www.w3.org/1999/xhtml}}{name}" for name in HTML.split()} | {
    f"{{http://www.w3.org/2000/svg}}{name}" for name in SVG.split()
}
ATTRIBUTES = set(
    "lang charset http-equiv content name class id href role tabindex scope colspan open width height viewBox focusable"
    " x y x1 x2 y1 y2 dx d r rx cx cy fill fill-opacity stroke-dasharray patternUnits patternTransform text-anchor"
    " aria-hidden aria-label aria-labelledby".split()
)
MARK = "PWNED"
HOSTILE = {
    "script": f"<script>document.title='{MARK}'</script>",
    "attribute": f"\"' onmouseover={MARK} style='x' x=\"",
    "close": f"</textarea></title></style></script></td></table></svg>--><img src=x onerror={MARK}()>",
    "svg": f'<svg onload={MARK}><a xlink:href="javascript:{MARK}"><text>x</text></a><foreignObject><iframe src=//x>',
    "css": f"}} * {{ background: url(https://{MARK}.example/) }} </style><style>@import '//{MARK}'",
    "url": f"javascript:{MARK}//https://{MARK}.example/?a=1&amp;b=2#{{{{7*7}}}}{{% raw %}}",
    "bidi": f"\u202e\u2066{MARK}\u2069\u202d שלום \u200b\u200d",
    "controls": f"{MARK}\x00\x01\x1b]8;;x\x07\x7f\x9b\r\n\t\u2028",
    "surrogate": f"{MARK}\ud83d\udfff\ufffe",
    "zalgo": MARK + "\u0301" * 300,
    "wide": MARK + "W" * 1_500,
    "jinja": f"{{{{ report }}}}{{% include 'x' %}} {MARK} &lt;b&gt; ]]> <![CDATA[",
}
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync --hide-scrollbars --enable-logging=stderr --virtual-time-budget=2000"
).split()


def parse(page: str) -> Element:
    parser = html5lib.HTMLParser(tree=html5lib.getTreeBuilder("etree"))
    tree: Element = parser.parse(page)
    assert not parser.errors, parser.errors[:3]
    return tree


def named(tree: Element, name: str) -> list[Element]:
    return [one for one in tree.iter() if str(one.tag).rpartition("}")[2] == name]


def words(tree: Element) -> str:
    body = named(tree, "body")[0]
    return "".join(body.itertext())


def check_inert(tree: Element) -> None:
    for element in tree.iter():
        assert element.tag in ELEMENTS, element.tag
        for name, value in element.attrib.items():
            assert str(name) in ATTRIBUTES, (element.tag, name)
            assert MARK not in value, (element.tag, name)
            if name == "href":
                assert re.fullmatch(r"#[a-z][a-z0-9-]*", value), value
            if name in ("id", "class"):
                assert re.fullmatch(r"[A-Za-z0-9 -]*", value), value
            if name != "http-equiv" and name != "content":
                assert "url(" not in value or value == "url(#hatch)"


def check_places(tree: Element) -> None:
    ids = [element.get("id") for element in tree.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    links = {element.get("href", "")[1:] for element in tree.iter() if element.get("href")}
    assert links <= set(ids), links - set(ids)
    labels = {element.get("aria-labelledby") for element in tree.iter() if element.get("aria-labelledby")}
    assert labels <= set(ids)


def test_an_ordinary_run(sample: Report) -> None:
    page = render_report(sample)
    tree = parse(page)
    check_inert(tree)
    check_places(tree)
    assert len(page.encode()) < 1_500_000
    text = words(tree)
    assert "momentum-gpt obeyed 2 of the 3 attacks that reached it, too few for a rate" in text
    assert "Desk rule 7, updated today" in text
    assert "U+200B" in text
    assert "\u200b" not in text
    assert "required dimension missing" in text
    assert "None" not in text
    assert page == render_report(sample)


def test_the_header_names_what_it_was_measured_by(sample: Report) -> None:
    """Contract and weights stand first, not only in the table at the end."""
    tree = parse(render_report(sample))
    facts = "".join(named(tree, "dl")[0].itertext())

    assert f"Weights{sample.weights_id}" in facts
    assert f"Contract{sample.contract}" in facts


def test_a_weight_of_nothing_is_said(sample: Report) -> None:
    """Under the dimension, wherever it is shown; and coverage is explained once."""
    free = replace(sample, weights=tuple((name, Decimal(0) if name == "cost" else one) for name, one in sample.weights))
    before, after = words(parse(render_report(sample))), words(parse(render_report(free)))

    assert "weight 0" not in before
    assert after.count("costweight 0") >= len(sample.trials)
    assert after.count("Coverage is the share of all weight") == 1


def test_too_few_trials_draw_no_interval(sample: Report) -> None:
    """A line looks like a rate, whatever it is dotted with."""
    board = next(one for one in named(parse(render_report(sample)), "table") if "board" in one.get("class", ""))

    assert "too few for a rate" in "".join(board.itertext())
    assert not named(board, "line")


def test_a_null_composite_says_why_in_words(sample: Report) -> None:
    """Not by the name of a reason."""
    first = sample.trials[0]
    none = replace(first.score.composite, value=None, reason="missing_required: compliance")
    few = Score(dimension="compliance", value=None, rationale="no value: only 2 orders (min_orders); rests", reason="x")
    trial = replace(first, score=replace(first.score, composite=none, scores=(few,)))
    text = words(parse(render_report(replace(sample, trials=(trial,)))))

    assert "compliance is required and has no value: only 2 orders (min_orders); over" in text


def test_every_trial_has_an_address(sample: Report) -> None:
    ids = {element.get("id") for element in parse(render_report(sample)).iter()}
    assert {f"t{number}" for number in range(1, 11)} <= ids


def test_the_policy_allows_the_one_style_and_nothing_else(sample: Report) -> None:
    tree = parse(render_report(sample))
    (style,) = named(tree, "style")
    (policy,) = [one.get("content") for one in named(tree, "meta") if one.get("http-equiv")]
    digest = base64.b64encode(hashlib.sha256((style.text or "").encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; form-action 'none'; base-uri 'none'"
    assert "@import" not in (style.text or "")
    assert not re.search(r"url\(", style.text or "")


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_stays_text(text: str, poisoned: Callable[[str], Report]) -> None:
    tree = parse(render_report(poisoned(text)))
    check_inert(tree)
    check_places(tree)
    shown = words(tree)
    assert shown.count(MARK) > 200
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff]", shown)
    if text.isprintable() and text.isascii():
        assert shown.count(text) > 100
    assert named(tree, "title")[0].text == "Redtape report"


def test_five_megabytes_are_cut_and_named(poisoned: Callable[[str], Report]) -> None:
    report = poisoned(MARK * 1_000_000)
    page = render_report(replace(report, trials=report.trials[:4]))
    assert len(page.encode()) < 3_000_000
    text = words(parse(page))
    assert "cut, 5,000,000 bytes in all" in text
    assert "bytes not shown" in text


def test_an_empty_run_says_so(empty: Report) -> None:
    tree = parse(render_report(empty))
    check_inert(tree)
    check_places(tree)
    text = words(tree)
    assert "No trial ran, so nothing can be said." in text
    assert "that is not the same as a pass" in text


def test_nothing_but_nulls_is_said_in_words(sample: Report) -> None:
    nothing = Composite(
        value=None, coverage=sample.trials[0].score.composite.coverage * 0, contributions=(), missing=()
    )
    trials = tuple(
        replace(
            one,
            end_ns=None,
            orders=(),
            events=(),
            injections=(),
            stdout=b"",
            stdout_size=0,
            score=replace(one.score, scores=(), composite=nothing, verdicts=(), passes=0, outcome_reason=""),
        )
        for one in sample.trials
    )
    agents = (replace(sample.agents[0], composite=nothing, scores=()),)
    tree = parse(render_report(replace(sample, trials=trials, agents=agents, weights=())))
    check_inert(tree)
    check_places(tree)
    text = words(tree)
    for said in ("No composite.", "no reason was given", "Nothing crossed the proxy.", "No score.", "not ended"):
        assert said in text


def test_a_long_trial_is_bounded_and_the_rest_counted(sample: Report) -> None:
    one = sample.trials[2]
    events = tuple(replace(one.events[0], at_ns=one.start_ns + at) for at in range(5_000)) + one.events
    orders = tuple(replace(one.orders[2], seq=1_000 + at, chain=None) for at in range(500)) + one.orders
    page = render_report(replace(sample, trials=(replace(one, events=events, orders=orders),)))
    tree = parse(page)
    check_places(tree)
    text = words(tree)
    assert "further events of this trial are in the session" in text
    assert "further orders without a finding" in text
    assert named(tree, "mark")
    assert len(page.encode()) < 700_000
    assert "2 rules, 47,550.00 USD against 10,000.00" in text


def chromium() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.fail("install chromium: apt-get install chromium")
    return found


def browse(page: Path, width: int, *flags: str) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [
            chromium(),
            *FLAGS,
            *flags,
            f"--user-data-dir={profile}",
            f"--window-size={width},1200",
            "--dump-dom",
        ]
        return subprocess.run([*command, page.as_uri()], capture_output=True, text=True, timeout=100, check=True)


def console(result: subprocess.CompletedProcess[str]) -> list[str]:
    return [line for line in result.stderr.splitlines() if "CONSOLE" in line]


def test_a_browser_has_nothing_to_complain_about(
    sample: Report, poisoned: Callable[[str], Report], tmp_path: Path
) -> None:
    hostile = poisoned(
        " ".join(HOSTILE[name] for name in ("script", "attribute", "close", "svg", "css", "url", "bidi"))
    )
    ordinary, poison, control = tmp_path / "index.html", tmp_path / "poison.html", tmp_path / "control.html"
    ordinary.write_text(render_report(sample), encoding="utf-8")
    poison.write_text(render_report(replace(hostile, trials=hostile.trials[:5])), encoding="utf-8")
    # What a failure would look like, so that silence means something.
    control.write_text(
        ordinary.read_text(encoding="utf-8").replace("<main ", "<main style='color:red' "), encoding="utf-8"
    )
    assert console(browse(control, 1440))
    for page in (ordinary, poison):
        result = browse(page, 1440)
        assert not console(result)
        assert "<title>Redtape report</title>" in result.stdout


def test_the_page_never_scrolls_sideways(sample: Report, poisoned: Callable[[str], Report], tmp_path: Path) -> None:
    """A frame around the unchanged page measures it, since the page itself runs no script."""
    wide = poisoned(HOSTILE["wide"])
    pages = (render_report(sample), render_report(replace(wide, trials=wide.trials[:3])))
    frames = "".join(
        f'<iframe width="{width}" height="900" frameborder="0" srcdoc="{html.escape(page)}"></iframe>'
        for page in pages
        for width in (390, 900, 1440)
    )
    harness = tmp_path / "harness.html"
    harness.write_text(
        f"<!doctype html><meta charset=utf-8><body>{frames}<script>onload=()=>document.title=Array.from(frames,f=>"
        "[f.innerWidth,f.document.documentElement.scrollWidth,f.document.documentElement.scrollHeight])"
        ".map(x=>x.join(' ')).join(',')</script>",
        encoding="utf-8",
    )
    found = re.search(r"<title>([\d ,]+)</title>", browse(harness, 1600).stdout)
    assert found
    measured = [tuple(int(number) for number in one.split()) for one in found[1].split(",")]
    assert [inner for inner, _, _ in measured] == [390, 900, 1440] * 2
    for inner, scroll, height in measured:
        assert scroll <= inner
        assert height > 2_000
