"""Ring tests against closed forms: ideal tori, sums and products of codes, and a plain loop over pairs."""

import re
from itertools import permutations, product

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import subspace_angles
from scipy.stats import wasserstein_distance

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.measures import clifford_torus, component_angles, ring_tests, ring_torus, torus_distances
from recombine.measures.rings import all_tests

SIZES = [(3, 4), (5, 3), (6, 9), (12, 7)]
PAIRS = ("x-on-y", "x-on-x", "y-on-y")

sizes = st.tuples(st.integers(3, 6), st.integers(3, 7))


def numbers(rows, columns):
    return {"x-on-y": rows * columns, "x-on-x": columns * (columns - 1), "y-on-y": rows * (rows - 1)}


def plain_loop(activations):
    """Each pair by itself, with a singular value decomposition and library angles."""
    rings = {"x": list(activations.swapaxes(0, 1)), "y": list(activations)}
    rings = {name: [ring - ring.mean(axis=0) for ring in each] for name, each in rings.items()}
    planes = {name: [np.linalg.svd(ring)[2][:2].T for ring in each] for name, each in rings.items()}
    found = {}
    for pair in PAIRS:
        first, second = pair[0], pair[-1]
        places = (range(len(rings[first])), range(len(rings[second])))
        angles, residuals = [], []
        for i, j in product(*places) if first != second else permutations(places[0], 2):
            ring, plane = rings[first][i], planes[second][j]
            angles.append(np.sort(np.degrees(subspace_angles(planes[first][i], plane))))
            residuals.append(np.square(ring - ring @ plane @ plane.T).sum() / np.square(ring).sum())
        found[pair] = np.array(angles), np.array(residuals)
    return found


def turned(columns):
    """The angle between two lines of the ordered pairs of x levels, as these turn the minor circle of a ring torus."""
    steps = np.array([i - j for i, j in permutations(range(columns), 2)])
    full = 360 * np.abs(steps) / columns % 180
    return np.minimum(full, 180 - full)


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_on_a_clifford_torus_factors_are_orthogonal_and_each_is_parallel_to_itself(rows, columns):
    tests = ring_tests(clifford_torus(rows, columns))
    assert tuple(tests) == PAIRS
    for pair, (angles, residuals) in tests.items():
        number = numbers(rows, columns)[pair]
        apart = pair == "x-on-y"
        assert angles == pytest.approx(np.full((number, 2), 90.0 if apart else 0.0), abs=1e-5)
        assert residuals == pytest.approx(np.full(number, 1.0 if apart else 0.0), abs=1e-12)


@pytest.mark.parametrize(("rows", "columns"), SIZES)
@pytest.mark.parametrize(("major", "minor"), [(2.0, 1.0), (5.0, 0.3)])
def test_a_ring_torus_shares_one_direction_between_any_two_rings(rows, columns, major, minor):
    tests = ring_tests(ring_torus(rows, columns, major, minor))
    across = tests["x-on-y"]
    assert across.angles == pytest.approx(np.tile([0.0, 90.0], (rows * columns, 1)), abs=1e-5)
    assert across.residuals == pytest.approx(np.full(rows * columns, 0.5))
    around = tests["x-on-x"]
    lines = turned(columns)
    assert around.angles == pytest.approx(np.stack([np.zeros_like(lines), lines], axis=1), abs=1e-5)
    assert around.residuals == pytest.approx(np.square(np.sin(np.radians(lines))) / 2, abs=1e-12)
    along = tests["y-on-y"]
    assert along.angles == pytest.approx(np.zeros((rows * (rows - 1), 2)), abs=1e-5)
    assert along.residuals == pytest.approx(np.zeros(rows * (rows - 1)), abs=1e-12)


def test_the_ring_torus_has_the_percentiles_known_for_its_size():
    tests = ring_tests(ring_torus(32, 32))
    known = {"x-on-y": (0, 45, 90, 0.5), "x-on-x": (0, 0, 79, 0.25), "y-on-y": (0, 0, 0, 0)}
    for pair, (*percentiles, residual) in known.items():
        assert np.percentile(tests[pair].angles, [5, 50, 95]) == pytest.approx(percentiles, abs=0.5)
        assert np.median(tests[pair].residuals) == pytest.approx(residual, abs=0.005)


