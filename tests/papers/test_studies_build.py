"""Every claim builds at every scale, reads back from its own settings, and takes its first steps."""

import pytest

from recombine.core.spec import canonical_json
from recombine.measures import measures
from recombine.papers import Scale, papers
from recombine.studies import Experiment, change
from recombine.training import run

CLAIMS = {claim.id: claim for claim in papers.claims()}


@pytest.mark.parametrize("scale", Scale)
@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_a_claim_builds_at_every_scale(claim, scale):
    experiments = claim.experiments(scale)
    assert len({experiment.digest() for experiment in experiments}) == len(experiments)
    for experiment in experiments:
        assert Experiment.read(experiment.settings()) == experiment
    assert claim.seeds[scale] >= 3
    assert {check.quantity for check in claim.checks} <= set(measures)


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
def test_a_claim_measures_what_it_checks(claim):
    for scale in Scale:
        for name, setting in claim.settings.items():
            needed = {check.quantity for check in claim.checks if check.of == name}
            assert needed <= set(setting(scale).measures)


def first_steps() -> dict[str, Experiment]:
    """One experiment of each distinct setting of all claims at all scales, cut to two steps of four examples."""
    found = {}
    for claim in CLAIMS.values():
        for scale in Scale:
            for experiment in claim.experiments(scale):
                if experiment.seed == 0:
                    short = change(experiment, recipe=change(experiment.recipe, steps=2, batch=4))
                    problem = experiment.problem.task.settings()
                    # Two steps of the same network on the same pictures are one test, whatever is held out.
                    found[
                        canonical_json([short.model.settings(), short.model.kind, problem, len(short.recipe.penalties)])
                    ] = short
    return found


@pytest.mark.parametrize("experiment", first_steps().values(), ids=lambda e: f"{e.model.kind}-{e.problem.task.n}")
def test_every_setting_takes_its_first_steps(experiment):
    outcome = run(change(experiment, measures=("id_nmse", "ood_nmse")).plan())
    assert outcome.status == "done"
    assert outcome.measures["id_nmse"] >= 0


def test_ids_are_unique_and_carry_the_paper_prefix():
    every = papers.claims()
    assert len({claim.id for claim in every}) == len(every)
    for paper in papers.values():
        assert all(claim.id.startswith(paper.prefixes) for claim in paper.claims)


def test_every_claim_has_a_source_for_each_range():
    assert all(check.source for claim in CLAIMS.values() for check in claim.checks)
