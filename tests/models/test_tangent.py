import numpy as np
import pytest
import torch
from torch import nn
from torch.func import functional_call, jacrev

from recombine.core.errors import InputError
from recombine.models import Interface, models, tangent
from recombine.models.mlp_network import MlpNetwork
from recombine.models.readers import PictureReader
from recombine.models.scene_specs import SceneSpec
from recombine.models.tangent import _parts, operations, tangent_kernel

torch.set_num_threads(1)


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def exact(network, codes):
    """Σ_o ⟨∇f_o(a), ∇f_o(b)⟩ from the whole Jacobian."""
    weights = {name: weight.detach() for name, weight in network.named_parameters()}
    jacobian = jacrev(lambda weights: functional_call(network, weights, (codes,)).flatten(1))(weights)
    slopes = torch.cat([part.flatten(2) for part in jacobian.values()], dim=2)
    return torch.einsum("aop,bop->ab", slopes, slopes).numpy(force=True)


@pytest.mark.parametrize("probes", [1, 3])
def test_a_linear_network_has_its_closed_form_whatever_the_probes(probes):
    network = MlpNetwork(inputs=4, width=1, depth=0, image=(2, 3))
    codes = torch.randn(5, 4, generator=seeded(1))
    closed = 6 * (codes @ codes.T + 1)  # weights give a · b for each of six pixels, biases give 1
    found = tangent_kernel(network, codes, probes, generator=seeded())
    np.testing.assert_allclose(found, closed.numpy(), rtol=1e-5)


def test_is_exact_when_there_is_one_pixel():
    network = MlpNetwork(inputs=4, width=8, depth=2, image=(1, 1))
    codes = torch.randn(5, 4, generator=seeded(1))
    found = tangent_kernel(network, codes, probes=1, generator=seeded())
    np.testing.assert_allclose(found, exact(network, codes), rtol=1e-4)


def test_probes_average_to_the_whole_trace():
    network = models.mlp_decoder(width=8, depth=1).build(Interface(4, (2, 2), (2, 3)), seeded(3))
    codes = torch.randn(5, 4, generator=seeded(1))
    truth = exact(network, codes)

    def error(probes):
        return np.linalg.norm(tangent_kernel(network, codes, probes, generator=seeded()) - truth)

    assert error(100) < 0.1 * np.linalg.norm(truth)
    assert error(100) < error(1)


def test_predicts_how_a_small_step_on_one_example_moves_another():
    network = MlpNetwork(inputs=4, width=8, depth=1, image=(1, 1)).double()
    codes = torch.randn(3, 4, dtype=torch.float64, generator=seeded(1))
    kernel = tangent_kernel(network, codes, generator=seeded())
    before, rate = network(codes).detach(), 1e-6
    network(codes[:1]).sum().backward()
    with torch.no_grad():
        for weight in network.parameters():
            weight += rate * weight.grad
    moved = (network(codes) - before).detach().flatten() / rate
    np.testing.assert_allclose(moved, kernel[:, 0], rtol=1e-3)


@pytest.mark.parametrize("name", [name for name, spec in models.items() if spec.trainable and not spec.generative])
def test_every_model_has_a_symmetric_positive_kernel(name):
    small = {
        "mlp-decoder": {"width": 16},
        "cnn-decoder": {"width": 8},
        "per-pixel": {"width": 16},
        "mlp": {"width": 16},
        "pixel-transformer": {"width": 16, "feedforward": 32},
        "rotation-decoder": {"width": 8},
        "encoder": {"width": 4},
        "convnet": {"width": 0.1, "kernel": 2},
        "resnet": {"width": 0.1},
        "vit": {"width": 0.05, "patch": 4},
        "monolithic": {"width": 16, "maps": 6},
        "compositional": {"width": 16, "maps": 6},
    }
    reads_pictures = issubclass(models[name], PictureReader)
    interface = Interface(2 * 8 * 8, (3, 4), (1, 1), (2, 8, 8)) if reads_pictures else Interface(16, (8, 8), (8, 8))
    if issubclass(models[name], SceneSpec):
        interface = Interface(6, (2, 3), (8, 24), slots=2, channels=3)
    network = models[name](**small.get(name, {})).build(interface, seeded(2))
    codes = torch.rand(7, interface.inputs, generator=seeded(1))
    kernel = tangent_kernel(network, codes, probes=2, generator=seeded())
    assert kernel.shape == (7, 7)
    assert kernel.dtype == np.float64
    assert np.array_equal(kernel, kernel.T)
    assert kernel.diagonal().min() > 0
    assert np.linalg.eigvalsh(kernel).min() > -1e-10 * kernel.max()


@pytest.mark.parametrize("held", [1, 3, 7])
def test_blocks_bound_the_memory_and_change_nothing(held):
    network = MlpNetwork(inputs=4, width=8, depth=1, image=(2, 3))
    codes = torch.randn(7, 4, generator=seeded(1))
    weights = sum(weight.numel() for weight in network.parameters())
    whole = tangent_kernel(network, codes, generator=seeded())
    blocks = tangent_kernel(network, codes, generator=seeded(), memory=held * weights * 24)
    np.testing.assert_allclose(blocks, whole, rtol=1e-5, atol=1e-6)


