"""The whole page: complete, honest about gaps, harmless, and in need of nothing from outside."""

import re
import subprocess
import sys

import numpy as np
import pytest

from recombine.core.errors import InputError
from recombine.papers import Check, Range, Scale, Verdict, judge, papers
from recombine.records import Record, Store
from recombine.reports import write_report
from recombine.reports.report import report_page
from recombine.studies import Calculation, vary
from recombine.studies.stores import all_bodies

HOSTILE = "</td><script>alert('x')</script>&amp;\x00<img src=http://example.org/x onerror=alert(1)>"


@pytest.fixture(scope="module")
def real_page(paper, real_store):
    return report_page([paper], Scale.QUICK, [real_store])


def test_how_far_the_figures_are_is_told(paper, real_store, real_page):
    told: list[tuple[int, int]] = []
    page = report_page([paper], Scale.QUICK, [real_store], tell=lambda *counts: told.append(counts))
    assert len(page) == len(real_page)
    total = told[0][1]
    assert total > 0
    assert told == [(done, total) for done in range(total + 1)]


@pytest.fixture(scope="module")
def claims_store(tmp_path_factory, record):
    """A made-up record for every quick run of the real papers, except the first."""
    store = Store(tmp_path_factory.mktemp("claims") / "runs")
    works = {item.digest(): item for claim in papers.claims(scale=Scale.QUICK) for item in claim.works(Scale.QUICK)}
    rng = np.random.default_rng(0)
    for item in list(works.values())[1:]:
        names = item.quantities if isinstance(item, Calculation) else item.measures
        record(store, item, {name: float(rng.random()) for name in names if not name.endswith("_section")})
    return store


@pytest.fixture(scope="module")
def claims_file(tmp_path_factory, claims_store):
    return write_report(tmp_path_factory.mktemp("page") / "report.html", Scale.QUICK, [claims_store])


def row(tree, id_):
    """The row of a claim and the row that opens below it."""
    (body,) = tree.all("tbody", id=f"claim-{id_}")
    return [child for child in body.children if child.name == "tr"]


def badges(node):
    """The words of the verdicts in a part of the page, without their symbols."""
    found = [span for span in node.all("span") if (span.attributes.get("class") or "").startswith("verdict ")]
    return [badge.text.split(maxsplit=1)[1] for badge in found]


def test_a_page_of_real_runs_stands_alone(real_page, parsed, assert_stands_alone):
    tree = parsed(real_page)
    assert_stands_alone(tree)
    assert real_page.startswith('<!doctype html>\n<html lang="en">')
    places = ["verdicts", "settings", "forecast", "scoreboard", "speed", "provenance"]
    assert [node.attributes["id"] for node in tree.all("section")] == places
    # Fifty settings, more than the papers have, then stay below five million.
    begin, end = (real_page.index(f'<section id="{place}"') for place in ("settings", "forecast"))
    assert (end - begin) / len(tree.all("article")) < 100_000
    assert "missing" not in tree.all("header")[0].all("p")[-1].text


def test_every_setting_of_real_runs_has_its_figures(real_page, parsed):
    tree = parsed(real_page)
    alts = {
        article.all("h3")[0].text: [each.attributes["alt"] for each in article.all("img")]
        for article in tree.all("article")
    }
    starts = {label: [alt.split()[0] for alt in found] for label, found in alts.items()}
    layers = ["factorisation", "volume", "R²"]
    assert starts == {
        "tiny": ["Error", "Target,", "Training", *layers],
        "drawn": ["Error", "Target,"],  # nothing is trained, and it serves as a control only
        "shown": ["Error", "Target,", "Training", *layers],
    }
    assert "tiny from 1 at the input" in alts["tiny"][3]
    assert "drawn from 1 at the input" in alts["tiny"][3]
    scatter = tree.all("section", id="forecast")[0].all("img")
    assert "1 tiny: forecast" in scatter[0].attributes["alt"]
    assert "2 shown: forecast" in scatter[0].attributes["alt"]


