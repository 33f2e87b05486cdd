"""Percolation beside training, and geometry beside its baselines: sections of a page."""

from dataclasses import replace

import numpy as np
import pytest

from recombine.papers import Check, Range, Scale
from recombine.papers.diffusion_factorize import canvases as c
from recombine.papers.diffusion_factorize.overlapping import lattice
from recombine.reports.findings import gather
from recombine.reports.geometry_table import COLUMNS, geometry_section
from recombine.reports.percolation_section import (
    percolation_section,
    rank_correlation,
    simulation_of,
    trained_of,
)
from recombine.reports.report import report_page
from recombine.studies import vary

PLACES = ((0.3, 0.2), (0.3, 0.8), (1.0, 0.2), (1.0, 0.8))
RANGE = Range(low=0.5)


@pytest.fixture
def paper(make):
    """A claim about four lattices and their simulation, and one about the torus."""
    trained = {f"{sigma} at {part}": c.lattice[sigma, part] for sigma, part in PLACES}
    checks = [Check("darkest_accuracy.all", RANGE, "a guess", of=name) for name in trained]
    rest = [Check("width_gain", RANGE, "a guess", of="simulation")]
    every = {**trained, "simulation": lattice}
    about_shape = Check("holes.probe-h2", RANGE, "a guess")
    return make.paper(
        make.claim("Y1", every, every, *checks, *rest),
        make.claim("Y2", {"main": c.torus}, {"main": c.torus_start}, about_shape),
    )


def found(paper, store):
    return gather([paper], Scale.QUICK, [store])


def record_lattice(store, record):
    """Accuracies that rise with sigma and part, two seeds each."""
    for sigma, part in PLACES:
        for work in vary(c.lattice[sigma, part](Scale.QUICK), seed=range(2)):
            record(store, work, {"darkest_accuracy": {"all": sigma * part + work.seed / 10}})


def test_a_page_without_trained_lattices_has_no_such_section(paper, store):
    assert percolation_section(found(paper, store)) is None
    assert geometry_section(found(paper, store)) is None


def test_accuracies_are_gathered_by_sigma_and_part(paper, store, record):
    record_lattice(store, record)
    series = trained_of(found(paper, store))
    assert list(series) == [0.3, 1.0]
    assert series[1.0].points[0.8] == pytest.approx([0.8, 0.9])
    assert series[0.3].name == "σ = 0.3"


def test_the_simulation_is_the_recorded_one_where_there_is_one(paper, store, record):
    arrays = {
        "widths": np.array([0.3, 1.0]),
        "thresholds": np.array([0.25, 0.5]),
        "parts": np.array([0.0, 1.0]),
        "shares": np.array([[[0.0, 0.5], [0.5, 1.0]], [[0.0, 0.0], [0.0, 0.0]]]),
        "critical": np.zeros((2, 2)),
    }
    work = lattice(Scale.QUICK)
    assert not simulation_of(found(paper, store)).recorded
    record(store, work, {"width_gain": 0.1})
    body = store.read(work.digest())
    other = type(store)(store.root.parent / "with arrays")
    other.commit(replace(body, arrays=arrays))
    simulation = simulation_of(found(paper, other))
    assert simulation.recorded
    assert simulation.threshold == 0.25
    assert simulation.at(1.0, 0.5) == pytest.approx(0.75)
    assert simulation.at(0.3, 0.5) == pytest.approx(0.25)


def test_both_panels_are_drawn_and_told(paper, store, record, parsed, image_bytes):
    record_lattice(store, record)
    section = percolation_section(found(paper, store))
    alt = parsed(section).all("img")[0].attributes["alt"]
    assert "σ = 0.3: 0.11 at 0.2 (cluster " in alt
    assert "σ = 1: 0.25 at 0.2 (cluster " in alt
    assert "computed for this page" in section
    assert "over 4 pairs of sigma and part" in section
    svg = image_bytes(section).decode()
    words = ("simulated, overlap above 0.005", "trained", "part of the lattice", "share of places right", "σ = 1")
    assert all(f">{each}<" in svg for each in words)


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([(1.0, 2.0), (2.0, 30.0), (3.0, 31.0)], 1.0),
        ([(1.0, 2.0), (2.0, 1.0), (3.0, 0.0)], -1.0),
        ([(1.0, 2.0), (2.0, 30.0)], None),
        ([(1.0, 2.0), (1.0, 30.0), (1.0, 31.0)], None),
    ],
)
def test_ranks_agree_or_not(pairs, expected):
    measured = rank_correlation(pairs)
    assert measured is None if expected is None else measured == pytest.approx(expected)


def shape(seed):
    """Numbers of the probe and of the pixels only; one seed apart by 2."""
    return {
        "participation": {"probe": 6.0 + 2 * seed, "pixels": 20.0},
        "holes": {"probe-h1": 2.0 + seed, "probe-h1-ratio": 1.5, "probe-h2": 1.0, "probe-h2-ratio": 4.0},
        "ring_angle": {"probe-x-on-x": 54.0, "pixels-x-on-x": 90.0},
    }


def test_a_table_has_a_row_for_each_layer_and_its_intervals(paper, store, record, parsed):
    for work in vary(c.torus(Scale.QUICK), seed=range(2)):
        record(store, work, shape(work.seed))
    section = parsed(geometry_section(found(paper, store)))
    (table,) = section.all("table")
    assert table.all("caption")[0].text == "torus: Bumps everywhere on a torus."
    assert [head.text for head in table.all("thead")[0].all("th")] == ["Layer", *COLUMNS]
    rows = {row.all("th")[0].text: [cell.text for cell in row.all("td")] for row in table.all("tbody")[0].all("tr")}
    assert list(rows) == ["true pictures", "trained, while drawing"]
    probe = dict(zip(COLUMNS, rows["trained, while drawing"], strict=True))
    assert probe["Directions in use"].startswith("7 [")
    assert probe["Loops (ideal 2), times the next"].startswith("2 (1 of 2 seeds), 3 (1)times 1.5 [")
    assert probe["Variance in the first four"] == "not measured"
    assert dict(zip(COLUMNS, rows["true pictures"], strict=True))["x-on-x: median angle (ideal 0)"].startswith("90 [")


def test_the_page_has_both_sections_and_links_to_them(paper, store, record, parsed, assert_stands_alone):
    record_lattice(store, record)
    record(store, c.torus(Scale.QUICK), shape(0))
    page = parsed(report_page([paper], Scale.QUICK, [store]))
    assert_stands_alone(page)
    places = [node.attributes["id"] for node in page.all("section")]
    assert {"geometry", "percolation"} < set(places)
    links = page.all("nav")[0].text
    assert "Geometry beside its baselines" in links
    assert "Percolation beside training" in links
