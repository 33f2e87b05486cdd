"""Linear read-outs of codes that are linear, turned round outside training, or constant."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.measures import linear_probe, measures

PROBES = ("probe_in_sample", "probe_held_out")


def with_layer(from_ink, bumps, rows, **settings):
    return from_ink(bumps(), hidden={"layer": rows}, **settings)


@settings(deadline=None, max_examples=20)
@given(width=st.sampled_from([2, 5, 40, 300]), offset=st.floats(-50, 50), scale=st.floats(0.01, 100))
def test_a_linear_code_is_read_exactly_at_any_width(from_ink, bumps, width, offset, scale):
    rng = stream(width, "measures", "probe")
    evidence = from_ink(bumps())
    rows = scale * (evidence.levels @ rng.normal(size=(2, width)) + offset)
    for name in PROBES:
        assert measures[name](with_layer(from_ink, bumps, rows))["layer"] == pytest.approx(1.0, abs=1e-6)


def test_one_hot_codes_are_linear_in_the_levels(from_ink, bumps):
    for name in PROBES:
        assert measures[name](from_ink(bumps()))["input"] == pytest.approx(1.0, abs=1e-6)


def test_a_code_turned_round_in_the_hole_scores_minus_three_there(from_ink, bumps):
    # v̂ − v̄ = −(v − v̄) on held-out combinations, so the residual is twice the deviation: 1 − 4.
    evidence = from_ink(bumps())
    held = evidence.sections["ood"]
    rows = evidence.levels.astype(float)
    rows[held] = 2 * rows[held].mean(axis=0) - rows[held]
    evidence = with_layer(from_ink, bumps, rows)
    assert measures["probe_held_out"](evidence)["layer"] == pytest.approx(-3.0, abs=1e-4)
    assert 0 < measures["probe_in_sample"](evidence)["layer"] < 1


def test_the_score_is_the_mean_over_both_factors(from_ink, bumps):
    # Only x is in the layer: 1 for x; for y the prediction is the trained mean, 4, which is the held-out mean as well.
    evidence = from_ink(bumps())
    evidence = with_layer(from_ink, bumps, evidence.levels[:, 1:].astype(float))
    assert measures["probe_in_sample"](evidence)["layer"] == pytest.approx(0.5)
    assert measures["probe_held_out"](evidence)["layer"] == pytest.approx(0.5)


@pytest.mark.parametrize("features", [6, 200])
def test_a_constant_layer_reads_nothing(from_ink, bumps, features):
    evidence = with_layer(from_ink, bumps, np.full((99, features), 0.1), hole=((1, 4), (5, 9)))
    assert measures["probe_in_sample"](evidence)["layer"] == pytest.approx(0.0, abs=1e-12)
    assert measures["probe_held_out"](evidence)["layer"] < -1


@pytest.mark.parametrize("features", [3, 12, 19, 20, 21, 70])
def test_both_forms_equal_ridge_regression_by_its_normal_equations(features):
    rng = stream(features, "measures", "ridge")
    rows, values = rng.normal(size=(50, features)), rng.normal(size=(50, 3))
    fitted = np.arange(50) < 20
    offset, middle = rows[fitted].mean(0), values[fitted].mean(0)
    known = rows[fitted] - offset
    ridge = 1e-6 * np.mean(np.linalg.svd(known, compute_uv=False) ** 2)
    weights = np.linalg.solve(known.T @ known + ridge * np.eye(features), known.T @ (values[fitted] - middle))
    residual = values[~fitted] - middle - (rows[~fitted] - offset) @ weights
    expected = 1 - np.square(residual).sum(0) / (np.var(values[~fitted], axis=0) * 30)
    assert linear_probe(rows, values, fitted, ~fitted) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("features", [6, 30])
def test_the_fit_never_sees_what_is_held_out(features):
    rng = stream(0, "measures", "leak")
    rows, values = rng.normal(size=(40, features)), rng.normal(size=(40, 2))
    fitted, scored = np.arange(40) < 20, np.arange(40) >= 30
    unread = ~fitted & ~scored
    expected = linear_probe(rows, values, fitted, scored)
    rows[unread], values[unread] = np.nan, np.nan
    assert linear_probe(rows, values, fitted, scored) == pytest.approx(expected)


def test_a_ring_code_is_read_as_cosine_and_sine(from_ink, bumps):
    angles = 2 * np.pi * from_ink(bumps()).levels / [9, 11]
    ring = np.concatenate([np.cos(angles), np.sin(angles)], axis=1)
    on_ring, on_line = (with_layer(from_ink, bumps, ring, periodic=periodic) for periodic in (True, False))
    for name in PROBES:
        assert measures[name](on_ring)["layer"] == pytest.approx(1.0, abs=1e-6)
    assert measures["probe_in_sample"](on_line)["layer"] < 0.9


def test_a_factor_that_never_varies_where_scored_is_refused(from_ink, bumps):
    evidence = from_ink(bumps(), hole=((4, 5), (3, 9)))
    with pytest.raises(InputError, match="coordinate 0 is the same in all scored rows"):
        measures["probe_held_out"](evidence)