def test_the_page_shows_the_verdicts_that_the_judge_gives(real_page, real_store, paper, parsed):
    tree, (bodies, _) = parsed(real_page), all_bodies([real_store])
    for claim in paper.claims:
        judged = judge(claim, Scale.QUICK, bodies)
        first, opened = row(tree, claim.id)
        assert badges(first) == [judged.verdict, judged.control_verdict]
        checks, control = opened.all("table")
        assert badges(checks) == [result.verdict for result in judged.checks]
        assert badges(control) == [result.verdict for result in judged.control_checks]
        assert f"recombine reproduce {claim.id} --scale quick" in opened.text
        assert len(checks.all("svg")) == len(claim.checks)
    assert badges(row(tree, "X1")[0]) == ["confirmed", "contradicted"]
    assert badges(row(tree, "X2")[0]) == ["contradicted", "contradicted"]
    assert "measured by hand, <b>twice</b>" in row(tree, "X1")[1].text


def test_every_claim_of_every_paper_has_its_row(claims_file, claims_store, parsed, assert_stands_alone):
    tree, (bodies, _) = parsed(claims_file.read_text(encoding="utf-8")), all_bodies([claims_store])
    assert claims_file.stat().st_size < 5_000_000
    assert_stands_alone(tree)
    found = []
    for claim in papers.claims(scale=Scale.QUICK):
        judged = judge(claim, Scale.QUICK, bodies)
        first, opened = row(tree, claim.id)
        assert badges(first)[:2] == [judged.verdict, judged.control_verdict]
        assert ("broken check" in first.text) is not judged.sound
        assert claim.says in first.text
        assert all(check.source in opened.text for check in claim.checks_at(Scale.QUICK))
        found.append(judged.verdict)
    counts = tree.all("ul", class_="counts")[0]
    assert badges(counts)[:4] == [f"{found.count(verdict)} {verdict}" for verdict in Verdict]
    assert Verdict.MISSING in found
    assert len(set(found)) > 1


def test_the_row_shows_a_check_that_decided_the_verdict(store, record, make, parsed):
    """The first check is met; the second is a number of things that differs between seeds, the third is not met."""
    checks = [Check("ood_nmse", Range(0.5, 1.5), "s"), Check("id_nmse", Range(2.0, 2.0), "s"),
              Check("rim_nmse", Range(low=5.0), "s")]  # fmt: skip
    claims = [make.claim(f"X{n}", {"main": make.tiny}, {"main": make.shown}, *checks[:n]) for n in (1, 2, 3)]
    for experiment, value in zip(vary(make.tiny(Scale.QUICK), seed=range(3)), (2.0, 2.0, 3.0), strict=True):
        record(store, experiment, {"ood_nmse": 1.0, "id_nmse": value, "rim_nmse": 1.0})
    for experiment in vary(make.shown(Scale.QUICK), seed=range(3)):
        record(store, experiment, {"ood_nmse": 0.0, "id_nmse": 0.0, "rim_nmse": 0.0})
    tree = parsed(report_page([make.paper(*claims)], Scale.QUICK, [store]))
    shown = {claim.id: [cell.text for cell in row(tree, claim.id)[0].children][3:6] for claim in claims}
    assert shown["X1"] == ["✓ confirmed", "ood_nmse1 [1, 1], 3 seeds", "0.5 to 1.5"]
    assert shown["X2"] == ["? undecided", "id_nmse2 (2 of 3 seeds), 3 (1)", "exactly 2"]
    assert shown["X3"] == ["✗ contradicted", "rim_nmse1 [1, 1], 3 seeds", "at least 5"]


def test_the_measured_headline_is_written_with_its_interval(store, record, make, parsed):
    claim = make.claim("X1", {"main": make.tiny}, {"main": make.shown}, Check("ood_nmse", Range(0.5, 1.5), "s"))
    for setting, values in ((make.tiny, (0.9, 1.0, 1.1)), (make.shown, (0.0, 0.0, 0.0))):
        for experiment, value in zip(vary(setting(Scale.QUICK), seed=range(3)), values, strict=True):
            record(store, experiment, {"ood_nmse": value})
    first, _ = row(parsed(report_page([make.paper(claim)], Scale.QUICK, [store])), "X1")
    cells = [cell.text for cell in first.children]
    assert cells[:4] == ["X1", "Fig. 1", "It fails.", "✓ confirmed"]
    assert cells[4:] == ["ood_nmse1 [0.752, 1.25], 3 seeds", "0.5 to 1.5", "✓ contradictedas it must be"]


