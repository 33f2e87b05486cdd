"""Gaps in one factor against what is known of lines and rings."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.measures import Evidence, blend_index, neighbour_order


def with_gaps(held: dict[int, list[int]], ring: bool = True, levels: int = 9, hidden: np.ndarray | None = None):
    """Random pictures over 3 levels of y and some of x, with these levels of x held out for these levels of y."""
    rng = stream(2, "measures", "blending")
    mask = np.zeros((3, levels), dtype=bool)
    for row, columns in held.items():
        mask[row, columns] = True
    targets, outputs = rng.random((2, 3 * levels, 4, 5))
    layer = rng.normal(size=(3 * levels, 7)) if hidden is None else hidden
    return Evidence(
        (3, levels),
        targets,
        outputs,
        {"id": ~mask.ravel(), "ood": mask.ravel()},
        dark=False,
        layers={"input": layer, "hidden": layer, "output": outputs.reshape(3 * levels, -1)},
        rings=(False, ring),
    )


def answering(evidence: Evidence, places: dict[tuple[int, int], np.ndarray]) -> Evidence:
    outputs = evidence.outputs.copy()
    for (row, column), picture in places.items():
        outputs[row * evidence.shape[1] + column] = picture
    return dataclasses.replace(evidence, outputs=outputs)


def target(evidence: Evidence, row: int, column: int) -> np.ndarray:
    return evidence.targets[row * evidence.shape[1] + column]


# A gap of x, its middle and the trained levels beside it: on a line or ring of 9, and through the seam of the ring.
GAPS = [(False, [3, 4, 5], 4, 2, 6), (True, [3, 4, 5], 4, 2, 6), (True, [8, 0, 1], 0, 7, 2), (True, [7, 8, 0], 8, 6, 1)]


@pytest.mark.parametrize(("ring", "gap", "middle", "before", "after"), GAPS)
@settings(deadline=None, max_examples=10)
@given(share=st.floats(-2, 3), sideways=st.floats(-5, 5))
def test_it_tells_where_between_truth_and_blend_the_output_lies(ring, gap, middle, before, after, share, sideways):
    evidence = with_gaps({1: gap}, ring)
    truth = target(evidence, 1, middle)
    way = (target(evidence, 1, before) + target(evidence, 1, after)) / 2 - truth
    other = stream(4, "measures", "sideways").normal(size=way.shape)
    other -= way * (other * way).sum() / (way * way).sum()
    there = answering(evidence, {(1, middle): truth + share * way + sideways * other})
    assert blend_index(there) == pytest.approx(2 * share - 1, abs=1e-8)


def test_levels_of_the_first_factor_count_alike_and_those_without_a_gap_not_at_all():
    evidence = with_gaps({0: [2, 3, 4], 2: [4, 5, 6, 7, 8]})
    blend = (target(evidence, 0, 1) + target(evidence, 0, 5)) / 2
    there = answering(evidence, {(0, 3): blend, (2, 6): target(evidence, 2, 6)})
    assert blend_index(there) == pytest.approx(0)  # 1 in the first row, -1 in the last


def test_a_gap_of_even_width_has_two_middles():
    evidence = with_gaps({1: [2, 3, 4, 5]})
    blend = (target(evidence, 1, 1) + target(evidence, 1, 6)) / 2
    there = answering(evidence, {(1, 3): blend, (1, 4): (blend + target(evidence, 1, 4)) / 2})
    assert blend_index(there) == pytest.approx((1 + 0) / 2)


def test_only_levels_between_trained_ones_lie_in_a_gap():
    at_the_end = with_gaps({0: [7, 8]}, ring=False)
    with pytest.raises(InputError, match="no held-out level of the second factor has trained levels on both sides"):
        blend_index(at_the_end)
    with pytest.raises(InputError, match="no held-out level of the second factor"):
        blend_index(with_gaps({0: list(range(9))}))
    assert np.isfinite(blend_index(dataclasses.replace(at_the_end, rings=(False, True))))


def test_a_truth_that_is_the_blend_tells_nothing():
    evidence = with_gaps({1: [3]})
    targets = evidence.targets.copy()
    targets[9 + 3] = (targets[9 + 2] + targets[9 + 4]) / 2
    with pytest.raises(InputError, match="the truth is the blend of both ends; widen the gap"):
        blend_index(dataclasses.replace(evidence, targets=targets))


def circle(levels: int, rows: int = 3) -> np.ndarray:
    turn = 2 * np.pi * np.arange(levels) / levels
    return np.tile(np.stack([np.cos(turn), np.sin(turn)], axis=1), (rows, 1))


@pytest.mark.parametrize("levels", [4, 9, 120, 360])
def test_a_circle_keeps_a_ring_in_order_and_a_straight_line_a_line(levels):
    assert neighbour_order(with_gaps({0: [1]}, levels=levels, hidden=circle(levels))) == pytest.approx(1, abs=1e-6)
    line = np.tile(np.arange(float(levels)), 3)[:, None] * np.array([1.0, -2.0])
    straight = with_gaps({0: [1]}, ring=False, levels=levels, hidden=line)
    assert neighbour_order(straight) == pytest.approx(1, abs=1e-6)


def test_a_ring_laid_out_as_a_line_is_three_quarters_in_order():
    """With many levels: 12 E[2 min(D, 1 - D) (2D - D^2)] - 3 = 3/4, where D has the density 2 (1 - D) on [0, 1]."""
    line = np.tile(np.arange(360.0), 3)[:, None]
    assert neighbour_order(with_gaps({0: [1]}, levels=360, hidden=line)) == pytest.approx(0.75, abs=0.01)


def test_rotating_or_scaling_activations_changes_nothing_and_shuffled_levels_have_no_order():
    rng = stream(6, "measures", "order")
    rotation, _ = np.linalg.qr(rng.normal(size=(2, 2)))
    assert neighbour_order(with_gaps({0: [1]}, levels=40, hidden=3 * circle(40) @ rotation)) == pytest.approx(1)
    shuffled = circle(40, rows=1)[np.concatenate([rng.permutation(40) for _ in range(3)])]
    assert abs(neighbour_order(with_gaps({0: [1]}, levels=40, hidden=shuffled))) < 0.2


def test_a_level_of_the_first_factor_with_dead_activations_has_no_order():
    dead = circle(9)
    dead[9:18] = 0.5
    assert neighbour_order(with_gaps({0: [1]}, hidden=dead)) == pytest.approx(2 / 3)


@pytest.mark.parametrize(("levels", "ring", "says"), [(2, False, "2 levels, too few"), (3, True, "3 levels on a ring")])
def test_too_few_levels_are_neither_in_nor_out_of_order(levels, ring, says):
    with pytest.raises(InputError, match=says):
        neighbour_order(with_gaps({0: [1]}, ring, levels=levels))
