"""Persistence diagrams beside that of an ideal torus."""

import numpy as np
import pytest

from recombine.measures.loops import DEGREES, KEPT
from recombine.papers.diffusion_factorize import canvases as c
from recombine.reports.persistence_figure import LAYERS, ideal, persistence_figure, recorded

COUNTED = {"probe-h1": 2.0, "probe-h1-ratio": 1.5, "probe-h2": 1.0, "probe-h2-ratio": 4.5}


def diagrams():
    """Three bars in each degree, and zeros after them."""
    ends = np.zeros((KEPT, 2), dtype=np.float16)
    ends[:3] = [(0.25, 1.0), (0.25, 0.75), (0.5, 0.625)]
    return {f"diagram_{name}_h{degree}": ends for name in LAYERS for degree in DEGREES}


@pytest.mark.parametrize("shape", [(12, 16), (16, 16)])
def test_the_ideal_torus_has_two_loops_and_one_cavity(shape):
    drawn, ranks = ideal(*shape)
    assert [each.number for each in ranks] == [2, 1]
    assert min(each.ratio for each in ranks) > 1.5
    assert all(len(ends) <= KEPT and (ends[:, 1] > ends[:, 0]).all() for ends in drawn)
    # Points lie at distance 1 from their mean in this unit, so nothing is born or filled beyond 2.
    assert max(ends.max() for ends in drawn) < 2


def test_ranks_are_those_that_were_recorded(runs_of, parsed, image_bytes):
    figure = persistence_figure(runs_of(c.torus, diagrams(), measures={"holes": COUNTED}))
    alt = parsed(figure).all("img")[0].attributes["alt"]
    assert "trained, while drawing: 2 stand out in H1 (1.5 times the next), 1 stand out in H2 (4.5 times" in alt
    assert "before training:" not in alt  # not counted
    assert "Clifford torus: 2 stand out in H1" in alt
    svg = image_bytes(figure).decode()
    assert all(f">{words}<" in svg for words in ("birth", "death", "true pictures", "2 in H1, 1.5 times the next"))


def test_other_choices_of_points_are_told(runs_of):
    shares = [{"holes": {**COUNTED, "probe-torus": share, "pixels-torus": 1.0}} for share in (0.4, 0.6)]
    figure = persistence_figure(runs_of(c.torus, diagrams(), diagrams(), measures=shares))
    assert "two loops and one cavity: trained, while drawing in 50%, true pictures in 100%." in figure
    assert "all 256 points" in figure
    assert "other choices" not in persistence_figure(runs_of(c.torus, diagrams(), measures={"holes": COUNTED}))


def test_a_layer_lacks_ranks_unless_all_were_counted():
    numbers = {f"holes.{name}": value for name, value in COUNTED.items()}
    assert recorded(numbers, "probe") == [(2, 1.5), (1, 4.5)]
    assert recorded(numbers, "untrained") == []
    assert recorded({name: value for name, value in numbers.items() if not name.endswith("h2-ratio")}, "probe") == []


def test_without_all_diagrams_there_is_no_figure(runs_of):
    some = {name: array for name, array in diagrams().items() if "pixels" not in name}
    assert persistence_figure(runs_of(c.torus, {})) is None
    assert persistence_figure(runs_of(c.torus, some)) is None
    assert persistence_figure(runs_of(c.torus, diagrams(), status="failed")) is None