def test_a_control_that_passes_is_called_broken(store, record, make, parsed):
    claim = make.claim("X1", {"main": make.tiny}, {"main": make.shown}, Check("ood_nmse", Range(0.5, 1.5), "s"))
    for experiment in claim.works(Scale.QUICK):
        record(store, experiment, {"ood_nmse": 1.0})
    tree = parsed(report_page([make.paper(claim)], Scale.QUICK, [store]))
    first, opened = row(tree, "X1")
    assert badges(first) == ["confirmed", "confirmed", "broken check"]
    assert "this check is broken" in opened.text
    assert "1 broken" in tree.all("ul", class_="counts")[0].text


def test_before_anything_is_run_the_page_says_what_to_run(tmp_path, parsed, assert_stands_alone):
    """In a fresh interpreter: the page needs no torch, and leaves matplotlib's global state alone."""
    program = f"""
import sys
from pathlib import Path
from recombine.papers import Scale
from recombine.records import Record, Store
from recombine.reports import write_report
for scale in (Scale.QUICK, Scale.PAPER):
    write_report(Path({str(tmp_path)!r}) / f"{{scale}}.html", scale, [Store(Path({str(tmp_path)!r}) / "runs")])
assert not {{"torch", "matplotlib.pyplot"}} & set(sys.modules), "something heavy was imported"
"""
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["paper.html", "quick.html"]
    for scale in (Scale.QUICK, Scale.PAPER):
        page = (tmp_path / f"{scale}.html").read_text(encoding="utf-8")
        tree = parsed(page)
        assert_stands_alone(tree)
        assert {body.attributes["id"] for body in tree.all("tbody", class_="claim")} == {
            f"claim-{claim.id}" for claim in papers.claims(scale=scale)
        }
        needed = {item.digest() for claim in papers.claims(scale=scale) for item in claim.works(scale)}
        header, provenance = tree.all("header")[0].text, tree.all("section", id="provenance")[0].text
        assert f"{len(needed):,} runs missing" in header
        assert f"recombine reproduce --scale {scale}" in header
        assert all(digest in provenance for digest in needed)
        assert all(badges(row(tree, claim.id)[0]) == ["missing", "missing"] for claim in papers.claims(scale=scale))


def test_one_missing_seed_is_named(store, record, make, parsed):
    claim = make.claim("X1", {"main": make.tiny}, {"main": make.shown}, Check("ood_nmse", Range(0.5, 1.5), "s"))
    for experiment in vary(make.tiny(Scale.QUICK), seed=(0, 2)):
        record(store, experiment, {"ood_nmse": 1.0}, drawable=True)
    (tiny, _) = parsed(report_page([make.paper(claim)], Scale.QUICK, [store])).all("article")
    assert "1 run missing (seed 1)." in tiny.text
    assert "2 done, 1 missing" in tiny.text
    assert "averaged over 2 seeds" in tiny.all("img")[0].attributes["alt"]


def test_hostile_text_is_text(store, record, make, parsed, assert_stands_alone):
    """From a failed run, a claim, a title and a measure that nobody registered."""
    claim = make.claim(
        "X1", {"main": make.tiny}, {"main": make.shown}, Check("ood_nmse", Range(0.5, 1.5), HOSTILE), says=HOSTILE
    )
    first, second, third = vary(make.tiny(Scale.QUICK), seed=range(3))
    record(store, first, reason=HOSTILE)
    record(store, second, {"ood_nmse": 1.0, HOSTILE[:60]: 2.0, "factorisation": {"input": 1.0, HOSTILE[:60]: 0.5}})
    record(store, third, {"ood_nmse": 1.0}, drawable=True)
    page = report_page([make.paper(claim)], Scale.QUICK, [store])
    tree = parsed(page)
    assert_stands_alone(tree)
    assert "\x00" not in page
    shown = HOSTILE.replace("\x00", "\ufffd")
    assert f"Seed 0 failed: {shown}." in tree.all("article")[0].text
    assert f"1 of 3 runs failed: {shown}" in row(tree, "X1")[0].text
    assert row(tree, "X1")[0].all("td", class_="says")[0].text == shown
    assert (
        "default-src 'none'" in tree.all("meta", **{"http-equiv": "Content-Security-Policy"})[0].attributes["content"]
    )


