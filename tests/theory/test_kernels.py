"""The overlap kernel against a plain loop, and its predictions against the algebra of Lippl & Stachenfeld."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.theory.kernels import overlap_kernel, predict, random_layers, readout, salience

VALUES = np.arange(9) - 4.0  # of the items of symbolic addition


def grid(*levels: int) -> np.ndarray:
    return np.array(list(product(*map(range, levels))))


def addition(anchors_1, anchors_2):
    """Symbolic addition: pairs with an anchor in either component are seen; unseen targets are NaN."""
    pairs = grid(9, 9)
    u, v = VALUES[pairs[:, 0]], VALUES[pairs[:, 1]]
    seen = np.isin(u, anchors_1) | np.isin(v, anchors_2)
    return pairs, u, v, np.where(seen, u + v, np.nan), seen


@given(seed=st.integers(0, 10**6), components=st.integers(1, 4), mapped=st.booleans())
@settings(deadline=None, max_examples=40)
def test_the_kernel_equals_a_plain_loop(seed, components, mapped):
    rng = stream(seed, "overlap")
    a, b = rng.integers(-1, 3, size=(4, components)), rng.integers(-1, 3, size=(7, components))
    counted = rng.normal(size=components + 1)
    by_flags = {flags: float(rng.normal()) for flags in product((0, 1), repeat=components)}
    kernel = overlap_kernel(a, b, by_flags if mapped else counted)
    for i, first in enumerate(a):
        for j, second in enumerate(b):
            flags = tuple(int(x == y) for x, y in zip(first, second, strict=True))
            assert kernel[i, j] == (by_flags[flags] if mapped else counted[sum(flags)])


def test_flags_are_in_the_order_of_the_components():
    similarity = {(0, 0): 0.0, (0, 1): 0.2, (1, 0): 0.3, (1, 1): 1.0}
    kernel = overlap_kernel(np.array([[5, 7]]), np.array([[5, 8], [6, 7], [5, 7], [0, 0]]), similarity)
    assert kernel.tolist() == [[0.3, 0.2, 1.0, 0.0]]


@pytest.mark.parametrize("s", [0.0, 0.1, 0.3, 0.5, 0.6])
def test_missing_corner_of_a_square_matches_the_algebra(s):
    y00, y01, y10 = 1.0, -2.0, 5.0
    targets, seen = np.array([y00, y01, y10, np.nan]), np.array([True, True, True, False])
    predicted = predict(grid(2, 2), targets, seen, (0.0, s, 1.0))
    expected = (s * (y01 + y10) - 2 * s**2 * y00) / (1 - 2 * s**2)  # s = 1/2: parallelogram
    assert predicted[3] == pytest.approx(expected)
    assert predicted[:3] == pytest.approx([y00, y01, y10])


@pytest.mark.parametrize("anchors", [(0,), (-4, 4), (-1, 1), (-4, 0, 4), (-2, -1, 1, 2)])
@pytest.mark.parametrize("s", [0.05, 0.3, 0.45, 0.5])
def test_memorisation_leak_follows_proposition_5_1(anchors, s):
    """Unseen sums are shrunk by m = p S / (1 + (p − 2) S); where the anchors lie does not matter."""
    pairs, u, v, targets, seen = addition(anchors, anchors)
    p = len(anchors)
    predicted = predict(pairs, targets, seen, (0.0, s, 1.0))
    assert predicted[~seen] == pytest.approx((p * s / (1 + (p - 2) * s) * (u + v))[~seen], abs=1e-10)


@given(
    saliences=st.tuples(st.floats(0.05, 1), st.floats(0.05, 1), st.floats(0.05, 1)),
    ridge=st.floats(0.0, 2.0),
    sizes=st.tuples(st.integers(1, 4), st.integers(1, 4)),
)
@settings(deadline=None, max_examples=40)
def test_each_component_leaks_by_its_own_salience(saliences, ridge, sizes):
    """The slope for component 1 is |W_2| S_1 / (|W_2| S_1 + S_12 + λ), and likewise for component 2."""
    s1, s2, s12 = (share / sum(saliences) for share in saliences)
    pairs, u, v, targets, seen = addition(VALUES[: sizes[0]], VALUES[9 - sizes[1] :])
    similarity = {(0, 0): 0.0, (1, 0): s1, (0, 1): s2, (1, 1): 1.0}
    predicted = predict(pairs, targets, seen, similarity, solver="ridge", ridge=ridge)
    design = np.stack([u, v, np.ones(len(u))], axis=1)[~seen]
    slopes = np.linalg.lstsq(design, predicted[~seen])[0]
    m1 = sizes[1] * s1 / (sizes[1] * s1 + s12 + ridge)
    m2 = sizes[0] * s2 / (sizes[0] * s2 + s12 + ridge)
    assert slopes[:2] == pytest.approx([m1, m2], abs=1e-7)
    assert design @ slopes == pytest.approx(predicted[~seen], abs=1e-7)


@pytest.mark.parametrize(("bias", "offset"), [(False, -0.83), (True, -2.84)])
@pytest.mark.parametrize("constant", [0.0, 3.0])
def test_a_lopsided_anchor_shifts_by_a_known_offset(bias, offset, constant):
    """One anchor at −4, S = 0.3: slope 3/7 for every κ(0); the offset depends on κ(0) only without a bias."""
    pairs, u, v, targets, seen = addition((-4,), (-4,))
    similarity = np.array([0.0, 0.3, 1.0]) + constant
    predicted = predict(pairs, targets, seen, similarity, bias=bias)[~seen]
    slope, found = np.polyfit((u + v)[~seen], predicted, 1)
    assert slope == pytest.approx(3 / 7)
    assert (round(found, 2) == offset) == (bias or constant == 0)


@pytest.mark.parametrize("k", [0.1, 0.25, 0.4])
def test_invariance_and_partial_exposure_match_their_margins(k):
    """The label is the first component: two seen inputs give k/(1 − k), three give 2k²/(1 − 2k²)."""
    square, labels = grid(2, 2), np.array([-1.0, -1.0, 1.0, 1.0])
    invariance = predict(square, labels, square[:, 1] == 0, (0.0, k, 1.0)) * labels
    assert invariance[[1, 3]] == pytest.approx(k / (1 - k))
    seen = np.array([True, True, True, False])
    for solver in ("min-norm", "max-margin"):
        partial = predict(square, labels, seen, (0.0, k, 1.0), solver=solver) * labels
        assert partial[3] == pytest.approx(2 * k**2 / (1 - 2 * k**2))


@pytest.mark.parametrize(("k", "margin"), [(0.1, -0.23), (0.25, 0.0), (0.4, 0.43), (0.5, 1.0)])
def test_a_bias_changes_partial_exposure_under_max_margin(k, margin):
    labels, seen = np.array([-1.0, -1.0, 1.0, 1.0]), np.array([True, True, True, False])
    decisions = predict(grid(2, 2), labels, seen, (0.0, k, 1.0), solver="max-margin", bias=True)
    assert decisions[3] == pytest.approx(margin, abs=0.005)


@pytest.mark.parametrize(("block", "solver", "margin"), [(3, "min-norm", 0.52), (3, "max-margin", -0.22)])
def test_context_dependence_is_lost_to_the_shortcut_under_max_margin_only(block, solver, margin):
    """Three ReLU layers, C = 3: saliences .2035, .0942, .1068, hence κ = 0, S_1, 2 S_1 + S_2, 1."""
    inputs = grid(2, 6, 6)
    context, first, second = inputs.T
    labels = np.where(np.where(context == 0, first, second) < 3, -1.0, 1.0)
    seen = ~((first < block) & (second >= 3) & (second < 3 + block))
    targets = np.where(seen, labels, np.nan)
    decisions = predict(inputs, targets, seen, (0.0, 0.2035, 2 * 0.2035 + 0.0942, 1.0), solver=solver)
    assert round((labels * decisions)[~seen].mean(), 2) == margin
    assert (np.sign(labels * decisions)[~seen] == np.sign(margin)).all()


def context_task(block: int):
    """Context dependence: 72 inputs, their labels, and the rows seen when a block of features is left out."""
    inputs = grid(2, 6, 6)
    context, first, second = inputs.T
    labels = np.where(np.where(context == 0, first, second) < 3, -1.0, 1.0)
    return inputs, labels, ~((first < block) & (second >= 3) & (second < 3 + block))


@pytest.mark.parametrize(("solver", "solved"), [("max-margin", 327), ("min-norm", 460)])
def test_the_map_of_kernels_that_solve_context_dependence(solver, solved):
    """650 kernels with κ(0) = 0, κ(3) = 1, κ(2) on 50 points of [0, 2/3], κ(1) on 50 points of [0, 1/3] and no
    negative salience. CD-3 is all or none, and solved by so many."""
    inputs, labels, seen = context_task(3)
    targets = np.where(seen, labels, np.nan)
    pairs = product(np.linspace(0, 1 / 3, 50), np.linspace(0, 2 / 3, 50))
    kernels = [(0.0, single, pair, 1.0) for single, pair in pairs]
    kept = [kappa for kappa in kernels if salience(kappa).min() >= -1e-9]
    assert len(kept) == 650
    right = 0
    with threadpool_limits(1):  # matrices this small only lose by being shared out
        for kappa in kept:
            decisions = predict(inputs, targets, seen, kappa, solver=solver, bias=solver == "max-margin")
            margins = (labels * decisions)[~seen]
            assert (margins > 1e-9).all() or (margins < 1e-9).all()
            right += bool((margins > 1e-9).all())
    assert right == solved


@pytest.mark.parametrize(
    ("nonlinearity", "solver", "solved", "failed"),
    [
        ("relu", "max-margin", (8, 24), (1, 7, 25)),
        ("relu", "min-norm", (1, 24), (25,)),
        ("rectified-quadratic", "max-margin", (2, 6), (1, 7)),
        ("gaussian", "max-margin", (1, 20), ()),
        ("step", "max-margin", (), (1, 20)),
        ("leaky", "max-margin", (12, 30), (11, 40)),
    ],
)
def test_depth_decides_whether_context_dependence_is_solved(nonlinearity, solver, solved, failed):
    inputs, labels, seen = context_task(3)
    for depth in solved + failed:
        similarity = random_layers((0.0, 1 / 3, 2 / 3, 1.0), nonlinearity, depth)
        decisions = predict(inputs, labels, seen, similarity, solver=solver, bias=True)
        assert ((labels * decisions)[~seen] > 0).all() == (depth in solved), depth


@pytest.mark.parametrize("block", [1, 2])
def test_components_alone_cannot_separate_context_dependence(block):
    """S_2 = S_3 = 0: max-margin has no answer and says so; least squares has one."""
    inputs, labels, seen = context_task(block)
    multi_hot = (0.0, 1 / 3, 2 / 3, 1.0)
    for bias in (False, True):
        with pytest.raises(InputError, match=f"the {int(seen.sum())} seen labels cannot be separated by this kernel"):
            predict(inputs, labels, seen, multi_hot, solver="max-margin", bias=bias)
        assert np.isfinite(predict(inputs, labels, seen, multi_hot, bias=bias)).all()


@pytest.mark.parametrize("solver", ["min-norm", "ridge", "max-margin"])
@pytest.mark.parametrize("bias", [False, True])
def test_a_similarity_that_is_no_inner_product_is_refused(solver, bias):
    """Three corners of a square have the eigenvalues 1 and 1 ± √2 κ(1)."""
    labels, seen = np.array([-1.0, -1.0, 1.0, 1.0]), np.array([True, True, True, False])
    by_flags = {(0, 0): 0.0, (0, 1): 0.9, (1, 0): 0.9, (1, 1): 1.0}
    for similarity in ((0.0, 0.9, 1.0), by_flags):
        with pytest.raises(InputError, match=f"the 3 seen rows has the smallest eigenvalue {1 - 0.9 * 2**0.5:.6g};"):
            predict(grid(2, 2), labels, seen, similarity, solver=solver, bias=bias)


@given(seed=st.integers(0, 10**6))
@settings(deadline=None, max_examples=40)
def test_exactly_the_indefinite_kernels_are_refused(seed):
    rng = stream(seed, "definite")
    rows, seen = grid(3, 4), rng.random(12) < 0.7
    seen[0] = True
    similarity = (0.0, float(rng.uniform(-0.5, 1.0)), 1.0)
    smallest = np.linalg.eigvalsh(overlap_kernel(rows[seen], rows[seen], similarity))[0]
    if smallest < -1e-9:
        with pytest.raises(InputError, match="not positive semidefinite"):
            predict(rows, np.ones(12), seen, similarity)
    elif smallest > 1e-9:
        assert predict(rows, np.ones(12), seen, similarity)[seen] == pytest.approx(1.0)


@pytest.mark.parametrize("solver", ["min-norm", "max-margin"])
@pytest.mark.parametrize("shape", [(), (2,)])
@pytest.mark.parametrize("bias", [False, True])
def test_a_readout_is_its_dual_form(solver, shape, bias):
    rows, seen = grid(3, 5), np.arange(15) % 4 > 0
    labels = stream(5, "readout").choice([-1.0, 1.0], size=(15, *shape))
    fit = readout(rows, labels, seen, (0.1, 0.3, 1.0), solver=solver, bias=bias)
    kernel = overlap_kernel(rows, rows[seen], (0.1, 0.3, 1.0))
    assert fit.weights.shape == (int(seen.sum()), *shape)
    assert kernel @ fit.weights + fit.intercept == pytest.approx(fit.outputs)
    assert (fit.intercept != 0).all() == bias


@pytest.mark.parametrize("s", [0.1, 0.3, 0.45])
def test_transitive_equivalence_is_beyond_an_overlap_kernel(s):
    """Two classes of two, one anchor each: every unseen answer is exactly nothing."""
    pairs, classes = grid(4, 4), np.array([0, 0, 1, 1])
    same = np.where(classes[pairs[:, 0]] == classes[pairs[:, 1]], 1.0, -1.0)
    seen = np.isin(pairs, (0, 2)).any(axis=1)
    assert (seen.sum(), (~seen).sum()) == (12, 4)
    assert predict(pairs, same, seen, (0.0, s, 1.0))[~seen] == pytest.approx(0.0, abs=1e-12)


@given(seed=st.integers(0, 10**6), bias=st.booleans(), ridge=st.sampled_from([0.0, 0.2]))
@settings(deadline=None, max_examples=25)
def test_unseen_answers_add_up_over_seen_conjunctions(seed, bias, ridge):
    """Theorem 4.2, two components: the unseen answers are f_1(z_1) + f_2(z_2), whatever the targets."""
    rng = stream(seed, "additivity")
    pairs, seen = grid(4, 6), rng.random(24) < 0.6
    seen[0] = True
    targets = np.where(seen, rng.normal(size=24), np.nan)
    predicted = predict(pairs, targets, seen, (0.1, 0.3, 1.0), solver="ridge", ridge=ridge, bias=bias)
    design = np.concatenate([np.eye(4)[pairs[:, 0]], np.eye(6)[pairs[:, 1]]], axis=1)[~seen]
    fitted = design @ np.linalg.lstsq(design, predicted[~seen])[0]
    assert fitted == pytest.approx(predicted[~seen], abs=1e-9)


@pytest.mark.parametrize("solver", ["min-norm", "ridge", "max-margin"])
@given(seed=st.integers(0, 10**6))
@settings(deadline=None, max_examples=15)
def test_unseen_targets_are_never_read_and_names_of_levels_do_not_matter(solver, seed):
    rng = stream(seed, "names")
    pairs, seen = grid(3, 5), rng.random(15) < 0.7
    seen[:2] = True
    labels = rng.choice([-1.0, 1.0], size=(15, 2))
    options = {"similarity": (0.0, 0.3, 1.0), "solver": solver, "ridge": 0.5 if solver == "ridge" else 0.0}
    plain = predict(pairs, np.where(seen[:, None], labels, np.nan), seen, **options)
    renamed = np.stack([rng.permutation(40)[:3][pairs[:, 0]], rng.permutation(40)[:5][pairs[:, 1]]], axis=1)
    order = rng.permutation(15)
    other = predict(renamed[order], np.where(seen[:, None], labels, 1e9)[order], seen[order], **options)
    assert other == pytest.approx(plain[order], abs=1e-6)
    assert np.isfinite(plain).all()


def test_outputs_have_the_shape_of_the_targets():
    pairs, seen = grid(2, 3), np.array([True] * 5 + [False])
    targets = np.arange(12.0).reshape(6, 2)
    both = predict(pairs, targets, seen, (0.0, 0.3, 1.0))
    assert both.shape == (6, 2)
    assert predict(pairs, targets[:, 1], seen, (0.0, 0.3, 1.0)) == pytest.approx(both[:, 1])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"similarity": (0.0, 1.0)}, r"need the 3 values kappa\(0\), ..., kappa\(2\)"),
        ({"similarity": (0.0, np.nan, 1.0)}, "similarity holds nan; every value must be finite"),
        ({"similarity": {(0, 0): 0.0, (0, 1): 0.5, (1, 1): 1.0}}, r"no value for shared components \(1, 0\)"),
        ({"similarity": {(0,): 0.0, (1,): 1.0}}, r"key \(0,\) must be a tuple of 2 flags"),
        ({"solver": "max-margn"}, "unknown solver 'max-margn'; did you mean 'max-margin'"),
        ({"ridge": 0.1}, "ridge = 0.1 has no meaning for solver 'min-norm'"),
        ({"seen": np.zeros(4, dtype=bool)}, "none of the 4 combinations is marked as seen"),
        ({"targets": np.full(4, np.nan)}, "targets of seen items holds 3 values that are not finite"),
    ],
)
def test_bad_input_is_refused(change, message):
    good = {
        "combinations": grid(2, 2),
        "targets": np.ones(4),
        "seen": np.array([True, True, True, False]),
        "similarity": (0.0, 0.3, 1.0),
    }
    with pytest.raises(InputError, match=message):
        predict(**(good | change))
