"""Sprites have the area, place, symmetry and colour their latents say, however they are drawn."""

import colorsys
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.compositions import compositions
from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.data import sprite_rendering
from recombine.data.sprite_rendering import Canvas, colour, cover, soft_cover
from recombine.data.sprite_shapes import GEOMETRY, LATENTS, SHAPES, physical

SMALL = Canvas()
PUBLISHED = Canvas(size=64, scales=(0.09, 0.22), raster="touched")
RASTERS = ["soft", "hard", "touched"]
latent = st.floats(0, 1)
sprites = st.lists(st.tuples(*[latent] * len(LATENTS)), min_size=1, max_size=8).map(np.array)


def drawn_latents(items: int, *purpose: str, **fixed: float) -> np.ndarray:
    unit = stream(0, "sprites", *purpose).uniform(size=(items, len(LATENTS)))
    for name, value in fixed.items():
        unit[:, LATENTS.index(name)] = value
    return unit


def distances(unit: np.ndarray, canvas: Canvas) -> np.ndarray:
    """Signed distances in pixels, of every pixel of every sprite, one sprite after another."""
    centres = np.arange(canvas.size) + 0.5
    made = []
    for x, y, shape, scale, _ in physical(unit, canvas.scales):
        across = (centres - canvas.size * x).astype(np.float32)
        upwards = (canvas.size * (1 - y) - centres).astype(np.float32)
        made.append(GEOMETRY[int(shape)].distance(across[None, :], upwards[:, None], np.float32(canvas.size * scale)))
    return np.stack(made)


def everywhere(unit: np.ndarray, canvas: Canvas) -> np.ndarray:
    """The cover, by its definition, with no windows."""
    distance = distances(unit, canvas)
    if canvas.raster == "soft":
        return np.clip(0.5 - distance, 0, 1)
    return (distance <= {"hard": 0, "touched": 0.5}[canvas.raster]).astype(np.float32)


# Latents


def test_physical_values_at_the_ends_of_their_ranges():
    unit = np.array([[0.0] * 5, [1.0] * 5, [0.5] * 5])
    expected = [[0.1, 0.2, 0, 0.09, 0.05], [0.9, 0.8, 2, 0.22, 0.95], [0.5, 0.5, 1, 0.155, 0.5]]
    assert physical(unit, (0.09, 0.22)) == pytest.approx(np.array(expected))
    assert physical(unit.reshape(3, 1, 5), (0.09, 0.22)).shape == (3, 1, 5)


@pytest.mark.parametrize(("u", "number"), [(0.2499, 0), (0.25, 1), (0.7499, 1), (0.75, 2), (1.0, 2)])
def test_shapes_are_rounded_halves_upwards(u, number):
    assert physical(np.full((1, 5), u), (0.2, 0.4))[0, 2] == number


def test_uniform_latents_draw_shapes_by_quarters():
    evenly = np.zeros((4000, 5))
    evenly[:, 2] = (np.arange(4000) + 0.5) / 4000
    counts = np.bincount(physical(evenly, (0.2, 0.4))[:, 2].astype(int), minlength=len(SHAPES))
    assert counts.tolist() == [1000, 2000, 1000]


def test_colours_are_those_of_the_standard_hue_wheel():
    unit = drawn_latents(50, "colour")
    expected = [colorsys.hsv_to_rgb(0.05 + 0.9 * hue, 1, 1) for hue in unit[:, 4]]
    assert colour(unit) == pytest.approx(np.array(expected), abs=1e-6)
    assert colour(unit).dtype == np.float32


# Geometry


