"""What units are tuned to: closed forms of known maps, and laws of all maps."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.measures import measures
from recombine.measures.tuning import layers_of_interest, main_effects, unit_maps

# Constructed evidence has 9 levels of y and 11 of x, and 12 combinations deep in its hole.

few = settings(deadline=None, max_examples=40)
sizes = {"seed": st.integers(0, 1000), "rows": st.integers(2, 7), "columns": st.integers(2, 7)}


def random_maps(seed: int, rows: int, columns: int, units: int = 4) -> np.ndarray:
    return stream(seed, "measures", "tuning").normal(size=(units, rows, columns))


def peak(rows: int, columns: int) -> np.ndarray:
    """One at a single place."""
    found = np.zeros((1, rows, columns))
    found[0, rows // 2, columns // 3] = 1.0
    return found


def test_a_stripe_is_all_of_one_factor():
    lying, standing = np.zeros((1, 4, 6)), np.zeros((1, 4, 6))
    lying[:, 1, :] = standing[:, :, 5] = 3.0
    assert main_effects(lying) == pytest.approx(np.array([[1.0], [0.0]]))
    assert main_effects(standing) == pytest.approx(np.array([[0.0], [1.0]]))


@pytest.mark.parametrize("n", [2, 5, 28])
def test_a_lone_peak_is_mostly_a_conjunction(n):
    assert main_effects(peak(n, n)).sum() == pytest.approx(2 / (n + 1))


@pytest.mark.parametrize(("rows", "columns"), [(3, 8), (9, 4)])
def test_the_longer_side_explains_more_of_a_peak(rows, columns):
    """The variance is (1 - 1/rc)/rc, that of the means of rows (1 - 1/r)/(r c^2): their ratio is (r - 1)/(rc - 1)."""
    expected = np.array([[rows - 1], [columns - 1]]) / (rows * columns - 1)
    assert main_effects(peak(rows, columns)) == pytest.approx(expected)


def test_a_pure_conjunction_has_no_main_effect():
    assert main_effects(np.array([[[1.0, -1.0], [-1.0, 1.0]]])) == pytest.approx(np.zeros((2, 1)))


@few
@given(**sizes)
def test_sums_of_two_curves_are_explained_whole(seed, rows, columns):
    rng = stream(seed, "measures", "curves")
    maps = rng.normal(size=(3, rows, 1)) + rng.normal(size=(3, 1, columns))
    assert main_effects(maps).sum() == pytest.approx(1.0)


@few
@given(**sizes)
def test_shares_lie_between_nothing_and_all(seed, rows, columns):
    effects = main_effects(random_maps(seed, rows, columns))
    assert (effects >= 0).all()
    assert effects.sum() <= 1 + 1e-9


@few
@given(**sizes, scale=st.sampled_from([-3.0, 1e-3, 50.0]))
def test_a_common_scale_and_any_shift_change_nothing(seed, rows, columns, scale):
    maps = random_maps(seed, rows, columns)
    moved = scale * maps + np.arange(4.0)[:, None, None]
    assert main_effects(moved) == pytest.approx(main_effects(maps), abs=1e-8)


@few
@given(**sizes)
def test_exchanging_rows_and_columns_exchanges_the_two(seed, rows, columns):
    maps = random_maps(seed, rows, columns)
    assert main_effects(maps.swapaxes(1, 2)) == pytest.approx(main_effects(maps)[::-1])


def test_units_count_by_their_variance_and_those_that_are_constant_do_not():
    lying = np.zeros((1, 4, 4))
    lying[:, :2, :] = 1.0  # variance 1/4
    pair = np.concatenate([3 * lying, lying.swapaxes(1, 2), np.full((1, 4, 4), 2.0)])
    assert main_effects(pair) == pytest.approx(np.array([[0.9, 0.0, 0.0], [0.0, 0.1, 0.0]]))


def test_maps_that_are_all_constant_are_undefined():
    with pytest.raises(InputError, match="no unit of this layer answers differently to anything"):
        main_effects(np.full((3, 4, 5), 2.0))


def test_so_are_those_whose_mean_rounds():
    with pytest.raises(InputError, match="no unit of this layer answers differently to anything"):
        main_effects(np.full((3, 2, 3), 0.1))


# The measures


def hidden(from_ink, bumps, **layers: np.ndarray):
    return from_ink(bumps(), hidden=layers)


def test_maps_are_of_units_over_the_plane(generic):
    evidence = generic()
    maps = unit_maps(evidence, "hidden1")
    assert maps.shape == (120, 9, 11)
    assert maps[7, 2, 3] == evidence.layers["hidden1"][2 * 11 + 3, 7]


def test_units_for_single_levels_are_tuned_to_one_factor(from_ink, bumps, one_hot_code):
    evidence = hidden(from_ink, bumps, code=one_hot_code())
    assert measures["tuning_one_factor"](evidence) == pytest.approx({"code": 1.0})
    assert measures["tuning_additive"](evidence) == pytest.approx({"code": 1.0})


def test_a_unit_tuned_to_both_alike_is_half_explained_by_one(from_ink, bumps):
    rng = stream(0, "measures", "both")
    along_y, along_x = (curve / curve.std() for curve in (rng.normal(size=(9, 1)), rng.normal(size=(1, 11))))
    evidence = hidden(from_ink, bumps, both=(along_y + along_x).reshape(99, 1))
    assert measures["tuning_one_factor"](evidence) == pytest.approx({"both": 0.5})
    assert measures["tuning_additive"](evidence) == pytest.approx({"both": 1.0})


def test_units_for_single_combinations_are_hardly_explained(from_ink, bumps):
    """A peak in 9 x 11: rows explain 8/98 and columns 10/98."""
    evidence = hidden(from_ink, bumps, conjunctions=np.eye(99))
    assert measures["tuning_one_factor"](evidence) == pytest.approx({"conjunctions": 10 / 98})
    assert measures["tuning_additive"](evidence) == pytest.approx({"conjunctions": 18 / 98})


@few
@given(seed=st.integers(0, 1000))
def test_one_factor_explains_between_half_of_both_and_both(generic, seed):
    noise = stream(seed, "measures", "layer").normal(size=(99, 5))
    evidence = generic()
    evidence = replace(evidence, layers={**evidence.layers, "hidden2": noise})
    one, both = measures["tuning_one_factor"](evidence), measures["tuning_additive"](evidence)
    assert list(one) == list(both) == ["hidden0", "hidden1", "hidden2"]
    for name in one:
        assert both[name] / 2 - 1e-9 <= one[name] <= both[name] <= 1 + 1e-9


def test_measures_of_tuning_need_a_hidden_layer(from_ink, bumps):
    for name in ("tuning_one_factor", "tuning_additive", "stripe_channels"):
        with pytest.raises(InputError, match="0 hidden layers and the measure needs at least 1"):
            measures[name](from_ink(bumps()))


@pytest.mark.parametrize(("depth", "expected"), [(1, (0, 0)), (2, (0, 1)), (4, (0, 3)), (6, (0, 3))])
def test_the_first_and_the_fourth_layer_are_looked_at(from_ink, bumps, one_hot_code, depth, expected):
    evidence = hidden(from_ink, bumps, **{f"layer{k}": one_hot_code() for k in range(depth)})
    assert layers_of_interest(evidence) == tuple(f"layer{k}" for k in expected)


def with_channels(from_ink, bumps, pictures: np.ndarray):
    """Evidence whose first hidden layer holds these (combinations, channels, rows, columns)."""
    layers = {"drawn": pictures.reshape(99, -1), "later": np.ones((99, 2))}
    return from_ink(bumps(), hidden=layers, channels={"drawn": pictures.shape[1:]})


def test_channels_that_draw_stripes_or_crosses_are_all_stripes(from_ink, bumps):
    pictures = np.zeros((99, 2, 5, 7))
    pictures[:, 0, 2, :] = 1.0
    pictures[:, 1, :, 4] += 1.0
    pictures[:, 1, 3, :] += 2.0
    assert measures["stripe_channels"](with_channels(from_ink, bumps, pictures)) == pytest.approx(1.0)


def test_channels_that_draw_points_are_not(from_ink, bumps):
    pictures = np.zeros((99, 3, 6, 6))
    pictures[:, [0, 1, 2], [1, 2, 5], [4, 0, 5]] = 1.0
    assert measures["stripe_channels"](with_channels(from_ink, bumps, pictures)) == pytest.approx(2 / 7)


def test_only_answers_deep_in_the_hole_count(from_ink, bumps):
    pictures = stream(0, "measures", "channels").normal(size=(99, 2, 5, 7))
    evidence = with_channels(from_ink, bumps, pictures)
    deep = evidence.sections["interior"]
    pictures[deep] = 0.0
    pictures[deep, 0, 2, :] = 1.0
    assert measures["stripe_channels"](with_channels(from_ink, bumps, pictures)) == pytest.approx(1.0)
    pictures[~deep] = 0.0
    pictures[deep] = 4.0
    with pytest.raises(InputError, match="no unit of this layer answers differently"):
        measures["stripe_channels"](with_channels(from_ink, bumps, pictures))


def test_a_first_layer_without_channels_is_refused(from_ink, bumps):
    evidence = with_channels(from_ink, bumps, np.zeros((99, 1, 2, 3)))
    for channels in ({}, {"later": (2, 1, 1)}):
        with pytest.raises(InputError, match="layer 'drawn' is no picture, so it has no channels; use a convolutional"):
            measures["stripe_channels"](replace(evidence, channels=channels))
