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
from recombine.studies.advising import (
    LISTED,
    Advice,
    Grounds,
    advise,
    expected_performance,
    kernels_performance,
    share_alone,
)
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


def test_performance_is_one_less_the_error():
    expected = {section.name: section.expected for section in forecast(HOLE).sections}
    assert expected_performance(HOLE) == pytest.approx(1 - min(1, expected["ood"]))
    errors = {section.name: section.expected for section in forecast(CONTEXT).sections}
    assert expected_performance(CONTEXT) == pytest.approx(max(0, 1 - 2 * errors["ood"]))


def test_lone_stripes_count_by_the_shares_of_their_levels():
    some = rc.Problem(HOLE.task, HOLE.split, isolated=("x", "y"), isolated_levels=3)
    (error,) = [section.expected for section in forecast(some).sections if section.name == "ood"]
    known = 1 - min(1, error)
    assert expected_performance(some) == pytest.approx(known + (0.9 - known) * 3 / 7 * 3 / 8)
    assert expected_performance(rc.Problem(HOLE.task, HOLE.split, isolated=("x", "y"))) >= 0.9


def test_real_advice_turns_the_forecast_of_context_dependence():
    small = Problem(rc.tasks.context(levels=4), regions.block(feature1=(0, 2), feature2=(2, 4)))
    found = rc.advise(small, forecasts=60)
    assert found.composes
    assert found.before < 0.5
    assert found.count <= 4
    assert found.after == pytest.approx(expected_performance(found.problem))
    first, second, *_, loss, last = str(found).splitlines()
    before, after = forecast(small), forecast(found.problem)
    assert first == before.verdict
    assert second == (
        f"Add {found.count} examples: held-out performance (2 x accuracy - 1 by kernels) rises from {found.before:.2f} "
        f"to {found.after:.2f}, and 0.9 is asked for, an accuracy of 0.95."
    )
    assert loss.startswith("The loss decides: ")
    was, is_now = (f"{each.outlook.held_out.expected:.2f}" for each in (before, after))
    assert last == (
        "The first line is the kernels' answer, as `recombine forecast` prints it; its outlook for trained networks, "
        f"which it prints first, is {was} and with the additions {is_now}."
    )


def test_lone_factors_are_said_to_count_for_more_than_kernels_say():
    alone = rc.Problem(SMALL.task, SMALL.split, isolated=("x", "y"))
    told = str(rc.advise(alone)).splitlines()
    known = kernels_performance(forecast(alone))
    assert known < 0.9
    assert "(1 - nMSE by kernels, lone factors by FR11) is 0.90" in told[1]
    assert told[2].startswith(f"Kernels themselves say {known:.2f} in the end")


def test_a_seed_draws_what_is_tried_and_changes_no_forecast():
    drawn = rc.Problem(HOLE.task, HOLE.split, examples=12)
    assert rc.advise(drawn, seed=5, forecasts=2).before == expected_performance(drawn)


def test_a_model_without_a_kernel_is_said_to_have_none():
    told = str(rc.advise(SMALL, "diffusion", target=0.1))
    assert "diffusion draws from noise and has no kernel" in told


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
        (refused(most=0), "most = 0 must be at least 1"),
        (refused(forecasts=1), "forecasts = 1 must be at least 2"),
        (refused(oracle=lambda each: math.nan), "is nan, and advice needs a number from 0 to 1"),
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


@pytest.mark.parametrize(
    ("model", "share"),
    [(None, 1), ("cnn-decoder", 1), ("forced-rendering", 1), ("diffusion", 1), ("mlp-decoder", 0), ("per-pixel", 0)],
)
def test_lone_factors_count_for_networks_that_can_use_them(model, share):
    lone = Problem(HOLE.task, HOLE.split, isolated=("y", "x"))
    assert share_alone(lone, model) == share
    assert share_alone(HOLE, model) == 0
