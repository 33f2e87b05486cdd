"""Weights sorted by module above what chance would give, and the page of a network that was really trained."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.data import Problem, tasks
from recombine.measures import measures
from recombine.measures.layered import hidden_modules
from recombine.measures.newman import modularity
from recombine.models import models
from recombine.papers import Check, Range, Scale
from recombine.records import Store
from recombine.reports.kinds import FUNCTIONS, kind_of, meaning
from recombine.reports.report import report_page
from recombine.reports.settings import SeedRun, SettingRuns
from recombine.reports.weights_figure import IN_A_ROW, MOST, Joint, excess, joints_of, weights_figure
from recombine.splits import regions
from recombine.studies import Experiment
from recombine.training import Recipe

MEASURED = ("id_mse", "newman_q", "noise_robustness", "shift_leak", "pruned_shift_leak", "spectral_score")


@cache
def side_by_side(scale, modules=1):
    """Two functions side by side."""
    problem = Problem(
        tasks.parallel(parts=2, levels=4), regions.several(count=2, low=2), examples=60, centres="uniform", reveal=True
    )
    return Experiment(
        problem=problem,
        model=models.feedforward(widths=(8, 8), modules=modules),
        recipe=Recipe(steps=20, batch=20, optimiser="adam", decay=0.0),
        measures=MEASURED,
        exhibits=("weights",),
    )


@cache
def cut(scale):
    """The same in a network that is cut in two."""
    return side_by_side(scale, modules=2)


def setting_of(arrays, work=None, **body):
    """One finished run with these arrays."""
    run = SeedRun(work or side_by_side(Scale.QUICK), {"status": "done", "measures": {}, "layers": (), **body}, arrays)
    return SettingRuns("two functions", "", (), (run,))


def kept(widths=(3, 5), seed=0):
    """What the exhibit keeps of random weights from two inputs to two outputs."""
    rng = np.random.default_rng(seed)
    matrices = [rng.random((after, before)) for before, after in zip((2, *widths), (*widths, 2), strict=True)]
    labels = hidden_modules(matrices, [0, 1], [0, 1])
    return {
        **{f"weights_{place}": matrix.astype(np.float32) for place, matrix in enumerate(matrices)},
        **{f"unit_modules_{place}": found.astype(np.int16) for place, found in enumerate(labels)},
    }


def blocks(width=6):
    """Two modules of unequal size in turn: units 0, 2, 4 are of module 0 and twice as strong."""
    modules = np.arange(width) % 2
    first = (modules[:, None] == [0, 1]) * np.array([2.0, 1.0])
    return {"weights_0": first, "weights_1": first.T, "unit_modules_0": modules}


def test_every_layer_has_two_panels_and_one_scale(image_bytes):
    figure = weights_figure(setting_of(kept()))
    svg = image_bytes(figure).decode()
    assert svg.count("<image") == 3 * (2 + 1)
    assert svg.count(">|weight|<") == 3
    assert svg.count(">weights as found<") == svg.count(">by chance<") == 3
    assert all(f">unit of {name}<" in svg for name in ("input", "layer0", "layer1", "output"))
    assert ">(sorted by module)<" in svg
    assert figure == weights_figure(setting_of(kept()))


def test_the_numbers_of_two_blocks_are_those_of_the_algebra(parsed, image_bytes):
    """With weights 2 and 1 a third of the degree is the weaker module's, so (2/3)² + (1/3)² is inside by chance."""
    figure = weights_figure(setting_of(blocks()))
    assert parsed(figure).all("img")[0].attributes["alt"] == (
        "Weights of two functions, seed 0. Share of weight inside modules: input to layer0 1, by chance 0.556; "
        "layer0 to output 1, by chance 0.556. Newman's Q is 0.444."
    )
    svg = image_bytes(figure).decode()
    assert svg.count(">1 inside<") == svg.count(">0.556 inside<") == 2
    # A line across and one upright in each of four panels.
    assert svg.count("stroke: #ffffff; stroke-width: 0.6") == 4 * 2


def test_chance_keeps_the_total_weight_of_every_unit():
    (first, *_) = joints_of(setting_of(kept()).runs[0])
    assert first.by_chance().sum(axis=0) == pytest.approx(first.sizes.sum(axis=0))
    assert first.by_chance().sum(axis=1) == pytest.approx(first.sizes.sum(axis=1))
    assert np.linalg.matrix_rank(first.by_chance()) == 1


