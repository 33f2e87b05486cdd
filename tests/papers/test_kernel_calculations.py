"""The calculations of the kernel paper: every one computes what it promises, and what it must come out as."""

from functools import cache

import numpy as np
import pytest

from recombine.core.errors import InputError
from recombine.core.spec import dump
from recombine.papers import kernel_calculations as computed
from recombine.papers import kernel_representations as representations
from recombine.studies import Calculation, Computed, calculations, change
from recombine.theory import leak

SMALL = {
    "random-networks": {"widths": (50, 200), "draws": 2, "depth": 1, "levels": 3},
    "context-map": {"points": 5},
    "dispersed-addition": {"repeats": 2},
    "random-representations": {"width": 60, "draws": 8},
    "general-leak": {"cases": 5},
    "salience-by-depth": {"depth": 6},
}


def small(name: str, **settings) -> Calculation:
    return calculations[name](**{**SMALL.get(name, {}), **settings})


@cache
def found_by(name: str, seed: int) -> Computed:
    return small(name, seed=seed).compute()


OF_THIS_PAPER = [
    name for name, kind in calculations.items() if kind.__module__ in (computed.__name__, representations.__name__)
]
each_calculation = pytest.mark.parametrize("name", OF_THIS_PAPER)


@each_calculation
def test_it_measures_what_it_says(name):
    found = found_by(name, 0)
    assert set(found.measures) == set(calculations[name].quantities)
    assert all(np.isfinite(float(value)) for value in found.measures.values())
    assert all(calculations[name].quantities.values())


@each_calculation
def test_exact_ones_come_out_the_same_and_the_others_depend_on_the_seed(name):
    first, second = (found_by(name, seed).measures for seed in (0, 1))
    if calculations[name].exact:
        assert first == second
    else:
        assert first != second
        assert small(name).compute().measures == first


@each_calculation
def test_it_is_written_and_read_back(name):
    work = small(name, seed=3)
    assert calculations.parse(dump(work)) == work
    assert calculations.parse(work.settings()).digest() == work.digest()
    assert change(work, seed=4).digest() != work.digest()
    assert calculations.summaries()[name]


def test_calculations_of_the_same_settings_differ_by_kind():
    assert calculations["exposure"]().digest() != calculations["leak"]().digest()


def test_random_networks_gather_by_overlap_and_random_vectors_do_not():
    """The spread of overlap kernels falls as one over the root of the width: a slope of -1/2 in logarithms."""
    settings = {"widths": (100, 400, 1600), "draws": 4, "depth": 1, "levels": 3}
    gathered, scattered = (
        representations.RandomNetworks(structured=structured, **settings).compute().measures
        for structured in (True, False)
    )
    assert gathered["spread_exponent"] == pytest.approx(-0.5, abs=0.15)
    assert gathered["salience_error"] < 0.03
    assert scattered["spread_exponent"] > -0.2
    assert scattered["salience_error"] > 0.05


def test_overlap_kernels_are_additive_and_another_kernel_is_not():
    assert computed.KernelAdditivity(seed=4).compute().measures["residual"] < 1e-10
    assert computed.KernelAdditivity(seed=4, structured=False).compute().measures["residual"] > 0.05


def test_transitive_tasks():
    equivalence, ordering = (
        computed.TransitiveTasks(task=task).compute().measures for task in ("equivalence", "ordering")
    )
    assert equivalence["largest_answer"] < 1e-10
    assert equivalence["accuracy"] == 0.5
    assert ordering["accuracy"] == 1
    assert ordering["distance_gain"] > 1e-6


@pytest.mark.parametrize(
    ("nonlinearity", "components", "layers", "expected"),
    [  # after so many layers, to the digits that are published
        ("relu", 3, 3, (0.2035, 0.0942, 0.1068)),
        ("relu", 3, 20, (0.0727, 0.0796, 0.5430)),
        ("rectified-quadratic", 3, 3, (0.1010, 0.1391, 0.2796)),
    ],
)
def test_salience_by_depth_is_the_published_curve(nonlinearity, components, layers, expected):
    found = representations.SalienceByDepth(nonlinearity=nonlinearity, components=components, depth=layers).compute()
    assert found.arrays["salience"].shape == (layers + 1, components)
    assert found.arrays["salience"][-1] == pytest.approx(expected, abs=6e-5)
    assert found.measures["last"] == pytest.approx(expected[-1], abs=6e-5)
    assert found.measures["decay"] == pytest.approx(layers * expected[0], abs=6e-5 * layers)


def test_relu_layers_move_salience_one_way_and_the_middle_order_peaks():
    found = representations.SalienceByDepth().compute().measures
    assert found["first_rise"] < 0 < found["last_rise"]
    assert found["second_peak"] in (5, 6)