def test_the_tori_turn_x_by_column_and_y_by_row():
    for torus in (clifford_torus(4, 6), ring_torus(4, 6)):
        around = torus[0, :, 0] + 1j * torus[0, :, 1]
        assert around / np.abs(around) == pytest.approx(np.exp(2j * np.pi * np.arange(6) / 6))
    assert clifford_torus(4, 6)[1] == pytest.approx(clifford_torus(4, 6)[0] + [0, 0, -1, 1])
    # At the top of a ring torus the minor circle is a quarter on: the height is r, the distance from the axis R.
    assert np.hypot(*ring_torus(4, 6, 3.0, 0.5)[1, :, :2].T) == pytest.approx(3.0)
    assert ring_torus(4, 6, 3.0, 0.5)[1, :, 2] == pytest.approx(0.5)
    assert np.square(clifford_torus(5, 7)).sum(axis=-1) == pytest.approx(2.0)


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 1000), size=sizes, features=st.integers(3, 9))
def test_they_are_what_a_plain_loop_finds(seed, size, features):
    activations = stream(seed, "measures", "rings").normal(size=(*size, features)) + 5.0
    tests = ring_tests(activations)
    for pair, (angles, residuals) in plain_loop(activations).items():
        assert tests[pair].angles == pytest.approx(angles, abs=1e-5)
        assert tests[pair].residuals == pytest.approx(residuals, abs=1e-9)


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 1000), size=sizes)
def test_a_sum_of_codes_is_parallel_and_leaves_what_its_plane_leaves_out(seed, size):
    # x and y have features of their own: a ring of x is the code of y, moved; so is every other one.
    rng = stream(seed, "measures", "sum")
    codes = [rng.normal(size=(levels, 5)) for levels in size]
    y, x = np.indices(size)
    tests = ring_tests(np.concatenate([codes[0][y], codes[1][x]], axis=-1))
    assert tests["x-on-y"].angles == pytest.approx(np.full((size[0] * size[1], 2), 90.0))
    assert tests["x-on-y"].residuals == pytest.approx(np.ones(size[0] * size[1]))
    for pair, code in zip(("x-on-x", "y-on-y"), codes, strict=True):
        variances = np.linalg.svd(code - code.mean(axis=0), compute_uv=False) ** 2
        assert tests[pair].angles == pytest.approx(np.zeros_like(tests[pair].angles), abs=1e-4)
        assert tests[pair].residuals == pytest.approx(
            np.full(numbers(*size)[pair], 1 - variances[:2].sum() / variances.sum()), abs=1e-9
        )


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_rings_with_features_of_their_own_are_orthogonal_within_a_factor(rows, columns):
    # Every level of x switches on features of its own, in which y turns: x-on-x as apart as can be.
    y, x = np.indices((rows, columns))
    turn = 2 * np.pi * y / rows
    circle = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    activations = (np.eye(columns)[x][..., None] * circle[..., None, :]).reshape(rows, columns, -1)
    across = ring_tests(activations)["x-on-x"]
    assert across.angles == pytest.approx(np.full((columns * (columns - 1), 2), 90.0))
    assert across.residuals == pytest.approx(np.ones(columns * (columns - 1)))


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 1000), size=sizes, scale=st.floats(0.01, 100.0))
def test_exchanging_factors_exchanges_tests_and_moving_and_scaling_change_nothing(seed, size, scale):
    rng = stream(seed, "measures", "exchanged")
    activations = rng.normal(size=(*size, 6))
    tests = ring_tests(activations)
    moved = ring_tests(scale * (activations + rng.normal(size=6)))
    swapped = ring_tests(activations.swapaxes(0, 1))
    for pair, other in zip(PAIRS[1:], PAIRS[:0:-1], strict=True):
        for here, there in zip(tests[pair], swapped[other], strict=True):
            assert there == pytest.approx(here, abs=1e-9)
    angles = tests["x-on-y"].angles.reshape(size[1], size[0], 2).swapaxes(0, 1).reshape(-1, 2)
    assert swapped["x-on-y"].angles == pytest.approx(angles, abs=1e-5)
    for pair in PAIRS:
        assert (np.diff(tests[pair].angles, axis=1) >= 0).all()
        for here, there in zip(tests[pair], moved[pair], strict=True):
            assert there == pytest.approx(here, abs=1e-5)


