"""The claims of the diffusion paper: which there are, what they compare, and the sizes of their settings."""

import math

import numpy as np
import pytest

from recombine.data.pictures import Picture
from recombine.papers import Claim, Scale, papers
from recombine.papers.diffusion_factorize import canvases as c
from recombine.papers.diffusion_factorize.claiming import KEY
from recombine.papers.diffusion_factorize.forecasting import ForecastOfDiffusion
from recombine.studies import Experiment
from recombine.studies.kernel_forecasting import check_forecast_size
from recombine.training.run import fitting

PAPER = papers[KEY]
CLAIMS: dict[str, Claim] = {claim.id: claim for claim in PAPER.claims}
each_claim = pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
each_scale = pytest.mark.parametrize("scale", Scale)


def settings():
    """Every setting of every claim and control, with repetitions."""
    return [made for claim in PAPER.claims for made in (*claim.settings.values(), *claim.control.settings.values())]


def experiments(scale):
    return [work for work in (made(scale) for made in settings()) if isinstance(work, Experiment)]


def test_every_claim_of_the_paper_and_our_own():
    assert {claim for claim in CLAIMS if claim.startswith("DF")} == {f"DF{n}" for n in range(1, 24)}
    assert [claim.id for claim in papers.claims(["DX"])] == [f"DX{n}" for n in range(1, 10)]


def test_minutes_suffice_for_the_headlines():
    assert {claim.id for claim in PAPER.claims_at(Scale.QUICK)} == {"DF1", "DF8", "DF9", "DF14", "DF15"}


@each_claim
def test_a_control_looks_at_other_runs_than_its_claim(claim):
    theirs = {name: made(Scale.LAPTOP).digest() for name, made in claim.settings.items()}
    controls = {name: made(Scale.LAPTOP).digest() for name, made in claim.control.settings.items()}
    assert [name for name in controls if controls[name] != theirs.get(name)]
    for check in claim.checks:
        assert check.beside is None or theirs[check.of] != theirs[check.beside], check.where()
    # What a control must contradict compares other runs, and no run with itself.
    able = [
        check
        for check in claim.checks
        if (check.beside is None or controls[check.of] != controls[check.beside])
        and any(controls[name] != theirs[name] for name in check.settings)
    ]
    assert able


@each_scale
def test_a_name_is_one_setting(scale):
    made = {}
    for each in settings():
        made.setdefault(each.__name__, set()).add(each(scale).digest())
    assert {name for name, digests in made.items() if len(digests) > 1} == set()


@each_scale
def test_models_fit_their_pictures_whose_values_lie_between_0_and_1(scale):
    for experiment in experiments(scale):
        task = experiment.problem.task
        assert isinstance(task, Picture)
        inputs = task.codes(np.zeros((1, 2))).shape[1]
        experiment.model.check(fitting(experiment.problem, inputs, task.image))
        darkest = task.pictures(np.array([[3.0, 5.0], [0.0, 0.0]]))
        assert darkest.min() >= 0
        assert darkest.max() <= 1


@each_scale
def test_every_model_of_a_comparison_takes_the_same_number_of_steps_with_batches_of_one_size(scale):
    """Claims about the start of training compare other numbers of steps on purpose."""
    for claim in PAPER.claims:
        if claim.id == "DF3":
            continue
        works = [made(scale) for made in claim.settings.values()]
        kept = {(w.recipe.steps, w.recipe.batch, w.recipe.rate) for w in works if isinstance(w, Experiment)}
        assert len(kept) <= 1


def test_the_papers_own_scale_has_its_numbers():
    for made, sigma in ((c.sums, 1.0), (c.bumps, 1.0), (c.torus, 1.0), (c.lattice[0.3, 0.2], 0.3)):
        work = made(Scale.PAPER)
        task, recipe = work.problem.task, work.recipe
        assert (work.model.kind, work.model.width, work.model.steps) == ("diffusion-unet", 64, 1000)
        assert task.n == 32
        # Theirs stands in exp(-d^2 / (4 sigma^2)).
        assert 2 * task.sigma**2 == pytest.approx(4 * sigma**2)
        assert (recipe.rate, recipe.schedule, recipe.optimiser) == (3e-4, "one-cycle", "adamw")
        assert task.codes(np.zeros((1, 2))).shape == (1, 512)
    assert c.sums(Scale.PAPER).problem.spacing == 0.1
    assert c.sums(Scale.PAPER).recipe.steps == 160_000
    assert c.sums(Scale.PAPER).recipe.batch == 128


@each_scale
def test_the_cross_is_held_out_and_only_stripes_show_its_values(scale):
    size = c.SIZES[scale]
    low, high = size.cross

    def in_band(values):
        return (values >= low - 0.5 - 1e-6) & (values <= high - 0.5 + 1e-6)

    parts = c.sums(scale).problem.parts
    width = high - low
    assert {name: int(parts.sections[name].sum()) for name in ("vertical", "horizontal", "intersection")} == {
        "vertical": width * (size.n - width),
        "horizontal": width * (size.n - width),
        "intersection": width**2,
    }
    if scale is Scale.PAPER:
        return  # the same settings with more pictures
    shown = c.sums(scale).problem.training_set().positions
    assert not in_band(shown).any()
    in_pixel = round(1 / size.spacing)
    assert len(shown) == (size.n * in_pixel - (width * in_pixel + 1)) ** 2  # none on the border of the cross
    both = c.sums_and_stripes(scale).problem.training_set().positions
    y_in, x_in = in_band(both).T
    inside_picture = ((both >= -0.5) & (both < size.n - 0.5)).all(axis=1)
    assert y_in.any()
    assert x_in.any()
    assert not ((y_in | x_in) & inside_picture).any()


