"""Training supports: the laws they draw from, their cuts, and that what completes a value belongs to the support."""

from itertools import pairwise

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, kstest, truncnorm

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.core.spec import dump
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
from recombine.splits.support import LATENTS, Support, position, supports

SEVERAL = {"x1": (0.0, 0.6), "x2": (0.2, 0.8)}
CUTS = [{}, GAP, {"y2": (0.3, 1.0), "hue2": (0.0, 0.5)}, SEVERAL, {"shape1": (0.0, 1.0), "scale2": (0.0, 0.3)}]


def rng(*words):
    return stream(3, "test", *words)


def is_in(support: Support, point, tolerance=1e-9):
    """Membership, written for one point at a time and without a word of the samplers."""
    assert point.shape[1] == len(LATENTS)
    box = {name: point[int(name[-1]) - 1, LATENTS.index(name[:-1])] for name in support.without}
    if box and all(low <= box[name] <= high for name, (low, high) in support.without.items()):
        return False
    if point.min() < 0 or point.max() > 1:
        return False
    if support.kind == "planes":
        rest = [(np.delete(point, plane.free, axis=0), np.array(plane.at)) for plane in support.planes]
        return any((others == at).all() for others, at in rest)
    if support.kind == "diagonal":
        return bool((np.linalg.norm(point - point.mean(axis=0), axis=0) <= support.width + tolerance).all())
    return True


def every_kind(without):
    return [
        RandomSupport(without=without),
        orthogonal(without=without),
        orthogonal_broad(without=without, skew=(0.5, 3.0)),
        DiagonalSupport(width=0.3, without=without),
    ]


@pytest.mark.parametrize("without", CUTS)
@pytest.mark.parametrize("slots", [2, 3])
def test_what_is_drawn_is_in_the_support(without, slots):
    for support in every_kind(without):
        points = support.points(300, slots, 5, rng("inside"))
        assert points.shape == (300, slots, 5)
        assert all(is_in(support, point) for point in points)
        assert not support.rejects(points).any()


@pytest.mark.parametrize("without", CUTS)
@pytest.mark.parametrize("slots", [2, 3])
def test_what_completes_a_value_is_in_the_support_and_keeps_the_value(without, slots):
    values = [*rng("values").random((3, 5)), np.array(A), np.array(O), np.array(M), np.array([0.0, 1.0, 0.5, 0.0, 1.0])]
    for support in every_kind(without):
        for slot in range(slots):
            for value in values:
                found = support.complete(slot, value, 15, slots, rng("complete"))
                assert len(found) <= 15
                assert (found[:, slot] == value).all()
                assert all(is_in(support, point) for point in found)
                assert bool(support.reaches(slot, value[None], slots)[0]) == bool(len(found))


@given(
    low=st.lists(st.floats(0, 0.9), min_size=3, max_size=3),
    length=st.lists(st.floats(0.05, 1), min_size=3, max_size=3),
    names=st.lists(st.sampled_from(["x1", "x2", "y1", "y2", "hue3"]), min_size=1, max_size=3, unique=True),
    slot=st.integers(0, 2),
    seed=st.integers(0, 1000),
)
@settings(deadline=None, max_examples=25)
def test_a_value_that_some_completion_shows_is_reached(low, length, names, slot, seed):
    sides = [(first, min(1.0, first + more)) for first, more in zip(low, length, strict=True)]
    without = dict(zip(names, sides, strict=False))
    values = stream(seed, "values").random((3, 5))
    for support in every_kind(without):
        # Completions of the uncut support, cut here by hand: a second way to find out whether one survives.
        whole = support.model_copy(update={"without": {}})
        for value, told in zip(values, support.reaches(slot, values, 3), strict=True):
            points = whole.complete(slot, value, 60, 3, rng("whole"))
            assert told or not any(is_in(support, point) for point in points)
            assert told or support.complete(slot, value, 5, 3, rng("cut")).shape == (0, 3, 5)
            if support.kind == "planes":  # its single points are all there is, so that this is the whole truth
                assert told == any(is_in(support, point) for point in points)


def test_random_fills_the_cube_evenly_and_independently():
    points = RandomSupport().points(4000, 3, 2, rng("random")).reshape(4000, 6)
    assert all(kstest(column, "uniform").pvalue > 1e-3 for column in points.T)
    correlation = np.corrcoef(points.T) - np.eye(6)
    assert np.abs(correlation).max() < 4 / np.sqrt(4000)