@settings(deadline=None, max_examples=25)
@given(widths=st.lists(st.integers(1, 6), min_size=1, max_size=3), seed=st.integers(0, 1000))
def test_what_is_beyond_chance_is_newmans_modularity(widths, seed):
    arrays = kept(tuple(widths), seed)
    matrices = [arrays[f"weights_{place}"] for place in range(len(widths) + 1)]
    joints = joints_of(setting_of(arrays).runs[0])
    assert excess(joints) == pytest.approx(modularity(matrices, [0, 1], [0, 1]), abs=1e-9)


def test_a_layer_without_weight_has_none_inside():
    joint = Joint("input", "output", np.zeros((2, 3)), np.array([0, 1, 1]), np.array([0, 1]))
    assert joint.inside(joint.sizes) == joint.inside(joint.by_chance()) == excess([joint]) == 0.0


def test_layers_that_do_not_fit_one_row_stand_in_two(parsed, image_bytes):
    def shown(layers):
        figure = weights_figure(setting_of(kept((3,) * (layers - 1))))
        return int(parsed(figure).all("img")[0].attributes["height"]), image_bytes(figure).decode().count("<image")

    height, images = shown(IN_A_ROW)
    assert images == 3 * IN_A_ROW
    assert shown(IN_A_ROW + 1) == (pytest.approx(2 * height, abs=1), 3 * (IN_A_ROW + 1))


def test_of_very_many_units_only_some_are_drawn(image_bytes):
    words = f"At most {MOST} units of a layer are drawn"
    figure = weights_figure(setting_of(kept((MOST + 40,))))
    assert words in figure
    assert len(image_bytes(figure)) < 60_000
    assert words not in weights_figure(setting_of(kept((MOST,))))


@pytest.mark.parametrize("absent", ["weights_0", "weights_2", "unit_modules_0", "unit_modules_1"])
def test_without_its_arrays_there_is_no_figure(absent):
    assert weights_figure(setting_of({name: found for name, found in kept().items() if name != absent})) is None


def test_arrays_of_other_runs_are_no_figure(make):
    assert weights_figure(setting_of({})) is None
    assert weights_figure(setting_of(kept(), status="failed")) is None
    assert weights_figure(setting_of(kept(), make.tiny(Scale.QUICK))) is None
    turned = {name: found.T if name == "weights_1" else found for name, found in kept().items()}
    assert weights_figure(setting_of(turned)) is None


def test_numbers_of_functions_mean_what_their_own_measures_say():
    work = side_by_side(Scale.QUICK)
    assert kind_of(work) is FUNCTIONS
    assert "answering 0" in meaning(work, "ood_nmse")
    assert meaning(work, "shift_leak.10") == f"10: {measures.summaries()['shift_leak']}"


@pytest.fixture(scope="module")
def page(tmp_path_factory, make, run_all):
    """The page of two settings that were really trained."""
    claim = make.claim("Z1", {"main": side_by_side}, {"main": cut}, Check("newman_q", Range(high=0.4), "a guess"))
    store, paper = Store(tmp_path_factory.mktemp("functions") / "runs"), make.paper(claim)
    run_all(paper, store)
    return report_page([paper], Scale.QUICK, [store])


def test_a_page_of_trained_functions_has_its_figures(page, parsed, assert_stands_alone):
    tree = parsed(page)
    assert_stands_alone(tree)
    own, control = tree.all("article")
    alts = [[each.attributes["alt"] for each in article.all("img")] for article in (own, control)]
    starts = ["Weights of", "mean squared error against", "mean squared error of the other", "Training"]
    by_layer = ["spectral score of the weights by layer"]
    for found, expected in zip(alts, (starts + by_layer, starts), strict=True):
        assert len(found) == len(expected)
        assert all(alt.startswith(words) for alt, words in zip(found, expected, strict=True))
    assert "cut, Poisson-like: " in alts[0][1]
    assert "Share of weight inside modules: input to layer0 1, by chance" in alts[1][0]
    assert "Functions. The answers are functions of a few numbers." in tree.all("section", id="settings")[0].text