@pytest.mark.parametrize("stripes", [c.stripes, c.stripes_rim, c.bumps_and_stripes])
def test_stripes_show_every_value_and_the_rim_crossings_beyond_the_border(stripes):
    problem = stripes(Scale.LAPTOP).problem
    positions = problem.training_set().positions
    outside = (positions < -0.5 - 1e-6) | (positions > 15.5 - 1e-6)
    alone_x, alone_y = positions[outside[:, 0] & ~outside[:, 1], 1], positions[outside[:, 1] & ~outside[:, 0], 0]
    for values in (alone_x, alone_y):
        assert len(np.unique(values.round(6))) == 16 * 4
    pictures = problem.task.pictures(positions[outside.any(axis=1)])
    ink = 1 - pictures.min(axis=(1, 2))
    assert (ink.max() > 0.5 + 1e-3) == (stripes is c.stripes_rim)  # a crossing has more than a stripe


def test_widths_and_sides_are_the_same_beside_the_picture_on_a_laptop_and_in_the_paper():
    for width in c.WIDTHS:
        shares = {scale: c.lesions[width](scale).problem.parts.held_out.mean() for scale in (Scale.LAPTOP, Scale.PAPER)}
        assert shares[Scale.LAPTOP] == pytest.approx(width / 16)
        assert shares[Scale.PAPER] == pytest.approx(width / 16 if width > 1 else 1 / 32)
    assert {1, 8} <= {32 * c.lesions[width](Scale.PAPER).problem.parts.held_out.mean() for width in c.WIDTHS}
    for (_, _, side), made in c.squares.items():
        assert made(Scale.LAPTOP).problem.parts.held_out.mean() == pytest.approx((side / 16) ** 2)
        assert made(Scale.PAPER).problem.parts.held_out.mean() == pytest.approx((side / 16) ** 2)


def test_parts_of_a_lattice_are_nested_and_the_same_for_every_sigma():
    for seed in (0, 1):
        shown = {key: made(Scale.LAPTOP).problem.training_set(seed).positions for key, made in c.lattice.items()}
        for sigma in c.SIGMAS:
            assert [len(shown[sigma, part]) for part in c.PARTS] == [math.floor(64 * p + 0.5) for p in c.PARTS]
            for part in c.PARTS:
                few = shown[sigma, part]
                assert np.array_equal(shown[c.SIGMAS[0], 1.0][: len(few)], few)


def test_everything_that_is_forecast_fits_in_memory():
    for published in (False, True):
        for training in ForecastOfDiffusion(published=published).trainings():
            check_forecast_size(training.problem)


@pytest.mark.parametrize("claim", ["DF12", "DF13", "DX2", "DX3", "DX4"])
def test_calculations_train_the_published_network_on_its_pictures_at_the_papers_scale_and_no_other(claim):
    """Sizes of the pictures are what DF12 and DF13 ask about; sigma and pad are published ones there at every scale.

    Only there are times of noise drawn from the middle, and only below `paper` scale.
    """
    for scale in Scale:
        works = CLAIMS[claim].works(scale)
        trained = [each for work in works for each in ([work] if isinstance(work, Experiment) else work.trainings())]
        for training in trained:
            paper = scale is Scale.PAPER
            kind, width = ("diffusion-unet", 64) if paper else ("diffusion", 24)
            assert (training.model.kind, training.model.width) == (kind, width)
            task = training.problem.task
            assert task.codes(np.zeros((1, 2))).shape == (1, 512 if paper else 64)
            need = claim in ("DF12", "DF13")
            batch = 16 if need else 64
            assert (training.recipe.batch, training.recipe.rate) == ((128, 3e-4) if paper else (batch, 8e-3))
            assert training.model.times == ("logit-normal" if need and not paper else "uniform")
            assert task.pad == (6 if paper or need else 4)
            assert (paper or need) == (2 * task.sigma**2 == pytest.approx(4))
            assert (task.n == 32) == paper or need
        sizes = {training.problem.task.n for training in trained}
        if claim in ("DF12", "DF13"):
            assert sizes == ({16, 24, 32} if scale is Scale.PAPER else {16, 32})
        else:
            assert sizes == {32 if scale is Scale.PAPER else 16}


def test_most_of_every_sweep_is_run_by_a_claim():
    run = {work.digest() for claim in PAPER.claims for work in claim.works(Scale.LAPTOP)}
    for sweep in PAPER.sweeps:
        there = {}
        for series, _, work in sweep.works(Scale.LAPTOP):
            there.setdefault(series, []).append(work.digest() in run)
        assert all(np.mean(each) >= 0.8 for each in there.values()), sweep.key
