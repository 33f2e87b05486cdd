"""Volume maps and contrasts against closed forms."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.measures import measures, volume_map

INSIDE = (slice(1, -1), slice(1, -1))


def exponential(rate, shape=(9, 11)):
    """(e^{rate·y}, e^{rate·x}): off the border log10 dv = 2 log10 sinh(rate) + rate (y + x) log10 e."""
    return np.exp(rate * np.indices(shape).reshape(2, -1).T)


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 1000), shape=st.tuples(st.integers(2, 5), st.integers(2, 7)), features=st.integers(2, 6))
def test_a_linear_embedding_has_the_area_of_its_parallelogram(seed, shape, features):
    frame = stream(seed, "measures", "volume").normal(size=(2, features))
    activations = np.moveaxis(np.indices(shape), 0, -1) @ frame
    area = np.sqrt(np.linalg.det(frame @ frame.T))
    assert volume_map(activations) == pytest.approx(np.full(shape, np.log10(area)), abs=1e-6)


@pytest.mark.parametrize(("n", "sigma", "known"), [(28, 1.0, -0.003), (32, 1.5, 0.103)])
def test_true_pictures_take_up_the_same_room_everywhere(bumps, n, sigma, known):
    inside = volume_map(bumps((n, n), sigma).reshape(n, n, -1))[6:-6, 6:-6]
    # ‖(I(x+1) − I(x−1))/2‖² = πσ²/2 (1 − e^{−1/σ²}) for bumps far from the border, in x and in y alike.
    closed = np.log10(np.pi * sigma**2 / 2 * (1 - np.exp(-(sigma**-2))))
    assert inside == pytest.approx(np.full(inside.shape, known), abs=5e-4)
    assert inside == pytest.approx(np.full(inside.shape, closed), abs=1e-4)


def test_rows_are_y_and_columns_are_x():
    y, x = np.indices((4, 6)).astype(float)
    off_border = volume_map(np.stack([y, np.exp(0.5 * x)], axis=-1))[INSIDE]
    assert off_border == pytest.approx(np.log10(np.sinh(0.5) * np.exp(0.5 * x))[INSIDE])


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 1000))
def test_a_line_takes_up_no_room_but_rounding(seed):
    # g11 g22 − g12² is 0 but for rounding, of either sign: the map must stay finite.
    rng = stream(seed, "measures", "line")
    steps = np.outer(rng.normal(size=2), rng.normal(size=5))
    rounding = 64 * np.finfo(float).eps * np.square(steps).sum(axis=1).prod()  # of g11 g22 − g12²
    activations = np.moveaxis(np.indices((4, 6)), 0, -1) @ steps
    assert (volume_map(activations) <= max(np.log10(rounding) / 2, -12.0)).all()


def test_what_does_not_move_is_at_the_floor():
    assert np.array_equal(volume_map(np.ones((3, 4, 2))), np.full((3, 4), -12.0))


@settings(deadline=None, max_examples=20)
@given(scale=st.floats(0.1, 1e3))
def test_scaling_shifts_the_map_and_leaves_the_contrast(generic, scale):
    evidence = generic()
    volumes = volume_map(evidence.on_grid("hidden0"))
    assert volume_map(scale * evidence.on_grid("hidden0")) == pytest.approx(volumes + 2 * np.log10(scale), abs=1e-6)
    scaled = generic(layers={name: scale * rows for name, rows in evidence.layers.items()})
    expected = measures["volume_contrast"](evidence)
    assert measures["volume_contrast"](scaled) == pytest.approx(expected, abs=1e-6)


def contrast(rate, hole, shape=(9, 11)):
    """The closed form of D for the exponential layer: only y + x differs between sections."""
    y, x = np.indices(shape)
    (bottom, top), (left, right) = hole
    held = (bottom <= y) & (y < top) & (left <= x) & (x < right)
    off_border = np.zeros(shape, dtype=bool)
    off_border[INSIDE] = True
    return rate * np.log10(np.e) * ((y + x)[held & off_border].mean() - (y + x)[~held & off_border].mean())


@pytest.mark.parametrize("hole", [((5, 9), (6, 11)), ((1, 4), (2, 9))])
@pytest.mark.parametrize("rate", [0.2, -0.3])
def test_the_contrast_leaves_out_the_border(from_ink, bumps, hole, rate):
    evidence = from_ink(bumps(), hole=hole, hidden={"layer": exponential(rate)})
    assert measures["volume_contrast"](evidence)["layer"] == pytest.approx(contrast(rate, hole))


def test_flat_codes_have_no_contrast(from_ink, bumps):
    levels = from_ink(bumps()).levels.astype(float)
    by_layer = measures["volume_contrast"](from_ink(bumps(), hidden={"ramp": levels}))
    assert by_layer["input"] == pytest.approx(0, abs=1e-12)  # one-hot: −0.09 with a central hole if the border counted
    assert by_layer["ramp"] == pytest.approx(0, abs=1e-12)


def test_true_pictures_have_hardly_any_contrast(from_ink, bumps):
    target = bumps((28, 28))
    evidence = from_ink(target, target, shape=(28, 28), hole=((6, 23), (6, 23)))
    assert abs(measures["volume_contrast"](evidence)["output"]) < 0.02


def test_a_shrunken_hole_stands_out_by_its_factor(from_ink, bumps):
    # Deep in the hole the picture has a tenth of the ink, so a hundredth of the area.
    ink = bumps((16, 18))
    held = from_ink(ink, shape=(16, 18), hole=((2, 14), (2, 16))).sections["ood"]
    ink[held] *= 0.1
    evidence = from_ink(ink, shape=(16, 18), hole=((2, 14), (2, 16)))
    volumes = volume_map(evidence.on_grid("output"))
    assert volumes[4:12, 4:14] == pytest.approx(volume_map(bumps((16, 18)).reshape(16, 18, -1))[4:12, 4:14] - 2)
    assert measures["volume_contrast"](evidence)["output"] < -1


def test_summaries_over_layers(from_ink, bumps):
    hole = ((5, 9), (6, 11))
    rates = {"first": 0.1, "second": 0.3, "third": -0.2}
    sizes = {name: abs(contrast(rate, hole)) for name, rate in rates.items()}
    hidden = {name: exponential(rate) for name, rate in rates.items()}
    evidence = from_ink(bumps(), hole=hole, hidden=hidden)
    assert measures["volume_contrast_max"](evidence) == pytest.approx(sizes["second"])
    assert measures["volume_contrast_deepest"](evidence) == pytest.approx(sizes["third"])
    # Sizes by depth: .1, .3, .2 and an output that is nearly flat; ranks 2, 4, 3, 1.
    assert measures["volume_contrast_trend"](evidence) == pytest.approx(-0.4)


@pytest.mark.parametrize(("rates", "trend"), [((0.1, -0.2, 0.3), 1.0), ((-0.3, 0.2, 0.1), -1.0)])
def test_the_trend_is_full_when_every_layer_adds(from_ink, bumps, rates, trend):
    first, second, output = (exponential(rate) for rate in rates)
    layers = {"input": exponential(0.9), "first": first, "second": second, "output": output}
    evidence = from_ink(bumps(), hole=((5, 9), (6, 11)), layers=layers)
    assert measures["volume_contrast_trend"](evidence) == pytest.approx(trend)


def test_a_ring_has_no_border(from_ink, bumps):
    # Held out: one corner cell. On a line it is border; on a ring it is a cell like any other.
    turn = 2 * np.pi * from_ink(bumps()).levels / [9, 11]
    torus = np.concatenate([np.cos(turn), np.sin(turn)], axis=1)
    corner = {"hole": ((0, 1), (0, 1)), "hidden": {"torus": torus}}
    assert measures["volume_contrast"](from_ink(bumps(), periodic=True, **corner))["torus"] == pytest.approx(0)
    with pytest.raises(InputError, match=r"section 'ood' has no combination off the border of the \(9, 11\) grid"):
        measures["volume_contrast"](from_ink(bumps(), **corner))


def test_too_few_layers_are_refused(from_ink, bumps):
    with pytest.raises(InputError, match="has 1 hidden layers and the measure needs at least 2"):
        measures["volume_contrast_trend"](from_ink(bumps(), hidden={"only": exponential(0.1)}))
    with pytest.raises(InputError, match="has 0 hidden layers and the measure needs at least 1"):
        measures["volume_contrast_deepest"](from_ink(bumps()))
