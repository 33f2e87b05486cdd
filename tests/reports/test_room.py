"""What a report shows where not all its figures fit."""

from dataclasses import dataclass

import pytest

import recombine.reports.report as report_module
from recombine.papers import Scale
from recombine.reports.markup import raw
from recombine.reports.report import report_page
from recombine.reports.room import MOST, that_fit


@dataclass(frozen=True)
class Used:
    claim: bool

    def serves_a_claim(self):
        return self.claim


DRAWN = {
    "first": [raw("a" * 10), raw("b" * 10)],
    "control": [raw("c" * 10)],
    "second": [raw("d" * 10), raw("e" * 4)],
    "nothing": [],
}
SETTINGS = {"first": Used(True), "control": Used(False), "second": Used(True), "nothing": Used(True)}


@pytest.mark.parametrize(
    ("room", "letters"),
    [(0, ""), (10, "a"), (19, "ae"), (20, "ad"), (24, "ade"), (30, "abd"), (40, "abcd"), (44, "abcde"), (100, "abcde")],
)
def test_first_figures_come_first_and_controls_a_turn_later(room, letters):
    fitting = that_fit(DRAWN, SETTINGS, room)
    assert list(fitting) == list(DRAWN)
    assert "".join(sorted(figure[0] for figures in fitting.values() for figure in figures)) == letters
    assert sum(len(figure) for figures in fitting.values() for figure in figures) <= room


def test_large_figures_wait_and_all_stay_in_their_order():
    drawn = {"first": [raw("a" * 25_000), raw("b" * 10), raw("c" * 10)], "second": [raw("d" * 10)]}
    assert that_fit(drawn, SETTINGS, 25_000) == {"first": drawn["first"][1:], "second": drawn["second"]}
    assert that_fit(drawn, SETTINGS, 25_030) == drawn


def test_figures_are_measured_in_bytes():
    drawn = {"first": [raw("−" * 4)]}
    assert that_fit(drawn, SETTINGS, 11) == {"first": []}
    assert that_fit(drawn, SETTINGS, 12) == drawn


def test_what_fits_is_all_there_and_nothing_is_said(real_store, paper):
    page = report_page([paper], Scale.QUICK, [real_store])
    assert len(page.encode()) < MOST
    assert "left out, so that" not in page


def test_a_page_that_is_too_large_says_what_is_left_out(real_store, paper, parsed, monkeypatch):
    whole = report_page([paper], Scale.QUICK, [real_store])
    images = whole.count("<img")
    most = len(whole.encode()) - 40_000
    monkeypatch.setattr(report_module, "MOST", most)
    page = report_page([paper], Scale.QUICK, [real_store])
    tree = parsed(page)
    assert len(page.encode()) <= most
    lacking = images - len(tree.all("img"))
    assert lacking > 0
    assert f"{lacking} figures of settings left out" in tree.all("section", id="settings")[0].text
    told = [each.text for each in tree.all("p", class_="meaning") if each.text.endswith("left out.")]
    assert sum(int(words.split()[0]) for words in told) == lacking
    assert "--whole" in tree.all("section", id="settings")[0].text
    assert report_page([paper], Scale.QUICK, [real_store], whole=True).count("<img") == images