def test_damaged_records_are_named_and_left_out(store, record, make, parsed):
    claim = make.claim("X1", {"main": make.tiny}, {"main": make.shown}, Check("ood_nmse", Range(0.5, 1.5), "s"))
    first, second, third = vary(make.tiny(Scale.QUICK), seed=range(3))
    for experiment in (first, second, third):
        record(store, experiment, {"ood_nmse": 1.0}, drawable=True)
    store.commit_forecast(first.problem.digest(), {"composes": None, "sections": []})
    (store.runs / first.digest() / "record.json").write_text("{}")
    (store.runs / second.digest() / "arrays.npz").write_bytes(b"not an archive")
    (store.forecasts / f"{first.problem.digest()}.json").write_text("{}")
    tree = parsed(report_page([make.paper(claim)], Scale.QUICK, [store]))
    told = tree.all("section", id="provenance")[0].text
    assert "3 files damaged and left out." in told
    assert f"{first.digest()}: record.json is not a sealed document" in told
    assert f"{second.digest()}: arrays.npz does not match its checksum" in told
    assert f"{first.problem.digest()}: {first.problem.digest()}.json is not a sealed document" in told
    assert str(store.root) not in told
    assert "averaged over 1 seed:" in tree.all("article")[0].all("img")[0].attributes["alt"]
    assert "3 files damaged" in tree.all("header")[0].text


def test_a_later_store_fills_the_gaps_of_an_earlier_one(tmp_path, record, make):
    """The first store's record stands; where its arrays are damaged the second's are drawn."""
    claim = make.claim("X1", {"main": make.tiny}, {"main": make.shown}, Check("ood_nmse", Range(0.5, 1.5), "s"))
    own, reference = Store(tmp_path / "own"), Store(tmp_path / "reference")
    first, second, third = vary(make.tiny(Scale.QUICK), seed=range(3))
    for experiment in (first, second):
        record(own, experiment, {"ood_nmse": 1.0}, drawable=True)
    for experiment in (first, second, third):
        record(reference, experiment, {"ood_nmse": 9.0}, drawable=True)
    (own.runs / second.digest() / "arrays.npz").write_bytes(b"not an archive")
    page = report_page([make.paper(claim)], Scale.QUICK, [own, reference])
    assert "3.67 [" in page  # the mean of 1, 1 and 9
    assert "averaged over 3 seeds" in page


def test_runs_without_arrays_have_no_figures_and_say_so(store, record, make):
    claim = make.claim("X1", {"main": make.tiny}, {"main": make.shown}, Check("ood_nmse", Range(0.5, 1.5), "s"))
    for experiment in claim.works(Scale.QUICK):
        record(store, experiment, {"ood_nmse": 1.0})
    page = report_page([make.paper(claim)], Scale.QUICK, [store])
    assert "No figures: the recorded runs have no arrays that can be read." in page
    assert page.count("<img") == 1  # the scoreboard, which comes with the package


def test_records_of_other_programs_do_no_harm(store, record, make):
    claim = make.claim("X1", {"main": make.tiny}, {"main": make.shown}, Check("ood_nmse", Range(0.5, 1.5), "s"))
    record(store, make.tiny(Scale.QUICK), {"ood_nmse": 1.0})
    store.commit(Record("aaaa", {"note": "no run at all"}))
    store.commit(Record("bbbb", {"specification": {"model": "gone"}, "status": "done", "forecast": "../secret"}))
    assert "3 records in all" in report_page([make.paper(claim)], Scale.QUICK, [store])


def test_provenance_counts_versions_and_time(real_page, parsed):
    facts = {
        item.all("dt")[0].text: item.all("dd")[0].text
        for item in parsed(real_page).all("section", id="provenance")[0].all("div")
        if item.all("dt") and item.all("dd")
    }
    assert facts["Runs"] == "9 recorded of the 9 that the claims need"
    assert facts["Run time"].endswith("in all (each run on one core)")
    assert re.fullmatch(r"\d+\.\d+.*", facts["Python"])
    assert facts["Cores"].isdigit()


def test_a_refused_write_is_one_sentence_and_keeps_the_old_report(tmp_path, paper):
    with pytest.raises(InputError, match="it is no plain file; give the name of a new one"):
        write_report(tmp_path, Scale.QUICK, [Store(tmp_path / "runs")])
