"""A turned digit against quarter turns, and gaps of its angle."""

import numpy as np
import pytest

from recombine.core.errors import InputError
from recombine.data import Problem, tasks
from recombine.data.image_sets import load_images
from recombine.splits import regions


def digits(**settings):
    return tasks.rotated_digit(pictures="digits", **settings)


def test_quarter_turns_move_pixels_and_change_none():
    turned = digits(angles=8, digits=(2, 7)).turned
    images = load_images("digits")
    for which, digit in enumerate((2, 7)):
        first = images.pictures[images.labels.tolist().index(digit), 0]
        for quarter in range(4):
            assert turned[which, 2 * quarter] == pytest.approx(np.rot90(first, quarter), abs=1e-6)


def test_angles_of_a_finer_ring_are_those_of_a_coarser_one():
    fine, coarse = digits(angles=36), digits(angles=12)
    assert fine.turned[:, ::3] == pytest.approx(coarse.turned, abs=1e-6)
    assert fine.codes(np.array([[0, 9]])) == pytest.approx(coarse.codes(np.array([[0, 3]])), abs=1e-6)
    assert fine.grid.factors[1].levels[9] == coarse.grid.factors[1].levels[3] == 90
    assert fine.grid.factors[1].periodic


def test_the_code_is_the_angle_and_the_digit_where_there_are_several():
    assert digits(angles=12).codes(np.array([[0, 2]])) == pytest.approx(np.array([[0.5, np.sqrt(0.75)]]), abs=1e-6)
    several = digits(angles=12, digits=(9, 1, 4)).codes(np.array([[2, 3], [0, 6]]))
    assert several == pytest.approx(np.array([[0, 0, 1, 0, 1], [1, 0, 0, -1, 0]]), abs=1e-6)
    assert digits(digits=(9, 1, 4, 4)).grid.factors[0].levels == (1, 4, 9)


def test_a_gap_of_the_angle_may_be_held_out_for_every_digit():
    """41 of 360 levels, as published; the angles next to the gap are its rim."""
    problem = Problem("rotated-digit", regions.block(angle=(160, 201)))
    assert {name: int(mask.sum()) for name, mask in problem.parts.sections.items()} == {
        "id": 319, "ood": 41, "rim": 4, "interior": 37,
    }  # fmt: skip
    assert problem.certificate().unseen == {"angle": tuple(range(160, 201))}
    through_the_seam = Problem(digits(angles=36, digits=(1, 7)), regions.block(angle=(34, 3)))
    assert through_the_seam.parts.held_out.sum() == 2 * 5
    assert through_the_seam.parts.sections["interior"].sum() == 2


def test_one_digit_may_have_the_gap_and_others_not():
    problem = Problem(digits(angles=36, digits=(1, 7)), regions.block(digit=(1, 2), angle=(16, 21)))
    assert problem.certificate().unseen == {}
    assert problem.parts.held_out.sum() == 5
    assert len(problem.training_set()) == 72 - 5


def test_a_digit_is_never_missing_and_other_tasks_interpolate_nothing():
    with pytest.raises(InputError, match="never shows digit = 7 in training"):
        Problem(digits(angles=36, digits=(1, 7)), regions.block(digit=(1, 2)))
    with pytest.raises(InputError, match=r"never shows x = 3\.0, 4\.0 in training"):
        Problem(tasks.bump(n=8), regions.block(x=(3, 5)))


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"digits": ()}, "digits"),
        ({"digits": (-1,)}, "greater than or equal to 0"),
        ({"angles": 3}, "greater than or equal to 4"),
        ({"pictures": "mnist5k"}, "did you mean 'mnist-5k'"),
    ],
)
def test_nonsense_is_refused_when_built(settings, says):
    with pytest.raises(InputError, match=says):
        tasks.rotated_digit(**settings)


def test_a_class_that_the_set_lacks_is_refused_when_drawn():
    with pytest.raises(InputError, match="image set 'digits' has no class 11 to turn; its classes are 0 to 9"):
        digits(digits=(4, 11)).asked(0)
