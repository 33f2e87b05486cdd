"""The fitted process against scikit-learn's and against what it must do at and far from what it knows."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

from recombine.theory.calibration import Calibration

NAMES = ("a", "b", "never")


def process(noise=0.01):
    rng = np.random.default_rng(3)
    rows = np.column_stack([rng.normal(size=(17, 2)), np.zeros(17)])
    return Calibration(NAMES, rows, np.tanh(rows[:, 0]) / 2, 1.3, 0.4, noise, ("mlp",) * 17)


def features(row):
    return dict(zip(NAMES, row, strict=True))


def test_mean_and_interval_are_those_of_scikit_learn():
    known = process()
    kernel = ConstantKernel(0.4, "fixed") * Matern(1.3, "fixed", nu=0.5) + WhiteKernel(0.01, "fixed")
    inside = (known.rows - known.rows.mean(axis=0)) / np.where(known.rows.std(axis=0) > 0, known.rows.std(axis=0), 1)
    other = GaussianProcessRegressor(kernel).fit(inside, known.performance - known.performance.mean())
    asked = known.rows[:5] + 0.2
    placed = (asked - known.rows.mean(axis=0)) / np.where(known.rows.std(axis=0) > 0, known.rows.std(axis=0), 1)
    means, deviations = other.predict(placed, return_std=True)
    mine = known.each([features(row) for row in asked])
    assert mine[0] == pytest.approx(means + known.performance.mean(), abs=1e-6)
    assert mine[1] == pytest.approx(deviations, abs=1e-6)
    for row, mean, deviation, width in zip(asked, *mine, strict=True):
        assert known.expect([features(row)]) == pytest.approx(
            (mean, mean - width * deviation, mean + width * deviation), abs=1e-6
        )


def test_surprises_are_those_of_leaving_each_trial_out():
    known = process()
    for left_out in (0, 7, 16):
        kept = np.arange(17) != left_out
        gram = known.signal * known._alike(known._known, known._known)
        solved = np.linalg.solve(gram[np.ix_(kept, kept)] + known.noise * np.eye(16), gram[kept, left_out])
        centred = known.performance - known.performance.mean()
        deviation = np.sqrt(known.signal + known.noise - gram[kept, left_out] @ solved)
        off = abs(centred[left_out] - solved @ centred[kept]) / deviation
        assert known._surprises[left_out] == pytest.approx(off)


def test_intervals_are_wide_where_trials_like_it_were_hard_to_foretell_and_narrow_elsewhere():
    rng = np.random.default_rng(5)
    rows = np.column_stack([rng.normal(size=300), np.repeat([-3.0, 3.0], 150)])
    sizes = np.repeat([0.01, 0.2], 150)
    values = 0.1 * rows[:, 0] + rng.normal(size=300) * sizes
    known = Calibration(("a", "b"), rows, values, 20.0, 0.1, 0.02, ("mlp",) * 300)
    wide = []
    for b, size in ((-3.0, 0.01), (3.0, 0.2)):
        told = [(0.1 * a + size * rng.normal(), *known.expect([{"a": a, "b": b}])) for a in rng.normal(size=200)]
        wide.append(np.mean([high - low for _, _, low, high in told]))
        assert 0.65 < np.mean([low <= value <= high for value, _, low, high in told]) < 0.95
    assert wide[1] > 5 * wide[0]


def test_it_repeats_what_it_saw_and_far_away_knows_only_the_mean():
    known = process(noise=1e-6)
    for row, value in zip(known.rows[:4], known.performance[:4], strict=True):
        mean, low, high = known.expect([features(row)])
        assert mean == pytest.approx(value, abs=1e-3)
        assert high - low < 0.02
    mean, low, high = known.expect([features((50.0, -50.0, 0.0))])
    assert mean == pytest.approx(known.performance.mean())
    *_, width = known.each([features((50.0, -50.0, 0.0))])
    assert high - low == pytest.approx(2 * width[0] * np.sqrt(0.4), rel=1e-3)


def test_over_several_networks_it_takes_the_mean_and_spreads_by_their_difference():
    known = process()
    one, other = features((1.5, 0.0, 0.0)), features((-1.5, 0.0, 0.0))
    alone = [known.expect([each]) for each in (one, other)]
    both = known.expect([one, other])
    assert both[0] == pytest.approx(np.mean([each[0] for each in alone]))
    assert both[2] - both[1] > max(each[2] - each[1] for each in alone)


def test_performance_stays_within_its_ends():
    high = Calibration(("a",), np.array([[0.0], [1.0]]), np.array([0.99, 1.0]), 1.0, 1.0, 0.5, ("mlp", "mlp"))
    assert high.expect([{"a": 1.0}])[2] == 1.0
    low = Calibration(("a",), np.array([[0.0], [1.0]]), np.array([-0.99, -1.0]), 1.0, 1.0, 0.5, ("mlp", "mlp"))
    assert low.expect([{"a": 1.0}])[1] == -1.0


def test_it_writes_to_json_and_reads_back():
    known = process()
    again = Calibration.read(known.to_dict())
    asked = features((0.3, -0.2, 0.0))
    assert again.expect([asked]) == pytest.approx(known.expect([asked]), abs=1e-4)


def test_the_nearest_trials_come_first():
    known = process()
    assert known.nearest(features(known.rows[5]), 1).tolist() == [5]
    order = known.nearest(features(known.rows[5]), 17)
    apart = np.linalg.norm((known.rows - known.rows[5])[:, :2] / known.rows.std(axis=0)[:2], axis=1)
    assert np.array_equal(order, np.argsort(apart, kind="stable"))


def test_a_column_is_named_and_a_saved_process_is_read_back():
    known = process()
    assert np.array_equal(known.column("b"), known.rows[:, 1])
    again = Calibration.read(known.to_dict())
    assert again.models == known.models
    assert again.expect([features((0.3, 0.2, 0.0))]) == pytest.approx(
        known.expect([features((0.3, 0.2, 0.0))]), abs=1e-4
    )
