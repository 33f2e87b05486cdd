"""A diffusion model as a network: what it draws, what it tells of its inside, and what training lowers."""

import math
import re
from statistics import NormalDist

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from recombine.core.errors import InputError
from recombine.models import Interface, models
from recombine.models.activations import activations
from recombine.models.denoiser import Denoiser
from recombine.models.diffusion_network import DiffusionNetwork, Sampler, trained_times
from recombine.models.light_unet_network import LightUnetDenoiser
from recombine.models.noise_schedule import NoiseSchedule

torch.set_num_threads(1)
IMAGE, UNITS = (8, 16), 5
SCHEDULE = NoiseSchedule(steps=20, first=0.01, last=0.4)
WAYS = [
    Sampler(steps=1),
    Sampler(steps=4),
    Sampler(steps=20),
    Sampler(steps=4, eta=1.0),
    Sampler(steps=20, eta=0.5),
    Sampler(kind="ddpm"),
]
each_way = pytest.mark.parametrize("sampler", WAYS, ids=lambda s: f"{s.kind}-{s.steps}-{s.eta:g}")


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


class Knowing(Denoiser):
    """Knows the picture of every code, so that it tells the exact noise; the code is the number of the picture."""

    layer_names = ("layer0", "bottleneck")
    probe = "layer0"

    def __init__(self, pictures, schedule):
        super().__init__()
        self.pictures, self.kept = 2 * pictures - 1, torch.from_numpy(schedule.kept).to(pictures.dtype)
        self.told = []

    def stages(self, pictures, times, codes):
        self.told.append((times[0].item(), codes.clone()))
        yield "layer0", pictures[:, None] + times[:, None, None, None]
        yield "bottleneck", codes[:, :, None, None]
        kept = self.kept[times.long()][:, None, None]
        yield "output", (pictures - kept.sqrt() * self.pictures[codes[:, 0].long()]) / (1 - kept).sqrt()


def knowing(sampler=WAYS[1], **settings):
    """A network that knows, the codes of its pictures and these."""
    pictures = torch.rand(3, *IMAGE)
    codes = torch.tensor([[2.0, 1.0], [0.0, 5.0], [1.0, 3.0], [2.0, 0.0]])
    network = DiffusionNetwork(Knowing(pictures, SCHEDULE), IMAGE, SCHEDULE, sampler, **settings)
    return network, codes, pictures[[2, 0, 1, 2]]


def plain(sampler=WAYS[1], **settings):
    denoiser = LightUnetDenoiser(UNITS, 6, 4, 3)
    return DiffusionNetwork(denoiser, IMAGE, SCHEDULE, sampler, **settings), torch.randn(3, UNITS)


# Drawing


@each_way
def test_what_knows_the_noise_draws_the_true_picture(sampler):
    network, codes, pictures = knowing(sampler)
    torch.testing.assert_close(network(codes), pictures, atol=1e-4, rtol=1e-3)


@each_way
def test_steps_are_taken_at_the_times_of_the_schedule_with_the_codes(sampler):
    network, codes, _ = knowing(sampler)
    network(codes)
    times = [time for time, _ in network.denoiser.told]
    assert times == SCHEDULE.times(20 if sampler.kind == "ddpm" else sampler.steps)
    assert all(torch.equal(told, codes) for _, told in network.denoiser.told)


@each_way
def test_drawing_is_a_function_of_codes_and_weights_and_leaves_the_global_generator_alone(sampler):
    network, codes = plain(sampler)
    state = torch.get_rng_state()
    first = network(codes)
    assert torch.equal(torch.get_rng_state(), state)
    torch.manual_seed(99)
    assert torch.equal(network(codes), first)
    assert not torch.equal(network(codes + 1), first)
    with torch.no_grad():
        list(network.parameters())[-1].add_(1e-6)
    assert not torch.allclose(network(codes), first, atol=1e-2)  # other weights begin from other noise


def test_a_picture_does_not_depend_on_what_else_is_drawn():
    network, codes = plain(Sampler(steps=3))
    drawn = network(codes)
    torch.testing.assert_close(network(codes.flip(0)).flip(0), drawn)
    torch.testing.assert_close(network(codes[:1]), drawn[:1])


