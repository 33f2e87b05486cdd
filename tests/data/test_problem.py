"""Problems: what is trained on, what is asked, and reading and writing."""

import json
import re

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.data import Problem, tasks
from recombine.splits import regions

BLOCK = {"kind": "block", "y": [1, 3], "x": [2, 5]}


def problem(**settings) -> Problem:
    return Problem(tasks.bump(n=(5, 7)), regions.block(y=(1, 3), x=(2, 5)), **settings)


def test_training_shows_every_training_combination_once_and_no_held_out_one():
    shown = problem().training_set().positions
    held_out = {(y, x) for y in (1, 2) for x in (2, 3, 4)}
    seen = [tuple(row) for row in shown.astype(int)]
    assert len(seen) == len(set(seen)) == 35 - 6
    assert not held_out & set(seen)


def test_reveal_adds_the_held_out_combinations():
    assert len(problem(reveal=True).training_set()) == 35


def test_isolated_factors_are_added_with_the_other_absent():
    shown = problem(isolated=("x",), examples=3).training_set().positions
    assert len(shown) == 3 + 7
    assert np.isnan(shown[3:, 0]).all()
    assert shown[3:, 1].tolist() == list(range(7))


@given(small=st.integers(1, 29), large=st.integers(1, 29), seed=st.integers(0, 5))
@settings(deadline=None, max_examples=20)
def test_a_larger_training_set_contains_a_smaller_one(small, large, seed):
    small, large = sorted((small, large))
    few, many = (problem(examples=count).training_set(seed).positions for count in (small, large))
    assert np.array_equal(many[:small], few)


def test_seeds_draw_different_examples():
    first, second = (problem(examples=10).training_set(seed).positions for seed in (0, 1))
    assert not np.array_equal(first, second)


@given(seed=st.integers(0, 30))
@settings(deadline=None, max_examples=15)
def test_uniform_centres_stay_in_the_training_cells(seed):
    shown = problem(centres="uniform", examples=50).training_set(seed).positions
    cells = np.clip(np.round(shown), 0, [4, 6]).astype(int)
    assert not ((cells[:, 0] >= 1) & (cells[:, 0] < 3) & (cells[:, 1] >= 2) & (cells[:, 1] < 5)).any()
    assert len(np.unique(shown)) == shown.size


def test_everything_is_asked_in_grid_order():
    everything = problem().everything
    assert everything.targets.reshape(5, 7, -1).argmin(axis=2).tolist() == np.arange(35).reshape(5, 7).tolist()


@pytest.mark.parametrize(
    "given_problem",
    [
        problem(),
        problem(isolated=("y", "x"), examples=4, reveal=True),
        Problem("torus", {"kind": "random", "fraction": 0.3, "seed": 2}),
        Problem(
            {"kind": "bump", "n": [4, 6], "encoding": {"kind": "bump", "width": 9}}, {"kind": "corner", "x": 3, "y": 2}
        ),
    ],
)
def test_yaml_and_json_round_trip(given_problem):
    text = yaml.safe_dump(given_problem.settings())
    for document in (yaml.safe_load(text), json.loads(json.dumps(given_problem.settings()))):
        again = Problem.read(document)
        assert again == given_problem
        assert again.digest() == given_problem.digest()


def test_the_digest_sees_every_setting_and_not_the_defaults():
    assert problem().digest() == problem(reveal=False, isolated=()).digest()
    assert len({problem(**s).digest() for s in ({}, {"reveal": True}, {"examples": 3}, {"isolated": ("x",)})}) == 4


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ({"task": "bump"}, "task 'bump' needs a split"),
        ({"task": "bmup", "split": BLOCK}, "did you mean 'bump'"),
        ({"task": "bump", "split": {**BLOCK, "kind": "blck"}}, "did you mean 'block'"),
        ({"task": "bump", "split": BLOCK, "isolate": ["x"]}, "did you mean 'isolated'"),
        ({"task": "bump", "split": BLOCK, "isolated": ["z"]}, "z"),
        ({"task": "bump", "split": {"kind": "block", "x": [20, 40], "y": [0, 3]}}, "28"),
        ({"task": "bump", "split": {"kind": "band", "factor": "x", "low": 3, "high": 5}}, "extrapolation"),
        ({"task": "bump", "split": BLOCK, "examples": 10**6}, "more than the"),
        ({"task": "bump", "split": BLOCK, "examples": 0}, "training set is empty"),
        ({"task": "bump", "split": BLOCK, "examples": -1}, "examples"),
        ({"task": "bump", "split": BLOCK, "centres": "uniform"}, "number of examples"),
        ([], "must be a mapping"),
    ],
)
def test_bad_problems_are_refused_in_one_sentence(document, says):
    with pytest.raises(InputError, match=says) as caught:
        Problem.read(document)
    assert "\n" not in str(caught.value)


def test_the_certificate_is_of_what_is_really_shown():
    whole, few, alone, all_of_it = (
        problem(**s).certificate()
        for s in ({}, {"examples": 1}, {"examples": 0, "isolated": ("y", "x")}, {"reveal": True})
    )
    assert (whole.seen, few.seen, alone.seen, all_of_it.seen) == (29, 1, 0, 35)
    assert whole.unseen == alone.unseen == {}
    assert {name: len(levels) for name, levels in few.unseen.items()} == {"y": 4, "x": 6}
    assert alone.touching["ood"].max == 0
    assert whole.held_out == few.held_out == 6


