"""Noise and its removal against the identities that their formulas imply, and beside another library if it is there."""

import warnings

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.models.noise_schedule import NoiseSchedule

torch.set_num_threads(1)

PUBLISHED, SHORT = NoiseSchedule(), NoiseSchedule(steps=7, first=0.01, last=0.3)
STEPS = [(SHORT, step) for step in range(7)] + [(PUBLISHED, step) for step in (0, 1, 10, 500, 999)]
each_step = pytest.mark.parametrize(("schedule", "step"), STEPS, ids=lambda value: getattr(value, "steps", value))


def pictures(seed, low=-1.0, high=1.0):
    """Values that a picture can have, in double precision, on unequal sides."""
    drawn = torch.rand(3, 4, 6, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return low + (high - low) * drawn


def noise(seed):
    return torch.randn(3, 4, 6, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def at(step):
    return torch.full((3,), step)


# The schedule


def test_the_published_variances_rise_evenly_from_a_ten_thousandth_to_two_hundredths():
    variances = PUBLISHED.variances
    assert (len(variances), variances[0], variances[-1]) == (1000, 1e-4, 0.02)
    assert np.diff(variances) == pytest.approx(np.full(999, (0.02 - 1e-4) / 999))


def test_what_is_kept_is_a_product_step_by_step():
    kept = 1.0
    for step, variance in enumerate(SHORT.variances):
        assert SHORT.kept_before(step) == pytest.approx(kept)
        kept *= 1 - variance
        assert SHORT.kept[step] == pytest.approx(kept)
    assert PUBLISHED.kept[-1] < 1e-4  # nothing of a picture is left at the end


@pytest.mark.parametrize(
    "given", [{"steps": 0}, {"first": 0.0}, {"first": 0.03}, {"last": 1.0}, {"first": -0.1}, {"last": 1e-5}]
)
def test_schedules_that_are_none_are_refused_in_one_sentence(given):
    with pytest.raises(InputError, match="needs a step at least and variances that rise within 0 and 1; change them"):
        NoiseSchedule(**given)


def test_a_schedule_has_a_whole_number_of_steps():
    with pytest.raises(InputError, match=r"^steps = True of a schedule must be a whole number"):
        NoiseSchedule(steps=True)
    with pytest.raises(InputError, match=r"^variances from 'a' to 0\.02 of a schedule must be numbers; change them\.$"):
        NoiseSchedule(first="a")
    with pytest.raises(InputError, match=r"^steps = 2\.5 of a schedule must be a whole number; change it\.$"):
        NoiseSchedule(2.5)


@given(steps=st.integers(1, 400), share=st.floats(0, 1))
@settings(deadline=None, max_examples=40)
def test_times_go_evenly_from_the_last_step_to_the_first(steps, share):
    count = max(1, round(share * steps))
    times = NoiseSchedule(steps=steps).times(count)
    assert len(times) == len(set(times)) == count
    assert times == sorted(times, reverse=True)
    assert times[0] == steps - 1
    if count > 1:
        assert times[-1] == 0
        assert np.abs(np.diff(times) + (steps - 1) / (count - 1)).max() <= 1
    if count == steps:
        assert times == list(range(steps))[::-1]


@pytest.mark.parametrize("count", [0, 8, -1, 2.5, "all"])
def test_no_more_steps_are_taken_than_there_are(count):
    words = f"{count!r} sampling steps cannot be taken from a schedule of 7; take a whole number from 1 to all"
    with pytest.raises(InputError, match=words):
        SHORT.times(count)


# Noising and its inverse


@each_step
def test_a_picture_is_what_remains_when_its_noise_is_taken_out(schedule, step):
    clean, added = pictures(0), noise(1)
    noisy = schedule.noised(clean, added, at(step))
    kept = schedule.kept[step]
    torch.testing.assert_close(noisy, kept**0.5 * clean + (1 - kept) ** 0.5 * added)
    torch.testing.assert_close(schedule.clean(noisy, added, step), clean)


def test_every_picture_has_a_time_of_its_own():
    clean, added = pictures(0), noise(1)
    together = SHORT.noised(clean, added, torch.tensor([6, 0, 3]))
    for row, step in enumerate((6, 0, 3)):
        assert torch.equal(together[row], SHORT.noised(clean, added, at(step))[row])


def test_a_picture_is_cut_to_the_values_it_can_have():
    clean, added = 3 * pictures(0), noise(1)
    found = SHORT.clean(SHORT.noised(clean, added, at(5)), added, 5)
    torch.testing.assert_close(found, clean.clamp(-1, 1))
    assert (found.abs() == 1).any()


def test_noising_step_by_step_has_the_variances_of_noising_at_once():
    """x_t = sqrt(1 - beta) x_{t-1} + sqrt(beta) z: shares of the picture and of the noise follow one another."""
    share, variance = 1.0, 0.0
    for step, beta in enumerate(SHORT.variances):
        share, variance = np.sqrt(1 - beta) * share, (1 - beta) * variance + beta
        assert (share**2, variance) == pytest.approx((SHORT.kept[step], 1 - SHORT.kept[step]))


@each_step
def test_the_posterior_undoes_one_noising_step(schedule, step):
    from_clean, from_noisy, variance = schedule.posterior(step)
    now, before = schedule.kept[step], schedule.kept_before(step)
    assert from_clean + from_noisy * np.sqrt(now) == pytest.approx(np.sqrt(before))
    assert from_noisy**2 * (1 - now) + variance == pytest.approx(1 - before, abs=1e-12)


# Steps back


@pytest.mark.parametrize(("step", "following"), [(6, 5), (6, 2), (6, None), (3, 0), (0, None)])
def test_ddim_without_noise_maps_a_known_picture_and_noise_exactly(step, following):
    clean, added = pictures(2), noise(3)
    expected = clean if following is None else SHORT.noised(clean, added, at(following))
    found = SHORT.ddim(SHORT.noised(clean, added, at(step)), added, step, following, 0.0, noise(4))
    torch.testing.assert_close(found, expected)


@each_step
def test_ddim_that_draws_all_noise_anew_is_the_posterior(schedule, step):
    """Its mean and its variance, over one step: nothing is cut, as x_0 is a picture."""
    clean, added, fresh = pictures(2), noise(3), noise(4)
    noisy = schedule.noised(clean, added, at(step))
    following = step - 1 if step else None
    from_clean, from_noisy, variance = schedule.posterior(step)
    mean = schedule.ddim(noisy, added, step, following, 1.0, torch.zeros_like(fresh))
    torch.testing.assert_close(mean, from_clean * clean + from_noisy * noisy)
    drawn = schedule.ddim(noisy, added, step, following, 1.0, fresh)
    torch.testing.assert_close(drawn - mean, variance**0.5 * fresh, atol=1e-9, rtol=1e-6)


@pytest.mark.parametrize("eta", [0.0, 0.3, 1.0])
def test_ddim_leaves_as_much_noise_as_its_step_has(eta):
    """The squared shares of old and of fresh noise add up to 1 - kept."""
    zero, one = torch.zeros(1, 1, 1, dtype=torch.float64), torch.ones(1, 1, 1, dtype=torch.float64)
    noisy = (1 - SHORT.kept[6]) ** 0.5 * one  # of a picture of zeros
    old = SHORT.ddim(noisy, one, 6, 3, eta, zero)
    fresh = SHORT.ddim(noisy, one, 6, 3, eta, one) - old
    assert float(old.square() + fresh.square()) == pytest.approx(1 - SHORT.kept[3])
    assert (float(fresh) > 0) == (eta > 0)


def test_where_a_picture_was_cut_the_noise_is_taken_anew():
    """x_t = sqrt(kept) x_0 + sqrt(1 - kept) e holds of the picture that was cut and its noise."""
    noisy, wrong = 4 * noise(5), noise(6)
    picture = SHORT.clean(noisy, wrong, 4)
    assert (picture.abs() == 1).any()
    direction = (noisy - SHORT.kept[4] ** 0.5 * picture) / (1 - SHORT.kept[4]) ** 0.5
    torch.testing.assert_close(SHORT.ddim(noisy, wrong, 4, 1, 0.0, noise(7)), SHORT.noised(picture, direction, at(1)))


@each_step
def test_ddpm_is_the_mean_of_the_posterior_and_noise_of_the_steps_own_variance(schedule, step):
    clean, added, fresh = pictures(2), noise(3), noise(4)
    noisy = schedule.noised(clean, added, at(step))
    from_clean, from_noisy, _ = schedule.posterior(step)
    mean = schedule.ddpm(noisy, added, step, torch.zeros_like(fresh))
    torch.testing.assert_close(mean, from_clean * clean + from_noisy * noisy)
    beta, kept = schedule.variances[step], schedule.kept[step]
    torch.testing.assert_close(mean, (noisy - beta / (1 - kept) ** 0.5 * added) / (1 - beta) ** 0.5)
    spread = beta**0.5 if step else 0.0
    torch.testing.assert_close(schedule.ddpm(noisy, added, step, fresh) - mean, spread * fresh, atol=1e-9, rtol=1e-6)


# Beside another library


@pytest.fixture
def library():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("diffusers")


def test_the_schedule_is_that_of_the_library(library):
    theirs = library.DDIMScheduler(num_train_timesteps=1000)
    assert PUBLISHED.kept == pytest.approx(theirs.alphas_cumprod.numpy(), rel=1e-4)
    clean, added = pictures(0).float(), noise(1).float()
    times = torch.tensor([0, 400, 999])
    ours = PUBLISHED.noised(clean, added, times)
    torch.testing.assert_close(ours, theirs.add_noise(clean, added, times), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("eta", [0.0, 1.0])
@pytest.mark.parametrize("step", [0, 1, 400, 999])
def test_a_step_of_ddim_is_that_of_the_library(library, step, eta):
    theirs = library.DDIMScheduler(num_train_timesteps=1000)
    theirs.set_timesteps(1000)
    noisy, predicted, fresh = noise(5).float(), noise(6).float(), noise(7).float()
    expected = theirs.step(predicted, step, noisy, eta, use_clipped_model_output=True, variance_noise=fresh)
    found = PUBLISHED.ddim(noisy, predicted, step, step - 1 if step else None, eta, fresh)
    torch.testing.assert_close(found, expected.prev_sample, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("step", [0, 1, 400, 999])
def test_a_step_of_ddpm_is_that_of_the_library(library, step):
    """With variance beta_t and nothing clipped, as in Algorithm 2; the library draws its noise itself."""
    theirs = library.DDPMScheduler(num_train_timesteps=1000, variance_type="fixed_large", clip_sample=False)
    noisy, predicted = noise(5).float(), noise(6).float()
    fresh = torch.randn(noisy.shape, generator=torch.Generator().manual_seed(7))
    expected = theirs.step(predicted, step, noisy, generator=torch.Generator().manual_seed(7))
    found = PUBLISHED.ddpm(noisy, predicted, step, fresh)
    torch.testing.assert_close(found, expected.prev_sample, rtol=1e-3, atol=1e-3)
