"""Loops of layers: ideal tori, circles, several parts; and the bars that are kept for figures."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.measures import clifford_torus, exhibits, furthest_points, homology, measures, parts, ring_torus
from recombine.measures.loops import KEPT, LANDMARKS, standing

SHAPE = (9, 11)
TORUS = clifford_torus(*SHAPE).reshape(99, 4)


def circle(items):
    turns = 2 * np.pi * np.arange(items) / items
    return np.stack([np.cos(turns), np.sin(turns)], axis=1)


def with_hidden(generic, **hidden):
    plain = generic().layers
    return generic(layers={"input": plain["input"], **hidden, "output": plain["output"]})


def test_a_torus_a_circle_and_a_line_are_told_apart(generic):
    line = np.outer(np.arange(99.0), np.ones(3))
    found = measures["loops"](
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
    found = measures["loops"](with_hidden(generic, pixels=TORUS, bottleneck=noise, probe=circle(99)))
    assert list(dict.fromkeys(key.partition("-")[0] for key in found)) == ["pixels", "probe"]


def test_the_solid_torus_of_a_usual_grid_is_one_by_its_landmarks(from_ink, bumps):
    """16 x 17 levels: fewer landmarks than points."""
    shape = (16, 17)
    layer = ring_torus(*shape).reshape(-1, 3)
    found = measures["loops"](from_ink(bumps(shape), shape=shape, hidden={"probe": layer}))
    assert [found[f"probe-h{degree}"] for degree in range(3)] == [1, 2, 1]
    by_hand = homology(layer, landmarks=LANDMARKS)
    assert found["probe-h1-ratio"] == pytest.approx(by_hand[1][1] / by_hand[1][2])


def test_a_tiny_cavity_of_a_layer_with_a_long_loop_is_none():
    # 99 points on a circle enclose cavities for a moment, when triangles reach around its centre.
    _, loop, cavities = homology(circle(99))
    assert 0 < cavities.max() < 0.05 * loop[0]


@pytest.mark.parametrize(
    ("lifetimes", "number", "ratio"),
    [
        ([1.0, 0.9, 0.3, 0.2], 2, 3.0),
        ([1.0, 0.9, 0.01], 2, 9.0),
        ([1.0], 1, 10.0),
        ([0.15], 1, 1.5),
        ([0.1, 0.05], 0, 1.0),
        ([], 0, 1.0),
    ],
)
def test_bars_stand_out_above_a_floor(lifetimes, number, ratio):
    assert standing(np.array(lifetimes), 0.1) == pytest.approx((number, ratio))


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
    for look in (measures["loops"], exhibits.bars):
        with pytest.raises(InputError, match=r"first of all for one \(a layer that does not vary is a single point"):
            look(dead)
