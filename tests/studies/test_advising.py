"""Advice: what may be added, planted forecasts whose best addition is known, and its laws."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import recombine as rc
from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.data import Problem
from recombine.splits import regions
from recombine.studies.additions import SHOWN_AT_MOST, Candidate, candidates, count_examples, shown_anew
from recombine.studies.advising import LISTED, Advice, Grounds, advise, expected_performance
from recombine.studies.forecasting import forecast
from recombine.studies.greedy import Addition

HOLE = Problem(rc.tasks.bump(n=(7, 8)), regions.block(y=(1, 5), x=(2, 7)))  # 4 x 5 held out
SMALL = Problem(rc.tasks.bump(n=(6, 7)), regions.block(y=(1, 4), x=(2, 6)))  # 3 x 4: every single one is tried
SUMS = Problem(rc.tasks.addition(), regions.anchors(first=4, second=4))
CONTEXT = Problem(rc.tasks.context(), regions.block(feature1=(0, 3), feature2=(3, 6)))
ISLANDS = Problem(
    rc.tasks.addition(values=(1.0, 2.0, 3.0, 4.0, 5.0)),
    regions.union(of=(regions.block(first=(0, 2), second=(2, 5)), regions.block(first=(2, 5), second=(0, 2)))),
)


def shown(problem: Problem, *cells: tuple[int, ...]) -> list[bool]:
    return [bool(problem.trained[problem.grid.index(np.array([cell]))[0]]) for cell in cells]


def both_alone(problem: Problem) -> bool:
    return set(problem.isolated) == {"y", "x"} and problem.isolated_levels is None


# What may be added


@pytest.mark.parametrize("problem", [HOLE, SUMS, CONTEXT, ISLANDS], ids=["pictures", "sums", "context", "islands"])
def test_candidates_are_few_add_something_and_take_nothing_away(problem: Problem):
    found = candidates(problem, problem, stream(3, "test"))
    assert 0 < len(found) <= 40
    held = int(problem.parts.held_out.sum())
    for candidate in found:
        new = candidate.added_to(problem)
        assert count_examples(new) > count_examples(problem)
        assert not (problem.trained & ~new.trained).any()
        assert new.parts.held_out.sum() >= (1 - SHOWN_AT_MOST) * held
        assert count_examples(new) == len(new.training_set(0))


def test_more_levels_alone_contain_fewer():
    some = rc.Problem(HOLE.task, HOLE.split, isolated=("x",), isolated_levels=3)
    before = {row.tobytes() for row in some.training_set(5).positions}
    lone = [each for each in candidates(some, some, stream(0, "test")) if each.kind == "isolated"]
    assert {each.isolated for each in lone} == {("x",), ("y", "x")}
    for candidate in lone:
        after = {row.tobytes() for row in candidate.added_to(some).training_set(5).positions}
        assert before < after
    whole = rc.Problem(HOLE.task, HOLE.split, isolated=("x", "y"))
    assert not [each for each in candidates(whole, whole, stream(0, "test")) if each.kind == "isolated"]


def test_tasks_of_symbols_and_functions_show_nothing_alone():
    hill = Problem(rc.tasks.hill(levels=5), regions.block(x1=(1, 3), x2=(1, 3)))
    for problem in (SUMS, hill):
        assert all(each.kind != "isolated" for each in candidates(problem, problem, stream(0, "test")))


def test_sets_of_combinations_are_what_their_words_say():
    sets = {each.words: np.array(each.rows) for each in candidates(HOLE, HOLE, stream(0, "test")) if each.rows}
    assert sets["a lattice of every second level of what is held out"].tolist() == [[2, 3], [2, 5], [4, 3], [4, 5]]
    partners = sets["one more partner for every held-out level"]
    assert set(partners[:, 0]) == {1, 2, 3, 4}
    assert set(partners[:, 1]) == {2, 3, 4, 5, 6}
    assert len(partners) == 5  # no fewer can show five columns
    for words, rows in sets.items():
        if words == "all that is held out of x = 4":
            assert rows.tolist() == [[1, 4], [2, 4], [3, 4], [4, 4]]


def test_two_islands_are_joined_by_one_combination():
    (bridge,) = [each for each in candidates(ISLANDS, ISLANDS, stream(1, "test")) if "bridge" in each.words]
    assert (bridge.kind, len(bridge.rows)) == ("combination", 1)


def test_three_islands_are_joined_by_two_bridges():
    blocks = [(0, 2), (2, 4), (4, 6)]
    shown_blocks = regions.union(of=tuple(regions.block(first=block, second=block) for block in blocks))
    apart = Problem(rc.tasks.addition(values=(1.0, 2.0, 3.0, 4.0, 5.0, 6.0)), ~shown_blocks)
    (bridge,) = [each for each in candidates(apart, apart, stream(1, "test")) if "bridge" in each.words]
    assert len(bridge.rows) == 2
    new = bridge.added_to(apart)
    assert not [each for each in candidates(apart, new, stream(1, "test")) if "bridge" in each.words]


def test_what_is_taken_off_a_region_is_one_difference_and_extrapolation_stays_outermost():
    once = Candidate("combination", "", ((2, 3),)).added_to(HOLE)
    twice = Candidate("combination", "", ((1, 4), (2, 3))).added_to(once)
    assert twice.split == regions.difference(of=HOLE.split, minus=regions.cells(rows=((1, 4), (2, 3))))
    beyond = Problem(rc.tasks.bump(n=8), regions.extrapolation(of=regions.cross(x=(3, 5), y=(2, 4))))
    more = Candidate("combination", "", ((0, 3),)).added_to(beyond)
    assert more.split.kind == "extrapolation"
    assert shown(more, (0, 3), (0, 4)) == [True, False]


# Planted forecasts


def test_the_one_combination_that_is_needed_is_found():
    found = advise(SMALL, oracle=lambda each: 0.95 if all(shown(each, (2, 5))) else 0.2)
    (only,) = found.additions
    assert (only.kind, only.words, only.count, only.price) == ("combination", "y = 2, x = 5", 1, 1.0)
    assert (found.before, found.after, found.composes) == (0.2, 0.95, True)
    assert found.problem == only.problem


def test_lone_stripes_are_found_where_only_they_help():
    found = advise(HOLE, oracle=lambda each: 0.95 if both_alone(each) else 0.1)
    (only,) = found.additions
    assert (only.kind, only.count) == ("isolated", 7 + 8)
    assert only.words == "y and x shown alone, at all levels of each"
    assert found.problem.split == HOLE.split


@pytest.mark.parametrize(("prices", "kind"), [(None, "overlap"), ({"combination": 4, "isolated": 1}, "isolated")])
def test_prices_decide_between_two_ways(prices: dict | None, kind: str):
    """A row of five or fifteen stripes: five is less than fifteen, and four times five is more."""
    row = [(3, x) for x in range(2, 7)]

    def oracle(each: Problem) -> float:
        return 0.95 if both_alone(each) or all(shown(each, *row)) else 0.1

    found = advise(HOLE, prices=prices, oracle=oracle)
    assert [addition.kind for addition in found.additions] == [kind]
    assert found.price == {"overlap": 5.0, "isolated": 15.0}[kind]


def test_an_addition_that_turns_out_needless_is_dropped():
    """C looks best at first; A, then B, do without it."""
    a, b, c = (1, 2), (2, 4), (3, 5)

    def oracle(each: Problem) -> float:
        has_a, has_b, has_c = shown(each, a, b, c)
        return 0.95 if has_a and has_b else 0.2 + 0.3 * has_c + 0.2 * has_a

    found = advise(SMALL, prices={"overlap": 100}, oracle=oracle)
    assert {addition.words for addition in found.additions} == {"y = 1, x = 2", "y = 2, x = 4"}
    assert found.after == 0.95


def test_combinations_of_a_set_that_are_not_needed_are_spared():
    """Only sets help at first sight, since single combinations alone change nothing."""
    pair = [(2, 2), (2, 3)]
    found = advise(SMALL, oracle=lambda each: 0.95 if all(shown(each, *pair)) else 0.2)
    (only,) = found.additions
    assert (only.kind, only.count) == ("overlap", 2)
    assert only.words == "all that is held out of y = 2, 2 of 4 combinations"
    assert str(found).endswith("\n    (y, x) = (2, 2), (2, 3)")
    assert found.to_dict()["additions"][0]["combinations"] == [{"y": 2.0, "x": 2.0}, {"y": 2.0, "x": 3.0}]


def test_of_a_large_addition_the_first_combinations_are_printed():
    wide = Problem(rc.tasks.bump(n=12), regions.block(y=(2, 10), x=(2, 10)))
    rows = [(y, x) for y in range(2, 6) for x in range(2, 10)]
    candidate = Candidate("overlap", "half of it", tuple(rows))
    new = candidate.added_to(wide)
    addition = Addition("overlap", "half of it", 32, 32.0, 0.95, new)
    found = Advice(wide, new, (addition,), 0.1, 0.95, 0.9, {}, 2, False, Grounds())
    listed = str(found).splitlines()[-1]
    assert listed.count("(") == 1 + LISTED
    assert listed.endswith(f"(4, 9) and {32 - LISTED} more")
    assert len(found.to_dict()["additions"][0]["combinations"]) == 32


def test_what_composes_needs_nothing_and_what_nothing_helps_is_said():
    good, bad = (advise(SMALL, oracle=lambda each, value=value: value) for value in (0.9, 0.3))
    assert (good.additions, good.problem, good.price, good.count) == ((), SMALL, 0, 0)
    assert good.composes
    assert str(good) == (
        "Nothing needs to be added: held-out performance (by the oracle that was given) is 0.90, and 0.9 is asked for."
    )
    assert good.forecasts == 1
    assert (bad.additions, bad.composes) == ((), False)
    assert str(bad).startswith("Nothing that was tried helps")


def test_a_limit_that_is_too_low_leaves_the_forecast_unturned():
    needed = [(1, 2), (2, 4), (3, 5)]
    found = advise(SMALL, most=2, oracle=lambda each: 0.1 + 0.28 * sum(shown(each, *needed)))
    assert found.count == 2
    assert found.after == pytest.approx(0.66)
    assert not found.composes
    assert str(found).startswith("Nothing that was tried is enough: with 2 examples held-out performance")
    assert "limit of forecasts" not in str(found)
    assert advise(SMALL, most=3, oracle=lambda each: 0.1 + 0.28 * sum(shown(each, *needed))).composes


def test_forecasts_are_counted_and_limited():
    asked: list[str] = []

    def oracle(each: Problem) -> float:
        asked.append(each.digest())
        return 0.1 + 0.01 * count_examples(each) / 100

    found = advise(HOLE, oracle=oracle, forecasts=9)
    assert len(asked) == len(set(asked)) == found.forecasts == 9
    assert str(found).endswith("raise `forecasts` to let it go on.")


weights = st.lists(st.floats(-0.1, 0.25), min_size=12, max_size=12)


@settings(max_examples=5, deadline=None)
@given(weights=weights, price=st.floats(0.5, 5.0), lone=st.floats(0.0, 0.6), seed=st.integers(0, 5))
def test_the_laws_of_advice(weights: list[float], price: float, lone: float, seed: int):
    """More is shown and nothing less, prices add up, and the forecast does not fall."""
    held = np.flatnonzero(SMALL.parts.held_out)

    def oracle(each: Problem) -> float:
        value = 0.2 + float(np.dot(weights, each.trained[held])) + lone * both_alone(each)
        return min(1.0, max(0.0, value))

    found = advise(SMALL, prices={"combination": price}, oracle=oracle, seed=seed, forecasts=50)
    assert found.after == oracle(found.problem) >= found.before == oracle(SMALL)
    assert not (SMALL.trained & ~found.problem.trained).any()
    before, after = ({row.tobytes() for row in p.training_set(1).positions} for p in (SMALL, found.problem))
    assert before <= after
    assert found.count == len(found.problem.training_set(1)) - len(SMALL.training_set(1))
    assert found.price == pytest.approx(
        sum(a.count * (1.0 if a.kind == "isolated" else price) for a in found.additions)
    )
    assert found.price < 12 * price
    assert found.problem.parts.held_out.sum() >= 6
    assert found.to_dict()["examples"] == found.count
    assert Problem.read(found.to_dict()["problem"]) == found.problem


# The forecast itself


@pytest.mark.parametrize("model", [None, "cnn-decoder"])
def test_performance_is_the_outlook_that_a_forecast_has(model: str | None):
    problem = rc.Problem(rc.tasks.bump(n=8), regions.block(y=(1, 5), x=(2, 7)))
    assert expected_performance(problem, model) == forecast(problem, model).outlook.held_out.expected


@pytest.mark.parametrize(
    ("problem", "model", "prices"),
    [
        (Problem(rc.tasks.context(levels=4), regions.block(feature1=(0, 2), feature2=(2, 4))), None, None),
        (
            Problem(rc.tasks.bump(n=8), regions.block(x=(2, 6), y=(2, 6))),
            "cnn-decoder",
            {"isolated": 1, "combination": 2},
        ),
        (SUMS, "mlp", None),
    ],
    ids=["context", "bump", "sums"],
)
def test_what_advice_says_is_what_a_forecast_of_the_advised_problem_says(problem, model, prices):
    found = rc.advise(problem, model, prices, forecasts=120)
    before, after = forecast(problem, model).outlook, forecast(found.problem, model).outlook
    assert found.additions
    assert found.before == before.held_out.expected
    assert found.after == after.held_out.expected
    assert found.composes == (after.held_out.expected >= 0.9)
    told = str(found).splitlines()
    assert told[0] == before.verdict
    assert f"With the additions: {after.verdict}" in told
    assert f"rises from {before.held_out.expected:.2f} to {after.held_out.expected:.2f}" in told[1]


def test_a_step_that_is_dear_at_first_is_taken_where_the_careful_way_falls_short():
    """Single combinations rise most for their price and end at 0.5; stripes, dear, are the way to the target."""

    def oracle(each: Problem) -> float:
        if both_alone(each):
            return 0.8 + 0.2 * all(shown(each, (2, 5)))
        return 0.1 + min(0.4, 0.1 * int(each.trained[SMALL.parts.held_out].sum()))

    found = advise(SMALL, prices={"overlap": 100, "isolated": 0.8}, target=0.95, oracle=oracle)
    assert found.composes
    assert [addition.kind for addition in found.additions] == ["isolated", "combination"]


def test_the_loss_that_is_trained_with_is_asked_about():
    context = Problem(rc.tasks.context(), regions.block(feature1=(0, 3), feature2=(3, 6)))
    usual, other = (rc.advise(context, "mlp", forecasts=2, loss=loss) for loss in ("mse", "logistic"))
    assert usual.before != other.before
    assert "for the loss logistic" in other.sentence()


def test_a_seed_draws_what_is_tried_and_changes_no_forecast():
    drawn = rc.Problem(HOLE.task, HOLE.split, examples=12)
    assert rc.advise(drawn, seed=5, forecasts=2).before == expected_performance(drawn)


def test_a_model_of_which_there_was_no_trial_is_said_to_have_none():
    told = str(rc.advise(Problem(rc.tasks.bump(n=8), HOLE.split), "diffusion", target=0.1, forecasts=2))
    assert "diffusion draws from noise, and no trial did" in told


@pytest.mark.parametrize("spacing", [0.5, 1 / 3])
def test_centres_between_levels_are_listed_as_they_are_trained_on(spacing: float):
    wide = rc.Problem(SMALL.task, SMALL.split, spacing=spacing)
    new = Candidate("overlap", "", ((1, 2), (1, 3), (2, 2))).added_to(wide)
    before, after = ({tuple(row) for row in each.training_set(0).positions.tolist()} for each in (wide, new))
    assert len(after - before) == count_examples(new) - count_examples(wide) > 3
    assert shown_anew(wide, new) == sorted(after - before)


# What is refused


def refused(**arguments: object) -> Callable[[], object]:
    return lambda: advise(**{"problem": SMALL, "oracle": lambda each: 0.5, **arguments})


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (refused(prices={"isolated": 0}), "isolated = 0, must be a number above 0"),
        (refused(prices={"isolated": math.nan}), "isolated = nan, must be a number above 0"),
        (refused(prices={"combinations": 1}), "unknown kind of addition 'combinations'"),
        (refused(target=0.0), "target = 0 must be a performance above 0"),
        (refused(target=1.5), "target = 1.5 must be"),
        (refused(model="truth"), "'truth' is not trained, so nothing helps it"),
        (refused(most=0), "most = 0 must be at least 1"),
        (refused(forecasts=1), "forecasts = 1 must be at least 2"),
        (refused(oracle=lambda each: math.nan), "is nan, and advice needs a number from -1 to 1"),
        (refused(problem=rc.Problem(SMALL.task, SMALL.split, reveal=True)), "reveal = true shows all"),
        (refused(problem=rc.Problem(SUMS.task, SUMS.split, examples=9)), "examples = 9 draws the training"),
        (
            refused(problem=Problem(rc.tasks.sprites(), support=rc.supports.random(), examples=5)),
            "adds combinations of a grid",
        ),
    ],
)
def test_bad_input_is_one_sentence(call: Callable[[], object], says: str):
    with pytest.raises(InputError, match=says) as caught:
        call()
    assert str(caught.value).replace("e.g. ", "").count(". ") == 0


def test_where_the_seed_draws_the_combinations_only_lone_factors_are_added():
    drawn = rc.Problem(HOLE.task, HOLE.split, examples=10)
    found = advise(drawn, oracle=lambda each: 0.95 if both_alone(each) else 0.1)
    assert [addition.kind for addition in found.additions] == ["isolated"]
    assert found.problem.examples == 10
