"""What kernels say of every held-out combination: the errors of all of them have the mean that the forecast expects."""

import numpy as np
import pytest

import recombine as rc
from recombine.studies import combination_forecasts as module
from recombine.studies.combination_forecasts import combination_forecasts
from recombine.studies.kernel_forecasting import by_kernels

PROBLEMS = {
    "pictures": rc.Problem(rc.tasks.bump(n=(7, 8)), rc.splits.block(y=(1, 5), x=(2, 7))),
    "sums": rc.Problem(rc.tasks.addition(), rc.splits.anchors(first=(4,), second=(4,))),
    "classes": rc.Problem(rc.tasks.context(levels=4), rc.splits.block(feature1=(0, 2), feature2=(2, 4))),
    "functions": rc.Problem(rc.tasks.hill(levels=5), rc.splits.block(x1=(1, 3), x2=(1, 4))),
}


@pytest.mark.parametrize("name", list(PROBLEMS))
def test_errors_have_the_mean_that_is_expected_of_what_is_held_out(name):
    problem, found = PROBLEMS[name], by_kernels(PROBLEMS[name])
    table = combination_forecasts(problem, found)
    assert table["columns"][: len(problem.grid.names) + 2] == [*problem.grid.names, "section", found.quantity]
    assert len(table["rows"]) == problem.parts.held_out.sum()
    assert table["left_out"] == 0
    errors = [row[len(problem.grid.names) + 1] for row in table["rows"]]
    expected = next(section.expected for section in found.sections if section.name == "ood")
    assert np.mean(errors) == pytest.approx(expected, rel=1e-3)


def test_sections_are_those_of_the_split_and_answers_are_numbers():
    problem = PROBLEMS["sums"]
    found = by_kernels(problem)
    table = combination_forecasts(problem, found)
    assert table["columns"][-1] == "answer"
    for first, second, section, error, answer in table["rows"][:5]:
        (row,) = problem.grid.index(
            np.array([[problem.grid.factors[0].levels.index(first), problem.grid.factors[1].levels.index(second)]])
        )
        assert answer == pytest.approx(found.outputs[row, 0], rel=1e-3)
        assert error == pytest.approx(found.errors[row], rel=1e-3)
        assert problem.parts.sections[section][row]


def test_of_very_many_combinations_some_are_listed_evenly(monkeypatch):
    monkeypatch.setattr(module, "MOST", 6)
    table = combination_forecasts(PROBLEMS["pictures"], by_kernels(PROBLEMS["pictures"]))
    assert (len(table["rows"]), table["left_out"]) == (6, 14)
    assert table["rows"][0][:2] == [1.0, 2.0]
    assert table["rows"][-1][:2] == [4.0, 6.0]


def test_scenes_have_no_such_table():
    scene = rc.Problem(rc.tasks.sprites(size=8), support=rc.supports.random(), examples=50)
    assert combination_forecasts(scene, by_kernels(scene)) is None