@pytest.mark.parametrize("count", [1, 2, 10, 300, 301])
def test_planes_share_points_equally_up_to_one(count):
    points = orthogonal().points(count, 2, 5, rng("shares"))
    shares = [(points[:, 1] == A).all(axis=1).sum(), *((points[:, 0] == at).all(axis=1).sum() for at in (O, M))]
    assert sum(shares) == count
    assert shares == sorted(shares, reverse=True)
    assert shares[0] - shares[-1] <= 1


def test_planes_come_in_no_order():
    on_first = (orthogonal().points(300, 2, 5, rng("order"))[:, 1] == A).all(axis=1)
    changes = sum(a != b for a, b in pairwise(on_first))
    assert changes == pytest.approx(
        299 * 2 * 1 / 3 * 2 / 3, abs=35
    )  # neither plane by plane (1 or 2) nor in turn (199)


def test_the_gap_takes_its_share_from_the_front_plane_alone():
    count = 20_000
    points = orthogonal(without=GAP).points(count, 2, 5, rng("gap"))
    front = (points[:, 1] == A).all(axis=1)
    expected = 0.6 / 2.6  # of three equal planes one keeps 1 - 0.4 of its points
    assert front.mean() == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / count))
    x = points[front, 0, 0]
    assert (x < 0.05).mean() == pytest.approx(0.05 / 0.6, abs=0.02)
    assert not ((x >= 0.05) & (x <= 0.45)).any()
    others = [(points[:, 0] == at).all(axis=1).mean() for at in (O, M)]
    assert others == pytest.approx([1 / 2.6] * 2, abs=0.015)


def test_a_cut_that_takes_a_whole_plane_leaves_the_others():
    points = orthogonal(without={"hue2": (1.0, 1.0)}).points(7, 2, 5, rng("one"))
    assert points.shape == (7, 2, 5)
    assert not (points[:, 1] == A).all(axis=1).any()


@pytest.mark.parametrize(
    ("settings_", "law"),
    [
        ({}, "uniform"),
        ({"spread": 0.25}, truncnorm(-2.0, 2.0, 0.5, 0.25).cdf),
        ({"spread": 1.0}, truncnorm(-0.5, 0.5, 0.5, 1.0).cdf),
        ({"skew": (2.0, 5.0)}, beta(2.0, 5.0).cdf),
    ],
)
def test_the_free_slot_has_the_density_asked_for(settings_, law):
    points = orthogonal_single(**settings_).points(3000, 2, 5, rng("density"))
    for slot, held in ((0, A), (1, O)):
        free = points[(points[:, 1 - slot] == held).all(axis=1), slot]
        assert len(free) == 1500
        assert all(kstest(column, law).pvalue > 1e-3 for column in free.T)


def test_a_wide_spread_is_uniform_and_stays_in_the_cube():
    points = orthogonal(spread=1e6).points(3000, 2, 5, rng("wide"))
    free = points[(points[:, 1] == A).all(axis=1), 0]
    assert 0 <= points.min() <= points.max() <= 1
    assert kstest(free[:, 0], "uniform").pvalue > 1e-3


def test_the_named_designs_are_the_papers():
    assert orthogonal() == PlanesSupport()
    assert [plane.free for plane in orthogonal().planes] == [0, 1, 1]
    assert [plane.at for plane in orthogonal().planes] == [A, O, M]
    assert orthogonal_single().planes == orthogonal().planes[:2]
    assert [plane.free for plane in orthogonal_broad().planes] == [0, 0, 1, 1]
    assert orthogonal_broad().planes[1].at == (0.7, 0.7, 0.7, 0.0, 0.7)
    assert orthogonal_broad().planes[3].at == (0.3, 0.3, 0.3, 0.0, 0.3)
    assert orthogonal_broad(without=GAP).without == GAP


@pytest.mark.parametrize("width", [0.05, 0.2, 1.0])
@pytest.mark.parametrize("slots", [2, 3, 4])
def test_slots_of_the_diagonal_differ_by_at_most_the_band(width, slots):
    points = DiagonalSupport(width=width).points(3000, slots, 5, rng("band"))
    apart = np.ptp(points, axis=1)
    assert apart.max() <= np.sqrt(2) * width + 1e-12
    assert 0 <= points.min() <= points.max() <= 1
    if width < 1:
        assert (apart.max(axis=0) > 0.9 * np.sqrt(2) * width).all()


