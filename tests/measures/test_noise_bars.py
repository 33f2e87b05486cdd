"""The bars of noise: as long as those of a cloud with the same covariance."""

import numpy as np
import pytest

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.measures import clifford_torus, homology
from recombine.measures.noise_bars import noise_floor


def test_the_floor_grows_with_the_cloud_and_does_not_care_how_it_lies():
    points = stream(0, "measures", "cloud").normal(size=(60, 4)) * [3, 2, 1, 1]
    turned, _ = np.linalg.qr(stream(1, "measures", "cloud").normal(size=(9, 9)))
    floor = noise_floor(points)
    assert noise_floor(5 * np.pad(points, ((0, 0), (0, 5))) @ turned + 3) == pytest.approx(
        5 * np.array(floor), rel=1e-6
    )
    assert floor[0] > floor[1] > 0


def test_clouds_have_the_covariance_of_the_points():
    """Points of a line stay on one: no loop. A plane has loops and hardly a cavity."""
    line = np.outer(np.arange(50.0), [1, 2, 3])
    assert noise_floor(line) == (0, 0)
    plane = np.pad(stream(2, "measures", "plane").normal(size=(50, 2)), ((0, 0), (0, 3)))
    loops, cavities = noise_floor(plane)
    assert loops > 10 * cavities


def test_more_clouds_only_raise_it():
    points = stream(3, "measures", "cloud").normal(size=(40, 3))
    floors = np.array([noise_floor(points, clouds=number) for number in (1, 3, 9)])
    assert (np.diff(floors, axis=0) >= 0).all()


def test_noise_goes_beyond_it_about_once_in_ten_times():
    """40 clouds of noise in each of two degrees: 8 are expected, and 17 or more come about once in a thousand times."""
    beyond = 0
    for seed in range(40):
        points = stream(seed, "measures", "rare").normal(size=(40, 3))
        bars = homology(points)[1:]
        beyond += sum(each.max(initial=0.0) > most for each, most in zip(bars, noise_floor(points), strict=True))
    assert 1 <= beyond < 17


def test_a_torus_lies_far_above_it():
    points = clifford_torus(10, 12).reshape(120, 4)
    _, loops, cavities = homology(points)
    floor = noise_floor(points)
    assert loops[1] > 2 * floor[0]
    assert cavities[0] > 2 * floor[1]


def test_one_place_has_no_noise():
    assert noise_floor(np.ones((6, 2))) == (0, 0)
    assert noise_floor(np.ones((1, 2)), degrees=1) == (0,)


def test_no_cloud_is_refused():
    with pytest.raises(InputError, match=r"clouds = 0 of noise must be at least 1; draw more\.$"):
        noise_floor(np.eye(3), clouds=0)
