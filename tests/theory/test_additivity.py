"""The certificate of additivity: the tasks of Lippl & Stachenfeld, random tasks, and contradictions checked alone."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.theory.additivity import certificate


def grid(*levels: int) -> np.ndarray:
    return np.array(list(product(*map(range, levels))))


def subsets(components: int) -> list[tuple[int, ...]]:
    flags = product((False, True), repeat=components)
    return [tuple(c for c in range(components) if chosen[c]) for chosen in flags]


def plain_design(combinations, seen, rows):
    """Indicators of every conjunction seen, the full ones and the empty one included, written out."""
    names = {(J, tuple(z[list(J)])) for z in combinations[seen] for J in subsets(combinations.shape[1])}
    return np.array([[float(all(combinations[r][list(J)] == v)) for J, v in sorted(names)] for r in rows])


def possible(combinations, targets, seen, rows, kind) -> bool:
    """Whether the targets of these rows can all be right, by a solver on the plain design."""
    rows = list(rows)
    if not rows:
        return True
    design, wanted = plain_design(combinations, seen, rows), targets[rows]
    if kind == "regression":
        return bool(np.allclose(design @ np.linalg.lstsq(design, wanted)[0], wanted, atol=1e-9 * np.abs(wanted).max()))
    free = [(None, None)] * design.shape[1]
    answer = linprog(np.zeros(design.shape[1]), A_ub=-wanted[:, None] * design, b_ub=-np.ones(len(rows)), bounds=free)
    assert answer.status in (0, 2)
    return answer.status == 0


def assert_irreducible(result, combinations, targets, seen):
    rows = result.contradiction.tolist()
    assert not seen[rows].any()
    assert not possible(combinations, targets, seen, rows, result.kind)
    for row in rows:
        assert possible(combinations, targets, seen, [r for r in rows if r != row], result.kind)
    assert result.weights @ plain_design(combinations, seen, rows) == pytest.approx(0.0, abs=1e-7)
    assert result.weights @ targets[rows] > 0


def equivalence(classes, seen):
    """Pairs of items: +1 for items of one class, -1 otherwise."""
    pairs = grid(len(classes), len(classes))
    classes = np.array(classes)
    return pairs, np.where(classes[pairs[:, 0]] == classes[pairs[:, 1]], 1.0, -1.0), seen(pairs)


def context_dependence(block):
    rows = grid(2, 6, 6)
    context, first, second = rows.T
    targets = np.where(np.where(context == 0, first, second) < 3, -1.0, 1.0)
    return rows, targets, ~((first < block) & (second >= 3) & (second < 3 + block))


@pytest.mark.parametrize("anchors", [(0,), (-4,), (-4, 4), (-2, -1, 1, 2)])
def test_symbolic_addition_is_additive(anchors):
    pairs = grid(9, 9)
    u, v = (pairs - 4.0).T
    seen = np.isin(u, anchors) | np.isin(v, anchors)
    result = certificate(pairs, u + v, seen)
    assert (result.additive, result.kind, result.contradiction) == (True, "regression", None)
    assert result.reconstruct(pairs) == pytest.approx(u + v, abs=1e-10)
    others = sorted(set(range(-4, 5)) - set(anchors))
    steps = np.diff([result.values[(0,)][(value + 4,)] for value in others])
    assert steps == pytest.approx(np.diff(others))  # f_1(u) is u up to a constant


@pytest.mark.parametrize("kind", ["regression", None])
def test_a_product_is_not_additive_and_four_rows_show_it(kind):
    pairs = grid(4, 5)
    targets = (pairs[:, 0] - 0.5) * (pairs[:, 1] + 2.0)
    seen = (pairs == 0).any(axis=1)
    result = certificate(pairs, targets, seen, kind)
    assert (result.additive, result.values, result.smallest) == (False, None, True)
    (a, b), (c, d) = pairs[result.contradiction[[0, 3]]].tolist()
    assert pairs[result.contradiction].tolist() == [[a, b], [a, d], [c, b], [c, d]]  # a rectangle, corner by corner
    # The alternating sum of x·y over a rectangle is its area; the search takes the largest, 2 by 3.
    assert result.weights @ targets[result.contradiction] == pytest.approx(6.0)
    assert_irreducible(result, pairs, targets, seen)
    assert "on the left" in result.text


def test_transitive_equivalence_of_the_code_is_the_quadruple():
    pairs, targets, seen = equivalence([0, 0, 1, 1], lambda p: ((p == 1) | (p == 3)).any(axis=1))
    # The anchors are items 1 and 3, so items 0 and 2 meet only in the test.
    result = certificate(pairs, targets, seen)
    assert (result.additive, result.kind, result.smallest) == (False, "classification", True)
    assert pairs[result.contradiction].tolist() == [[0, 0], [0, 2], [2, 0], [2, 2]]
    assert_irreducible(result, pairs, targets, seen)
    assert "f(0, 0) + f(2, 2) = f(0, 2) + f(2, 0)" in result.text


def test_transitive_equivalence_of_the_schematic_is_ac_df_af_dc():
    items = "ABCDEF"
    test = {"AC", "CA", "CD", "DC", "AF", "FA", "DF", "FD"}
    pairs, targets, seen = equivalence(
        [0, 0, 0, 1, 1, 1], lambda p: np.array([items[i] + items[j] not in test for i, j in p])
    )
    assert seen.sum() == 28
    result = certificate(pairs, targets, seen)
    names = {items[i] + items[j] for i, j in pairs[result.contradiction]}
    assert names in ({"AC", "DF", "AF", "DC"}, {"CA", "FD", "FA", "CD"})
    assert result.smallest
    assert_irreducible(result, pairs, targets, seen)


def test_transitive_ordering_is_additive_though_its_signs_are_no_sum():
    pairs = grid(7, 7)
    distance = pairs[:, 1] - pairs[:, 0]
    pairs, distance = pairs[distance != 0], distance[distance != 0]
    targets, seen = np.sign(distance) * 1.0, np.abs(distance) == 1
    result = certificate(pairs, targets, seen)
    assert result.additive
    assert (targets * result.reconstruct(pairs)).min() >= 1 - 1e-9
    strict = certificate(pairs, targets, seen, kind="regression")
    assert not strict.additive
    assert_irreducible(strict, pairs, targets, seen)


@pytest.mark.parametrize("block", [1, 2, 3])
@pytest.mark.parametrize("kind", ["classification", "regression"])
def test_context_dependence_is_additive(block, kind):
    rows, targets, seen = context_dependence(block)
    result = certificate(rows, targets, seen, kind)
    assert result.additive
    assert result.reconstruct(rows) == pytest.approx(targets)


def test_the_held_out_corner_of_xor_is_met_because_single_levels_are_free():
    square, xor = grid(2, 2), np.array([-1.0, 1.0, 1.0, -1.0])
    result = certificate(square, xor, np.array([True, True, True, False]))
    assert result.additive  # the seen corners are looked up; one held-out corner constrains nothing
    assert result.reconstruct(square) == pytest.approx(xor)
    larger = grid(3, 3)  # with anchors of level 2 all four corners are held out
    seen = (larger == 2).any(axis=1)
    targets = np.where(larger[:, 0] == larger[:, 1], -1.0, 1.0)
    assert certificate(larger, targets, seen).contradiction.tolist() == [0, 1, 3, 4]


def test_a_parity_of_three_needs_all_eight_corners():
    cube = grid(4, 3, 3)
    seen = (cube == 0).any(axis=1)  # every pair of levels is seen, so only the three-way interaction is out of reach
    targets = np.where(cube.sum(axis=1) % 2 == 0, 1.0, -1.0)
    for kind in ("classification", "regression"):
        result = certificate(cube, targets, seen, kind)
        assert len(result.contradiction) == 8
        assert not result.smallest  # not proved, beyond five rows
        assert_irreducible(result, cube, targets, seen)
        assert "8 held-out combinations cannot all be right" in result.text


def test_five_rows_can_be_the_smallest_contradiction():
    """2 f(000) + f(111) = f(001) + f(010) + f(100) for sums of single components."""
    held_out = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 1]])
    alone = np.array([[0, 7, 7], [1, 7, 7], [7, 0, 7], [7, 1, 7], [7, 7, 0], [7, 7, 1]])
    rows = np.concatenate([held_out, alone])
    seen = np.arange(len(rows)) >= 5
    for targets in ([1.0, -1.0, -1.0, -1.0, 1.0], [0.0, 0.0, 0.0, 0.0, 0.25]):
        wanted = np.r_[targets, np.ones(6)]
        result = certificate(rows, wanted, seen)
        assert (result.contradiction.tolist(), result.smallest) == ([0, 1, 2, 3, 4], True)
        assert np.abs(result.weights) == pytest.approx([2.0, 1.0, 1.0, 1.0, 1.0])
        assert_irreducible(result, rows, wanted, seen)


def test_a_ring_of_six_cells_is_found_whole():
    held_out = np.array([[0, 0], [0, 1], [1, 1], [1, 2], [2, 2], [2, 0]])
    rows = np.concatenate([held_out, [[0, 9], [1, 9], [2, 9], [9, 0], [9, 1], [9, 2]]])
    seen = np.arange(12) >= 6
    targets = np.r_[np.tile([1.0, -1.0], 3), np.ones(6)]
    for kind in ("classification", "regression"):
        result = certificate(rows, targets, seen, kind)
        assert (result.contradiction.tolist(), result.smallest) == (list(range(6)), True)
        assert_irreducible(result, rows, targets, seen)


def test_unseen_levels_cannot_be_told_apart():
    rows = np.array([[0, 0], [1, 0], [5, 0], [6, 0]])
    seen = np.array([True, True, False, False])
    result = certificate(rows, np.array([1.0, 2.0, 3.0, 4.0]), seen)
    assert (result.contradiction.tolist(), result.smallest) == ([2, 3], True)
    assert certificate(rows, np.array([1.0, 2.0, 3.0, 3.0]), seen).additive
    one = np.array([[0], [1], [2]])
    only = np.array([True, False, False])
    assert certificate(one, np.array([5.0, -1.0, 1.0]), only).contradiction.tolist() == [1, 2]


def random_task(seed, values):
    rng = stream(seed, "additivity")
    components = int(rng.integers(1, 4))
    rows = grid(*rng.integers(2, 5, size=components))
    seen = rng.random(len(rows)) < rng.uniform(0.1, 0.9)
    seen[rng.integers(len(rows))] = True
    targets = values(rng, len(rows))
    targets[~seen & (rng.random(len(rows)) < 0.2)] = np.nan
    return rng, rows, targets, seen


@given(seed=st.integers(0, 10**6))
@settings(deadline=None, max_examples=60)
def test_a_sum_over_seen_conjunctions_is_certified_and_reconstructed(seed):
    rng, rows, _, seen = random_task(seed, lambda rng, n: rng.normal(size=n))
    design = plain_design(rows, seen, range(len(rows)))
    targets = design @ rng.normal(size=design.shape[1])
    result = certificate(rows, targets, seen)
    assert result.additive
    assert result.reconstruct(rows) == pytest.approx(targets, abs=1e-8)
    shown = {(J, tuple(z[list(J)].tolist())) for z in rows[seen] for J in subsets(rows.shape[1])}
    assert {(J, part) for J, table in result.values.items() for part in table} <= shown
    signs = np.where(targets > 0, 1.0, -1.0)
    margins = signs * certificate(rows, signs, seen).reconstruct(rows)
    assert margins.min() >= 1 - 1e-8


@given(seed=st.integers(0, 10**6), kind=st.sampled_from(["classification", "regression"]))
@settings(deadline=None, max_examples=80)
def test_the_answer_is_that_of_the_full_problem_and_contradictions_are_irreducible(seed, kind):
    _, rows, targets, seen = random_task(seed, lambda rng, n: rng.choice([-1.0, 1.0], size=n))
    result = certificate(rows, targets, seen, kind)
    known = np.flatnonzero(~np.isnan(targets))  # seen rows included, with their full conjunctions
    assert result.additive == possible(rows, targets, seen, known, kind)
    if result.additive:
        outputs = result.reconstruct(rows[known])
        misses = outputs - targets[known] if kind == "regression" else np.minimum(outputs * targets[known] - 1, 0)
        assert misses == pytest.approx(0.0, abs=1e-8)
    else:
        assert_irreducible(result, rows, targets, seen)


@given(seed=st.integers(0, 10**6), values=st.sampled_from(["signs", "products", "sums"]))
@settings(deadline=None, max_examples=40)
def test_names_and_order_do_not_matter(seed, values):
    rng, rows, targets, seen = random_task(seed, lambda rng, n: rng.choice([-1.0, 1.0], size=n))
    if values != "signs":
        combine = np.prod if values == "products" else np.sum
        targets = np.where(np.isnan(targets), np.nan, combine(rows + 0.5, axis=1))
    plain = certificate(rows, targets, seen)
    renamed = np.stack([rng.permutation(40)[column] - 20 for column in rows.T], axis=1)
    order, turned = rng.permutation(len(rows)), rng.permutation(rows.shape[1])
    other = certificate(renamed[order][:, turned], targets[order], seen[order])
    assert (other.additive, other.kind) == (plain.additive, plain.kind)
    if not plain.additive and plain.smallest and other.smallest:
        assert len(other.contradiction) == len(plain.contradiction)


@pytest.mark.parametrize("scale", [1e-200, 1e-6, 1.0, -1e6, 1e200])
@pytest.mark.parametrize("shift", [0.0, 3.0, -1e7])
def test_scale_and_constant_do_not_matter(scale, shift):
    pairs = grid(6, 5)
    seen = (pairs == 0).any(axis=1)
    sums = np.sqrt(pairs[:, 0]) + np.cos(pairs[:, 1])
    result = certificate(pairs, scale * (sums + shift), seen)
    assert result.additive
    assert result.reconstruct(pairs) / scale == pytest.approx(sums + shift, abs=1e-8)
    bent = sums + 1e-4 * (pairs == [4, 3]).all(axis=1)
    assert [4, 3] in pairs[certificate(pairs, scale * (bent + shift), seen).contradiction].tolist()


def test_rows_without_a_target_constrain_nothing():
    pairs = grid(3, 3)
    seen = (pairs == 2).any(axis=1)
    targets = np.where(pairs[:, 0] == pairs[:, 1], -1.0, 1.0)
    targets[4] = np.nan
    result = certificate(pairs, targets, seen)
    assert result.additive
    assert np.isfinite(result.reconstruct(pairs)).all()
    nothing_asked = certificate(pairs, np.where(seen, targets, np.nan), seen)
    assert nothing_asked.reconstruct(pairs[seen]) == pytest.approx(targets[seen])


def test_repeated_rows_count_once():
    pairs = grid(3, 3)
    seen = (pairs == 2).any(axis=1)
    targets = np.where(pairs[:, 0] == pairs[:, 1], -1.0, 1.0)
    twice, both = np.concatenate([pairs, pairs]), np.concatenate([targets, targets])
    held_out_again = np.concatenate([seen, np.zeros(9, dtype=bool)])
    assert certificate(twice, both, held_out_again).contradiction.tolist() == [0, 1, 3, 4]


@pytest.mark.parametrize(
    ("levels", "held_out"), [((4, 4, 4, 3, 2), "half"), ((4, 4, 3, 3, 3), "inside"), ((30, 31), "half")]
)
def test_many_combinations(levels, held_out):
    rng = stream(3, "additivity", "many")
    rows = grid(*levels)
    seen = rng.random(len(rows)) < 0.5 if held_out == "half" else (rows == 0).any(axis=1)
    sums = sum(rng.normal(size=n)[column] for n, column in zip(levels, rows.T, strict=True))
    assert certificate(rows, sums, seen).reconstruct(rows) == pytest.approx(sums, abs=1e-8)
    products = np.prod(rows + 0.5, axis=1)
    result = certificate(rows, products, seen)
    if held_out == "half" and len(levels) == 5:
        assert result.additive  # conjunctions of four are seen nearly everywhere and leave nothing to contradict
    else:
        assert len(result.contradiction) == 2 ** len(levels)
        assert result.smallest == (len(levels) == 2)


SQUARE = {"combinations": grid(2, 2), "targets": np.arange(4.0), "seen": np.array([True, True, True, False])}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"combinations": np.arange(4)}, r"int64 array of shape \(4,\); give integers of shape \(items, components\)"),
        ({"combinations": np.ones((4, 2))}, "float64 array of shape"),
        ({"combinations": np.zeros((4, 0), dtype=int)}, "at least one component"),
        ({"targets": np.ones(3)}, r"4 combinations need as many .* got targets of shape \(3,\)"),
        ({"targets": np.ones((4, 1))}, r"targets of shape \(4, 1\)"),
        ({"seen": np.array([True, False])}, r"a mask of shape \(2,\)"),
        ({"seen": np.array([1, 1, 1, 0])}, "mask of seen rows has type int64; it must be boolean"),
        ({"seen": np.zeros(4, dtype=bool)}, "none of the 4 combinations is marked as seen"),
        ({"targets": np.array([0.0, np.nan, 1.0, 2.0])}, "target nan of row 1 is not finite; targets of seen rows"),
        ({"targets": np.array([0.0, 1.0, 1.0, np.inf])}, "target inf of row 3 is not finite; only NaN marks"),
        ({"kind": "regresion"}, "unknown kind of task 'regresion'; did you mean 'regression'"),
        ({"kind": "classification"}, "target 0 of row 0 must be -1 or"),
        (
            {"combinations": np.array([[0, 0], [0, 1], [1, 0], [0, 1]])},
            r"rows 1 and 3 are the same combination \(0, 1\) with targets 1 and 3",
        ),
    ],
)
def test_bad_input_is_refused(change, message):
    with pytest.raises(InputError, match=message):
        certificate(**(SQUARE | change))


def test_what_contradicts_itself_has_no_values_to_sum():
    pairs = grid(3, 3)
    result = certificate(pairs, pairs.prod(axis=1) + 0.5, (pairs == 0).any(axis=1))
    with pytest.raises(InputError, match="look at its contradiction"):
        result.reconstruct(pairs)