@each_way
def test_pictures_have_values_from_0_to_1(sampler):
    network, codes = plain(sampler)
    with torch.no_grad():
        network.denoiser.head.weight.mul_(50)
    drawn = network(codes)
    assert drawn.shape == (3, *IMAGE)
    assert (drawn.min(), drawn.max()) == (0, 1)


def test_each_picture_begins_from_noise_of_its_own():
    class Silent(Knowing):
        def stages(self, pictures, times, codes):
            self.told.append(pictures.clone())
            yield "output", pictures

    network = DiffusionNetwork(Silent(torch.rand(1, 64, 64), SCHEDULE), (64, 64), SCHEDULE, Sampler(steps=2))
    network(torch.tensor([[0.0], [1.0]]))
    first, second = network.denoiser.told[0]
    for noise in (first, second):
        assert float(noise.mean()) == pytest.approx(0, abs=0.06)
        assert float(noise.std()) == pytest.approx(1, abs=0.06)
    assert abs(float((first * second).mean())) < 0.06


def test_double_precision_draws_the_same_picture():
    network, codes = plain(Sampler(kind="ddpm"))
    single = network(codes)
    torch.testing.assert_close(network.double()(codes.double()).float(), single, atol=1e-3, rtol=1e-3)


# Its inside


@each_way
def test_hidden_stages_are_those_of_the_last_step_by_name(sampler):
    network, codes, pictures = knowing(sampler)
    told = list(network.stages(codes))
    assert [name for name, _ in told] == ["layer0", "bottleneck", "output"]
    assert network.layer_names == ("layer0", "bottleneck")
    assert network.probe == "layer0"
    last = SCHEDULE.times(20 if sampler.kind == "ddpm" else sampler.steps)[-1]
    stages = dict(told)
    assert stages["layer0"].shape == (4, 1, *IMAGE)
    if sampler.steps > 1 or sampler.kind == "ddpm":
        assert last == 0
        # At the last step there is little noise left in what is seen, and the time is 0.
        seen = stages["layer0"][:, 0]
        torch.testing.assert_close(seen, 2 * pictures - 1, atol=0.8, rtol=0)
        # DDIM leaves the noise of the first step, sqrt(1 - kept) = 0.1; DDPM has drawn more than it took out.
        left = float((seen - 2 * pictures + 1).std())
        assert left == pytest.approx(0.1, abs=0.02) if sampler.kind == "ddim" else 0.1 < left < 0.25
    assert torch.equal(stages["output"], network(codes))


def test_activations_are_flat_and_have_no_gradient():
    network, codes = plain()
    found = activations(network, codes, ["bottleneck", network.probe, "output"])
    sizes = {"bottleneck": 12 * 1 * 2, "layer3": 12 * 2 * 4, "output": 8 * 16}
    assert {name: rows.shape for name, rows in found.items()} == {name: (3, size) for name, size in sizes.items()}
    assert not any(rows.requires_grad for rows in found.values())
    assert not network(codes).requires_grad


def test_the_probe_of_given_pictures_is_that_of_the_denoiser():
    network, codes = plain()
    pictures, noise = torch.rand(3, *IMAGE), torch.randn(3, *IMAGE)
    for time, added in ((0, None), (7, None), (7, noise), (19, noise)):
        seen = 2 * pictures - 1
        if added is not None:
            seen = SCHEDULE.kept[time] ** 0.5 * seen + (1 - SCHEDULE.kept[time]) ** 0.5 * added
        expected = dict(network.denoiser.stages(seen, torch.full((3,), float(time)), codes))["layer3"]
        found = network.represented(codes, pictures, time, added)
        torch.testing.assert_close(found, expected.flatten(1), atol=1e-4, rtol=1e-4)
        assert not found.requires_grad
    assert torch.equal(network.represented(codes, pictures), network.represented(codes, pictures, 0, None))
    assert not torch.allclose(network.represented(codes, pictures, 7), network.represented(codes, pictures, 0))


# What training lowers


def test_the_error_of_what_knows_is_nothing_and_that_of_silence_is_the_variance_of_noise():
    network, codes, pictures = knowing()
    assert network.error(codes, pictures).item() == pytest.approx(0, abs=1e-5)

    class Silent(Knowing):
        def stages(self, pictures, times, codes):
            yield "output", torch.zeros_like(pictures)

    silent = DiffusionNetwork(Silent(pictures, SCHEDULE), IMAGE, SCHEDULE, Sampler())
    errors = [float(silent.error(codes, pictures)) for _ in range(40)]
    assert sum(errors) / 40 == pytest.approx(1, abs=0.05)