def test_two_slots_have_a_uniform_radius_and_a_fair_sign():
    # Far from the border nothing is rejected, so the law there is that of the formula.
    points = DiagonalSupport(width=0.1).points(8000, 2, 3, rng("radius")).swapaxes(1, 2).reshape(-1, 2)
    middle = points[np.abs(points.mean(axis=1) - 0.5) < 0.4]
    difference = (middle[:, 0] - middle[:, 1]) / np.sqrt(2)
    assert kstest(np.abs(difference) / 0.1, "uniform").pvalue > 1e-3
    assert (difference > 0).mean() == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(len(difference)))


def test_three_slots_fill_a_disc_evenly():
    points = DiagonalSupport(width=0.1).points(5000, 3, 2, rng("disc")).swapaxes(1, 2).reshape(-1, 3)
    middle = points[np.abs(points.mean(axis=1) - 0.5) < 0.35]
    radius = np.linalg.norm(middle - middle.mean(axis=1, keepdims=True), axis=1)
    assert kstest((radius / 0.1) ** 2, "uniform").pvalue > 1e-3


def test_rejecting_latents_is_rejecting_points():
    width, count, latents = 0.6, 60_000, 2
    source = rng("naive")
    centre = source.random((count, 1, latents))
    step = width * source.random((count, 1, latents)) / np.sqrt(2) * source.choice([-1, 1], (count, 1, latents))
    naive = np.concatenate([centre + step, centre - step], axis=1)
    naive = naive[((naive >= 0) & (naive <= 1)).all(axis=(1, 2))]
    ours = DiagonalSupport(width=width).points(len(naive), 2, latents, rng("ours"))
    for number in (lambda z: z[:, 0, 0], lambda z: z[:, 0, 0] - z[:, 1, 0], lambda z: z[:, 0, 0] * z[:, 1, 1]):
        assert kstest(number(naive), number(ours)).pvalue > 1e-3


@pytest.mark.parametrize("slots", [2, 3])
@pytest.mark.parametrize("centre", [0.02, 0.5])
def test_diagonal_completions_follow_the_conditional_law(slots, centre):
    # Points that happen to have slot 0 near a value, moved onto it, against the conditional sampler.
    support = DiagonalSupport(width=0.4)
    points = support.points(400_000, slots, 1, rng("joint"))[..., 0]
    near = points[np.abs(points[:, 0] - centre) < 0.004]
    exact = support.complete(0, np.array([centre]), 3000, slots, rng("conditional"))[..., 0]
    assert len(near) > 1000
    for other in range(1, slots):
        assert kstest(near[:, other], exact[:, other]).pvalue > 1e-3


def test_a_value_in_a_plane_has_one_point_for_each_plane_that_frees_it():
    value = np.array([0.2, 0.4, 0.6, 0.8, 0.3])
    front = orthogonal().complete(0, value, 50, 2, rng("front"))
    back = orthogonal().complete(1, value, 50, 2, rng("back"))
    assert np.array_equal(front, np.array([[value, A]]))
    assert np.array_equal(back, np.array([[O, value], [M, value]]))
    assert len(orthogonal().complete(1, value, 1, 2, rng("back"))) == 1


def test_the_constant_of_a_plane_is_completed_by_the_whole_plane():
    found = orthogonal().complete(0, np.array(O), 200, 2, rng("constant"))
    assert np.array_equal(found[0], np.array([O, A]))
    assert len(found) == 200
    assert len(np.unique(found[:, 1], axis=0)) == 200
    assert np.ptp(found[:, 1], axis=0).min() > 0.9


def test_planes_of_a_slot_that_is_never_free_show_only_the_constants():
    support, values = orthogonal(), np.array([A, O, M, (0.5, 0.5, 0.5, 0.1, 0.5)])
    assert support.reaches(2, values, 3).tolist() == [True, True, True, False]
    assert support.complete(2, values[3], 10, 3, rng("never")).shape == (0, 3, 5)


