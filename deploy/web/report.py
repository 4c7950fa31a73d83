"""
The report as one HTML file that stands alone: values in, text out.

No script, no link to elsewhere, no style attribute. The one style element is allowed by its hash; anything
that slipped through escaping would still find nothing that may run or load.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from corpus.terms import Verdict
from deploy.web import chain, composite, rates, summary, tape, trial_page, verdict, words
from deploy.web.markup import anchor, body, finalize, ident, lines, plain, printed
from deploy.web.report_model import Report
from scoring.composite import why_null
from scoring.results import SCORER_VERSION, Contribution, Score

_HERE: Final = Path(__file__).parent
POLICY: Final = "default-src 'none'; style-src 'sha256-{hash}'; form-action 'none'; base-uri 'none'"


@cache
def stylesheet() -> str:
    """The style element's text: the shared look, line ends as an HTML parser reads them."""
    return (_HERE / "static" / "redtape.css").read_text(encoding="utf-8").replace("\r\n", "\n")


def style_hash(text: str) -> str:
    """How a content security policy names a style element."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _environment() -> Environment:
    env = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    env.filters |= {
        "body": body,
        "by_dimension": _by_dimension,
        "ident": ident,
        "lines": lines,
        "order_text": words.order,
        "plain": plain,
        "printed": printed,
    }
    names: dict[str, Any] = {
        "w": words,
        "anchor": anchor,
        "took": trial_page.took,
        "attacked": rates.attacked,
        "composites": rates.composites,
        "against": verdict.against,
        "why_null": why_null,
        "STAGES": summary.STAGES,
        "LANES": tape.LANES,
        "HOPS": {source.value: name for source, name in chain.HOPS.items()},
        "V": Verdict,
        "dimension_keys": composite.keys,
        "contribution_bar": composite.bar,
    }
    env.globals |= names
    return env


def _by_dimension[T: (Score, Contribution)](values: Iterable[T]) -> dict[str, T]:
    return {one.dimension: one for one in values}


def render_report(report: Report) -> str:
    """
    Write a run as one page.

    Args:
        report: What ran and what was found; any text in it may be hostile.

    Returns:
        HTML, to be saved as UTF-8. The same report gives the same text.
    """
    numbered = tuple(enumerate(report.trials, 1))
    rows = rates.agents(report)
    css = stylesheet()
    return (
        _environment()
        .get_template("report.html")
        .render(
            report=report,
            css=Markup(css),  # noqa: S704 - a file of ours; its hash is in the policy
            policy=Markup(POLICY.format(hash=style_hash(css))),  # noqa: S704 - base64 of a hash
            scorer=report.trials[0].score.scorer_version if report.trials else SCORER_VERSION,
            sentences=verdict.run(rows),
            start=verdict.start(rates.worst(numbered), report.currency),
            agents=rows,
            cases=summary.cases(numbered),
            funnels=[(row, summary.funnel([trial for _, trial in row.trials])) for row in rows],
            left_out=[(row, summary.left_out(row.trials)) for row in rows],
            rules=summary.rules(numbered),
            passes=sum(trial.score.passes for trial in report.trials),
            weights=dict(report.weights),
            pages=[trial_page.build(one, report.currency) for one in numbered],
        )
    )