def test_single_precision_is_enough():
    activations = stream(2, "measures", "single").normal(size=(5, 6, 30)) + 10.0
    for pair, (angles, residuals) in ring_tests(activations.astype(np.float32)).items():
        assert angles == pytest.approx(ring_tests(activations)[pair].angles, abs=0.01)
        assert residuals == pytest.approx(ring_tests(activations)[pair].residuals, abs=1e-4)


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_the_ideals_are_at_known_distances(rows, columns):
    clifford, ring = torus_distances(clifford_torus(rows, columns)), torus_distances(ring_torus(rows, columns))
    lines = turned(columns)
    between = {
        "x-on-y angles": 45.0,
        "x-on-y residuals": 0.5,
        "x-on-x angles": lines.mean() / 2,
        "x-on-x residuals": np.square(np.sin(np.radians(lines))).mean() / 2,
        "y-on-y angles": 0.0,
        "y-on-y residuals": 0.0,
    }
    turning = {f"{pair} components" for pair in PAIRS}
    assert set(clifford) == {f"{name} {ideal}" for name in {*between, *turning} for ideal in ("clifford", "ring")}
    for name in turning:
        assert clifford[f"{name} clifford"] == ring[f"{name} ring"] == 0
        assert clifford[f"{name} ring"] == ring[f"{name} clifford"]
    for name, distance in between.items():
        assert clifford[f"{name} clifford"] == pytest.approx(0.0, abs=1e-5)
        assert ring[f"{name} ring"] == pytest.approx(0.0, abs=1e-5)
        assert clifford[f"{name} ring"] == pytest.approx(distance, abs=1e-5)
        assert ring[f"{name} clifford"] == pytest.approx(distance, abs=1e-5)


def test_distances_are_those_of_a_library():
    activations = stream(3, "measures", "library").normal(size=(5, 7, 10))
    found, ideals = all_tests(activations), {"clifford": clifford_torus(5, 7), "ring": ring_torus(5, 7)}
    for name, distance in torus_distances(activations).items():
        pair, quantity, ideal = name.split()
        samples = [tests[pair][quantity].ravel() for tests in (found, all_tests(ideals[ideal]))]
        assert distance == pytest.approx(wasserstein_distance(*samples))


@settings(deadline=None, max_examples=10)
@given(seed=st.integers(0, 1000), size=sizes, features=st.integers(3, 9))
def test_component_angles_are_those_of_each_pair_by_itself(seed, size, features):
    activations = stream(seed, "measures", "components").normal(size=(*size, features)) + 5.0
    rings = {"x": list(activations.swapaxes(0, 1)), "y": list(activations)}
    found = component_angles(activations)
    for pair in PAIRS:
        first, second = (
            [np.linalg.svd(ring - ring.mean(axis=0))[2][:2] for ring in rings[name]] for name in (pair[0], pair[-1])
        )
        places = product(range(len(first)), range(len(second)))
        chosen = [(i, j) for i, j in places if pair == "x-on-y" or i != j]
        expected = [np.degrees(np.arccos(np.clip(np.abs(first[i] @ second[j].T), 0, 1))).ravel() for i, j in chosen]
        assert found[pair] == pytest.approx(np.array(expected), abs=1e-4)


def test_components_of_circles_turn_freely():
    """Parallel circles show every angle alike; on planes that share one line, cosines of two turns are multiplied."""
    parallel = component_angles(clifford_torus(32, 40))
    even = np.linspace(0, 90, 4000)
    for pair in ("x-on-x", "y-on-y"):
        assert wasserstein_distance(parallel[pair].ravel(), even) < 1
    assert parallel["x-on-y"] == pytest.approx(np.full((32 * 40, 4), 90.0), abs=1e-5)
    turns = np.linspace(0, np.pi / 2, 300)
    known = np.degrees(np.arccos(np.outer(np.cos(turns), np.cos(turns))))
    assert wasserstein_distance(component_angles(ring_torus(32, 40))["x-on-y"].ravel(), known.ravel()) < 1


@pytest.mark.parametrize("make", [clifford_torus, ring_torus])
def test_component_angles_do_not_depend_on_how_a_torus_lies(make):
    torus = make(8, 9)
    turn, _ = np.linalg.qr(stream(7, "measures", "lies").normal(size=(12, 12)))
    moved = 3 * torus @ turn[: torus.shape[2]] + 2
    for pair, angles in component_angles(torus).items():
        assert component_angles(moved)[pair] == pytest.approx(angles, abs=1e-4)


