"""Every claim builds at every scale, reads back from its own settings, and takes its first steps."""

from importlib import import_module
from itertools import chain

import numpy as np
import pytest

from recombine.core.errors import InputError
from recombine.core.spec import canonical_json, dump
from recombine.data.components import ComponentTask
from recombine.data.functions import FunctionTask
from recombine.data.image_sets import load_images
from recombine.data.scenes import Sprites
from recombine.measures import measures
from recombine.papers import Scale, papers
from recombine.papers.diffusion_factorize.data_need import DiffusionDataNeed
from recombine.papers.diffusion_factorize.forecasting import ForecastOfDiffusion
from recombine.papers.diffusion_factorize.sampling import SamplingWays
from recombine.studies import Calculation, Experiment, Work, calculations, change
from recombine.training import run
from recombine.training.loop import Member, fit
from recombine.training.run import build

CLAIMS = {claim.id: claim for claim in papers.claims()}
each_claim = pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)


def read_back(work: Work) -> Work:
    return Experiment.read(work.settings()) if isinstance(work, Experiment) else calculations.parse(work.settings())


def measured_by(work: Work) -> set[str]:
    """The names of what a piece of work records."""
    if isinstance(work, Calculation):
        return set(work.quantities)
    assert isinstance(work, Experiment)
    return set(work.measures)


@pytest.mark.parametrize("scale", Scale)
@each_claim
def test_a_claim_builds_at_every_scale(claim, scale):
    works = claim.works(scale)
    assert works
    assert len({work.digest() for work in works}) == len(works)
    for work in works:
        assert read_back(work) == work
        assert read_back(work).digest() == work.digest()
    assert claim.seeds[scale] >= 3


@each_claim
def test_building_needs_none_of_the_pictures(claim, monkeypatch, tmp_path):
    """At the papers' scale some pictures must be fetched first; describing and planning must do without."""
    monkeypatch.setenv("RECOMBINE_DATA", str(tmp_path))
    for work in claim.works(Scale.PAPER):
        assert work.line()
        assert work.title()
        assert work.forecast_digest is None or len(work.forecast_digest) == 16


@pytest.mark.parametrize("scale", Scale)
@each_claim
def test_a_claim_measures_all_that_is_checked_and_its_control_some_of_it(claim, scale):
    def there(runs, check):
        names = {check.quantity, check.quantity.partition(".")[0]}
        return all(names & set(measured_by(work)) for name in check.settings for work in runs[name])

    assert all(there(claim.runs(scale), check) for check in claim.checks_at(scale))
    # A control without hidden layers, such as the true pictures, lacks what is measured in them.
    assert any(there(claim.control_runs(scale), check) for check in claim.checks_at(scale))


@each_claim
def test_what_is_exact_runs_once_and_the_rest_once_per_seed(claim):
    for scale in Scale:
        for works in claim.runs(scale).values():
            seeds = 1 if works[0].exact else claim.seeds[scale]
            assert [work.seed for work in works] == list(range(seeds))
        for works in claim.control_runs(scale).values():
            assert len(works) <= max(1, min(claim.seeds[scale], claim.control.most_seeds))


@each_claim
def test_differences_are_taken_between_settings_with_the_same_seeds(claim):
    for scale in Scale:
        for runs in (claim.runs(scale), claim.control_runs(scale)):
            for check in claim.checks_at(scale):
                assert len({len(runs[name]) for name in check.settings}) == 1


def short(experiment: Experiment) -> Experiment:
    """The same cut to two steps of four examples, with one tuple of pictures to train on and one to be asked."""
    recipe = change(experiment.recipe, steps=2, batch=4, stop=None)
    problem, task = experiment.problem, experiment.problem.task
    if isinstance(task, Sprites):
        few = change(problem, task=change(task, tests=4), examples=12)
        return change(experiment, recipe=recipe, problem=few, measures=("id_mse", "all_mse"))
    if experiment.model.generative:  # large networks: one step, and nothing on the way
        recipe = change(recipe, steps=1, batch=2)
        return change(experiment, recipe=recipe, measures=("id_nmse", "ood_nmse"), exhibits=(), checkpoints=0)
    if not isinstance(task, ComponentTask):
        return change(experiment, recipe=recipe, measures=("id_nmse", "ood_nmse"))
    if task.images is not None:
        few = change(task.images, total=int(problem.trained.sum()), per_category=5, questions=1)
        problem = change(problem, task=change(task, images=few))
    return change(experiment, recipe=recipe, problem=problem)


