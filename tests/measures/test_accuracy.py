"""Places: row is y, column is x, ties are wrong, rings wrap; read off pixels, units or numbers."""

import numpy as np
import pytest

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.measures import Evidence, extreme_pixels, measures, places, position_accuracy


@pytest.mark.parametrize("dark", [True, False])
def test_the_extreme_pixel_is_given_as_row_then_column(dark):
    pictures = np.full((2, 5, 8), 1.0 if dark else 0.0)
    pictures[0, 1, 6] = pictures[1, 4, 2] = 0.5
    place, single = extreme_pixels(pictures, dark)
    assert place.tolist() == [[1, 6], [4, 2]]
    assert single.all()


def test_nearly_equal_dark_pixels_are_not_a_tie():
    picture = np.full((1, 3, 4), 1.0, dtype=np.float32)
    picture[0, 2, 1], picture[0, 1, 3] = 1e-9, 2e-9  # equal as ink: 1 − v rounds both to 1
    place, single = extreme_pixels(picture, dark=True)
    assert place.tolist() == [[2, 1]]
    assert single.all()


@pytest.mark.parametrize("dark", [True, False])
@pytest.mark.parametrize(
    ("shift", "near", "exact"), [((0, 0), 1, 1), ((1, 0), 1, 0), ((-1, 1), 1, 0), ((0, 2), 0, 0), ((-2, 0), 0, 0)]
)
def test_a_shift_is_forgiven_up_to_one_pixel_in_both_coordinates(from_ink, bumps, dark, shift, near, exact):
    # The hole keeps two pixels from the border, so a shifted bump stays on the canvas.
    evidence = from_ink(np.roll(bumps(), shift, axis=(1, 2)), dark=dark)
    assert measures["ood_accuracy"](evidence) == near
    assert measures["interior_accuracy"](evidence) == near
    assert measures["rim_accuracy"](evidence) == near
    assert measures["ood_exact"](evidence) == exact


def test_reading_rows_as_x_scores_only_near_the_diagonal(from_ink, bumps):
    # Outputs with x and y exchanged: right only where they differ by at most one.
    n = 10
    swapped = bumps((n, n)).reshape(n, n, n, n).swapaxes(0, 1).reshape(-1, n, n)
    evidence = from_ink(swapped, shape=(n, n), hole=((2, 8), (2, 8)))
    y, x = evidence.levels[evidence.sections["ood"]].T
    assert measures["ood_accuracy"](evidence) == np.mean(np.abs(y - x) <= 1) == pytest.approx(16 / 36)
    assert measures["ood_exact"](evidence) == pytest.approx(6 / 36)


def test_a_constant_picture_is_wrong_even_where_its_first_pixel_is_right(from_ink, bumps):
    blank = from_ink(np.zeros_like(bumps()))
    assert measures["id_accuracy"](blank) == 0  # position (0, 0) is trained, and argmin of a constant is there
    assert measures["ood_accuracy"](blank) == 0


def test_two_equal_bumps_are_wrong(from_ink, bumps):
    ink = bumps()
    assert measures["id_accuracy"](from_ink(np.maximum(ink, ink[0]), dark=False)) == pytest.approx(1 / 69)


def test_on_a_ring_the_short_way_counts(from_ink, bumps):
    # One pixel up: the bumps of y = 0 reappear in the last row.
    ink = np.roll(bumps(), -1, axis=1)
    assert measures["id_accuracy"](from_ink(ink, periodic=True)) == 1
    assert measures["id_accuracy"](from_ink(ink)) == pytest.approx(1 - 11 / 69)
    sideways = np.roll(bumps(), 1, axis=2)
    assert measures["id_accuracy"](from_ink(sideways, periodic=True)) == 1
    assert measures["id_accuracy"](from_ink(sideways)) == pytest.approx(1 - 9 / 69)


@pytest.mark.parametrize("tolerance", [0, 1, 3])
@pytest.mark.parametrize("periodic", [False, True])
def test_it_equals_the_plain_loop(from_ink, tolerance, periodic):
    noise = stream(1, "measures", "accuracy").random((99, 9, 11))
    evidence = from_ink(noise, periodic=periodic)
    right = []
    for k in np.flatnonzero(evidence.sections["id"]):
        row, column = np.unravel_index(noise[k].argmax(), (9, 11))
        down, across = abs(row - k // 11), abs(column - k % 11)
        if periodic:
            down, across = min(down, 9 - down), min(across, 11 - across)
        right.append(down <= tolerance and across <= tolerance)
    assert position_accuracy(evidence, "id", tolerance) == pytest.approx(np.mean(right))


def test_a_target_without_a_place_is_refused(from_ink, bumps):
    target = bumps()
    target[4 * 11 + 5] = 0
    with pytest.raises(InputError, match="undefined at y = 4, x = 5: its target has no single extreme pixel"):
        measures["ood_accuracy"](from_ink(bumps(), target))


def coded(kind: str, shift: tuple[int, int] = (0, 0), levels: tuple[int, int] = (5, 8), **settings: object) -> Evidence:
    """Answers to 5 x 8 positions as units or numbers, shifted by some levels; the first row of levels is held out."""
    y, x = np.indices(levels).reshape(2, -1)
    if kind == "units":
        wide = np.arange(max(levels) + 2)
        targets, outputs = (
            np.stack(
                [np.exp(-np.square(np.subtract.outer(place + by, wide))) for place, by in ((y, a), (x, b))], axis=1
            )
            for a, b in ((0, 0), shift)
        )
    else:
        targets, outputs = (np.stack([y + a, x + b], axis=1)[:, :, None].astype(float) for a, b in ((0, 0), shift))
    held = y == 0
    return Evidence(
        levels, targets, outputs, {"id": ~held, "ood": held}, dark=False, layers={}, places=kind, **settings
    )


@pytest.mark.parametrize("kind", ["units", "numbers"])
@pytest.mark.parametrize(("shift", "near", "exact"), [((0, 0), 1, 1), ((1, 0), 1, 0), ((0, 1), 1, 0), ((0, 2), 0, 0)])
def test_units_and_numbers_give_y_then_x(kind, shift, near, exact):
    evidence = coded(kind, shift)
    found, certain = places(evidence, evidence.outputs)
    assert np.array_equal(found, evidence.levels + shift)
    assert certain.all()
    assert measures["ood_accuracy"](evidence) == measures["id_accuracy"](evidence) == near
    assert measures["ood_exact"](evidence) == exact


def test_numbers_are_rounded_and_those_far_off_stay_far_off():
    evidence = coded("numbers")
    answers = np.array([[[1.4], [2.6]], [[-0.4], [1e30]]])
    assert places(evidence, answers)[0].tolist() == [[1, 3], [0, 1_000_000]]


def test_numbers_on_a_ring_of_levels_go_the_short_way_round():
    assert measures["ood_accuracy"](coded("numbers", (4, 7), periodic=True)) == 1  # one less on rings of 5 and of 8
    assert measures["ood_accuracy"](coded("numbers", (4, 7))) == 0


def test_equal_units_are_no_place_even_where_the_first_is_right():
    evidence = coded("units")
    tied = evidence.outputs.copy()
    tied[:, 1] = 0.3
    assert not places(evidence, tied)[1].any()
    assert places(evidence, evidence.outputs)[1].all()


def test_answers_without_a_position_have_no_accuracy(from_ink, bumps):
    with pytest.raises(InputError, match="accuracy is undefined for this task: its answers have no position"):
        measures["ood_accuracy"](from_ink(bumps(), places=None))