def test_follows_its_generator_and_leaves_the_network_alone():
    network = MlpNetwork(inputs=4, width=8, depth=1, image=(2, 3))
    codes = torch.randn(5, 4, generator=seeded(1))
    state = torch.get_rng_state()
    first, again, other = (tangent_kernel(network, codes, generator=seeded(seed)) for seed in (0, 0, 1))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert torch.equal(torch.get_rng_state(), state)
    assert all(weight.grad is None and weight.requires_grad for weight in network.parameters())


def test_frozen_weights_do_not_count():
    network = nn.Sequential(nn.Linear(4, 1))
    network[0].bias.requires_grad_(False)
    codes = torch.randn(5, 4, generator=seeded(1))
    found = tangent_kernel(network, codes, generator=seeded())
    np.testing.assert_allclose(found, (codes @ codes.T).numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("probes", "items"), [(0, 3), (4, 0)])
def test_nothing_to_estimate_is_refused(probes, items):
    network = MlpNetwork(inputs=4, width=8, depth=1, image=(2, 3))
    with pytest.raises(InputError, match=f"got {probes} probes and {items} codes; it needs at least one of each"):
        tangent_kernel(network, torch.zeros(items, 4), probes, generator=seeded())


class Oddities(nn.Module):
    """Layers that do not factor as they stand: one is used twice, one's weights are read past it, one mixes nothing."""

    def __init__(self):
        super().__init__()
        self.once, self.twice, self.past = nn.Linear(4, 6), nn.Linear(6, 6), nn.Linear(6, 6)
        self.places, self.slope, self.last = nn.Linear(3, 5), nn.PReLU(), nn.Linear(10, 3)

    def forward(self, codes):
        hidden = self.twice(torch.relu(self.twice(torch.tanh(self.once(codes)))))
        hidden = self.past(hidden) + hidden @ self.past.weight
        return self.last(self.slope(self.places(hidden.unflatten(1, (2, 3)))).flatten(1))


class Convolutions(nn.Module):
    """Both sorts of convolutions, with strides, paddings, unequal kernels, and ReLUs in place."""

    def __init__(self):
        super().__init__()
        self.first = nn.ConvTranspose2d(4, 6, (2, 3))
        self.second = nn.ConvTranspose2d(6, 5, 4, stride=2, padding=1, bias=False)
        self.third = nn.Conv2d(5, 7, (3, 2), stride=(1, 2), padding=1)

    def forward(self, codes):
        hidden = torch.relu_(self.second(torch.relu_(self.first(codes[:, :, None, None]))))
        return torch.relu_(self.third(hidden)).mean(dim=1)


@pytest.mark.parametrize("network", [Oddities, Convolutions], ids=["oddities", "convolutions"])
def test_gradients_by_layers_are_those_of_every_example_by_itself(network):
    torch.manual_seed(5)
    made = network()
    codes = torch.randn(5, 4, generator=seeded(1))
    weights = {name: weight.detach() for name, weight in made.named_parameters()}
    probe = (torch.randint(2, made(codes[:1])[0].shape, generator=seeded()) * 2 - 1).float()

    def probed(weights, code):
        return (functional_call(made, weights, (code[None],))[0] * probe).sum()

    slopes = torch.func.vmap(torch.func.grad(probed), in_dims=(None, 0))(weights, codes)
    plain = torch.cat([each.flatten(1) for each in slopes.values()], dim=1)
    found = tangent_kernel(made, codes, 1, generator=seeded())
    np.testing.assert_allclose(found, (plain @ plain.T).numpy(), rtol=1e-4, atol=1e-5)


def test_layers_that_are_used_otherwise_are_told_from_those_that_factor():
    made = Oddities()
    weights = {name: weight.detach() for name, weight in made.named_parameters()}
    layers, others = _parts(made, weights, torch.randn(1, 4, generator=seeded(1)))
    assert layers == [made.once, made.places, made.slope, made.last]
    assert others == ["twice.weight", "twice.bias", "past.weight", "past.bias"]


def test_some_channels_stand_for_all_on_average():
    torch.manual_seed(5)
    made, codes = Convolutions(), torch.randn(5, 4, generator=seeded(1))
    exact_one = tangent_kernel(made, codes, 1, generator=seeded(3))
    draws = [_with_channels(made, codes, seed) for seed in range(60)]
    mean = np.mean(draws, axis=0)
    assert np.linalg.norm(mean - exact_one) < 0.1 * np.linalg.norm(exact_one)
    assert np.linalg.norm(draws[0] - exact_one) > 1e-3 * np.linalg.norm(exact_one)


def _with_channels(made, codes, seed):
    """The kernel of the probe of seed 3, with half of the channels as another seed draws them."""
    drawn = seeded(seed)
    real = tangent.drawn_channels
    try:
        tangent.drawn_channels = lambda layer, share, _: real(layer, share, drawn)
        return tangent_kernel(made, codes, 1, generator=seeded(3), share=0.5)
    finally:
        tangent.drawn_channels = real


def test_operations_grow_with_probes_channels_and_examples():
    made, codes = Convolutions(), torch.randn(6, 4, generator=seeded(1))
    whole = operations(made, codes, 4, 1.0)
    assert whole == pytest.approx(4 * operations(made, codes, 1, 1.0))
    assert operations(made, codes, 4, 0.5) < whole
    assert 2 * operations(made, codes[:3], 4, 1.0) < whole
    dense = nn.Sequential(nn.Linear(4, 3, bias=False))  # forth, back and gradients: 3 passes of 2 x 12 for each of six
    assert operations(dense, codes, 1, 1.0) == 6 * 3 * 2 * 12
