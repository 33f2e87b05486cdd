"""Components as pictures: every label goes with its images, and what is asked was not trained on."""

import numpy as np
import pytest

from recombine.core.errors import InputError
from recombine.data import Problem, tasks
from recombine.data.component_pictures import ComponentPictures
from recombine.data.image_sets import load_images
from recombine.splits import regions

IMAGES = {"set": "digits", "per_category": 20, "total": 100, "questions": 3}
SIDE = 8  # of the pictures of the set


def problem(**images) -> Problem:
    task = tasks.addition(values=(-1.0, 0.0, 1.0), second=(0.0, 10.0), images={**IMAGES, **images})
    return Problem(task, regions.cells(rows=[(0, 1), (2, 1)]))


def classes_shown(codes: np.ndarray, components: int) -> np.ndarray:
    """The class of the picture in every channel, found by looking the picture up in the set."""
    known = load_images("digits")
    mean, sd = known.mean[0], known.sd[0]
    by_pixels = {((picture - mean) / sd).astype(np.float32).tobytes(): k for k, picture in enumerate(known.pictures)}
    rows = codes.reshape(len(codes), components, 1, SIDE, SIDE)
    return known.labels[[[by_pixels[channel.tobytes()] for channel in row] for row in rows]]


@pytest.mark.parametrize("seed", [0, 5])
@pytest.mark.parametrize("which", ["training", "held-out", "train"])
def test_pictures_show_the_combination_that_is_answered(seed, which):
    given = problem()
    shown = given.training_set(seed) if which == "training" else given.task.asked_of(which, seed)
    rows = shown.positions.astype(int)
    categories = given.task.images.gallery(given.grid.shape, seed).categories
    expected = np.stack([categories[c][rows[:, c]] for c in range(2)], axis=1)
    assert np.array_equal(classes_shown(shown.codes, 2), expected)
    sums = np.array([-1.0, 0.0, 1.0])[rows[:, 0]] + np.array([0.0, 10.0])[rows[:, 1]]
    assert np.array_equal(shown.targets.ravel(), sums)


def test_numbers_of_pictures():
    given = problem()
    shown, asked = given.training_set(), given.everything
    assert len(shown) == 4 * (100 // 4)  # four of six combinations are trained
    held_out = given.grid.combinations()[given.parts.held_out]
    assert not (shown.positions[:, None].astype(int) == held_out[None]).all(axis=2).any()
    assert len(asked) == 3 * given.grid.size
    assert np.array_equal(asked.positions, np.repeat(given.grid.combinations(), 3, axis=0))


def test_the_same_seed_gives_the_same_pictures_and_another_seed_others():
    first, again, other = (problem().training_set(seed) for seed in (1, 1, 2))
    assert np.array_equal(first.codes, again.codes)
    assert not np.array_equal(first.codes, other.codes)
    asked, once_more = (problem().task.asked(1).codes for _ in range(2))
    assert np.array_equal(asked, once_more)


def test_held_out_pictures_are_in_no_training_example_of_their_component():
    given = problem(total=2000)
    shown, asked = given.training_set(3), given.task.asked(3)
    for component in range(2):
        trained, new = (
            {row.reshape(2, -1)[component].tobytes() for row in examples.codes} for examples in (shown, asked)
        )
        assert not trained & new
    familiar = given.task.asked_of("train", 3)
    trained, paired = ({row.tobytes() for row in examples.codes} for examples in (shown, familiar))
    assert not paired <= trained  # training images, paired anew
    for component in range(2):
        seen, again = (
            {row.reshape(2, -1)[component].tobytes() for row in examples.codes[examples.positions[:, 1] == 0]}
            for examples in (shown, familiar)
        )
        assert again <= seen


@pytest.mark.parametrize(("distance", "columns"), [(0, 8), (3, 11)])
def test_the_shape_of_an_input(distance, columns):
    given = problem(distance=distance)
    assert given.task.picture == (2, SIDE, columns)
    assert given.training_set().codes.shape[1] == 2 * SIDE * columns
    assert tasks.addition().picture is None


def test_images_can_be_resized():
    assert problem(size=12).task.picture == (2, 12, 12)


def test_a_crop_moves_training_pictures_only():
    plain, moved = problem(), problem(augment=True)
    assert not np.array_equal(plain.training_set().codes, moved.training_set().codes)
    assert np.array_equal(plain.training_set().positions, moved.training_set().positions)
    assert np.array_equal(moved.training_set().codes, moved.training_set().codes)
    assert np.array_equal(plain.everything.codes, moved.everything.codes)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"set": "mnst"}, "unknown image set 'mnst'; did you mean 'mnist'"),
        ({"augment": True, "distance": 2}, "augment crops whole pictures, so it needs distance = 0"),
        ({"distance": -1}, "distance = -1"),
        ({"total": 0}, "total = 0"),
        ({"questions": 0}, "questions = 0"),
        ({"size": 2}, "size = 2"),
        ({"sieze": 4}, "did you mean 'size'"),
    ],
)
def test_bad_settings_are_refused(settings, says):
    with pytest.raises(InputError, match=says):
        ComponentPictures(**settings)


def test_pictures_are_part_of_what_is_written_and_of_the_digest():
    given = problem(distance=2)
    assert Problem.read(given.settings()) == given
    digests = {each.digest() for each in (given, problem(), Problem(problem().task, regions.cells(rows=[(0, 1)])))}
    assert len(digests) == 3


def test_too_few_tuples_for_the_combinations_are_refused():
    with pytest.raises(InputError, match="3 tuples in all cannot give each of 4 training combinations one"):
        problem(total=3).training_set()


def test_a_component_with_more_levels_than_the_set_has_classes_is_refused():
    many = tasks.addition(values=tuple(float(v) for v in range(11)), images=IMAGES)
    with pytest.raises(InputError, match="between 1 and 10 levels"):
        Problem(many, regions.anchors(first=4, second=4)).training_set()


def test_optional_sets_are_described_without_being_there(monkeypatch, tmp_path):
    monkeypatch.setenv("RECOMBINE_DATA", str(tmp_path))
    given = problem(set="cifar10")
    assert Problem.read(given.settings()).digest() == given.digest()
