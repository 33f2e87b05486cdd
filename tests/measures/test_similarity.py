"""Overlap between trained and held-out outputs, built to be factorised, radial, or neither."""

import numpy as np
import pytest

from recombine.measures import factorised_kernel, measures, radial_kernel, similarity_matrix


def pairs(evidence):
    """(y, x) of each trained and (y, x) of each interior combination, as broadcastable arrays."""
    trained, held = (evidence.levels[evidence.sections[name]] for name in ("id", "interior"))
    return trained[:, None], held[None]


def test_kernels_equal_their_formulas(generic):
    evidence = generic()
    trained, held = pairs(evidence)
    apart = np.abs(trained - held)
    for band in (0, 1):
        assert np.array_equal(factorised_kernel(evidence, band), (apart[..., 0] <= band) | (apart[..., 1] <= band))
    assert radial_kernel(evidence) == pytest.approx(np.exp(-(apart[..., 0] ** 2 + apart[..., 1] ** 2) / 8))
    assert radial_kernel(evidence).shape == (69, 12)


def test_on_a_ring_distances_go_the_short_way(generic):
    evidence = generic(periodic=True)
    trained, held = pairs(evidence)
    apart = np.abs(trained - held)
    apart = np.minimum(apart, np.array([9, 11]) - apart)
    assert radial_kernel(evidence) == pytest.approx(np.exp(-np.square(apart).sum(-1) / 8))
    assert np.array_equal(factorised_kernel(evidence, 1), (apart <= 1).any(-1))


@pytest.mark.parametrize("dark", [True, False])
def test_the_matrix_multiplies_clipped_ink(from_ink, bumps, dark):
    ink = 3 * bumps() - 0.2
    evidence = from_ink(ink, dark=dark)
    trained, held = (evidence.sections[name] for name in ("id", evidence.deep))
    clipped = np.clip(ink, 0, 1)
    assert similarity_matrix(evidence) == pytest.approx(np.einsum("irc,jrc->ij", clipped[trained], clipped[held]))


def test_one_pixel_per_level_is_exactly_factorised(from_ink, one_hot_code):
    # The pictures are the one-hot code itself, 9 + 11 pixels: they overlap exactly where a level is shared.
    code = one_hot_code().reshape(99, 4, 5)
    evidence = from_ink(code, code, layers={})
    assert measures["similarity_factorised"](evidence) == pytest.approx(1.0)
    assert measures["similarity_radial"](evidence) < 0.5
    assert measures["similarity_advantage"](evidence) > 0.5


def test_a_band_of_one_fits_codes_that_reach_one_level_further(from_ink, one_hot_code):
    code = one_hot_code()
    wide = np.zeros_like(code)
    for levels in (slice(0, 9), slice(9, 20)):
        part = code[:, levels]
        wide[:, levels] = part
        wide[:, levels][:, 1:] += part[:, :-1]
    ink = wide.reshape(99, 4, 5)  # two adjacent pixels per level: levels one step apart overlap too
    evidence = from_ink(ink, ink, layers={})
    exact, banded = measures["similarity_factorised"](evidence), measures["similarity_factorised_band1"](evidence)
    assert banded > exact > 0
    gain = measures["similarity_advantage_band1"](evidence) - measures["similarity_advantage"](evidence)
    assert gain == pytest.approx(banded - exact)


def test_true_pictures_are_similar_to_their_neighbours(from_ink, bumps):
    evidence = from_ink(bumps((12, 14), 1.4), bumps((12, 14), 1.4), shape=(12, 14), hole=((3, 9), (4, 10)))
    assert measures["similarity_radial"](evidence) > 0.9
    assert measures["similarity_advantage"](evidence) < -0.5


def test_nothing_drawn_is_similar_to_nothing(from_ink, bumps):
    evidence = from_ink(np.zeros_like(bumps()))
    assert measures["similarity_factorised"](evidence) == measures["similarity_radial"](evidence) == 0
