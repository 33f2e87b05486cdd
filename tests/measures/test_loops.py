"""Holes of layers: shapes whose loops and cavities are known, with noise and by other points; and bars for figures."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.data import tasks
from recombine.measures import clifford_torus, exhibits, furthest_points, homology, measures, parts, ring_torus
from recombine.measures.loops import KEPT, POINTS, counted, standing

SHAPE = (9, 11)
TORUS = clifford_torus(*SHAPE).reshape(99, 4)
GRID = (14, 16)  # of the shapes that are counted
PLACES = 14 * 16


def circle(items):
    turns = 2 * np.pi * np.arange(items) / items
    return np.stack([np.cos(turns), np.sin(turns)], axis=1)


def sphere(items):
    """Evenly spread points: a spiral from pole to pole."""
    height, turn = 1 - (2 * np.arange(items) + 1) / items, np.pi * (1 + np.sqrt(5)) * np.arange(items)
    out = np.sqrt(1 - height**2)
    return np.stack([out * np.cos(turn), out * np.sin(turn), height], axis=1)


def sheet(rows, columns, bent):
    y, x = (each.ravel() for each in np.meshgrid(np.linspace(-1, 1, rows), np.linspace(-1, 1, columns), indexing="ij"))
    more = [x**2, y**2, x * y, np.sin(3 * x), np.sin(3 * y)] if bent else []
    return np.stack([x, y, *more], axis=1)


def pictures(n):
    """Bumps at every pixel of a torus, as they are drawn for the claims at 16 x 16."""
    task = tasks.torus(n=n, sigma=np.sqrt(2))
    return task.pictures(np.indices((n, n)).reshape(2, -1).T.astype(float)).reshape(n * n, -1)


def gaussian(dimensions, items=PLACES, seed=0):
    return stream(seed, "measures", f"gaussian-{dimensions}").normal(size=(items, dimensions))


def noisy(points, share, seed):
    """With noise in ten further directions and its own, of a share of the root mean square distance from the mean."""
    wide = np.pad(points, ((0, 0), (0, max(0, 10 - points.shape[1]))))
    size = np.sqrt(points.var(axis=0).sum() / wide.shape[1])
    return wide + share * size * stream(seed, "measures", "noisy").normal(size=wide.shape)


KNOWN = {
    "Clifford torus": (clifford_torus(*GRID).reshape(PLACES, 4), (1, 2, 1)),
    "ring torus": (ring_torus(*GRID).reshape(PLACES, 3), (1, 2, 1)),
    "sphere": (sphere(160), (1, 0, 1)),
    "circle": (circle(120), (1, 1, 0)),
    "sheet": (sheet(*GRID, bent=False), (1, 0, 0)),
    "bent sheet": (sheet(*GRID, bent=True), (1, 0, 0)),
    "pictures": (pictures(14), (1, 2, 1)),
}


def numbers(points):
    together, loops, cavities = counted(points)
    return together, loops.number, cavities.number


@pytest.mark.parametrize("name", KNOWN)
def test_known_shapes_have_their_holes(name):
    points, known = KNOWN[name]
    assert numbers(points) == known


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("seed", [0, 1])
def test_a_tenth_of_noise_leaves_them(name, seed):
    points, known = KNOWN[name]
    assert numbers(noisy(points, 0.1, seed)) == known


@pytest.mark.parametrize("dimensions", [2, 3, 5, 10, 50, 400])
def test_noise_alone_is_no_torus_and_seldom_has_a_hole(dimensions):
    """A bar of noise outlasts those of nine other clouds once in ten times, in each of two degrees."""
    found = [numbers(gaussian(dimensions, 120, seed)) for seed in range(8)]
    assert (2, 1) not in [each[1:] for each in found]
    assert sum(bool(loops) + bool(cavities) for _, loops, cavities in found) <= 5


def test_true_pictures_at_the_size_of_the_claims_are_a_torus():
    """What 120 landmarks hid: 113 loops and no torus."""
    together, loops, cavities = counted(pictures(16))
    assert (together, loops.number, cavities.number) == (1, 2, 1)
    assert loops.ratio == pytest.approx(5.11, abs=0.01)
    assert cavities.ratio == pytest.approx(8.04, abs=0.01)


def test_rings_side_by_side_are_not_counted_one_by_one():
    """At 16 x 16 each of 16 small circles of a ring torus is a loop of its own for a while, all as long."""
    torus = ring_torus(16, 16).reshape(256, 3)
    _, lifetimes, _ = homology(torus)
    falls = lifetimes[:-1] / lifetimes[1:]
    assert falls.argmax() + 1 == 17
    _, loops, _ = counted(torus)
    assert loops == pytest.approx((2, lifetimes[1] / lifetimes[2]))


def test_many_points_are_looked_at_by_landmarks():
    torus = ring_torus(20, 24)
    assert POINTS < 20 * 24
    assert numbers(torus.reshape(480, -1)) == (1, 2, 1)


def test_other_choices_of_points_are_told(generic, from_ink, bumps):
    shape = (12, 13)
    hidden = {"probe": clifford_torus(*shape).reshape(156, 4), "pixels": gaussian(5, 156)}
    found = measures["holes"](from_ink(bumps(shape), shape=shape, hidden=hidden))
    assert (found["probe-torus"], found["pixels-torus"]) == (1, 0)
    assert 0 < found["probe-h1-spread"] < 0.5
    assert 0 < found["probe-h2-spread"] < 0.5
    again = measures["holes"](from_ink(bumps(shape), shape=shape, hidden={"probe": 1e-3 * hidden["probe"] + 7}))
    assert again["probe-h1-spread"] == pytest.approx(found["probe-h1-spread"], rel=1e-6)


def test_a_torus_that_few_points_show_is_told_as_such(generic):
    """Every point of a coarse ring torus with noise shows it; 60% of them do not always."""
    found = measures["holes"](with_hidden(generic, torus=TORUS))
    assert (found["torus-h1"], found["torus-h2"]) == (2, 1)
    assert 0 < found["torus-torus"] < 1


def with_hidden(generic, **hidden):
    plain = generic().layers
    return generic(layers={"input": plain["input"], **hidden, "output": plain["output"]})


def test_a_torus_a_circle_and_a_line_are_told_apart(generic):
    line = np.outer(np.arange(99.0), np.ones(3))
    found = measures["holes"](
        with_hidden(generic, torus=TORUS, circle=circle(99), line=line, dead=np.full((99, 2), 0.1))
    )
    shape = {name: [found[f"{name}-h{degree}"] for degree in range(3)] for name in ("torus", "circle", "line")}
    assert shape == {"torus": [1, 2, 1], "circle": [1, 1, 0], "line": [1, 0, 0]}
    assert found["torus-h1-ratio"] > 2
    assert found["circle-h1-ratio"] == pytest.approx(10)  # one bar alone: it outlasts the floor
    assert (found["line-h1-ratio"], found["circle-h2-ratio"]) == (1, 1)  # none
    assert not any(key.startswith("dead") for key in found)


def test_only_the_compared_layers_are_looked_at_where_there_are_such(generic):
    noise = stream(0, "measures", "noise").normal(size=(99, 3))
    found = measures["holes"](with_hidden(generic, pixels=TORUS, bottleneck=noise, probe=circle(99)))
    assert list(dict.fromkeys(key.partition("-")[0] for key in found)) == ["pixels", "probe"]


def test_a_tiny_cavity_of_a_layer_with_a_long_loop_is_none():
    # 99 points on a circle enclose cavities for a moment, when triangles reach around its centre.
    _, loop, cavities = homology(circle(99))
    assert 0 < cavities.max() < 0.05 * loop[0]


@pytest.mark.parametrize(
    ("lifetimes", "floor", "number", "ratio"),
    [
        ([1.0, 0.9, 0.3, 0.2], 0.0, 2, 3.0),
        ([1.0, 0.9, 0.3, 0.2], 0.95, 1, 1.0 / 0.9),  # the second is noise
        ([1.0, 0.9, 0.3, 0.2], 1.5, 0, 1.0),
        ([1.0, 0.9, 0.01], 0.0, 2, 9.0),
        ([1.0], 0.0, 1, 10.0),
        ([0.15], 0.0, 1, 1.5),
        ([0.1, 0.05], 0.0, 0, 1.0),
        ([], 0.0, 0, 1.0),
        ([1.0, 0.9] + 15 * [0.5] + [0.01], 0.0, 2, 1.8),  # what falls after 17 is not looked at
    ],
)
def test_bars_stand_out_above_noise(lifetimes, floor, number, ratio):
    assert standing(np.array(lifetimes), floor, 0.1) == pytest.approx((number, ratio))


@pytest.mark.parametrize("number", [1, 2, 3, 5])
def test_parts_that_lie_apart_are_counted(number):
    far = np.concatenate([TORUS[::2] + 20 * k for k in range(number)])
    (components,) = homology(far, degrees=0)
    assert parts(components[1:]) == number


def test_a_single_point_is_one_part():
    assert parts(np.zeros(0)) == 1


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 1000), landmarks=st.integers(10, 60), power=st.floats(0.3, 3.0))
def test_landmarks_of_a_connected_set_are_never_taken_apart(seed, landmarks, power):
    """However unevenly a curve is sampled, as long as it is densely; a torn one is two parts."""
    places = np.sort(stream(seed, "measures", "curve").uniform(size=4000) ** power)
    ends = places[np.diff(places, prepend=0.0) > 0]
    curve = np.interp(np.linspace(0, 1, 8000), np.linspace(0, 1, len(ends)), ends)
    points = np.stack([np.cos(3 * curve), np.sin(3 * curve), curve], axis=1)
    chosen = points[furthest_points(points, landmarks, seed)]
    (components,) = homology(chosen, degrees=0)
    assert components[1] <= 3 * components[-1]
    assert parts(components[1:]) == 1
    torn = chosen + 30 * (chosen[:, 2:] > np.median(chosen[:, 2]))
    assert parts(homology(torn, degrees=0)[0][1:]) == 2


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_bars_are_kept_in_units_of_the_size_of_the_layer(generic, scale):
    found = exhibits.bars(with_hidden(generic, probe=scale * TORUS + 3 * scale))
    expected = homology(TORUS)
    # A point of this torus is at distance √2 from its centre.
    for degree, lifetimes in enumerate(expected):
        finite = lifetimes[np.isfinite(lifetimes)][:KEPT]
        shown, ends = found[f"bars_probe_h{degree}"].astype(float), found[f"diagram_probe_h{degree}"].astype(float)
        assert shown[: len(finite)] == pytest.approx(finite / np.sqrt(2), abs=2e-3)
        assert not shown[len(finite) :].any()
        assert ends[:, 1] - ends[:, 0] == pytest.approx(shown, abs=3e-3)
    assert found["diagram_probe_h0"][:, 0].tolist() == [0.0] * KEPT


def test_layers_that_do_not_vary_have_no_shape(generic):
    dead = with_hidden(generic, one=np.full((99, 3), 0.1))
    for look in (measures["holes"], exhibits.bars):
        with pytest.raises(InputError, match=r"first of all for one \(a layer that does not vary is a single point"):
            look(dead)