def test_the_error_is_its_formula_with_what_the_global_generator_draws():
    network, codes = plain()
    pictures = torch.rand(3, *IMAGE)
    torch.manual_seed(5)
    found = network.error(codes, pictures)
    torch.manual_seed(5)
    times, noise = torch.randint(20, (3,)), torch.randn(3, *IMAGE)
    kept = torch.from_numpy(SCHEDULE.kept).float()[times][:, None, None]
    noisy = kept.sqrt() * (2 * pictures - 1) + (1 - kept).sqrt() * noise
    expected = (network.denoiser(noisy, times.float(), codes) - noise).square().mean()
    torch.testing.assert_close(found, expected)
    torch.manual_seed(6)
    assert not torch.equal(network.error(codes, pictures), found)


def test_the_gradient_of_the_error_reaches_every_weight_and_is_its_slope():
    network, codes = plain()
    network.double()
    codes, pictures = codes.double(), torch.rand(3, *IMAGE, dtype=torch.float64)

    def error():
        torch.manual_seed(5)
        return network.error(codes, pictures)

    error().backward()
    still = [name for name, weight in network.named_parameters() if weight.grad is None or not weight.grad.any()]
    assert still == []
    weight = network.denoiser.middle.convolutions[0].weight
    slope, step = float(weight.grad[1, 2, 0, 1]), 1e-5
    ends = []
    for move in (step, -2 * step):
        with torch.no_grad():
            weight[1, 2, 0, 1] += move
        ends.append(error().item())
    assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(slope, rel=1e-4)


def test_times_of_training_are_all_steps_alike():
    network, codes, pictures = knowing()
    for _ in range(500):
        network.error(codes, pictures)
    times = torch.tensor([time for time, _ in network.denoiser.told])
    assert set(times.tolist()) == set(range(20))
    assert float(times.mean()) == pytest.approx(9.5, abs=0.9)  # three standard errors of 500 draws


@pytest.mark.parametrize("steps", [2, 20, 1000])
def test_times_that_are_logit_normal_have_its_shares(steps):
    """P(t < k) = Phi(log(k / (T - k))), at four unequal places, within four standard errors of 20,000 draws."""
    times = trained_times(steps, 20_000, "logit-normal")
    assert times.min() >= 0
    assert times.max() <= steps - 1
    for bound in {max(1, round(share * steps)) for share in (0.05, 0.25, 0.5, 0.9)} - {steps}:
        expected = NormalDist().cdf(math.log(bound / (steps - bound)))
        error = 4 * math.sqrt(expected * (1 - expected) / 20_000)
        assert float((times < bound).float().mean()) == pytest.approx(expected, abs=error)


def test_training_draws_times_as_it_was_told():
    shares = {}
    for kind in ("uniform", "logit-normal"):
        network, codes, pictures = knowing(times=kind)
        for _ in range(500):
            network.error(codes, pictures)
        times = torch.tensor([time for time, _ in network.denoiser.told])
        shares[kind] = float(((times >= 7) & (times < 13)).float().mean())
    assert shares["uniform"] == pytest.approx(0.3, abs=0.07)
    assert shares["logit-normal"] == pytest.approx(2 * NormalDist().cdf(math.log(13 / 7)) - 1, abs=0.07)


def test_a_time_is_below_the_number_of_steps_even_where_a_sigmoid_rounds_to_1(monkeypatch):
    monkeypatch.setattr(torch, "randn", lambda count: torch.full((count,), 50.0))
    assert trained_times(20, 3, "logit-normal").tolist() == [19, 19, 19]


@pytest.mark.parametrize("drop", [0.0, 0.3])
def test_the_share_that_is_dropped_comes_without_its_code(drop):
    network, _, pictures = knowing(drop=drop)
    codes = torch.ones(4, 2)
    for _ in range(500):
        network.error(codes, pictures)
    told = torch.cat([codes for _, codes in network.denoiser.told])
    assert ((told == 0).all(dim=1) | (told == 1).all(dim=1)).all()  # the whole code of an example, or nothing of it
    assert float((told == 0).float().mean()) == pytest.approx(drop, abs=0.035 if drop else 0)


# Guidance


