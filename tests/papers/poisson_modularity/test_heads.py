"""Heads that read several digits: the trunk against what whitening means, slopes on known curves, and a tiny run."""

from functools import cache

import numpy as np
import pytest

from recombine.core.errors import InputError
from recombine.data.image_sets import load_images
from recombine.papers import Scale
from recombine.papers.poisson_modularity.amounts import heads, heads_plain
from recombine.papers.poisson_modularity.heads import (
    CLASSES,
    FEATURES,
    GLANCES,
    SOME,
    DigitHeads,
    rows_of_digits,
    trunk,
)
from recombine.studies import Computed, calculations, change

TINY = DigitHeads(frames=(2, 3), steps=GLANCES)


@cache
def found() -> Computed:
    return TINY.compute()


# The trunk


def test_the_features_of_the_training_digits_are_white():
    features, labels = trunk("train")
    assert features.shape == (len(labels), FEATURES)
    assert features.mean(axis=0) == pytest.approx(0, abs=1e-4)
    assert np.cov(features.T, bias=True) == pytest.approx(np.eye(FEATURES), abs=1e-4)


def test_new_digits_are_others_seen_by_the_same_trunk():
    """They are scaled as the training digits are, so they come out nearly white."""
    (shown, _), (new, labels) = trunk("train"), trunk("test")
    assert len(shown) + len(new) == len(load_images("digits").labels)
    assert set(labels) == set(range(CLASSES))
    assert not set(map(bytes, shown)) & set(map(bytes, new))
    assert new.var(axis=0) == pytest.approx(1, abs=0.3)


@pytest.mark.parametrize("count", [2, 5])
def test_a_row_is_so_many_digits_with_a_class_each(count):
    rows = rows_of_digits(count, 7, "train", 0)
    assert rows.codes.shape == (7, FEATURES * count)
    assert rows.targets.shape == (7, count, CLASSES)
    assert (rows.targets.sum(axis=2) == 1).all()
    features, labels = trunk("train")
    chosen = rows.positions.astype(int)
    assert np.array_equal(rows.codes.reshape(7, count, FEATURES), features[chosen])
    assert np.array_equal(rows.targets.argmax(axis=2), labels[chosen])


def test_rows_are_drawn_by_the_seed():
    assert np.array_equal(rows_of_digits(2, 5, "train", 1).codes, rows_of_digits(2, 5, "train", 1).codes)
    assert not np.array_equal(rows_of_digits(2, 5, "train", 1).codes, rows_of_digits(2, 5, "train", 2).codes)


# Slopes, with heads that rise as is known


@pytest.fixture
def rising(monkeypatch):
    """Lets the score of N pictures rise in a straight line from 0 to ``last(N)`` until step ``end(N)``, then stay."""

    def of(end, last):
        def train(self, count):
            steps = np.arange(1.0, 1 + GLANCES)
            return steps, last(count) * np.minimum(steps / end(count), 1.0), 1 - 0.01 * count

        monkeypatch.setattr(DigitHeads, "train", train)

    return of


def test_a_line_is_half_way_up_after_half_of_its_steps(rising):
    rising(end=lambda n: 10 * n, last=lambda n: 1 - 0.1 * n)
    measures = DigitHeads(frames=(2, 4, 7)).compute().measures
    for n in (2, 4, 7):
        assert measures[f"half_rise_{n}"] == 5 * n
        assert measures[f"gap_{n}"] == pytest.approx(1 - 0.1 * n)
        assert measures[f"accuracy_{n}"] == pytest.approx(1 - 0.01 * n)
    assert measures["rise_slope"] == pytest.approx(5)
    assert measures["gap_slope"] == pytest.approx(-0.1)
    assert measures["least_gap"] == pytest.approx(0.3)
    assert measures["least_accuracy"] == pytest.approx(0.93)


def test_one_number_of_pictures_has_no_slope(rising):
    rising(end=lambda n: 10, last=lambda n: 0.8)
    measures = DigitHeads(frames=(3,)).compute().measures
    assert set(measures) == {"gap_3", "half_rise_3", "accuracy_3", "least_gap", "least_accuracy"}