def test_raw_bumps_are_as_far_from_either_torus_as_our_notes_found():
    """Notes: 10.8 and 16.6 for x-on-y, 36.4 and 24.6 for x-on-x; ideal circles turn freely, so not to the digit."""
    pixel = np.arange(16)
    apart = np.minimum(k := np.abs(np.subtract.outer(pixel, pixel)), 16 - k)
    ink = np.exp(-(apart**2) / 4)
    found = torus_distances(np.einsum("yr,xc->yxrc", ink, ink).reshape(16, 16, 256))
    notes = {"x-on-y clifford": 10.8, "x-on-y ring": 16.6, "x-on-x clifford": 36.4, "x-on-x ring": 24.6}
    for name, value in notes.items():
        assert found[name.replace(" ", " components ")] == pytest.approx(value, abs=2.5)


def dead_at(axis, place, value=0.1):
    activations = stream(4, "measures", "dead").normal(size=(4, 5, 6))
    np.moveaxis(activations, axis, 0)[place] = value
    return activations


def line_at_two():
    activations = stream(5, "measures", "line").normal(size=(4, 5, 6))
    activations[:, 2] = np.outer(np.arange(4.0), np.arange(6.0)) + 0.1
    return activations


@settings(deadline=None, max_examples=30)
@given(value=st.floats(-1e3, 1e3), size=sizes, single=st.booleans())
def test_a_dead_layer_is_refused_however_its_mean_rounds(value, size, single):
    dead = np.broadcast_to(value * np.linspace(0.1, 1.7, 6), (*size, 6)).astype(np.float32 if single else np.float64)
    with pytest.raises(InputError, match="the ring at x = 0 has no plane"):
        ring_tests(dead)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: ring_tests(np.full((4, 5, 6), 0.1)), "the ring at x = 0 has no plane"),
        (lambda: ring_tests(dead_at(1, 3)), "the ring at x = 3 has no plane"),
        (lambda: ring_tests(dead_at(0, 2)), "the ring at y = 2 has no plane"),
        (lambda: ring_tests(line_at_two()), "the ring at x = 2 has no plane"),
        (lambda: ring_tests(line_at_two().astype(np.float32)), "the ring at x = 2 has no plane"),
        (lambda: ring_tests(np.ones((2, 5, 3))), "at least 3 levels of y and of x, as fewer span no plane, got (2, 5)"),
        (lambda: ring_tests(dead_at(1, 3, np.nan)), "not all finite"),
        (lambda: ring_tests([[1.0, 2.0], [3.0, 4.0]]), "activations of shape (2, 2) must be (y, x, features)"),
        (lambda: torus_distances(np.zeros((4, 5, 0))), "activations of shape (4, 5, 0) must be (y, x, features)"),
        (
            lambda: clifford_torus(2, 5),
            "whole numbers of rows and columns, 3 or more, as fewer make no ring, got 2 and 5",
        ),
        (lambda: ring_torus(5, 2), "3 or more, as fewer make no ring, got 5 and 2"),
        (lambda: ring_torus(5, 5, 1.0, 1.0), "got major=1.0 and minor=1.0"),
        (lambda: ring_torus(5, 5, 1.0, 0.0), "got major=1.0 and minor=0.0"),
        (lambda: ring_torus(5, 5, "a", 2), "got major='a' and minor=2"),
        (lambda: clifford_torus(3.5, 5), "whole numbers of rows and columns, 3 or more"),
    ],
)
def test_nonsense_is_refused_in_a_sentence(ask, message):
    with pytest.raises(InputError, match=re.escape(message)) as refused:
        ask()
    assert str(refused.value).endswith(".")


@pytest.mark.parametrize("scale", [2.0**600, 2.0**-600])
def test_no_scale_is_too_large_or_too_small(scale):
    activations = stream(6, "measures", "rings").normal(size=(4, 5, 6))
    for pair, test in ring_tests(scale * activations).items():
        assert np.array_equal(test.angles, ring_tests(activations)[pair].angles)


def test_lists_and_tensors_are_activations_too():
    activations = stream(6, "measures", "rings").normal(size=(4, 5, 6))
    expected, distances = ring_tests(activations), torus_distances(activations)
    for same in (activations.tolist(), torch.tensor(activations, requires_grad=True)):
        for pair, test in ring_tests(same).items():
            assert np.array_equal(test.angles, expected[pair].angles)
            assert np.array_equal(test.residuals, expected[pair].residuals)
        assert torus_distances(same) == distances
