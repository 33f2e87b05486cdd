"""The decomposition into seen conjunctions against the prediction it takes apart, and against what it must not fit."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.theory import conjunctions
from recombine.theory.conjunctions import additivity_residual, decompose, seen_design
from recombine.theory.kernels import overlap_kernel, predict, random_layers, readout
from recombine.theory.salience import similarity_from_salience

GRIDS = [(4, 4), (3, 3, 3), (2, 6, 6), (2, 3, 4, 2)]


def grid(*levels: int) -> np.ndarray:
    return np.array(list(product(*map(range, levels))))


def problem(seed: int, levels: tuple[int, ...], mapped: bool):
    """A random set of seen rows, labels, and a random similarity with all saliences above 0."""
    rng = stream(seed, "conjunctions")
    rows = grid(*levels)
    seen = rng.random(len(rows)) < 0.5
    seen[:2] = True
    labels = rng.choice([-1.0, 1.0], size=len(rows))
    count = len(levels)
    if mapped:
        shares = {key: float(rng.random() + 0.05) for key in list(product((0, 1), repeat=count))[1:]}
    else:
        shares = rng.random(count) + 0.05
    return rows, np.where(seen, labels, np.nan), seen, similarity_from_salience(shares, none=0.2)


@given(
    seed=st.integers(0, 10**6),
    levels=st.sampled_from(GRIDS),
    mapped=st.booleans(),
    bias=st.booleans(),
    solver=st.sampled_from(["min-norm", "ridge", "max-margin"]),
)
@settings(deadline=None, max_examples=60)
def test_parts_add_up_to_the_prediction_and_unseen_ones_are_nothing(seed, levels, mapped, bias, solver):
    rows, targets, seen, similarity = problem(seed, levels, mapped)
    assume(np.ptp(targets[seen]) > 0)  # equal answers are the intercept's alone, and leave nothing to decompose
    ridge = 0.3 if solver == "ridge" else 0.0
    fit = readout(rows, targets, seen, similarity, solver=solver, ridge=ridge, bias=bias)
    parts = decompose(rows, fit.weights, seen, similarity, fit.intercept)
    assert len(parts) == 2 ** len(levels)
    predicted = predict(rows, targets, seen, similarity, solver=solver, ridge=ridge, bias=bias)
    assert sum(parts.values()) == pytest.approx(predicted, abs=1e-12, rel=1e-12)
    for members, values in parts.items():
        shown = {tuple(each) for each in rows[seen][:, members].tolist()}
        for row, value in zip(rows[:, members].tolist(), values, strict=True):
            assert tuple(row) in shown or value == 0
        assert (values[seen] != 0).any() or not members
    assert additivity_residual(predicted, rows, seen) < 1e-12


def test_each_part_is_its_salience_times_the_weights_that_share_it():
    rows, seen = grid(2, 3), np.array([True, True, False, True, False, False])
    weights = np.array([1.0, 10.0, 100.0])  # of rows 00, 01 and 10
    similarity = {(0, 0): 0.5, (1, 0): 2.5, (0, 1): 3.5, (1, 1): 12.5}  # s = .5, 2, 3, 7
    parts = decompose(rows, weights, seen, similarity, intercept=4.0)
    assert parts[()].tolist() == [0.5 * 111 + 4] * 6
    assert parts[(0,)].tolist() == [22.0, 22.0, 22.0, 200.0, 200.0, 200.0]
    assert parts[(1,)].tolist() == [303.0, 30.0, 0.0, 303.0, 30.0, 0.0]
    assert parts[(0, 1)].tolist() == [7.0, 70.0, 0.0, 700.0, 0.0, 0.0]


def test_several_outputs_come_apart_side_by_side():
    rows, targets, seen, similarity = problem(3, (3, 4), mapped=False)
    both = readout(rows, np.stack([targets, 2 * targets + 1], axis=1), seen, similarity, bias=True)
    parts = decompose(rows, both.weights, seen, similarity, both.intercept)
    assert sum(parts.values()) == pytest.approx(both.outputs)
    single = readout(rows, 2 * targets + 1, seen, similarity, bias=True)
    alone = decompose(rows, single.weights, seen, similarity, single.intercept)
    assert all(parts[members][:, 1] == pytest.approx(alone[members]) for members in alone)


def test_a_failing_context_task_leans_on_the_context():
    """CD-3 after three relu layers, max-margin: mean sizes .47, .29, .21, .07, .04 of the kinds of conjunction."""
    rows = grid(2, 6, 6)
    context, first, second = rows.T
    labels = np.where(np.where(context == 0, first, second) < 3, -1.0, 1.0)
    seen = ~((first < 3) & (second >= 3))
    deep = random_layers((0.0, 1 / 3, 2 / 3, 1.0), "relu", 3)
    similarity = (deep - deep[0]) / (deep[-1] - deep[0])
    fit = readout(rows, labels, seen, similarity, solver="max-margin", bias=True)
    parts = decompose(rows, fit.weights, seen, similarity, fit.intercept)
    sizes: dict[str, list[float]] = {}
    for members, values in seen_design(rows, seen)[1]:
        row = np.flatnonzero((rows[:, members] == values).all(axis=1))[0]
        if members == (0,):
            kind = "context"
        elif members == (0, 1, 2):
            kind = "memorisation"
        elif members[0] == 0:
            kind = "right" if members[1] == values[0] + 1 else "wrong"
        else:
            kind = "sensory"
        sizes.setdefault(kind, []).append(abs(parts[members][row]))
    found = {kind: np.mean(each) for kind, each in sizes.items()}
    expected = {"context": 0.47, "right": 0.29, "sensory": 0.21, "memorisation": 0.07, "wrong": 0.04}
    assert found == pytest.approx(expected, abs=0.005)


@given(seed=st.integers(0, 10**6), levels=st.sampled_from(GRIDS))
@settings(deadline=None, max_examples=25)
def test_the_design_marks_seen_conjunctions_and_spans_the_kernel(seed, levels):
    rows, _, seen, _ = problem(seed, levels, mapped=False)
    design, names = seen_design(rows, seen)
    assert design.shape == (len(rows), len(names))
    assert len(set(names)) == len(names)
    for column, (members, values) in zip(design.toarray().T, names, strict=True):
        assert column.tolist() == (rows[:, members] == values).all(axis=1).tolist()
        assert column[seen].any()
    # A seen row holds all its conjunctions, so shared columns count shared conjunctions: 2^(components shared) − 1.
    count = len(levels)
    shared = (design @ design.T).toarray()[np.ix_(seen, seen)]
    kappa = [2.0**k - 1 for k in range(count + 1)]
    assert (shared == overlap_kernel(rows[seen], rows[seen], kappa)).all()


def test_an_answer_beyond_the_seen_conjunctions_has_a_residual():
    """A product of signs on an unseen 2×2 block: no sum over rows and columns holds any of it, so all of it is left."""
    rows = grid(4, 5)
    inside = (rows[:, 0] < 2) & (rows[:, 1] < 2)
    product_of_signs = np.where(inside, (-1.0) ** rows.sum(axis=1), 0.0)
    assert additivity_residual(product_of_signs, rows, ~inside) == pytest.approx(1.0)
    assert additivity_residual(5 - 3 * product_of_signs, rows, ~inside) == pytest.approx(1.0)
    sums = np.array([1.0, -2.0, 4.0, 0.5])[rows[:, 0]] + np.array([3.0, 1.0, 0.0, -1.0, 2.0])[rows[:, 1]]
    assert additivity_residual(sums, rows, ~inside) < 1e-12
    assert additivity_residual(sums + 0.1 * np.ptp(sums) * product_of_signs, rows, ~inside) > 0.05


def test_the_short_cut_over_seen_rows_is_the_whole_projection():
    rng = stream(4, "projection")
    rows = np.concatenate([grid(3, 4), grid(3, 4)[[0, 5, 11]]])  # some combinations twice, seen or not
    seen = rng.random(15) < 0.4
    seen[0] = True
    outputs = rng.normal(size=15)
    design = np.column_stack([seen_design(rows, seen)[0].toarray(), np.ones(15)])
    left = outputs - design @ np.linalg.lstsq(design, outputs)[0]
    expected = np.abs(left).max() / np.abs(outputs - outputs.mean()).max()
    assert expected > 0.01
    assert additivity_residual(outputs, rows, seen) == pytest.approx(expected)


def test_large_designs_give_the_same_residual(monkeypatch):
    rows, _, seen, similarity = problem(8, (4, 5, 6), mapped=False)
    seen &= stream(8, "few").random(len(rows)) < 0.3
    rng = stream(8, "outputs")
    noise = rng.normal(size=len(rows))
    additive = overlap_kernel(rows, rows[seen], similarity) @ rng.normal(size=seen.sum())
    dense = additivity_residual(noise, rows, seen)
    assert dense > 0.1
    monkeypatch.setattr(conjunctions, "DENSE_ENTRIES", 0)
    assert additivity_residual(noise, rows, seen) == pytest.approx(dense, rel=1e-8)
    assert additivity_residual(additive, rows, seen) < 1e-10


def test_constant_outputs_have_no_residual():
    assert additivity_residual(np.full(6, 0.1), grid(2, 3), np.arange(6) < 2) == 0.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda rows, seen: decompose(rows, np.ones(5), seen, (0.0, 0.3, 1.0)), "5 weights do not fit 2 seen rows"),
        (lambda rows, seen: decompose(rows, np.ones(2), seen, (0.0, 1.0)), r"need the 3 values kappa\(0\)"),
        (lambda rows, seen: seen_design(rows, seen & False), "with 0 set does not fit 6 combinations"),
        (lambda rows, seen: seen_design(rows[:, :0], seen), r"combinations of shape \(6, 0\) must be"),
        (lambda rows, seen: additivity_residual(np.full(6, np.nan), rows, seen), "must hold a finite number for each"),
    ],
)
def test_bad_input_is_refused(call, message):
    with pytest.raises(InputError, match=message):
        call(grid(2, 3), np.arange(6) < 2)