def test_sums_follow_the_leak_formula_and_products_do_not():
    plain = computed.Leak()
    found = plain.compute()
    assert found.measures["formula_error"] < 1e-10
    expected = [[leak(single, len(anchors)) for single in computed.SALIENCES] for anchors in plain.anchors]
    np.testing.assert_allclose(found.arrays["slopes"], expected, atol=1e-10)
    # One and four anchors are furthest apart; at which salience is told by the formula.
    apart = max(leak(single, 4) - leak(single, 1) for single in computed.SALIENCES)
    assert found.measures["place_difference"] == pytest.approx(apart)
    assert computed.Leak(answer="product").compute().measures["formula_error"] > 0.1
    same = computed.Leak(anchors=((-4.0, 4.0), (-2.0, 2.0))).compute().measures
    assert same["place_difference"] < 1e-10


def test_exposure_has_its_formulas_without_an_intercept_only():
    assert computed.Exposure().compute().measures["formula_error"] < 1e-12
    assert computed.Exposure(bias=True).compute().measures["formula_error"] > 0.1


def test_dispersed_sums_follow_the_published_curve_and_one_anchor_does_not():
    """The published curve is a mean over 50 sets; five of them are within 1 of it, and it falls all the way."""
    found = computed.DispersedAddition(repeats=5).compute()
    assert found.measures["fall"] < 0
    assert found.measures["curve_error"] < 1
    assert found.arrays["errors"][-1] == pytest.approx(0.11, abs=0.1)
    one = computed.DispersedAddition(dispersed=False, repeats=1).compute()
    assert one.measures["curve_error"] > 2


def test_the_map_of_context_dependence_counts_every_kernel_once():
    found = computed.ContextMap(points=5).compute()
    counts = found.measures
    assert counts["cells"] == sum(counts[each] for each in ("none", "only_1", "only_1_2", "every", "other"))
    assert counts["other"] == counts["partial"] == 0  # CD-1 is easier than CD-2, and CD-2 than CD-3
    assert 0 < counts["every"] < counts["cells"]
    assert found.arrays["cells"].shape == (counts["cells"], 5)


def test_the_conjunctions_behind_a_failure_and_a_success():
    """Our notes: for three ReLU layers context .47, right .29, sensory .21, memorization .07, wrong .04."""
    failing = computed.ContextConjunctions().compute().measures
    noted = {"context": 0.47, "right": 0.29, "sensory": 0.21, "memorization": 0.07, "wrong": 0.04}
    for kind, mean in noted.items():
        assert failing[f"share_{kind}"] == pytest.approx(mean / sum(noted.values()), abs=0.01)
    assert failing["accuracy"] == 0
    assert failing["context_minus_right"] == pytest.approx(failing["share_context"] - failing["share_right"])
    working = computed.ContextConjunctions(nonlinearity="rectified-quadratic").compute().measures
    assert working["accuracy"] == 1
    assert working["context_minus_right"] < 0
    squares = computed.ContextConjunctions(solver="min-norm").compute().measures
    assert squares["accuracy"] == 1


def test_the_general_law_holds_where_the_published_one_does_not():
    assert computed.GeneralLeak(cases=10).compute().measures["law_error"] < 1e-10
    assert computed.GeneralLeak(cases=10, law="equal").compute().measures["law_error"] > 0.05


def test_random_representations_are_additive_on_average_only():
    """Chance alone gives a ratio of one over the root of the number of draws: .2 for 25."""
    found = representations.RandomRepresentations(width=100, draws=25).compute().measures
    assert found["residual_ratio"] == pytest.approx(found["mean_residual"] / found["single_residual"])
    assert found["residual_ratio"] == pytest.approx(0.2, abs=0.1)
    assert found["single_residual"] > 0.05


def test_a_code_of_sprites_is_limited_like_symbols_unless_it_holds_the_answer():
    plain, told = (representations.SpriteCodes(told=told).compute().measures for told in (False, True))
    assert plain["equivalence_accuracy"] <= 0.75
    assert told["equivalence_accuracy"] > 0.75
    assert plain["addition_slope"] < 0.95


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: computed.TransitiveTasks(task="eqivalence"), "transitive-tasks: task = 'eqivalence'"),
        (lambda: computed.GeneralLeak(cases=0), "general-leak: cases = 0"),
        (lambda: representations.SalienceByDepth(components=1), "salience-by-depth: components = 1"),
        (lambda: calculations.parse({"kind": "leek"}), "unknown calculation 'leek'; did you mean 'leak'"),
    ],
)
def test_bad_settings_are_refused(make, says):
    with pytest.raises(InputError, match=says):
        make()
