"""Calculations of the diffusion paper that train networks: what they make of what is planted, and one in small."""

from importlib import import_module

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis.strategies import floats, lists

from recombine.core.errors import InputError
from recombine.papers import Scale
from recombine.papers.diffusion_factorize import data_need, forecasting, sampling
from recombine.papers.diffusion_factorize.data_need import ACCURATE, LADDER, DiffusionDataNeed, first_at, tries
from recombine.papers.diffusion_factorize.forecasting import ForecastOfDiffusion
from recombine.papers.diffusion_factorize.sampling import COUNTS, SamplingWays
from recombine.papers.diffusion_factorize.tori import IdealShape
from recombine.studies.work import change
from recombine.training import Outcome

# How much is needed


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((0.7, 0.8, 0.9), 10.0),  # the first is enough
        ((0.5, 0.7, 0.9), np.sqrt(11 * 101) - 1),  # half-way in log(1 + amount)
        ((0.0, 0.2, 1.0), np.sqrt(101 * 1001) - 1),
        ((0.6, 0.5, 0.7), np.sqrt(101 * 1001) - 1),  # it must stay there
        ((0.5, 0.7, 0.5), None),
        ((0.1, 0.2, 0.3), None),
    ],
)
def test_the_first_amount_at_a_level(values, expected):
    found = first_at(np.array([10.0, 100.0, 1000.0]), np.array(values), 0.6)
    assert found == (expected if expected is None else pytest.approx(expected))


@pytest.mark.parametrize("sizes", [(), (16, 8), (8, 8)])
def test_sizes_that_do_not_rise_are_refused(sizes):
    with pytest.raises(InputError, match="must rise, and be one at least"):
        DiffusionDataNeed(sizes=sizes)


def test_a_share_of_stripes_needs_stripes_and_reaches_training():
    with pytest.raises(InputError, match="set stripes = true, or leave it out"):
        DiffusionDataNeed(lone=0.5)
    with pytest.raises(InputError, match="of a batch of 16"):
        DiffusionDataNeed(lone=0.01, stripes=True, batch=16)
    assert DiffusionDataNeed(lone=0.5, stripes=True).training(8, 16).recipe.lone == 0.5


def test_steps_are_the_same_at_every_size():
    calculation = DiffusionDataNeed(sizes=(8, 16, 24), steps=900)
    assert [training.recipe.steps for training in calculation.trainings()] == [900, 900, 900]


def test_times_of_noise_reach_training():
    assert DiffusionDataNeed(times="logit-normal").training(8, 16).model.times == "logit-normal"
    assert DiffusionDataNeed().training(8, 16).model.times == "uniform"


def test_a_network_that_diverged_has_no_place_right():
    assert DiffusionDataNeed(sizes=(8,), steps=10, batch=4, rate=1e12).right(8, 16) == (0.0, 0.0)


def planted_need(monkeypatch, right, **settings):
    monkeypatch.setattr(DiffusionDataNeed, "right", lambda self, n, bumps: (n / 20, right(n, bumps)))
    return DiffusionDataNeed(steps=1, **settings).compute()


@pytest.mark.parametrize("power", [1, 2])
def test_slopes_are_those_that_were_planted(monkeypatch, power):
    """Bumps needed grow as 40 N^power / 8^power: accuracy crosses the level there, along log(1 + bumps)."""

    def right(n, bumps):
        return float(0.6 + 0.01 * np.log((1 + bumps) / (1 + 40 * (n / 8) ** power)))

    found = planted_need(monkeypatch, right)
    assert found.measures["slope"] == pytest.approx(power, abs=1e-6)
    assert found.measures["slope_images"] == pytest.approx(power, abs=1e-6)  # without stripes the same
    assert found.measures["need_16"] == pytest.approx(40 * 2**power)
    assert found.measures["growth"] == pytest.approx(40 * (2**power - 1))
    assert (found.measures["reached"], found.measures["floor"]) == (1, 0)
    assert found.measures["trained"] == pytest.approx(8 / 20)  # the least of 8 / 20 and 16 / 20
    assert set(found.measures) <= set(DiffusionDataNeed.quantities)


