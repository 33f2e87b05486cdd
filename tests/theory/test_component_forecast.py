"""Forecasts of component tasks: the leak formula, contradictions, the shortcut, the loss, and their words."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.factors import Factor
from recombine.theory import Forecast, component_forecast, forecast_components, leak, relu_kernels
from recombine.theory.component_forecast import EXACT, SAMPLE, accuracy, slope_and_offset
from recombine.theory.kernels import overlap_kernel

VALUES = np.arange(9) - 4.0
CONTEXT_NAMES = ("context", "feature1", "feature2")


def grid(*sizes: int) -> np.ndarray:
    return np.indices(sizes).reshape(len(sizes), -1).T


def forecast(rows, targets, seen, kernels=None, names=None) -> Forecast:
    known = ~np.isnan(targets)
    sections = {"id": seen & known, "ood": ~seen & known}
    sizes = rows.max(axis=0) + 1
    factors = [Factor.numbered(name, int(size)) for name, size in zip(names, sizes, strict=True)] if names else None
    return forecast_components(rows, targets, seen & known, sections, kernels, factors)


def addition(anchors):
    """Nine items a component, values -4 to 4, a pair seen if one of its items is an anchor."""
    rows = grid(9, 9)
    return rows, VALUES[rows].sum(axis=1), np.isin(rows, anchors).any(axis=1)


def context_task(block: int):
    rows = grid(2, 6, 6)
    context, first, second = rows.T
    labels = np.where(np.where(context == 0, first, second) < 3, -1.0, 1.0)
    return rows, labels, ~((first < block) & (second >= 3) & (second < 3 + block))


def equivalence(size: int):
    """Two classes, the first item of each an anchor."""
    rows = grid(2 * size, 2 * size)
    labels = np.where(rows[:, 0] // size == rows[:, 1] // size, 1.0, -1.0)
    return rows, labels, np.isin(rows, (0, size)).any(axis=1)


def ordering(items: int):
    rows = grid(items, items)
    apart = np.sign(rows[:, 1] - rows[:, 0]).astype(float)
    return rows, np.where(apart == 0, np.nan, apart), np.abs(rows[:, 1] - rows[:, 0]) == 1


def reason(found: Forecast, name: str):
    return {each.name: each for each in found.reasons}.get(name)


@pytest.mark.parametrize("anchors", [(4,), (0,), (0, 8), (2, 6), (3, 4, 5), (0, 1, 7, 8)])
@pytest.mark.parametrize("single", [0.1, 0.3, 0.45, 0.5])
def test_the_slope_of_addition_is_the_leak_formula(anchors, single):
    """Whatever the means and the free intercept, m = p S / (1 + (p - 2) S) to rounding."""
    found = forecast(*addition(anchors), {"given": (0.0, single, 1.0)})
    (answer,) = found.details["answers"]
    m = leak(single, len(anchors))
    assert answer["slope"] == pytest.approx(m, abs=1e-8)
    assert (answer["accuracy"], answer["margin"]) == (None, None)
    told = reason(found, "memorisation leak")
    if single == 0.5:
        assert told is None
        assert found.composes
    else:
        assert told.evidence["leak"] == pytest.approx(1 - m, abs=1e-8)
        assert f"slope {m:.2f}" in told.text


def test_sums_with_zero_means_are_shrunk_and_the_error_follows():
    """f = m y held out and the mean of the training answers is 0, so the nMSE is (1 - m)²."""
    rows, targets, seen = addition((2, 6))
    found = forecast(rows, targets, seen, {"given": (0.0, 0.3, 1.0)})
    m = leak(0.3, 2)
    np.testing.assert_allclose(found.outputs[~seen, 0], m * targets[~seen], atol=1e-10)
    sections = {each.name: each for each in found.sections}
    assert sections["ood"].expected == pytest.approx((1 - m) ** 2)
    assert sections["id"].expected == pytest.approx(0, abs=1e-12)
    assert (sections["ood"].low, sections["ood"].high) == pytest.approx((0.8 * (1 - m) ** 2, 1.25 * (1 - m) ** 2))
    assert found.quantity == "nMSE"
    assert found.outputs.shape == (81, 1)


@pytest.mark.parametrize(
    ("single", "word", "composes"),
    [(0.45, "Composes", True), (0.3, "Undecided", None), (0.1, "Does not compose", False)],
)
def test_the_verdict_follows_the_size_of_the_error(single, word, composes):
    """With two anchors (1 - 2S)² is .01, .16 and .64; the bounds are .1 (times 1.25) and .3 (times .8)."""
    found = forecast(*addition((0, 8)), {"given": (0.0, single, 1.0)})
    assert found.composes is composes
    assert found.verdict.startswith(f"{word} in the kernel (lazy) regime: held-out nMSE {(1 - 2 * single) ** 2:.2f} (")
    assert "1 is always answering the mean" in found.verdict


@pytest.mark.parametrize("size", [2, 3])
def test_transitive_equivalence_is_refused_by_four_pairs(size):
    rows, labels, seen = equivalence(size)
    found = forecast(rows, labels, seen)
    assert found.composes is False
    assert not found.details["additive"]
    four = found.details["contradiction"]
    assert len(four) == 4
    assert not seen[four].any()
    # Two rows by two columns whose answers cross: f(a, c) + f(d, f) = f(a, f) + f(d, c) for every sum.
    firsts, seconds = (set(rows[four, axis].tolist()) for axis in (0, 1))
    assert len(firsts) == len(seconds) == 2
    assert labels[four].sum() == 0
    told = reason(found, "not additive")
    assert told.evidence["combinations"] == four
    assert "feature learning may" in told.text
    # No decision at all: every answer is zero, and zero counts one half.
    sections = {each.name: each for each in found.sections}
    assert sections["ood"].expected == pytest.approx(0.5)
    assert sections["ood"].accuracy == pytest.approx(0.5)
    assert "held-out error rate 0.50" in found.verdict
    assert "0.5 is chance" in found.verdict


def test_transitive_ordering_composes_and_pairs_without_an_answer_take_no_part():
    rows, labels, seen = ordering(7)
    found = forecast(rows, labels, seen)
    assert found.composes
    assert found.details["additive"]
    assert found.details["contradiction"] == []
    assert found.reasons == ()
    assert all(answer["accuracy"] == 1 for answer in found.details["answers"])


def test_context_alone_is_the_shortcut_of_the_hardest_task():
    found = forecast(*context_task(3), names=CONTEXT_NAMES)
    assert found.composes is None
    told = reason(found, "shortcut")
    assert told.evidence["rule"] == ["context"]
    assert told.evidence["push"] < 0
    assert 0.5 < told.evidence["share"] < 1
    assert "about context alone" in told.text
    assert "widest margin" in told.text


def test_for_three_relu_layers_the_loss_decides():
    """Least squares solve CD-3 with a margin of .52; the widest margin is wrong everywhere, by .22."""
    deep = {name: kernel for name, kernel in relu_kernels(3).items() if name.endswith("3")}
    found = forecast(*context_task(3), deep, CONTEXT_NAMES)
    answers = {answer["solver"]: answer for answer in found.details["answers"]}
    assert answers["least squares"]["accuracy"] == 1
    assert answers["least squares"]["margin"] == pytest.approx(0.52, abs=0.005)
    assert answers["widest margin"]["accuracy"] == 0
    assert answers["widest margin"]["margin"] == pytest.approx(-0.22, abs=0.005)
    assert reason(found, "loss").evidence == {"least_squares": 1.0, "widest_margin": 0.0}


@pytest.mark.parametrize("block", [1, 2])
def test_the_easier_context_tasks_compose_without_a_reason(block):
    found = forecast(*context_task(block), names=CONTEXT_NAMES)
    assert found.composes
    assert found.reasons == ()
    assert found.verdict.startswith("Composes in the kernel (lazy) regime: held-out error rate 0.00")


@given(seed=st.integers(0, 10**4))
@settings(deadline=None, max_examples=6)
def test_renaming_levels_and_reordering_rows_changes_nothing(seed):
    rng = stream(seed, "renaming")
    rows, labels, seen = context_task(3)
    renamed = np.stack([rng.permutation(size)[rows[:, axis]] for axis, size in enumerate((2, 6, 6))], axis=1)
    order = rng.permutation(len(rows))
    kernels = {"given": (0.0, 0.2, 0.5, 1.0)}
    plain = forecast(rows, labels, seen, kernels)
    moved = forecast(renamed[order], labels[order], seen[order], kernels)
    np.testing.assert_allclose(moved.outputs, plain.outputs[order], atol=1e-6)
    assert moved.verdict == plain.verdict
    assert [each.name for each in moved.reasons] == [each.name for each in plain.reasons]


@pytest.mark.parametrize("task", [addition((0, 8)), context_task(3)], ids=["addition", "context"])
def test_a_kernel_given_as_an_array_answers_like_its_similarity(task):
    rows, _, _ = task
    similarity = np.array([0.0, 0.3, 1.0] if rows.shape[1] == 2 else [0.0, 0.2, 0.5, 1.0])
    as_similarity = forecast(*task, {"k": similarity})
    as_array = forecast(*task, {"k": overlap_kernel(rows, rows, similarity)})
    np.testing.assert_allclose(as_array.outputs, as_similarity.outputs, atol=1e-5)
    assert as_array.verdict == as_similarity.verdict


def test_answers_of_held_out_combinations_are_not_used_to_predict_them():
    rows, targets, seen = addition((4,))
    other = np.where(seen, targets, -3 * targets + 1)
    plain, changed = (forecast(rows, each, seen) for each in (targets, other))
    assert np.array_equal(plain.outputs, changed.outputs)


def test_many_trained_combinations_are_solved_without_a_kernel_and_say_so():
    """2 x 30 x 30 with classes: 1,764 trained rows are more than the widest margin is sought for."""
    rows = grid(2, 30, 30)
    labels = np.where(np.where(rows[:, 0] == 0, rows[:, 1], rows[:, 2]) < 15, -1.0, 1.0)
    seen = ~((rows[:, 1] < 3) & (rows[:, 2] >= 24))
    assert seen.sum() > EXACT
    start = time.process_time()
    found = forecast(rows, labels, seen, names=CONTEXT_NAMES)
    assert time.process_time() - start < 10  # far more than it needs, for machines that are shared
    assert found.composes
    assert {answer["solver"] for answer in found.details["answers"]} == {"least squares"}
    assert reason(found, "least squares only").evidence == {"trained": int(seen.sum())}
    assert (
        f"1764 trained combinations are more than the {EXACT} up to which" in reason(found, "least squares only").text
    )


def test_a_forecast_of_72_combinations_is_a_matter_of_moments():
    """Aimed at 0.2 seconds; ten times that is allowed where a machine is shared."""
    task = context_task(3)
    forecast(*task)
    start = time.process_time()
    forecast(*task)
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    ("outputs", "share"),
    [([1.0, -2.0, 0.0, 1e-12], 0.75), ([-1.0, 2.0, 0.0, 0.0], 0.25), ([1.0, -1.0, 3.0, -4.0], 1.0)],
)
def test_a_zero_counts_one_half(outputs, share):
    assert accuracy(np.array(outputs), np.array([1.0, -1.0, 1.0, -1.0])) == share


def test_a_slope_needs_answers_that_differ():
    assert slope_and_offset(np.array([1.0, 3.0, 5.0]), np.array([0.0, 1.0, 2.0])) == pytest.approx((2.0, 1.0))
    assert np.isnan(slope_and_offset(np.ones(3), np.ones(3))).all()
    assert np.isnan(slope_and_offset(np.ones(1), np.ones(1))).all()


def test_one_held_out_combination_has_no_slope_but_an_error():
    """Three corners of a square of sums: the fourth has one answer, which a line cannot be laid through."""
    rows = grid(2, 2)
    found = forecast(rows, rows.sum(axis=1) * 1.5, np.array([True, True, True, False]))
    assert found.details["answers"][0]["slope"] is None
    assert all(each.name != "memorisation leak" for each in found.reasons)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"sections": {"ood": np.ones(4, bool)}}, "need 'id' with at least one combination"),
        ({"sections": {"id": np.ones(4, bool), "ood": np.zeros(4, bool)}}, "need 'ood' with at least one combination"),
        ({"targets": np.array([np.nan, 1.0, 1.0, 1.0])}, "a trained combination has no answer"),
        ({"kernels": {}}, "a forecast got 0 kernels but needs at least one"),
    ],
)
def test_bad_input_is_refused(change, says):
    seen = np.array([True, True, True, False])
    given = {"targets": np.arange(4.0), "sections": {"id": seen, "ood": ~seen}, "kernels": None, **change}
    with pytest.raises(InputError, match=says):
        forecast_components(grid(2, 2), given["targets"], seen, given["sections"], given["kernels"])


# What a hostile reader found


def sections_of(seen):
    return {"id": seen, "ood": ~seen}


def test_a_kernel_that_cannot_separate_the_training_set_is_forecast_by_least_squares():
    rows = np.indices((4, 4)).reshape(2, -1).T
    labels = np.where((rows[:, 0] < 2) == (rows[:, 1] < 2), 1.0, -1.0)
    seen = np.isin(rows, (0, 2)).any(axis=1)
    linear = {"linear": (rows[:, None, :] == rows[None, :, :]).sum(axis=2).astype(float)}
    found = forecast_components(rows, labels, seen, sections_of(seen), linear)
    assert [answer["solver"] for answer in found.details["answers"]] == ["least squares"]
    assert "linear" in next(reason.text for reason in found.reasons if reason.name == "not separable")


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_noise_is_neither_a_shortcut_nor_a_leak(kind):
    rng = np.random.default_rng(5)
    rows = np.indices((6, 6, 6)).reshape(3, -1).T
    labels = rng.choice([-1.0, 1.0], len(rows)) if kind == "classes" else rng.normal(size=len(rows))
    seen = rng.random(len(rows)) < 0.6
    names = {reason.name for reason in forecast_components(rows, labels, seen, sections_of(seen)).reasons}
    assert not names & {"shortcut", "memorisation leak"}


def test_a_held_out_answer_at_the_mean_has_an_error_all_the_same():
    rows = np.indices((2, 2)).reshape(2, -1).T
    labels, seen = np.array([1.0, 2.0, 3.0, 2.0]), np.array([True, True, True, False])
    found = forecast_components(rows, labels, seen, sections_of(seen))
    assert all(np.isfinite([part.expected, part.low, part.high]).all() for part in found.sections)


def test_a_sample_finds_the_contradiction_of_a_large_task():
    rows = grid(20, 20, 8)
    seen = (rows == 0).any(axis=1)
    assert (~seen).sum() > SAMPLE
    found = forecast_components(rows, rows.prod(axis=1).astype(float), seen, sections_of(seen))
    assert not found.details["additive"]
    assert not seen[found.details["contradiction"]].any()


def test_very_many_classes_are_certified_by_a_sample_and_it_says_so(monkeypatch):
    rows = grid(12, 12)
    labels = np.where(rows.sum(axis=1) > 11, 1.0, -1.0)
    seen = (rows == 5).any(axis=1)
    settled = forecast_components(rows, labels, seen, sections_of(seen))
    assert settled.details["additive"] is True
    monkeypatch.setattr(component_forecast, "MOST_CLASSES", 100)
    monkeypatch.setattr(component_forecast, "SAMPLE", 30)
    sampled = forecast_components(rows, labels, seen, sections_of(seen))
    assert sampled.details["additive"] is None
    assert "an even sample of at most 30" in {r.name: r.text for r in sampled.reasons}["certificate from a sample"]
