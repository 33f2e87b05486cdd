"""What a plan says of cost: each kind of work is timed once, and long measuring is drawn from a short one."""

from importlib import import_module

import pytest

from recombine.data import Problem, tasks
from recombine.models import models
from recombine.splits import regions
from recombine.studies import Experiment, change, cost
from recombine.studies.stacks import Stack
from recombine.training import Recipe

PROBLEM = Problem(tasks.bump(n=8), regions.block(x=(3, 5), y=(3, 6)))
DRAWN = Experiment(
    problem=PROBLEM,
    model=models.diffusion(width=4, pairs=2),
    recipe=Recipe(steps=3, batch=4),
    measures=("ood_nmse",),
)


@pytest.fixture
def timings(monkeypatch):
    """How often steps and measuring are timed; a step takes one second, measuring ten."""
    calls = {"step": 0, "measuring": 0}

    def taking(name, seconds):
        def timed(_):
            calls[name] += 1
            return seconds

        return timed

    monkeypatch.setattr(cost, "_known", {})
    monkeypatch.setattr(cost, "seconds_per_step", taking("step", 1.0))
    monkeypatch.setattr(cost, "seconds_of_measuring", taking("measuring", 10.0))
    return calls


def test_runs_that_differ_in_seed_steps_and_split_are_timed_once(timings):
    other = Problem(tasks.bump(n=8), regions.block(x=(2, 6), y=(3, 6)))
    members = [
        DRAWN,
        change(DRAWN, seed=1),
        change(DRAWN, problem=other),
        change(DRAWN, recipe=change(DRAWN.recipe, steps=7)),
        change(DRAWN, checkpoints=2),
    ]
    told = []
    found = cost.seconds([Stack((each,)) for each in members], lambda *counted: told.append(counted))
    assert timings == {"step": 1, "measuring": 1}
    assert [found[each.digest()] for each in members] == [13.0, 13.0, 13.0, 17.0, 33.0]
    assert told == [(done, 5) for done in range(1, 6)]


def test_another_network_and_other_measures_are_timed_anew(timings):
    wider = change(DRAWN, model=models.diffusion(width=8, pairs=2))
    more = change(DRAWN, measures=("ood_nmse", "id_nmse"))
    cost.seconds([Stack((each,)) for each in (DRAWN, wider, more)])
    assert timings == {"step": 2, "measuring": 3}


@pytest.mark.parametrize(("settings", "passes"), [({}, 10), ({"samples": 40}, 40), ({"sampler": "ddpm"}, 1000)])
def test_drawing_in_many_passes_is_a_line_through_few(monkeypatch, settings, passes):
    experiment = change(DRAWN, model=change(DRAWN.model, **settings))
    asked = []

    def taking(act):
        act()
        return 2.0 + 3.0 * asked[-1]

    def measured(plan, network):
        asked.append(plan.model.passes)
        assert network.sampler.steps == plan.model.passes

    monkeypatch.setattr(cost, "cpu_seconds", taking)
    monkeypatch.setattr(import_module("recombine.training.run"), "measure_network", measured)
    assert experiment.model.passes == passes
    assert cost.seconds_of_measuring(experiment) == pytest.approx(2.0 + 3.0 * passes)
    assert asked == [cost.FEW, cost.MORE]


def test_a_network_of_one_pass_is_measured_as_it_is():
    plain = change(DRAWN, model=models.parse({"kind": "mlp-decoder", "width": 4, "depth": 1}))
    assert plain.model.passes == 1
    assert plain.model.in_passes(1) == plain.model
    assert cost.seconds_of_measuring(plain) > 0