def test_sizes_count_the_stripes_too(monkeypatch):
    found = planted_need(monkeypatch, lambda n, bumps: float(bumps > 50), stripes=True)
    calculation = DiffusionDataNeed(stripes=True)
    for n in (8, 16):
        stripes = found.measures[f"need_images_{n}"] - found.measures[f"need_{n}"]
        positions = calculation.problem(n, 0).training_set().positions
        assert stripes == pytest.approx(len(positions))
        outside = (positions < -0.5 - 1e-6) | (positions > n - 0.5 - 1e-6)
        assert outside.any(axis=1).all()


def test_where_all_bumps_are_not_enough_the_need_is_at_least_all_and_there_is_no_slope(monkeypatch):
    found = planted_need(monkeypatch, lambda n, bumps: 0.9 if bumps > 50 and n < 16 else 0.1).measures
    assert found["reached"] == pytest.approx(1 / 2)
    assert found["floor"] == 0
    assert found["need_16"] == found["need_largest"] == DiffusionDataNeed().problem(16, None).most_examples
    assert "need_images_8" in found
    assert "need_images_16" not in found  # it is drawn as reached
    assert not {"slope", "slope_images"} & set(found)


@pytest.mark.parametrize("stripes", [False, True])
def test_where_the_smallest_set_is_enough_there_is_no_slope(monkeypatch, stripes):
    found = planted_need(monkeypatch, lambda n, bumps: 0.9 if n == 8 or bumps > 50 else 0.1, stripes=stripes).measures
    assert (found["reached"], found["floor"]) == (1, pytest.approx(1 / 2))
    assert found["need_8"] == (0 if stripes else LADDER[0])
    assert not {"slope", "slope_images"} & set(found)


def halved(right):
    """What is found, and which sets were tried, where sets of the ladder are right to these shares."""
    calculation = DiffusionDataNeed(steps=1, stripes=True, sizes=(24,))
    counts, tried = calculation.counts(24), []

    def answer(self, n, bumps):
        tried.append(bumps)
        return bumps / counts[-1], right[counts.index(bumps)]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DiffusionDataNeed, "right", answer)
        return calculation.compute(), counts, tried


def test_halving_tries_as_many_sets_as_are_expected_on_average():
    counts = DiffusionDataNeed(stripes=True).counts(24)
    outcomes = range(len(counts) + 1)  # the first set that is enough, the last standing for none
    tried = [len(halved([float(place >= first) for place in range(len(counts))])[2]) for first in outcomes]
    assert np.mean(tried) == pytest.approx(tries(len(counts)))


SHARES = lists(floats(0, 1), min_size=len(LADDER) + 2, max_size=len(LADDER) + 2)


@settings(deadline=None)
@given(right=SHARES.map(sorted))
@example([0.0] * (len(LADDER) + 1) + [ACCURATE])
def test_where_more_is_better_halving_finds_what_the_whole_ladder_says(right):
    found, counts, tried = halved(right)
    whole = first_at(np.array(counts, dtype=float), np.array(right), ACCURATE)
    assert found.measures["need_24"] == (counts[-1] if whole is None else whole)
    assert found.measures["reached"] == (whole is not None)
    assert len(tried) == len(set(tried)) == (~np.isnan(found.arrays["accuracies_24"])).sum()


@settings(deadline=None)
@given(right=SHARES)
@example([0.0] * (len(LADDER) + 1) + [ACCURATE])
@example([0.0] * len(LADDER) + [ACCURATE, 0.0])
def test_halving_ends_between_a_set_that_is_enough_and_one_that_is_not_in_few_trainings(right):
    found, counts, tried = halved(right)
    assert len(tried) <= np.ceil(np.log2(1 + len(counts)))
    need = found.measures["need_24"]
    assert found.measures["trained"] == max(tried) / counts[-1]
    if not found.measures["reached"]:
        assert right[-1] < ACCURATE
        assert need == counts[-1]
    elif need == counts[0]:
        assert right[0] >= ACCURATE
    else:
        above = np.searchsorted(counts, need)
        assert right[above - 1] < ACCURATE <= right[above]


@pytest.mark.parametrize("stripes", [False, True])
def test_a_fifth_of_the_area_is_held_out_and_rising_numbers_of_the_bumps_around_it_are_shown(stripes):
    calculation = DiffusionDataNeed(stripes=stripes)
    for n in (8, 16):
        problem = calculation.problem(n, None)
        assert problem.parts.held_out.mean() == pytest.approx(0.2, abs=0.06)
        side = round(np.sqrt(0.2) * n)
        whole = (2 * n) ** 2 - (2 * side + 1) ** 2  # four in a pixel; none on the border of the square
        expected = [0] * stripes + [count for count in LADDER if count < whole] + [whole]
        assert calculation.counts(n) == expected