def test_uniform_centres_are_counted_in_their_cells():
    shown = problem(centres="uniform", examples=400).certificate()
    assert shown.seen == 29


def test_isolated_factors_are_a_set():
    assert problem(isolated=("x", "y", "x")).digest() == problem(isolated=("y", "x")).digest()


def test_a_problem_writes_yaml():
    described = problem(isolated=("x",), examples=4)
    assert Problem.read(yaml.safe_load(described.to_yaml())) == described


@pytest.mark.parametrize("given", [{"isolated": ("first",)}, {"centres": "uniform", "examples": 5}])
@pytest.mark.parametrize("task", ["addition", "equivalence", "ordering"])
def test_component_tasks_have_whole_combinations_only(task, given):
    with pytest.raises(InputError, match=f"task '{task}' has whole combinations only: it shows no factor alone"):
        Problem(task, regions.diagonal(width=1), **given)


def test_what_is_revealed_is_trained_and_still_held_out():
    plain, revealed = (Problem("ordering", regions.diagonal(width=1), reveal=reveal) for reveal in (False, True))
    outside = revealed.parts.outside
    assert np.array_equal(plain.trained, plain.parts.train)
    assert np.array_equal(revealed.trained, ~outside)
    assert np.array_equal(revealed.parts.held_out, plain.parts.held_out)
    assert not np.isnan(revealed.training_set().targets).any()


def test_a_number_of_examples_counts_combinations_with_an_answer():
    """Seven items have 12 pairs of neighbours in order; the seven pairs of an item with itself are none."""
    neighbours = regions.diagonal(width=1)
    shown = Problem("ordering", neighbours, examples=12).training_set(3)
    assert len(np.unique(shown.positions, axis=0)) == 12
    assert not np.isnan(shown.targets).any()
    with pytest.raises(InputError, match="examples = 13 is more than the 12 training combinations"):
        Problem("ordering", neighbours, examples=13)


def test_the_certificate_of_a_component_task_counts_what_has_an_answer():
    whole = Problem("ordering", regions.diagonal(width=1)).certificate()
    few = Problem("ordering", regions.diagonal(width=1), examples=4).certificate(2)
    assert (whole.seen, whole.held_out) == (12, 30)
    assert (few.seen, few.held_out) == (4, 30)


@given(few=st.integers(1, 6), more=st.integers(0, 6), seed=st.integers(0, 5))
def test_more_drawn_centres_contain_fewer(few: int, more: int, seed: int):
    small, large = (problem(centres="uniform", examples=count).training_set(seed) for count in (few, few + more))
    np.testing.assert_array_equal(large.positions[:few], small.positions)


@given(few=st.integers(1, 3), seed=st.integers(0, 5))
def test_some_levels_can_be_shown_alone_and_more_contain_fewer(few: int, seed: int):
    def alone(count: int | None) -> set[tuple[float, ...]]:
        shown = problem(isolated=("y", "x"), isolated_levels=count, examples=0).training_set(seed).positions
        return {tuple(np.nan_to_num(row, nan=-1)) for row in shown}

    assert len(alone(few)) == 2 * few
    assert alone(few) < alone(few + 1) < alone(None)


def test_more_levels_alone_than_there_are_are_refused():
    with pytest.raises(InputError, match="one of them has"):
        problem(isolated=("y", "x"), isolated_levels=100)
    with pytest.raises(InputError, match=r"no factor is isolated; name factors in `isolated`, or leave it out\.$"):
        problem(isolated_levels=1)


@pytest.mark.parametrize("spacing", [1e-9, 1e-200, 5e-324])
@pytest.mark.parametrize("pad", [0, 4])
def test_more_centres_than_can_be_listed_are_refused(spacing, pad):
    with pytest.raises(InputError) as refused:
        Problem(tasks.bump(n=(6, 8), pad=pad), regions.block(x=(2, 5), y=(2, 4)), spacing=spacing, isolated=("y", "x"))
    found = re.fullmatch(
        r"spacing = \S+ puts more than 10,000,000 centres on the canvas, too many to list; raise it, e\.g\. to (\S+)\.",
        str(refused.value),
    )
    assert found is not None
    assert float(found[1]) > spacing


def test_the_spacing_that_is_offered_can_be_had(monkeypatch):
    monkeypatch.setattr("recombine.data.pictures.CENTRES", 10_000)
    with pytest.raises(InputError, match=r"more than 10,000 centres on the canvas, .* e\.g\. to 0\.1\.$"):
        Problem(tasks.bump(n=(6, 8)), regions.block(x=(2, 5), y=(2, 4)), spacing=0.01)
    assert Problem(tasks.bump(n=(6, 8)), regions.block(x=(2, 5), y=(2, 4)), spacing=0.1).most_examples > 4000
    monkeypatch.setattr("recombine.data.pictures.CENTRES", 40)
    with pytest.raises(InputError, match=r"too many to list; use fewer pixels\.$"):
        Problem(tasks.bump(n=(6, 8)), regions.block(x=(2, 5), y=(2, 4)), spacing=1.0)


def test_a_spacing_beyond_all_cells_is_refused():
    with pytest.raises(InputError, match=r"spacing = 1e\+200 must divide the 1 pixels"):
        Problem(tasks.bump(n=(6, 8)), regions.block(x=(2, 5), y=(2, 4)), spacing=1e200)
