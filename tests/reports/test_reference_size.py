"""The report on the reference stays below 5 MB and has room for figures, which are not drawn here: it takes minutes."""

from pathlib import Path

import pytest

import recombine.reports.report as report_module
from recombine.papers import Scale, papers
from recombine.records import Store
from recombine.reports.markup import raw
from recombine.reports.report import report_page
from recombine.reports.room import MOST

REFERENCE = Path(__file__).resolve().parents[2] / "reference"
FIGURE = raw(f'<figure class="made-up">{"x" * 5_000}</figure>')  # of the usual size


@pytest.mark.slow
def test_the_report_on_the_reference_stays_below_5_mb(monkeypatch):
    monkeypatch.setattr(
        report_module, "drawn_figures", lambda findings, tell: {key: [FIGURE] * 3 for key in findings.settings}
    )
    page = report_page(papers.values(), Scale.LAPTOP, [Store(REFERENCE)])
    size = len(page.encode())
    assert size <= MOST, f"the report on the reference has {size:,} bytes, above the {MOST:,} that a report may have"
    figures = page.count('class="made-up"')
    assert figures > 200, f"words leave room for {figures} figures of settings only; say less of each setting"