def test_both_ways_train_alike_but_for_the_stripes():
    for scale in Scale:
        alone, beside = (made(scale) for made in (data_need.bumps_alone, data_need.bumps_beside_stripes))
        assert [0, *alone.counts(16)] == beside.counts(16)
        ours, theirs = (each.training(16, 20) for each in (alone, beside))
        assert (ours.recipe, ours.model) == (change(theirs.recipe, lone=None), theirs.model)
        assert theirs.recipe.lone == (None if scale is Scale.PAPER else 0.5)
        assert len(theirs.problem.training_set()) > len(ours.problem.training_set()) == 20


@pytest.mark.parametrize("stripes", [False, True])
def test_what_asks_whether_all_is_learned_is_what_needs_are_read_off(stripes):
    """The training with most bumps, of the smallest and the largest size; only the seed may differ."""
    for scale in (Scale.LAPTOP, Scale.PAPER):
        calculation = data_need.need(scale, stripes)
        for size, n in (("smallest", calculation.sizes[0]), ("largest", calculation.sizes[-1])):
            assert data_need.all_shown[stripes, size](scale) == calculation.training(n, calculation.counts(n)[-1])
            assert calculation.problem(n, None).most_examples == calculation.counts(n)[-1]


def test_one_size_is_trained_and_judged():
    calculation = DiffusionDataNeed(sizes=(8,), steps=1, batch=2, stripes=True)
    found = calculation.compute()
    assert found.arrays["accuracies_8"].shape == found.arrays["bumps_8"].shape == (len(calculation.counts(8)),)
    tried = found.arrays["accuracies_8"][~np.isnan(found.arrays["accuracies_8"])]
    assert len(tried)
    assert ((tried >= 0) & (tried <= 1)).all()
    assert set(found.measures) <= set(DiffusionDataNeed.quantities)
    assert "slope" not in found.measures  # one size has none


# Ways to draw


def test_ways_to_draw_are_told_apart(monkeypatch):
    """Accuracy as it would be if every DDIM step added 0.01, DDPM had 0.9, fresh noise 0.1 less, guidance 0.2 less."""
    drawn = []

    def right(sampler):
        drawn.append(sampler)
        found = 0.9 if sampler.kind == "ddpm" else 0.01 * sampler.steps - 0.1 * sampler.eta
        return found - 0.2 * (sampler.guidance - 1)

    def measure_network(plan, network):
        found = right(network.sampler)
        return None, {"darkest_accuracy": {"id": found, "vertical-x": found / 2, "vertical-y": found / 4}}

    monkeypatch.setattr(import_module("recombine.training.run"), "measure_network", measure_network)
    monkeypatch.setattr(import_module("recombine.training.loop"), "fit", lambda members: None)
    found = SamplingWays(steps=1, batch=2).compute().measures
    assert {count: found[f"right_{count}"] for count in COUNTS} == pytest.approx({n: 0.01 * n for n in COUNTS})
    expected = {"right_few": 0.1, "loss_few": 0.4, "fresh": 0.4, "ddpm": 0.9, "loss_ddpm": 0.8}
    expected |= {"guided_0": 0.3, "guided_3": -0.3, "guidance_gain": -0.2, "guidance_change": -0.1}
    assert {name: found[name] for name in expected} == pytest.approx(expected)
    assert set(found) == set(SamplingWays.quantities)
    two = SamplingWays(steps=1, batch=2, few=2).compute().measures
    assert [two[name] for name in ("right_few", "loss_few", "loss_ddpm")] == pytest.approx([0.02, 0.48, 0.88])
    assert not {"ddpm", "loss_ddpm"} & set(SamplingWays(steps=1, batch=2, full=False).compute().measures)
    assert {each.steps for each in drawn} == set(COUNTS)


def test_the_network_that_is_drawn_from_also_learns_without_codes():
    training = SamplingWays(seed=3).training()
    assert (training.model.drop, training.seed) == (0.1, 3)
    assert training.recipe.steps == sampling.trained(Scale.LAPTOP).steps
    for scale in Scale:
        usual, too_few, revealed = (made(scale) for made in (sampling.trained, sampling.too_few, sampling.revealed))
        assert too_few.training() == usual.training()
        assert (usual.few, too_few.few, usual.full, too_few.full) == (10, 2, True, True)
        assert change(usual.training().problem, reveal=True) == revealed.training().problem


