"""The fitted process against scikit-learn's and against what it must do at and far from what it knows."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

from recombine.theory.calibration import WITHIN, Calibration

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
    for row, mean, deviation in zip(asked, means + known.performance.mean(), deviations, strict=True):
        found = known.expect([features(row)])
        assert found == pytest.approx((mean, mean - WITHIN * deviation, mean + WITHIN * deviation), abs=1e-6)


def test_it_repeats_what_it_saw_and_far_away_knows_only_the_mean():
    known = process(noise=1e-6)
    for row, value in zip(known.rows[:4], known.performance[:4], strict=True):
        mean, low, high = known.expect([features(row)])
        assert mean == pytest.approx(value, abs=1e-3)
        assert high - low < 0.02
    mean, low, high = known.expect([features((50.0, -50.0, 0.0))])
    assert mean == pytest.approx(known.performance.mean())
    assert high - low == pytest.approx(2 * WITHIN * np.sqrt(0.4), rel=1e-3)


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
