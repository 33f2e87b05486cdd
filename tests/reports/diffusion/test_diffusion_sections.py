"""Percolation beside training, and geometry beside its baselines: sections of a page."""

import numpy as np
import pytest

from recombine.core.seeds import stream
from recombine.papers import Check, Range, Scale
from recombine.papers.diffusion_factorize import canvases as c
from recombine.papers.diffusion_factorize.overlapping import lattice
from recombine.papers.diffusion_factorize.percolating import neighbours
from recombine.reports.findings import gather
from recombine.reports.geometry_table import COLUMNS, geometry_section
from recombine.reports.numbers import short
from recombine.reports.percolation_section import (
    DRAWS,
    percolation_section,
    rank_correlation,
    simulation_of,
    trained_of,
)
from recombine.reports.report import report_page
from recombine.studies import vary
from recombine.theory import largest_share

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


def test_the_simulation_fills_a_lattice_as_large_as_the_trained_one():
    """Places anew: clusters of the first ones of random orders; bumps of sigma 0.1 are all alone."""
    side, reach = c.SIZES[Scale.LAPTOP].lattice, neighbours(0.3, 0.005).reach
    assert len(c.lattice[0.3, 1.0](Scale.LAPTOP).problem.training_set()) == side**2
    simulation = simulation_of(side, (0.1, 0.3))
    sites = np.indices((side, side)).reshape(2, -1).T.astype(float)
    for part, places in ((0.2, 13), (1.0, 64)):
        orders = [stream(seed, "percolation").permutation(sites)[:places] for seed in range(DRAWS)]
        assert simulation.at(0.3, part) == pytest.approx(np.mean([largest_share(order, reach) for order in orders]))
        assert simulation.at(0.1, part) == pytest.approx(1 / places)


@pytest.mark.parametrize(("scale", "side"), [(Scale.LAPTOP, 8), (Scale.PAPER, 32)])
def test_both_panels_have_the_lattice_of_their_scale_and_the_caption_its_size(paper, store, record, scale, side):
    for sigma, part in PLACES:
        record(store, c.lattice[sigma, part](scale), {"darkest_accuracy": {"all": part}})
    section = percolation_section(gather([paper], scale, [store]))
    assert f"Both on a lattice of {side} x {side} places" in section
    assert f"0.2 at 0.2 (cluster {short(simulation_of(side, [0.3]).at(0.3, 0.2))})" in section


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
