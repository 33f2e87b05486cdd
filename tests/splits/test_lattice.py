"""Finitely many values of each component and which of their combinations a support shows."""

from itertools import product

import numpy as np
import pytest

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.splits import support as support_module
from recombine.splits.designs import (
    GAP,
    A,
    DiagonalSupport,
    M,
    O,
    Plane,
    PlanesSupport,
    RandomSupport,
    orthogonal,
    orthogonal_broad,
    orthogonal_single,
)
from recombine.splits.support import LATENTS

CUTS = [{}, GAP, {"x1": (0.0, 0.6), "x2": (0.2, 0.8)}, {"hue2": (0.7, 1.0)}]
KINDS = {
    "random": RandomSupport(),
    "planes": orthogonal(),
    "single": orthogonal_single(),
    "broad": orthogonal_broad(skew=(0.5, 3.0)),
    "diagonal": DiagonalSupport(width=0.3),
    "wide": DiagonalSupport(width=0.95),
}


def rng(*words):
    return stream(4, "lattice", *words)


def is_in(support, point):
    """Membership of one point, by the words of the documentation."""
    named = {name: point[int(name[-1]) - 1][LATENTS.index(name[:-1])] for name in support.without}
    if named and all(low <= named[name] <= high for name, (low, high) in support.without.items()):
        return False
    slots = range(len(point))
    if isinstance(support, PlanesSupport):
        return any(
            all(tuple(point[slot]) == plane.at for slot in slots if slot != plane.free) for plane in support.planes
        )
    if isinstance(support, DiagonalSupport):
        # How far the slots are from their mean, in every latent on its own.
        spread = [
            sum((value - sum(latent) / len(latent)) ** 2 for value in latent) ** 0.5
            for latent in zip(*point, strict=True)
        ]
        return max(spread) <= support.width
    return True


@pytest.mark.parametrize("without", CUTS, ids=[",".join(cut) or "whole" for cut in CUTS])
@pytest.mark.parametrize(("slots", "count"), [(2, 7), (3, 4)])
@pytest.mark.parametrize("kind", KINDS)
def test_the_combinations_that_are_shown_are_those_in_the_support(kind, slots, count, without):
    support = KINDS[kind].model_copy(update={"without": without})
    values, shown = support.lattice(count, slots, 5, rng("shown"))
    assert values.shape[0] == slots
    assert values.shape[1] >= count
    assert values.shape[2] == 5
    told = {tuple(row) for row in shown.tolist()}
    assert len(told) == len(shown)
    every = product(range(values.shape[1]), repeat=slots)
    inside = {row for row in every if is_in(support, [values[slot, place].tolist() for slot, place in enumerate(row)])}
    assert told == inside
    assert told


@pytest.mark.parametrize("slots", [2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_drawn_is_contained(kind, slots):
    points = KINDS[kind].points(200, slots, 5, rng("drawn"))
    assert KINDS[kind].contains(points).all()


@pytest.mark.parametrize("kind", KINDS)
def test_what_completes_a_value_of_the_lattice_is_contained(kind):
    support = KINDS[kind]
    values, shown = support.lattice(5, 2, 5, rng("complete"))
    for slot in range(2):
        for place in set(shown[:, slot]):
            found = support.complete(slot, values[slot, place], 10, 2, rng("completions"))
            assert len(found)
            assert support.contains(found).all()


@pytest.mark.parametrize("kind", ["planes", "single", "broad", "diagonal"])
def test_points_of_the_whole_space_are_not_contained_by_a_thin_support(kind):
    points = RandomSupport().points(200, 2, 5, rng("whole"))
    assert not KINDS[kind].contains(points).all()
    assert RandomSupport().contains(points).all()


def test_contains_knows_nothing_of_the_cut():
    points = RandomSupport().points(50, 2, 5, rng("cut"))
    for support in KINDS.values():
        cut = support.model_copy(update={"without": {"x1": (0.0, 1.0)}})
        assert np.array_equal(cut.contains(points), support.contains(points))


def test_planes_have_their_constants_among_the_values_of_every_slot():
    values, shown = orthogonal().lattice(6, 2, 5, rng("planes"))
    assert values.shape == (2, 6 + 3, 5)
    for slot in range(2):
        assert values[slot, 6:].tolist() == [list(A), list(O), list(M)]
    # Each of nine values of the front with A behind it, of the back behind O and behind M; three are in two planes.
    assert len(shown) == 9 + 9 + 9 - 2
    together = {tuple(row) for row in shown.tolist()}
    assert {(front, 6) for front in range(9)} <= together
    assert {(7, back) for back in range(9)} | {(8, back) for back in range(9)} <= together


def test_constants_of_two_planes_are_listed_once():
    support = PlanesSupport(planes=(Plane(free=0, at=A), Plane(free=1, at=A)))
    values, shown = support.lattice(4, 2, 5, rng("once"))
    assert values.shape == (2, 5, 5)
    assert {tuple(row) for row in shown.tolist()} == {(i, 4) for i in range(5)} | {(4, i) for i in range(5)}


def test_the_diagonal_is_even_and_a_wider_one_shows_more():
    counts = []
    for width in (0.1, 0.3, 0.6, 1.0):
        values, shown = DiagonalSupport(width=width).lattice(11, 2, 5, rng("diagonal"))
        assert values == pytest.approx(np.tile(np.linspace(0, 1, 11)[:, None], (2, 1, 5)))
        # Two values that are k steps of a tenth apart are k / 10 / sqrt(2) from their mean.
        steps = int(width * np.sqrt(2) * 10 + 1e-9)
        apart = np.abs(np.subtract.outer(np.arange(11), np.arange(11)))
        assert len(shown) == (apart <= steps).sum()
        counts.append(len(shown))
    assert counts == sorted(counts)
    assert counts[-1] == 121


def test_random_values_are_shown_in_all_combinations():
    values, shown = RandomSupport().lattice(5, 3, 2, rng("random"))
    assert values.shape == (3, 5, 2)
    assert len(shown) == 125
    assert len(np.unique(values)) == values.size


@pytest.mark.parametrize("kind", KINDS)
def test_of_too_many_combinations_some_are_looked_at(kind, monkeypatch):
    support = KINDS[kind]
    values, every = support.lattice(5, 2, 5, rng("many"))
    monkeypatch.setattr(support_module, "MOST", 20)
    same, some = support.lattice(5, 2, 5, rng("many"))
    assert np.array_equal(values, same)
    assert len(some) <= 20 < values.shape[1] ** 2
    assert len(np.unique(some, axis=0)) == len(some)
    assert {tuple(row) for row in some.tolist()} <= {tuple(row) for row in every.tolist()}


def test_a_lattice_repeats():
    for support in KINDS.values():
        first, second = (support.lattice(4, 2, 5, rng("repeat")) for _ in range(2))
        assert np.array_equal(first[0], second[0])
        assert np.array_equal(first[1], second[1])


@pytest.mark.parametrize(
    ("support", "slots", "says"),
    [
        (RandomSupport(without={"x3": (0.0, 0.5)}), 2, "cuts by 'x3', but a scene has 2 slots"),
        (orthogonal(), 1, "a plane with the free slot 1, but a scene has 1 slots"),
        (DiagonalSupport(), 1, "needs at least 2 slots, got 1"),
    ],
)
def test_scenes_that_a_support_is_not_about_are_refused(support, slots, says):
    with pytest.raises(InputError, match=says):
        support.lattice(4, slots, 5, rng("refused"))
