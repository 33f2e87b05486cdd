"""Exhibits of an experiment: asked for by name, kept in what comes out, and no part of a digest unless asked for."""

import numpy as np
import pytest

from recombine.core.errors import InputError
from recombine.data import Problem, tasks
from recombine.models import models
from recombine.splits import regions
from recombine.studies import Experiment, change
from recombine.training import Recipe

PROBLEM = Problem(tasks.bump(n=8), regions.block(x=(2, 6), y=(2, 6)))
BASE = Experiment(
    problem=PROBLEM,
    model=models.mlp_decoder(width=6, depth=2),
    recipe=Recipe(steps=2),
    measures=("ood_nmse",),
)


def arrays_of(experiment: Experiment) -> dict[str, np.ndarray]:
    (outcome,) = Experiment.run_together([experiment])
    assert outcome.status == "done"
    return outcome.arrays


def test_what_is_asked_for_is_kept_beside_the_rest():
    plain = arrays_of(BASE)
    shown = arrays_of(change(BASE, exhibits=("volume", "superposition")))
    new = {"volume_maps", *(f"superposition_{of}" for of in ("combinations", "truth", "answer", "x", "y"))}
    assert set(shown) - set(plain) == new
    assert set(plain) <= set(shown)
    assert shown["volume_maps"].shape == (4, 8, 8)  # input, two hidden layers, output
    assert shown["volume_maps"].dtype == np.float16


def test_exhibits_are_of_the_network_that_was_trained():
    shown = arrays_of(change(BASE, exhibits=("superposition",)))
    chosen = shown["superposition_combinations"]
    at = 8 * chosen[:, 0] + chosen[:, 1]
    assert PROBLEM.parts.held_out[at].all()
    truth = 1.0 - PROBLEM.everything.targets[at]
    assert shown["superposition_truth"].astype(float) == pytest.approx(truth, abs=2e-3)
    later = arrays_of(change(BASE, exhibits=("superposition",), recipe=Recipe(steps=4)))
    assert not np.array_equal(later["superposition_answer"], shown["superposition_answer"])


def test_a_decoder_with_channels_exhibits_them():
    shown = arrays_of(change(BASE, model=models.cnn_decoder(width=3), exhibits=("activations", "tuning")))
    assert shown["activation_maps"].shape == (3, 2, 2)
    assert shown["tuning_maps"].shape == (2, 6, 8, 8)


def test_what_a_run_cannot_exhibit_is_left_out():
    shown = arrays_of(change(BASE, exhibits=("embeddings", "activations", "volume")))
    assert set(shown) - set(arrays_of(BASE)) == {"volume_maps"}


def test_the_truth_exhibits_too():
    shown = arrays_of(change(BASE, model="truth", exhibits=("superposition",)))
    assert np.array_equal(shown["superposition_answer"], shown["superposition_truth"])


def test_component_tasks_have_nothing_to_exhibit():
    sums = Experiment(
        problem=Problem(tasks.addition(), regions.anchors(first=4, second=4)),
        model=models.mlp(width=4),
        recipe=Recipe(steps=2),
        measures=("slope",),
    )
    assert set(arrays_of(change(sums, exhibits=("volume",)))) == set(arrays_of(sums))


def test_an_unknown_exhibit_is_refused_with_the_nearest():
    with pytest.raises(InputError, match="unknown exhibit 'volumes'; did you mean 'volume'"):
        change(BASE, exhibits=("volumes",))


def test_asking_for_nothing_leaves_the_digest_alone():
    none = change(BASE, exhibits=())
    assert none.digest() == BASE.digest()
    assert "exhibits" not in none.settings()
    assert change(BASE, exhibits=("volume",)).digest() != BASE.digest()


def test_order_and_repetition_do_not_matter():
    asked = change(BASE, exhibits=("volume", "tuning", "volume"))
    assert asked.exhibits == ("tuning", "volume")
    assert asked.digest() == change(BASE, exhibits=("tuning", "volume")).digest()
    assert Experiment.read(asked.settings()) == asked


def test_exhibits_are_drawn_after_training_so_runs_still_go_together():
    assert change(BASE, exhibits=("volume",)).shape() == BASE.shape()
