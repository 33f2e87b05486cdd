"""The claims of first principles: which there are, what they compare, and what their controls exchange."""

import pytest

from recombine.data.scenes import Sprites
from recombine.papers import Average, Claim, Scale, papers
from recombine.papers.first_principles import scenes
from recombine.papers.first_principles.claiming import KEY
from recombine.splits.designs import DiagonalSupport
from recombine.studies import Experiment
from recombine.training.run import build

PAPER = papers[KEY]
CLAIMS: dict[str, Claim] = {claim.id: claim for claim in PAPER.claims}
each_claim = pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)


def test_every_claim_of_the_paper_and_our_own_in_order():
    assert list(CLAIMS) == [*(f"FP{n}" for n in range(1, 13)), *(f"FPX{n}" for n in range(1, 11))]
    assert [claim.id for claim in papers.claims(["FPX"])] == [f"FPX{n}" for n in range(1, 11)]
    assert [claim.id for claim in papers.claims(["fp"])] == [f"FP{n}" for n in range(1, 13)]  # FPX1 is no FP claim


def test_minutes_suffice_for_the_headlines():
    assert [claim.id for claim in PAPER.claims_at(Scale.QUICK)] == ["FP2", "FP4", "FP7", "FP9"]


@each_claim
def test_a_control_looks_at_other_runs_than_its_claim(claim):
    """In at least one check that it must contradict, both sides are other works than the claim's own in that place."""
    theirs = {name: setting(Scale.LAPTOP).digest() for name, setting in claim.settings.items()}
    controls = {name: setting(Scale.LAPTOP).digest() for name, setting in claim.control.settings.items()}
    changed = [name for name in controls if controls[name] != theirs.get(name)]
    assert changed
    for check in claim.checks:
        if check.beside is not None:
            assert controls[check.of] != controls[check.beside], f"{check.where()} is a setting beside itself"
            assert theirs[check.of] != theirs[check.beside]


@each_claim
def test_errors_are_judged_by_factors_and_r2_by_means(claim):
    for check in claim.checks:
        whole = check.quantity.partition(".")[0]
        expected = Average.GEOMETRIC if whole.endswith(("mse", "ratio", "error")) else Average.MEAN
        assert check.minus is not None or check.average is expected


def test_the_papers_own_scale_has_its_numbers():
    compositional, monolithic = scenes.planes(Scale.PAPER), scenes.planes_mono(Scale.PAPER)
    for work in (compositional, monolithic):
        assert isinstance(work, Experiment)
        recipe, task = work.recipe, work.problem.task
        assert (recipe.steps, recipe.batch, recipe.rate, recipe.schedule) == (392_000, 512, 1e-3, "cosine")
        assert work.problem.examples == 100_000
        assert isinstance(task, Sprites)
        assert (task.size, task.scales, task.raster, task.composition.kind) == (64, (0.09, 0.22), "touched", "hard")
    sizes = [
        sum(parameter.numel() for parameter in build(work.problem, work.model, 0).parameters())
        for work in (compositional, monolithic)
    ]
    assert sizes == [554_950, 587_779]


def test_diagonals_are_as_wide_beside_the_sprites_as_released():
    for made, released in ((scenes.narrow, 0.05), (scenes.middle, 0.1), (scenes.wide, 0.2)):
        laptop, paper = (made(scale).problem.support for scale in (Scale.LAPTOP, Scale.PAPER))
        assert (laptop, paper) == (DiagonalSupport(width=2 * released), DiagonalSupport(width=released))


def test_models_that_are_compared_are_about_as_large():
    sizes = {
        made: sum(p.numel() for p in build(made(Scale.LAPTOP).problem, made(Scale.LAPTOP).model, 0).parameters())
        for made in (scenes.planes, scenes.planes_mono)
    }
    assert max(sizes.values()) < 1.1 * min(sizes.values())


def test_every_setting_of_a_sweep_is_run_by_a_claim():
    run = {work.digest() for claim in PAPER.claims for work in claim.works(Scale.LAPTOP)}
    left_out = {
        f"{sweep.key}, {series}, {number:g}"
        for sweep in PAPER.sweeps
        for series, number, work in sweep.works(Scale.LAPTOP)
        if work.digest() not in run
    }
    assert not left_out