def outline(number: int, count: int) -> np.ndarray:
    """Points around a shape of area 1, as close as count allows."""
    turns = np.linspace(0, 2 * np.pi, count, endpoint=False)
    if SHAPES[number] == "circle":
        return np.stack([np.cos(turns), np.sin(turns)], axis=1) / np.sqrt(np.pi)
    first, corners = {"triangle": (90, 3), "square": (45, 4)}[SHAPES[number]]
    angles = np.radians(first + 360 * np.arange(corners) / corners)
    polygon = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    polygon /= np.sqrt(corners / 2 * np.sin(2 * np.pi / corners))  # to area 1
    along = np.linspace(0, 1, count // corners, endpoint=False)[:, None]
    sides = zip(polygon, np.roll(polygon, -1, axis=0), strict=True)
    return np.concatenate([start + along * (end - start) for start, end in sides])


@pytest.mark.parametrize("number", range(3), ids=SHAPES)
def test_the_distance_is_that_to_the_nearest_point_of_the_outline(number):
    points = stream(0, "points").uniform(-1.5, 1.5, size=(300, 2))
    nearest = np.linalg.norm(points[:, None] - outline(number, 6000), axis=2).min(axis=1)
    signed = GEOMETRY[number].distance(points[:, 0], points[:, 1], 1.0)
    assert np.abs(signed) == pytest.approx(nearest, abs=1e-3)
    assert 0.05 < (signed < 0).mean() < 0.2  # area 1 of 9
    assert GEOMETRY[number].distance(*np.zeros((2, 1)), 1.0) < 0


@pytest.mark.parametrize("number", range(3), ids=SHAPES)
def test_a_shape_reaches_as_far_as_it_says(number):
    points, shape = outline(number, 6000), GEOMETRY[number]
    reach = points[:, 0].max(), points[:, 1].max(), -points[:, 1].min()
    assert reach == pytest.approx((shape.sideways, shape.up, shape.down), abs=1e-6)


# Pictures


@pytest.mark.parametrize("raster", RASTERS)
@pytest.mark.parametrize("size", [16, 64])
@pytest.mark.parametrize(("number", "corners"), [(0, 3 * 3**0.5), (1, 4), (2, np.pi)], ids=SHAPES)
def test_every_shape_covers_its_scale_squared(number, corners, size, raster):
    """By Steiner's formula the points with d <= t have the area A + P t + pi t^2, or A + P t + corners t^2 for t < 0.

    P is the perimeter, and for these shapes P^2 = 4 corners A. Soft cover is the mean of this over t from -1/2 to 1/2.
    """
    canvas = Canvas(size, (0.2, 0.35), raster)
    unit = drawn_latents(1000, "areas", shape=number / 2)
    # Every sprite lies inside: 0.31 is the most that one of these reaches.
    unit[:, 0] = 0.3 + 0.4 * unit[:, 0]
    unit[:, 1] = 0.3 + 0.4 * unit[:, 1]
    covered = cover(unit, canvas).sum(axis=(1, 2), dtype=float)
    scale = size * physical(unit, canvas.scales)[:, 3]
    more = {"soft": (np.pi + corners) / 24, "hard": 0, "touched": scale * corners**0.5 + np.pi / 4}[raster]
    assert covered.mean() == pytest.approx((scale**2 + more).mean(), rel=0.005)
    if raster == "soft":
        assert np.abs(covered / (scale**2 + more) - 1).max() < 0.8 / size


@given(unit=sprites)
@settings(deadline=None)
def test_mirrored_places_give_mirrored_pictures(unit):
    mirrored = unit * [-1, 1, 1, 1, 1] + [1, 0, 0, 0, 0]
    assert np.allclose(cover(mirrored, SMALL), cover(unit, SMALL)[:, :, ::-1], rtol=0, atol=1e-5)


def test_only_the_triangle_changes_when_a_picture_is_turned_over():
    unit = np.array([[0.3, 0.2, shape, 0.8, 0.5] for shape in (0.0, 0.5, 1.0)])
    turned = unit * [1, -1, 1, 1, 1] + [0, 1, 0, 0, 0]
    differs = np.abs(cover(turned, SMALL) - cover(unit, SMALL)[:, ::-1]).max(axis=(1, 2)) > 0.1
    assert differs.tolist() == [True, False, False]


@pytest.mark.parametrize("raster", RASTERS)
def test_y_grows_upwards_and_the_triangle_points_up(raster):
    canvas = Canvas(size=64, raster=raster)
    low, high = cover(np.array([[0.5, 0, 0, 0, 0], [0.5, 1, 0, 0, 0]]), canvas)
    rows = np.arange(64) + 0.5
    assert (low.sum(1) @ rows) / low.sum() == pytest.approx(0.8 * 64, abs=0.5)
    assert (high.sum(1) @ rows) / high.sum() == pytest.approx(0.2 * 64, abs=0.5)
    widths = low.sum(axis=1)[low.sum(axis=1) > 0]
    assert widths[0] <= 3
    assert widths[-2] > 16
    assert (np.diff(widths[:-2]) >= 0).all()


@pytest.mark.parametrize("raster", RASTERS)
@pytest.mark.parametrize(("right", "up"), [(3, 0), (0, 2), (-2, 1)])
def test_moving_by_whole_pixels_moves_the_picture(raster, right, up):
    canvas = Canvas(size=32, raster=raster, scales=(0.2, 0.25))
    unit = drawn_latents(40, "moves")
    unit[:, :2] = 0.4 + 0.2 * unit[:, :2]
    moved = unit + np.array([right / 32 / 0.8, up / 32 / 0.6, 0, 0, 0])
    expected = np.roll(cover(unit, canvas), (-up, right), axis=(1, 2))
    assert np.allclose(cover(moved, canvas), expected, rtol=0, atol=1e-5)


def test_a_square_of_whole_pixels_is_drawn_exactly():
    canvas = Canvas(size=8, scales=(0.25, 0.5), raster="hard")
    exact = np.zeros((8, 8))
    exact[2:6, 2:6] = 1
    assert np.array_equal(cover(np.array([[0.5, 0.5, 0.5, 1.0, 0.0]]), canvas)[0], exact)
    # A side of 3 pixels around the same corner ends on centres of pixels, which count as inside.
    assert np.array_equal(cover(np.array([[0.5, 0.5, 0.5, 0.5, 0.0]]), canvas)[0], exact)


@given(unit=sprites)
@settings(deadline=None)
def test_hard_is_soft_cut_at_one_half_and_touched_is_where_soft_begins(unit):
    soft, hard, touched = (cover(unit, replace(SMALL, raster=raster)) for raster in RASTERS)
    clear = np.abs(soft - 0.5) > 1e-6
    assert np.array_equal(hard[clear], (soft > 0.5)[clear])
    assert np.array_equal(touched[soft > 1e-6], np.ones((soft > 1e-6).sum()))
    assert (touched[distances(unit, SMALL) > 0.5] == 0).all()
    assert ((soft >= 0) & (soft <= 1)).all()


@pytest.mark.parametrize("raster", RASTERS)
@pytest.mark.parametrize(("size", "scales"), [(16, (0.2, 0.4)), (40, (0.01, 0.22)), (9, (0.9, 2.0)), (1, (0.2, 0.4))])
def test_windows_change_nothing(monkeypatch, raster, size, scales):
    monkeypatch.setattr(sprite_rendering, "RUN_PIXELS", 700)  # several runs of each shape, some of one sprite
    canvas = Canvas(size, scales, raster)
    unit = np.concatenate([drawn_latents(150, "windows"), np.round(drawn_latents(50, "corners"))])
    assert np.array_equal(cover(unit, canvas), everywhere(unit, canvas))


@given(unit=sprites, size=st.integers(1, 24), raster=st.sampled_from(RASTERS), low=st.floats(0.01, 1))
@settings(deadline=None)
def test_windows_change_nothing_for_any_sprite(unit, size, raster, low):
    canvas = Canvas(size, (low, 1.5 * low), raster)
    assert np.array_equal(cover(unit, canvas), everywhere(unit, canvas))


def test_pictures_are_float32_and_there_may_be_none():
    assert cover(drawn_latents(3), SMALL).dtype == np.float32
    assert cover(drawn_latents(0), SMALL).shape == (0, 16, 16)
    single = drawn_latents(5).astype(np.float32)
    assert np.array_equal(cover(single, SMALL), cover(single.astype(np.float64), SMALL))


def test_two_sprites_have_the_published_variance():
    published = {"hard": 0.0252, "soft": 0.0122}
    moments = dict.fromkeys(published, 0)
    runs, items = 20, 200
    for run in range(runs):
        parts = []
        for slot in ("front", "back"):
            unit = drawn_latents(items, slot, str(run))
            parts.append(cover(unit, PUBLISHED)[..., None] * colour(unit)[:, None, None, :])
        for name in published:
            composed = getattr(compositions, name)().join(parts)
            moments[name] += np.stack([composed.mean(axis=0), np.square(composed).mean(axis=0)]) / runs
    found = {name: (square - mean**2).mean() for name, (mean, square) in moments.items()}
    assert found == pytest.approx(published, rel=0.03)


# Derivatives


@pytest.mark.parametrize(("size", "scales"), [(16, (0.2, 0.4)), (64, (0.09, 0.22))])
def test_tensors_are_drawn_like_arrays(size, scales):
    canvas, unit = Canvas(size, scales), drawn_latents(100, "tensors").astype(np.float32)
    expected, tensor = cover(unit, canvas), torch.from_numpy(unit)
    for given_unit in (tensor, tensor.double(), unit, unit.astype(np.float64)):
        found = soft_cover(given_unit, canvas)
        assert found.dtype == given_unit.dtype
        assert np.abs(np.asarray(found) - expected).max() < 1e-5
    assert np.abs(colour(tensor).numpy() - colour(unit)).max() < 1e-6


@pytest.mark.parametrize("shape", [0.0, 0.5, 1.0])
def test_derivatives_are_those_of_finite_differences(shape):
    unit = torch.from_numpy(drawn_latents(30, "derivatives", shape=shape)).requires_grad_()
    weights = torch.from_numpy(stream(0, "weights").normal(size=(30, SMALL.size, SMALL.size, 3)))

    def weighed(latents: torch.Tensor) -> torch.Tensor:
        picture = soft_cover(latents, SMALL)[..., None] * colour(latents)[:, None, None, :]
        return (picture * weights).sum(dim=(1, 2, 3))

    (found,) = torch.autograd.grad(weighed(unit).sum(), unit)
    step = 1e-6
    for column, name in enumerate(LATENTS):
        shift = step * torch.eye(len(LATENTS), dtype=unit.dtype)[column]
        slope = ((weighed(unit + shift) - weighed(unit - shift)) / (2 * step)).detach()
        assert torch.allclose(found[:, column], slope, rtol=1e-5, atol=1e-6)
        assert (slope.abs().max() > 1) == (name != "shape")


def test_derivatives_are_finite_at_centres_and_corners():
    # Pixel centres fall on the centre of the circle, and on a corner, edges and the inside of the square.
    canvas = Canvas(size=5, scales=(0.4, 0.4))
    for shape in (0.0, 0.5, 1.0):
        unit = torch.tensor([[0.5, 0.5, shape, 0.5, 0.5]], dtype=torch.float64, requires_grad=True)
        soft_cover(unit, canvas).square().sum().backward()
        assert torch.isfinite(unit.grad).all()
        assert unit.grad[0, 3].item() == 0.0  # the scale is the same everywhere


# Refusals


@pytest.mark.parametrize("value", [-0.1, 1.5, np.nan])
def test_latents_outside_the_unit_cube_are_refused(value):
    unit = drawn_latents(4)
    unit[2, 3] = value
    with pytest.raises(InputError, match=f"unit latent of {value:g} must lie from 0 to 1"):
        cover(unit, SMALL)


@pytest.mark.parametrize(
    ("given_settings", "says"),
    [
        ({"size": 0}, "canvas size = 0 must be at least 1"),
        ({"scales": (0.4, 0.2)}, "must satisfy 0 < low <= high"),
        ({"scales": (0.0, 0.2)}, "must satisfy 0 < low <= high"),
    ],
)
def test_an_impossible_canvas_is_refused(given_settings, says):
    with pytest.raises(InputError, match=says):
        Canvas(**given_settings)