def trained_by(work: Work) -> list[Experiment]:
    """The experiments that a piece of work trains: itself, or those a calculation tells."""
    if isinstance(work, Experiment):
        return [work]
    return work.trainings() if isinstance(work, DiffusionDataNeed | ForecastOfDiffusion | SamplingWays) else []


def first_steps() -> dict[str, tuple[Experiment, bool]]:
    """A short experiment of each distinct setting of all claims, and whether only the papers' own scale has it."""
    found: dict[str, tuple[Experiment, bool]] = {}
    for claim in CLAIMS.values():
        for scale in Scale:
            for experiment in chain(*(trained_by(work) for work in claim.works(scale) if work.seed == 0)):
                cut = short(experiment)
                # Two steps of the same network on the same inputs are one test, whatever is held out.
                what = [dump(cut.model), dump(_without_total(cut).task), cut.recipe.loss, cut.recipe.optimiser]
                added = [each.kind for each in (*cut.recipe.penalties, cut.recipe.noise) if each is not None]
                name = canonical_json([*what, added])
                found.setdefault(name, (cut, scale is Scale.PAPER))
    return found


def _without_total(experiment: Experiment):
    task = experiment.problem.task
    if isinstance(task, ComponentTask) and task.images is not None:
        return change(experiment.problem, task=change(task, images=change(task.images, total=1000)))
    return experiment.problem


def named(value: Experiment | bool) -> str:
    if isinstance(value, bool):
        return "paper" if value else ""
    experiment, task = value, value.problem.task
    images = getattr(task, "images", None)
    size = f"-{images.set}-{images.distance}" if images else ""
    return f"{experiment.model.kind}-{task.kind}{size}-{experiment.recipe.loss}"


@pytest.mark.parametrize(("experiment", "large"), first_steps().values(), ids=named)
def test_every_setting_takes_its_first_steps(experiment, large, monkeypatch):
    monkeypatch.setattr(import_module("recombine.training.observe"), "DENOISED", 64)  # pictures; many take long
    images = getattr(experiment.problem.task, "images", None)
    if images is not None:
        try:
            load_images(images.set)
        except InputError:
            pytest.skip(f"{images.set} is not on this machine")
    if large and experiment.model.trainable:  # steps only: to look at every combination takes minutes on a CPU
        problem, seed = experiment.problem, experiment.seed
        network = build(problem, experiment.model, seed)
        (history,) = fit([Member(network, problem.training_set(seed), experiment.recipe, seed)])
        assert history.diverged is None
        assert np.isfinite(history.losses).all()
        return
    outcome = run(experiment.plan())
    assert outcome.status == "done"
    # Where functions are revealed nothing is held out.
    revealed = experiment.problem.reveal and isinstance(experiment.problem.task, FunctionTask)
    undefined = {"ood_mse", "ood_nmse"} if revealed else set()
    assert set(outcome.undefined) <= undefined
    assert set(outcome.measures) == set(experiment.measures) - undefined


def test_ids_are_unique_and_carry_the_paper_prefix():
    every = papers.claims()
    assert len({claim.id for claim in every}) == len(every)
    for paper in papers.values():
        assert all(claim.id.startswith(paper.prefixes) for claim in paper.claims)


def test_every_claim_has_a_source_for_each_range():
    assert all(check.source for claim in CLAIMS.values() for check in claim.checks)


def test_every_quantity_is_known():
    known = set(measures).union(*(cls.quantities for cls in calculations.values()))
    assert {check.quantity.partition(".")[0] for claim in CLAIMS.values() for check in claim.checks} <= known
