"""What a plan says of cost: each kind of work is timed once, and long measuring is drawn from a short one."""

import os
from importlib import import_module

import pytest

from recombine.core.errors import InputError
from recombine.data import Problem, tasks
from recombine.models import models
from recombine.splits import regions
from recombine.studies import Experiment, change, cost
from recombine.studies.processes import WORKER_ENVIRONMENT
from recombine.studies.stacks import Stack
from recombine.training import Recipe
from recombine.training.observe import DENOISED, pictures_denoised
from recombine.training.run import build, measure_network

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
    assert [found[each.digest()] for each in members] == [13.0, 13.0, 13.0, 17.0, 43.0]  # looked at thrice on the way
    assert told == [(done, 5) for done in range(6)]  # the first before anything is timed


def test_what_is_of_the_end_alone_is_counted_once(monkeypatch):
    torus = Problem(tasks.torus(n=8), regions.block(x=(0, 1), y=(0, 1)), reveal=True)
    experiment = change(DRAWN, problem=torus, measures=("participation", "holes"), exhibits=("bars",), checkpoints=5)
    taken = {("bars", "holes", "participation"): 100.0, ("participation",): 1.0}
    monkeypatch.setattr(cost, "_known", {})
    monkeypatch.setattr(cost, "seconds_per_step", lambda _: 0.0)
    monkeypatch.setattr(cost, "seconds_of_measuring", lambda e: taken[tuple(sorted((*e.measures, *e.exhibits)))])
    assert cost.seconds_together(experiment) == 100.0 + 6 * 1.0


def test_other_measures_of_a_stackable_network_are_timed_anew(timings):
    plain = change(DRAWN, model=models.parse({"kind": "mlp-decoder", "width": 4, "depth": 1}))
    for each in (plain, change(plain, seed=1), change(plain, measures=("ood_nmse", "id_nmse"))):
        cost.seconds_together(each)
    assert timings == {"step": 1, "measuring": 2}


def test_nothing_is_told_of_no_stacks():
    assert cost.seconds([], lambda *_: pytest.fail("there is nothing to tell")) == {}


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
        passes, measures = asked[-1]
        return 2.0 + 3.0 * passes + 5.0 * measures * passes  # what is measured of noise may take any time

    def measured(plan, network):
        asked.append((plan.model.passes, len(plan.measures)))
        assert network.sampler.steps == plan.model.passes
        return None, {}, {}

    monkeypatch.setattr(cost, "seconds_of_a_pass", lambda _: 1e-6)
    monkeypatch.setattr(cost, "cpu_seconds", taking)
    monkeypatch.setattr(import_module("recombine.training.run"), "measure_network", measured)
    assert experiment.model.passes == passes
    assert cost.seconds_of_measuring(experiment) == pytest.approx(2.0 + 3.0 * passes + 5.0 * cost.FEW)
    assert asked == [(cost.FEW, 0), (cost.MORE, 0), (cost.FEW, 1)]


def test_measuring_that_takes_far_too_long_is_told_from_a_pass(monkeypatch):
    monkeypatch.setattr(import_module("recombine.training.run"), "measure_network", lambda *_: pytest.fail("measured"))
    monkeypatch.setattr(cost, "cpu_seconds", lambda act: act() and 0.5 * cost.PART)  # half a second a place
    # 64 places, each drawn in 10 passes and shown 4 times, and the error of denoising of what was shown and what not.
    assert cost.seconds_of_measuring(DRAWN) == pytest.approx(0.5 * (64 * 14 + 2 * DENOISED))


@pytest.mark.parametrize("passes", [2, 5])
def test_pictures_that_are_denoised_are_counted(monkeypatch, passes):
    brief = change(DRAWN, model=DRAWN.model.in_passes(passes), measures=())
    network = build(brief.problem, brief.model, brief.seed)
    seen = []
    usual = type(network.denoiser).stages

    def counted(self, pictures, times, codes):
        seen.append(len(pictures))
        return usual(self, pictures, times, codes)

    monkeypatch.setattr(type(network.denoiser), "stages", counted)
    measure_network(brief.plan(), network)
    assert sum(seen) == pictures_denoised(PROBLEM, passes)


@pytest.mark.parametrize(
    ("batch", "each", "asked", "step"),
    [
        (96, 0.001, [(2, 16), (1, 16), (1, 32), (1, 64), (1, 96), (2, 96), (10, 96)], 0.096),
        (96, 0.02, [(2, 16), (1, 16), (1, 32), (1, 64), (1, 96)], 1.92),
        (96, 0.1, [(2, 16), (1, 16), (1, 32)], 9.6),
        (96, 3.0, [(2, 16), (1, 16)], 288.0),
        (4, 3.0, [(2, 4), (1, 4)], 12.0),
        ("all", 0.001, [(2, 16), (1, 16), (1, 32), (1, 58), (2, 58), (10, 58)], 0.058),
    ],
)
def test_a_step_that_takes_long_is_told_from_part_of_its_batch(monkeypatch, batch, each, asked, step):
    """As if a step took so many seconds for each example."""
    found = []

    def fitted(members):
        found.append((members[0].recipe.steps, members[0].batch))

    monkeypatch.setattr(import_module("recombine.training.loop"), "fit", fitted)
    monkeypatch.setattr(cost, "cpu_seconds", lambda act: act() or each * found[-1][0] * found[-1][1])
    assert cost.seconds_per_step([change(DRAWN, recipe=Recipe(batch=batch))]) == pytest.approx(step)
    assert found == asked


def test_a_network_of_one_pass_is_measured_as_it_is():
    plain = change(DRAWN, model=models.parse({"kind": "mlp-decoder", "width": 4, "depth": 1}))
    assert plain.model.passes == 1
    assert plain.model.in_passes(1) == plain.model
    assert cost.seconds_of_measuring(plain) > 0


def test_a_share_of_lone_factors_is_timed_on_a_part_of_its_batch():
    striped = change(PROBLEM, isolated=("y", "x"))
    asked = change(DRAWN, problem=striped, recipe=Recipe(steps=1, batch=64, lone=0.02))
    assert cost.seconds_per_step([asked]) > 0


def test_exhibits_are_timed_too(monkeypatch):
    drawn = []
    monkeypatch.setattr(
        import_module("recombine.training.run"), "exhibited", lambda plan, _: drawn.extend(plan.exhibits)
    )
    cost.seconds_of_measuring(change(DRAWN, exhibits=("portraits",)))
    assert drawn == ["portraits"]


def test_aside_is_a_process_that_inherits_what_workers_do(monkeypatch):
    monkeypatch.setattr(cost, "seconds_of", environment_of)
    monkeypatch.setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=0")
    told = []
    found = cost.seconds_aside([Stack((DRAWN,))], lambda *counted: told.append(counted))
    assert found == {WORKER_ENVIRONMENT["GLIBC_TUNABLES"]: 1.0}
    assert os.environ["GLIBC_TUNABLES"] == "glibc.malloc.hugetlb=0"
    assert told == [(0, 1), (1, 1)]


def environment_of(stack):
    return {os.environ["GLIBC_TUNABLES"]: float(len(stack))}


def test_a_process_that_dies_while_it_times_is_a_sentence(monkeypatch):
    monkeypatch.setattr(cost, "seconds_of", dying)
    with pytest.raises(InputError, match="died, perhaps for want of memory; plan fewer claims"):
        cost.seconds_aside([Stack((DRAWN,))])


def dying(stack):
    os._exit(1)
