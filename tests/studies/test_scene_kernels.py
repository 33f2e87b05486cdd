"""Kernels on scenes: right on what training shows, and components composed right wherever each value was shown."""

import numpy as np
import pytest

from recombine.core.seeds import stream
from recombine.data import Problem, tasks
from recombine.splits.designs import DiagonalSupport, RandomSupport, orthogonal
from recombine.studies.scene_kernels import ADDED, COMPOSED, JOINT, kernel_answers, pictures, shown_scenes

SIZES = {"size": 6, "scales": (0.3, 0.6), "tests": 4}


def problem(kind="soft", support=None, examples=60, **settings):
    return Problem(
        tasks.sprites(composition=kind, **{**SIZES, **settings}), support=support or orthogonal(), examples=examples
    )


@pytest.mark.parametrize("count", [2, 3])
def test_kernels_repeat_what_training_shows(count):
    made = problem(support=DiagonalSupport(width=0.5), examples=40, count=count)
    asked = shown_scenes(made, 0)[:7]
    found = kernel_answers(made, asked)
    truth = pictures(made.task, asked)
    assert truth.shape == (7, 6, 6, 3)
    for each in found.values():
        assert each == pytest.approx(truth, abs=1e-4)


@pytest.mark.parametrize("kind", ["addition", "soft", "over", "hard"])
def test_components_are_composed_right_wherever_each_of_their_values_was_shown(kind):
    """In planes no two sprites vary together; the values of both are shown all the same."""
    made = problem(kind, raster="hard" if kind == "hard" else "soft")
    shown, rng = shown_scenes(made, 0), stream(1, "test", "pairs")
    asked = np.stack([shown[rng.integers(60, size=9), slot] for slot in (0, 1)], axis=1)
    truth = pictures(made.task, asked)
    found = kernel_answers(made, asked)
    assert found[COMPOSED] == pytest.approx(truth, abs=1e-3)
    assert np.abs(found[JOINT] - truth).max() > 0.1


def test_sums_over_sprites_do_better_than_whole_pictures_where_pictures_are_sums():
    made = problem("addition", RandomSupport(without={"x1": (0.0, 0.5), "x2": (0.5, 1.0)}), examples=120)
    shown, rng = shown_scenes(made, 0), stream(2, "test", "pairs")
    asked = np.stack([shown[rng.integers(120, size=15), slot] for slot in (0, 1)], axis=1)
    truth, found = pictures(made.task, asked), kernel_answers(made, asked)
    wrong = {name: np.square(each - truth).mean() for name, each in found.items()}
    assert wrong[COMPOSED] < 1e-6
    assert wrong[ADDED] < 0.75 * wrong[JOINT]


def test_fewer_pixels_are_those_of_every_second_row_and_column():
    made, asked = problem("over"), stream(3, "test", "asked").random((4, 2, 5))
    whole, some = (kernel_answers(made, asked, every=every) for every in (1, 2))
    for name, each in whole.items():
        assert some[name] == pytest.approx(each[:, ::2, ::2], abs=1e-9)
    assert np.array_equal(pictures(made.task, asked, 2), pictures(made.task, asked)[:, ::2, ::2])
