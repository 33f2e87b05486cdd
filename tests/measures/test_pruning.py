"""Where small weights end and large ones begin: at closed forms, by the laws of logarithms, and what is left."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtri
from sklearn.mixture import GaussianMixture

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.measures import prune, two_mode_threshold
from recombine.measures.pruning import crossing


def two_modes(low, high, small=40, large=40, spread=0.2, seed=0):
    """Weights of either sign whose sizes are around two powers of ten, normal quantiles in each mode."""
    rng = stream(seed, "measures", "pruning")
    places = [centre + spread * quantiles(number) for centre, number in ((low, small), (high, large))]
    sizes = 10.0 ** np.concatenate(places)
    return rng.permutation(sizes * rng.choice([-1.0, 1.0], size=len(sizes)))


def quantiles(number):
    """Normal quantiles of mean 0 and deviation 1."""
    found = ndtri((np.arange(number) + 0.5) / number)
    return found / found.std()


@pytest.mark.parametrize(("low", "high"), [(-4.0, 0.0), (-3.5, -1.0), (-9.0, 2.0)])
def test_equal_modes_are_parted_halfway_between_their_powers_of_ten(low, high):
    assert np.log10(two_mode_threshold(two_modes(low, high))) == pytest.approx((low + high) / 2, abs=1e-3)


def test_more_small_weights_push_the_threshold_up_by_their_log_odds():
    """Equal spreads: the crossing is (μ1 + μ2)/2 + σ² ln(π1/π2)/(μ2 − μ1)."""
    low, high, small, large = -3.0, 0.0, 120, 30
    found = np.log10(two_mode_threshold(two_modes(low, high, small, large, spread=0.4)))
    expected = (low + high) / 2 + 0.4**2 * np.log(small / large) / (high - low)
    assert found == pytest.approx(expected, abs=2e-3)
    assert found > -1.45


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 99), decades=st.floats(-3, 3), gap=st.floats(1.0, 4.0))
def test_the_threshold_goes_with_the_scale_and_knows_no_sign_or_zero(seed, decades, gap):
    """With modes that stand apart: where they do not, two thresholds may be as good as each other, up to rounding."""
    weights = two_modes(-gap, 0.0, 30, 25, seed=seed)
    threshold = two_mode_threshold(weights)
    assert np.abs(weights).min() < threshold < np.abs(weights).max()
    assert two_mode_threshold(10.0**decades * weights) == pytest.approx(10.0**decades * threshold, rel=1e-3)
    assert two_mode_threshold(np.abs(weights)) == threshold
    padded = np.concatenate([np.zeros(17), weights]).reshape(9, 8)
    assert two_mode_threshold(padded) == pytest.approx(threshold)


def test_with_one_mode_there_is_still_an_answer_between_the_ends():
    for seed in range(5):
        weights = stream(seed, "measures", "one mode").normal(size=(12, 9))
        assert np.abs(weights).min() < two_mode_threshold(weights) < np.abs(weights).max()


@pytest.mark.parametrize("narrow", [3, 30, 100, 600])
def test_both_modes_are_as_likely_at_the_threshold(narrow):
    """Weights of nearly one size among others that spread over six decades."""
    places = np.concatenate([0.5 + 0.05 * quantiles(narrow), np.linspace(-3, 3, 60)])
    fitted = GaussianMixture(2, max_iter=1000, random_state=0).fit(places[:, None])
    threshold = np.log10(two_mode_threshold(10.0**places))
    low, high = sorted(fitted.means_[:, 0])
    assert low < threshold < high
    assert fitted.predict_proba([[threshold]]) == pytest.approx(0.5, abs=1e-6)


def test_a_mode_that_is_likelier_all_the_way_leaves_the_threshold_at_the_mean_of_the_other():
    assert crossing(lambda place: 3.0 - place, -1.0, 5.0) == pytest.approx(3.0)
    assert crossing(lambda place: 7.0 - place, -1.0, 5.0) == 5.0
    assert crossing(lambda place: -2.0 - place, -1.0, 5.0) == -1.0
    assert crossing(lambda place: 0.0, 2.0, 2.0) == 2.0


@pytest.mark.parametrize(
    "weights",
    [
        np.zeros((3, 4)),
        np.full((3, 4), -0.5),
        np.array([0.0, 1.0, 0.0, 1e-3, 5.0]),
        np.array([[0.5, -0.5], [0.5, 0.0]]),
    ],
)
def test_too_few_weights_or_one_size_prune_nothing(weights):
    assert two_mode_threshold(weights) == 0
    assert np.array_equal(prune([weights.reshape(1, -1)])[0], weights.reshape(1, -1))


def test_two_sizes_are_parted():
    threshold = two_mode_threshold(np.array([1.0, -1.0, 1.0, 1e-3, 1e-3]))
    assert 1e-3 < threshold < 1


def test_each_layer_is_pruned_by_its_own_threshold():
    first, second = two_modes(-4.0, 0.0).reshape(8, 10), two_modes(-1.0, 3.0, seed=1).reshape(10, 8)
    pruned = prune([first, second.astype(np.float32)])
    for before, after, border in ((first, pruned[0], 1e-2), (second, pruned[1], 10.0)):
        assert (after != 0).sum() == 40
        assert np.array_equal(after != 0, np.abs(before) > border)
        assert after[after != 0] == pytest.approx(before[np.abs(before) > border])
    assert [matrix.dtype for matrix in pruned] == [np.float64, np.float32]
    assert (first != 0).all()  # what was given is left alone


def test_weights_that_diverged_are_refused():
    with pytest.raises(InputError, match="not finite; a network that diverged has nothing to prune"):
        two_mode_threshold(np.array([1.0, np.inf, 2.0, 3.0, 4.0]))