def test_a_cut_of_one_slot_hides_its_values_and_no_others():
    values = np.linspace(0, 1, 21)[:, None] * np.ones(5)
    inside = (values[:, 0] >= 0.05) & (values[:, 0] <= 0.45)
    for support in (RandomSupport(without=GAP), orthogonal(without=GAP), DiagonalSupport(width=0.05, without=GAP)):
        front = support.reaches(0, values, 2)
        # O alone is held in front by a plane; like every value at x = 0 it is outside the gap.
        assert np.array_equal(front, ~inside), support
    assert RandomSupport(without=GAP).reaches(1, values, 2).all()
    assert orthogonal(without=GAP).reaches(1, values, 2).all()
    # On a narrow diagonal a back sprite deep in the gap would need a front one in it.
    reach = np.sqrt(2) * 0.05
    deep = (np.maximum(values[:, 0] - reach, 0) >= 0.05) & (values[:, 0] + reach <= 0.45)
    assert 0 < deep.sum() < inside.sum()
    assert np.array_equal(DiagonalSupport(width=0.05, without=GAP).reaches(1, values, 2), ~deep)


def test_a_cut_of_two_slots_hides_a_value_only_if_nothing_else_goes_with_it():
    value = np.full((1, 5), 0.5)
    half, whole = {"x1": (0.4, 0.6), "x2": (0.0, 0.9)}, {"x1": (0.4, 0.6), "x2": (0.0, 1.0)}
    assert RandomSupport(without=half).reaches(0, value, 2)[0]
    assert not RandomSupport(without=whole).reaches(0, value, 2)[0]
    assert RandomSupport(without=whole).reaches(1, value, 2)[0]
    assert not DiagonalSupport(width=0.2, without=half).reaches(0, value, 2)[0]
    assert DiagonalSupport(width=0.3, without=half).reaches(0, value, 2)[0]


@given(
    low=st.lists(st.floats(0, 0.9), min_size=2, max_size=2),
    length=st.lists(st.floats(0.05, 1), min_size=2, max_size=2),
    names=st.lists(st.sampled_from(["x1", "shape1", "shape2", "hue2"]), min_size=1, max_size=2, unique=True),
    slot=st.integers(0, 1),
    seed=st.integers(0, 1000),
)
@settings(deadline=None, max_examples=25)
def test_a_range_of_values_is_shown_if_one_of_them_is(low, length, names, slot, seed):
    without = {n: (a, min(1.0, a + b)) for n, a, b in zip(names, low, length, strict=False)}
    first, last = np.sort(stream(seed, "ends").random((2, 5)), axis=0)
    last[[1, 3]] = first[[1, 3]]
    between = first + stream(seed, "between").random((40, 5)) * (last - first)
    for support in every_kind(without):
        told = support.shows(slot, first[None], last[None], 2)[0]
        # What is rejected is a box, which holds all values if it holds both corners.
        assert told == support.reaches(slot, np.stack([first, last]), 2).any()
        assert told or not support.reaches(slot, between, 2).any()
        assert support.shows(slot, first[None], first[None], 2) == support.reaches(slot, first[None], 2)


def test_a_range_around_a_constant_sprite_is_shown_by_its_plane():
    at = np.array([A])
    planes = orthogonal(planes=(Plane(free=1, at=A),))
    assert planes.shows(0, at - 0.1, np.minimum(at + 0.1, 1), 2)[0]
    assert not planes.shows(0, at - 0.2, at - 0.1, 2)[0]
    cut = orthogonal(planes=(Plane(free=1, at=A),), without={"hue1": (1.0, 1.0)})
    assert not cut.shows(0, at - 0.1, np.minimum(at + 0.1, 1), 2)[0]


def test_values_outside_the_cube_are_never_shown():
    values = np.array([[0.5, 0.5, 0.5, 0.5, 1.01], [-0.01, 0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5, 0.5]])
    for support in every_kind({}):
        assert support.reaches(1, values, 2).tolist() == [False, False, True]
        assert support.complete(1, values[0], 4, 2, rng("outside")).shape == (0, 2, 5)


def test_nothing_asked_is_nothing_drawn():
    for support in every_kind(GAP):
        assert support.points(0, 2, 5, rng("none")).shape == (0, 2, 5)
        assert support.complete(1, np.full(5, 0.5), 0, 2, rng("none")).shape == (0, 2, 5)


@pytest.mark.parametrize("without", [{}, SEVERAL])
def test_one_stream_draws_the_same_and_another_does_not(without):
    for support in every_kind(without):
        once, again, other = (support.points(50, 3, 5, rng(word)) for word in ("a", "a", "b"))
        assert np.array_equal(once, again)
        assert not np.array_equal(once, other)


