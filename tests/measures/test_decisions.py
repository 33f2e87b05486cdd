"""Right and wrong by sign: known shares, zeros in the middle, and what is no decision."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.measures import measures, sign_agreement


@pytest.mark.parametrize(("factor", "accuracy"), [(0.3, 1.0), (-2.0, 0.0), (0.0, 0.5), (1e-10, 0.5), (1e-8, 1.0)])
def test_scaled_labels_are_right_wrong_or_undecided(decision, factor, accuracy):
    plain = decision()
    evidence = dataclasses.replace(plain, answers=factor * plain.answers)
    for section in ("id", "ood"):
        assert measures[f"{section}_accuracy"](evidence) == accuracy
        assert measures[f"{section}_margin"](evidence) == pytest.approx(factor)


def test_every_sample_of_every_member_counts_and_no_other(decision):
    plain = decision()
    answers = np.repeat(plain.answers, 5, axis=1)
    held = np.flatnonzero(plain.sections["ood"])
    answers[held[0], :3] *= -1  # 3 wrong and 2 undecided of 8 × 5 answers
    answers[held[1], 3:] = 0.0
    evidence = dataclasses.replace(plain, answers=answers)
    assert measures["ood_accuracy"](evidence) == pytest.approx((40 - 3 - 2 / 2) / 40)
    assert measures["ood_margin"](evidence) == pytest.approx((40 - 2 * 3 - 2) / 40)
    assert measures["id_accuracy"](evidence) == 1.0


def test_a_context_shortcut_is_wrong_half_the_time_where_the_label_is_balanced(decision):
    plain = decision()
    context = plain.combinations[:, 0]
    held = decision(np.where(context == 0, 1.0, -1.0))
    # Held out: context 0 has labels −, + by the second component; context 1 has + for both levels of the third.
    assert measures["ood_accuracy"](held) == 0.25
    assert measures["ood_margin"](held) == -0.5


def test_familiar_images_are_scored_on_trained_combinations(decision):
    plain = decision()
    familiar = np.where(plain.sections["id"][:, None], plain.answers, np.nan)
    evidence = dataclasses.replace(plain, answers=-plain.answers, familiar=np.repeat(familiar, 2, axis=1))
    assert measures["familiar_accuracy"](evidence) == 1.0
    assert measures["id_accuracy"](evidence) == 0.0
    with pytest.raises(InputError, match="no answers to new pairings of training images; evaluate"):
        measures["familiar_accuracy"](plain)


@given(st.lists(st.tuples(st.floats(-3, 3), st.sampled_from([-1.0, 1.0])), min_size=1, max_size=9))
def test_turning_every_answer_round_turns_the_share_round(pairs):
    answers, labels = np.array(pairs).T
    share = sign_agreement(answers[:, None], labels)
    assert sign_agreement(-answers[:, None], labels) == pytest.approx(1 - share)


@pytest.mark.parametrize("name", ["id_accuracy", "ood_accuracy", "familiar_accuracy", "id_margin", "ood_margin"])
def test_sums_are_not_judged_by_their_sign(addition, name):
    with pytest.raises(InputError, match=r"a target is -5, and only decisions .* by slope and mse"):
        measures[name](addition())
