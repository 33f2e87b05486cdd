"""The comparison of drawn pictures with forecasts of them, from a tiny decoder that is really trained."""

from functools import cache

import numpy as np
import pytest

from recombine.core.errors import InputError
from recombine.data import Problem, tasks
from recombine.models import models
from recombine.papers.forced_rendering.oracles import DecoderOracle
from recombine.splits import regions
from recombine.studies import Experiment, calculations, change
from recombine.studies.forecasting import forecast
from recombine.training import Recipe

AGREEMENTS = [name for name in DecoderOracle.quantities if name.endswith("_agreement")]
TINY = DecoderOracle(
    problem=Problem(tasks.bump(n=16), regions.block(x=(5, 11), y=(5, 11))),
    model=models.cnn_decoder(width=2),
    recipe=Recipe(steps=4),
)


@cache
def found(seed: int = 0) -> dict[str, float]:
    return dict(change(TINY, seed=seed).compute().measures)


def test_it_gives_what_it_promises():
    assert set(found()) == set(DecoderOracle.quantities)
    assert all(np.isfinite(value) for value in found().values())
    assert len(AGREEMENTS) == 4


def test_agreements_are_correlations_and_errors_are_not_negative():
    assert all(-1 <= found()[name] <= 1 for name in AGREEMENTS)
    assert found()["ood_nmse"] >= 0
    assert found()["forecast_nmse"] >= 0


def test_a_second_computation_gives_the_same_numbers_and_another_seed_others():
    assert TINY.compute().measures == found()
    other = found(seed=1)
    assert other["own_agreement"] != found()["own_agreement"]
    assert other["ood_nmse"] != found()["ood_nmse"]
    # The kernel of wide networks has no seed, and all training combinations are shown.
    assert other["forecast_nmse"] == pytest.approx(found()["forecast_nmse"])


def test_the_decoder_is_the_one_that_an_experiment_trains():
    measured = ("ood_nmse", "truth_correlation")
    experiment = Experiment(problem=TINY.problem, model=TINY.model, recipe=TINY.recipe, measures=measured)
    (outcome,) = Experiment.run_together([experiment])
    assert found()["ood_nmse"] == pytest.approx(outcome.measures["ood_nmse"])
    assert found()["truth_agreement"] == pytest.approx(outcome.measures["truth_correlation"])


def test_the_forecast_is_the_one_made_before_training():
    expected = {section.name: section.expected for section in forecast(TINY.problem).sections}
    assert found()["forecast_nmse"] == pytest.approx(expected["ood"])


def test_it_says_how_long_it_will_take_and_is_read_back():
    assert TINY.expected_seconds() > 0
    assert calculations.parse(TINY.settings()) == TINY
    assert not DecoderOracle.exact


def test_a_component_task_is_refused():
    sums = Problem(tasks.addition(), regions.anchors(first=4, second=4))
    with pytest.raises(InputError, match=r"task 'addition' draws no pictures .*; use e\.g\. bump"):
        DecoderOracle(problem=sums, model=models.mlp(width=4), recipe=Recipe(steps=2)).compute()


def test_a_model_without_a_network_is_refused():
    with pytest.raises(InputError, match=r"the model truth .* has no network to build or train"):
        change(TINY, model="truth").compute()