def test_supports_come_back_from_their_settings():
    plane = Plane(free=0, at=(0.25,))
    for support in (*every_kind({}), *every_kind(SEVERAL), PlanesSupport(planes=(plane,), spread=0.25)):
        back = supports.parse(yaml.safe_load(yaml.safe_dump(dump(support))))
        assert back == support
        assert hash(back) == hash(support)
        assert type(back) is type(support)
    assert dump(RandomSupport()) == {"kind": "random"}
    assert dump(orthogonal()) == {"kind": "planes"}
    assert dump(DiagonalSupport(width=0.2, without=GAP)) == {
        "kind": "diagonal",
        "without": {"x1": [0.05, 0.45]},
        "width": 0.2,
    }
    assert supports.parse({"kind": "planes", "planes": [{"free": 1, "at": [0, 1]}]}).planes[0].at == (0.0, 1.0)


def test_names_mean_a_slot_and_a_latent():
    assert position("x1") == (0, 0)
    assert position("shape2") == (1, 2)
    assert position("hue12") == (11, 4)
    for name in ("x", "x0", "x01", "1x", "colour1", "X1", "x1 "):
        with pytest.raises(InputError, match="such as 'x1'"):
            position(name)


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: RandomSupport(without={"z1": (0, 1)}), "the latent 'z1'; a name is one of x, y, shape, scale, hue"),
        (lambda: RandomSupport(without={"x1": (0.6, 0.4)}), r"'x1' the range \(0.6, 0.4\)"),
        (lambda: RandomSupport(without={"x1": (0.6, 1.4)}), "0 <= low <= high <= 1"),
        (lambda: DiagonalSupport(width=0), "width"),
        (lambda: DiagonalSupport(width=1.1), "width"),
        (lambda: PlanesSupport(planes=()), "planes"),
        (lambda: PlanesSupport(spread=0), "spread"),
        (lambda: PlanesSupport(skew=(1, 0)), "skew"),
        (lambda: PlanesSupport(spread=1, skew=(1, 2)), "give one of them"),
        (lambda: Plane(free=-1, at=A), "free"),
        (lambda: Plane(free=0, at=(0.5, 1.5)), "at"),
        (lambda: supports.parse("diagnal"), "unknown support 'diagnal'; did you mean 'diagonal'"),
    ],
)
def test_nonsense_is_refused_when_built(build, says):
    with pytest.raises(InputError, match=says):
        build()


@pytest.mark.parametrize(
    ("support", "slots", "latents", "says"),
    [
        (RandomSupport(without={"x3": (0, 1)}), 2, 5, "cuts by 'x3', but a scene has 2 slots of 5 latents"),
        (RandomSupport(without={"hue1": (0, 1)}), 2, 4, "cuts by 'hue1', but a scene has 2 slots of 4 latents"),
        (orthogonal(), 1, 5, "the free slot 1, but a scene has 1 slots"),
        (orthogonal(), 2, 4, "is 5 numbers; a slot has 4 latents"),
        (DiagonalSupport(), 1, 5, "at least 2 slots, got 1"),
    ],
)
def test_scenes_that_do_not_fit_are_refused_when_used(support, slots, latents, says):
    with pytest.raises(InputError, match=says):
        support.points(3, slots, latents, rng("refused"))
    with pytest.raises(InputError, match=says):
        support.reaches(0, np.zeros((1, latents)), slots)
    with pytest.raises(InputError, match=says):
        support.complete(0, np.zeros(latents), 3, slots, rng("refused"))


def test_a_slot_that_is_not_there_and_a_negative_count_are_refused():
    with pytest.raises(InputError, match="slot 2 is none of the 2 slots"):
        RandomSupport().reaches(2, np.zeros((1, 5)), 2)
    with pytest.raises(InputError, match="asked for -1 points"):
        RandomSupport().points(-1, 2, 5, rng("negative"))


@pytest.mark.parametrize("support", every_kind({"x1": (0.0, 1.0)}))
def test_a_cut_that_leaves_nothing_is_named(support):
    with pytest.raises(InputError, match=rf"support '{support.kind}' rejected all 100,\d+ draws.*'x1': \(0.0, 1.0\)"):
        support.points(100, 2, 5, rng("all"))


def test_a_cut_that_leaves_almost_nothing_is_named():
    with pytest.raises(InputError, match=r"support 'random' kept only \d+ of 1\d\d,\d+ draws"):
        RandomSupport(without={"x1": (0.0, 0.9999)}).points(500, 2, 5, rng("most"))