def test_guidance_1_is_none_and_asks_nothing_more():
    network, codes, _ = knowing(Sampler(steps=4, guidance=1.0))
    network(codes)
    assert len(network.denoiser.told) == 4
    guided, codes, _ = knowing(Sampler(steps=4, guidance=2.0))
    guided(codes)
    assert len(guided.denoiser.told) == 8
    assert not any(told.any() for _, told in guided.denoiser.told[1::2])


@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0, 3.0])
def test_guidance_weighs_the_noise_with_and_without_the_code(weight):
    """A denoiser that knows two pictures, one for no code, draws the picture w times from one towards the other."""
    pictures = torch.stack([torch.full(IMAGE, 0.5), torch.full(IMAGE, 0.6)])
    network = DiffusionNetwork(Knowing(pictures, SCHEDULE), IMAGE, SCHEDULE, Sampler(steps=4, guidance=weight))
    drawn = network(torch.ones(2, 1))
    torch.testing.assert_close(drawn, torch.full((2, *IMAGE), 0.5 + 0.1 * weight), atol=1e-4, rtol=0)


def test_a_hair_beside_guidance_1_is_nearly_the_same_picture():
    network, codes = plain(Sampler(steps=4))
    near = DiffusionNetwork(network.denoiser, IMAGE, SCHEDULE, Sampler(steps=4, guidance=1 + 1e-6))
    torch.testing.assert_close(near(codes), network(codes), atol=1e-3, rtol=0)


# Specifications


def test_a_specification_builds_what_it_says():
    interface = Interface(inputs=10, levels=(8, 16), image=(8, 16))
    spec = models.diffusion(
        width=6, heads=2, steps=50, samples=7, eta=0.5, guidance=2.0, drop=0.1, pairs=3, times="logit-normal"
    )
    network = spec.build(interface, torch.Generator())
    assert network.sampler == Sampler("ddim", 7, 0.5, 2.0)
    assert (network.schedule, network.drop, network.image) == (NoiseSchedule(50), 0.1, (8, 16))
    assert network.times == "logit-normal"
    assert network.denoiser.stem.out_channels == 6
    published = models.diffusion_unet(width=8, attention=16, pairs=3, sampler="ddpm").build(
        interface, torch.Generator()
    )
    assert published.sampler.kind == "ddpm"
    assert published.probe == "layer4"
    assert isinstance(published.denoiser.downs[0].block.attention, nn.Identity)


@pytest.mark.parametrize("name", ["diffusion", "diffusion-unet"])
@pytest.mark.parametrize(("image", "channels"), [((12, 16), 1), ((8, 20), 1), ((2, 8), 1), ((1, 1), 1), ((8, 24), 3)])
def test_pictures_that_cannot_be_halved_are_refused_in_one_sentence(name, image, channels):
    interface = Interface(inputs=6, levels=(2, 3), image=image, channels=channels)
    with pytest.raises(
        InputError, match=f"multiples of 8 .* got {image[0]} x {image[1]} with {channels} channels; use"
    ):
        models[name]().check(interface)


def test_reading_before_an_attention_that_is_not_there_is_refused():
    interface = Interface(inputs=6, levels=(2, 3), image=(8, 16))
    for attention in (None, 32):
        models.diffusion_unet(before=True, attention=attention).check(interface)
    with pytest.raises(InputError, match="that layer of 32 pixels has none; raise attention to 32, or leave before"):
        models.diffusion_unet(before=True, attention=31).check(interface)


@settings(deadline=None, max_examples=60)
@given(kind=st.sampled_from(["diffusion", "diffusion-unet"]), part=st.integers(1, 20), heads=st.integers(1, 100))
def test_heads_that_do_not_divide_the_channels_are_refused_with_what_would(kind, part, heads):
    width, times = (2 * part, 2) if kind == "diffusion" else (4 * part, 1)
    if times * width % heads == 0:
        assert models.pick(kind)(width=width, heads=heads).heads == heads
        return
    with pytest.raises(InputError, match=f"{kind} cuts its {times * width} channels") as refused:
        models.pick(kind)(width=width, heads=heads)
    fewer, wider = re.search(r"set heads = (\d+), or width = (\d+)\.$", str(refused.value)).groups()
    assert models.pick(kind)(width=width, heads=int(fewer)).width == width
    assert models.pick(kind)(width=int(wider), heads=heads).width > width
