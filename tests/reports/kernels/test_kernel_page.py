"""The page about components and calculations, from runs that were really trained and computed."""

import re

import pytest

from recombine.papers import Scale
from recombine.records import Record
from recombine.reports.report import report_page


@pytest.fixture(scope="module")
def kernel_page(kernel_paper, kernel_store):
    return report_page([kernel_paper], Scale.QUICK, [kernel_store])


def row(tree, id_):
    """The row of a claim and the row that opens below it."""
    (body,) = tree.all("tbody", id=f"claim-{id_}")
    return [child for child in body.children if child.name == "tr"]


def test_a_page_of_components_and_calculations_stands_alone(kernel_page, parsed, assert_stands_alone):
    tree = parsed(kernel_page)
    assert_stands_alone(tree)
    places = ["verdicts", "settings", "forecast", "scoreboard", "parity", "speed", "provenance"]
    assert [node.attributes["id"] for node in tree.all("section")] == places
    assert tree.all("nav")[0].text.count("Which kernel predicts the slope?") == 1
    assert len(kernel_page) / len(tree.all("article")) < 100_000
    notes = [item.text for item in tree.all("section", id="settings")[0].all("ul")[0].all("li")]
    assert [note.split(".")[0] for note in notes] == ["Components", "Calculations"]
    assert not any("blank picture" in note for note in notes)


def test_every_setting_of_components_and_calculations_has_its_figures(kernel_page, parsed):
    starts = {
        article.all("h3")[0].text: [each.attributes["alt"].split()[0] for each in article.all("img")]
        for article in parsed(kernel_page).all("article")
    }
    assert starts.pop("contexts") == starts.pop("pairs") == ["Accuracy", "Conjunction", "Training"]
    assert {starts.pop(label)[0] for label in ("sums", "rich sums", "told sums")} == {"Answers"}
    assert starts.pop("law") == []
    assert sorted(starts) == sorted(
        ["layers", "many layers", "leak", "products", "dispersed", "map", "shares", "spread"]
    )
    assert all(len(found) == 1 for found in starts.values())


def test_differences_exact_values_and_parts_read_well(kernel_page, parsed):
    tree = parsed(kernel_page)
    first, opened = row(tree, "Y1")
    assert "slope main minus rich" in first.text
    assert "3 seeds" in first.text
    difference, part = ([cell.text for cell in line.children] for line in opened.all("table")[0].all("tr")[1:])
    assert difference[2] == "main minus rich"
    assert part[1].startswith("slope_error.initial tangentinitial tangent: ")
    assert "Asked from scale laptop on: slope of rich." in opened.text
    first, opened = row(tree, "Y3")
    assert "(exact)at least 0" in first.text  # the check that decides, not the first
    lines = {line.children[2].text: line.children[3].text for line in opened.all("table")[0].all("tr")[1:]}
    assert lines["layers minus many layers"].endswith("(exact)")
    assert all(("seeds" in told) is (name in ("spread", "law")) for name, told in lines.items())


def test_all_numbers_of_a_setting_are_listed_with_their_words(kernel_page, parsed):
    articles = {article.all("h3")[0].text: article for article in parsed(kernel_page).all("article")}
    table = articles["sums"].all("table")[0]
    found = {line.children[0].text: line.children[1].text for line in table.all("tr")[1:]}
    assert {"slope", "salience", "predicted_slope"} <= set(found)
    assert re.search(r"(^|; )initial layer0 [\d.]+", found["salience"])
    assert re.search(r"(^|; )trained tangent [\d.]+", found["predicted_slope"])
    assert [head.text for head in table.all("th")][1].startswith("Estimate [95% interval]")
    (link,) = [link.attributes["href"] for link in articles["sums"].all("details")[0].all("a")]
    (known,) = parsed(kernel_page).all("details", id=link[1:])
    assert set(found) <= {line.children[0].text for line in known.all("tr")}
    assert all(line.children[1].text for line in known.all("tr"))
    exact = articles["leak"].all("table")[0]
    assert [head.text for head in exact.all("th")][1] == "Value"
    assert "(exact)" in exact.text
    assert "largest difference in slope between anchor sets" in exact.text
    assert "open" in articles["leak"].all("details")[0].attributes
    assert "open" not in articles["sums"].all("details")[0].attributes


def test_measures_that_are_not_defined_say_why(store, kernel_paper, symbols, parsed):
    work = symbols.sums(Scale.QUICK)
    body = {"specification": work.settings(), "seed": 0, "status": "done", "measures": {"slope": 0.5}, "cost": {}}
    store.commit(Record(work.digest(), {**body, "undefined": {"leak": "no <reason> at all"}}))
    page = report_page([kernel_paper], Scale.QUICK, [store])
    (article,) = (each for each in parsed(page).all("article") if each.all("h3")[0].text == "sums")
    assert "Not defined here:leak: no <reason> at all" in article.text
    assert "1 done, 2 missing" in article.text


def test_a_missing_exact_calculation_has_no_seed(store, kernel_paper, parsed):
    page = parsed(report_page([kernel_paper], Scale.QUICK, [store]))
    told = {article.all("h3")[0].text: article.all("p", class_="note")[0].text for article in page.all("article")}
    assert told["leak"].startswith("1 run missing. To run: recombine reproduce Y3")
    assert told["law"].startswith("3 runs missing (seed 0, 1, 2).")