# The forecast


def planted_forecast(monkeypatch, said, found):
    """Errors by part of the cross, of four training sets."""
    told, true = iter(said), iter(found)

    def forecast(problem, seed):
        sections = [type("Part", (), {"name": name, "expected": value}) for name, value in next(told).items()]
        return type("Said", (), {"sections": sections})

    monkeypatch.setattr(forecasting, "forecast", forecast)
    monkeypatch.setattr(forecasting, "run", lambda plan: Outcome("done", None, {"nmse_by_section": next(true)}, {}, {}))
    return ForecastOfDiffusion(steps=1).compute()


def by_part(values):
    names = ("id", "vertical", "horizontal", "intersection")
    return [dict(zip(names, map(float, (place / 10, *row)), strict=True)) for place, row in
            enumerate(np.reshape(values, (4, 3)))]  # fmt: skip


def test_a_forecast_in_order_has_rank_1_whatever_its_size(monkeypatch):
    true = np.linspace(0.05, 1.15, 12)
    found = planted_forecast(monkeypatch, by_part(2 * true), by_part(true)).measures
    assert found["rank"] == pytest.approx(1)
    assert found["bias"] == pytest.approx(true.mean())
    assert found["fit"] == pytest.approx(0.3)
    assert found["forecast_wrong"] == pytest.approx((2 * true > 0.3).mean())
    assert found["measured_wrong"] == pytest.approx((true > 0.3).mean())
    assert found["agreement"] == pytest.approx(((2 * true > 0.3) == (true > 0.3)).mean())
    assert set(found) == set(ForecastOfDiffusion.quantities)


def test_a_forecast_in_reverse_has_rank_minus_1(monkeypatch):
    true = np.linspace(0.05, 1.15, 12)
    computed = planted_forecast(monkeypatch, by_part(true[::-1]), by_part(true))
    assert computed.measures["rank"] == pytest.approx(-1)
    between = np.concatenate([true[:6][::-1], true[6:][::-1]])  # in order between sums and bumps, not within
    assert planted_forecast(monkeypatch, by_part(between), by_part(true)).measures["rank"] == pytest.approx(-1)
    assert computed.arrays["forecast"].shape == computed.arrays["measured"].shape == (4, 3)


def test_sections_of_the_trainings_are_those_that_are_compared():
    trainings = ForecastOfDiffusion().trainings()
    assert len({training.digest() for training in trainings}) == 4
    for training in trainings:
        assert set(forecasting.PARTS) <= set(training.problem.parts.sections)


# Ideal tori


def test_ideal_tori_have_the_quantities_of_a_probe():
    clifford, ring, sheet = (
        IdealShape(form=form, side=12).compute().measures for form in ("clifford", "ring", "sheet")
    )
    assert set(clifford) == set(ring) == set(sheet) == set(IdealShape.quantities)
    assert clifford["two_circles.probe"] == pytest.approx(1)
    assert ring["two_circles.probe"] <= 0.5
    assert sheet["two_circles.probe"] == 0
    assert clifford["ring_distances.probe-x-on-y-components-nearer"] > 5
    assert ring["ring_distances.probe-x-on-y-components-nearer"] < -5
    assert clifford["ring_distances.probe-x-on-x-components-clifford"] == 0
    assert clifford["torus_orthogonality.probe-clifford"] == pytest.approx(0, abs=1e-4)
    assert ring["torus_orthogonality.probe-ring"] == pytest.approx(0, abs=1e-4)
    assert clifford["torus_orthogonality.probe-nearer"] > 5 > -5 > ring["torus_orthogonality.probe-nearer"]
    assert clifford["ring_angle.probe-x-on-y"] == pytest.approx(90, abs=1e-3)
    assert clifford["ring_angle.probe-x-on-x"] == pytest.approx(0, abs=1e-3)
    assert ring["ring_angle.probe-x-on-y"] == pytest.approx(45, abs=1e-3)  # half of them 0 and half 90


def test_a_torus_of_two_rows_is_none():
    with pytest.raises(InputError, match="rows and columns, 3 or more"):
        IdealShape(side=2).compute()