def test_a_score_that_never_rises_has_its_half_at_once(rising):
    rising(end=lambda n: 1, last=lambda n: 0.0)
    assert DigitHeads(frames=(2, 3)).compute().measures["half_rise_2"] == 1


# Trained


def test_a_tiny_run_gives_the_names_it_promises():
    measures, arrays = found().measures, found().arrays
    names = {f"{name}_{n}" for name in ("gap", "half_rise", "accuracy") for n in (2, 3)}
    assert set(measures) == names | {"rise_slope", "gap_slope", "least_gap", "least_accuracy"}
    assert set(measures) <= set(DigitHeads.quantities)
    assert all(np.isfinite(value) for value in measures.values())
    assert arrays["gaps"].shape == (2, GLANCES)
    assert arrays["steps"].tolist() == list(range(1, TINY.steps + 1))
    assert arrays["frames"].tolist() == [2, 3]


def test_its_numbers_are_read_off_its_curves():
    measures, (two, three) = found().measures, found().arrays["gaps"]
    assert (measures["gap_2"], measures["gap_3"]) == (two[-1], three[-1])
    for n, curve in ((2, two), (3, three)):
        at = int(measures[f"half_rise_{n}"]) - 1
        assert curve[at] >= curve[-1] / 2
        assert (curve[:at] < curve[-1] / 2).all()
    assert measures["rise_slope"] == pytest.approx(measures["half_rise_3"] - measures["half_rise_2"])
    assert measures["gap_slope"] == pytest.approx(measures["gap_3"] - measures["gap_2"])
    assert measures["least_accuracy"] == min(measures["accuracy_2"], measures["accuracy_3"])


def test_a_hundred_steps_teach_more_than_chance():
    assert 2 / CLASSES < found().measures["least_accuracy"] <= 1
    assert ((found().arrays["gaps"] >= -1e-9) & (found().arrays["gaps"] <= 1 + 1e-9)).all()


def test_the_same_seed_finds_the_same_and_another_something_else():
    again, other = (change(TINY, seed=seed).train(2)[1] for seed in (0, 1))
    assert np.array_equal(again, found().arrays["gaps"][0])
    assert not np.array_equal(other, found().arrays["gaps"][0])


def test_a_longer_run_is_looked_at_as_often():
    steps, gaps, _ = change(TINY, steps=2 * GLANCES).train(2)
    assert steps.tolist() == list(range(2, 2 * GLANCES + 1, 2))
    assert gaps.shape == (GLANCES,)


def test_the_penalty_is_what_the_plain_head_has_not():
    for scale in Scale:
        main, plain = heads(scale), heads_plain(scale)
        assert change(main, strength=0.0, decay=0.0) == plain
        assert main != plain
    _, without, _ = change(TINY, strength=0.0).train(2)
    assert not np.array_equal(without, found().arrays["gaps"][0])


def test_the_largest_head_of_the_paper_scale_takes_its_first_steps():
    largest = max(heads(Scale.PAPER).frames)
    _, gaps, accuracy = change(TINY, frames=(largest,)).train(largest)
    assert np.isfinite(gaps).all()
    assert 0 <= accuracy <= 1


def test_every_quantity_is_described():
    assert all(DigitHeads.quantities.values())
    assert {f"gap_{n}" for n in SOME} <= set(DigitHeads.quantities)


def test_it_depends_on_chance_says_how_long_it_will_take_and_is_read_back():
    assert not DigitHeads.exact
    assert TINY.expected_seconds() > 0
    assert calculations.parse(TINY.settings()) == TINY


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"frames": (1, 2)}, "frames = 1 must be from 2 to 8 pictures"),
        ({"frames": (9,)}, "frames = 9 must be from 2 to 8 pictures"),
        ({"frames": ()}, "frames"),
        ({"steps": GLANCES - 1}, f"steps = {GLANCES - 1}"),
        ({"strength": -1.0}, "strength"),
        ({"power": 0.5}, "power"),
    ],
)
def test_nonsense_is_refused(changed, says):
    with pytest.raises(InputError, match=says):
        change(TINY, **changed)
