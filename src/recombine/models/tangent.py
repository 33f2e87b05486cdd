"""The empirical tangent kernel of a network: how much learning one example moves the answer to another."""

import numpy as np
import torch
from torch import nn
from torch.func import functional_call

from recombine.core.errors import InputError
from recombine.core.shapes import Float
from recombine.models.activations import eval_mode
from recombine.models.layer_gradients import (
    Slopes,
    drawn_channels,
    factored_layers,
    joined,
    multiplications,
    products,
    slopes,
    tapped,
)
from recombine.models.network import device_of

AT_ONCE = 32  # examples whose backward pass runs together
COPIES = 3  # of an example, by which it is told whether layers keep examples apart
AGREES = 1e-3  # relative difference up to which the gradients of a layer are those that plain differentiation gives


def tangent_kernel(
    network: nn.Module,
    codes: Float[torch.Tensor, "items inputs"],
    probes: int = 4,
    *,
    generator: torch.Generator,
    share: float = 1.0,
    memory: int = 2**30,
) -> Float[np.ndarray, "items items"]:
    """The trace of the tangent kernel at the network's present weights, estimated with random probes.

        K_ab = Σ_o ⟨∇_θ f_o(a), ∇_θ f_o(b)⟩  ≈  (1/P) Σ_p ⟨∇_θ (v_p · f)(a), ∇_θ (v_p · f)(b)⟩

    o runs over the output pixels and the entries of v_p are ±1 at random (Hutchinson), the same for all examples.
    The estimate is unbiased, symmetric and positive semi-definite for any P. It is exact when there is one pixel or
    when the network is linear. Its error otherwise falls like 1/√P. Where gradients are sums over places, those of a
    ``share`` of the channels that go into a layer stand for all, drawn anew for every probe; the same holds of them.

    Gradients of about ``memory`` bytes are held at a time. When those of all examples take more, they are computed in
    blocks, and again for every pair of blocks. The network is in `eval_mode` meanwhile.
    """
    if probes < 1 or len(codes) < 1:
        raise InputError(
            f"tangent_kernel got {probes} probes and {len(codes)} codes; it needs at least one of each, "
            "and 4 probes are a good start."
        )
    with eval_mode(network):
        return _tangent_kernel(network, codes.to(device_of(network)), probes, share, generator, memory)


def _tangent_kernel(
    network: nn.Module, codes: torch.Tensor, probes: int, share: float, generator: torch.Generator, memory: int
) -> Float[np.ndarray, "items items"]:
    weights = {name: weight.detach() for name, weight in network.named_parameters()}
    with torch.no_grad():
        output = network(codes[:1])[0]
    layers, others = _parts(network, weights, codes[:1])

    def gradients(rows: torch.Tensor, probe: torch.Tensor, drawn: list[torch.Tensor | None]) -> list[Slopes]:
        found = [_slopes(network, weights, layers, others, part, probe, drawn) for part in rows.split(AT_ONCE)]
        return [joined(parts) for parts in zip(*found, strict=True)]

    held = sum(each.bytes for each in gradients(codes[:1], torch.ones_like(output), [None] * len(layers)))
    fit = memory // max(held, 1)
    blocks = torch.arange(len(codes)).split(max(1, fit if fit >= len(codes) else fit // 2))
    kernel = np.zeros((len(codes), len(codes)))
    for _ in range(probes):
        signs = torch.randint(2, output.shape, generator=generator, device=generator.device) * 2 - 1
        probe = signs.to(output)
        drawn = [drawn_channels(layer, share, generator) for layer in layers]
        for index, first in enumerate(blocks):
            ours = gradients(codes[first], probe, drawn)
            for second in blocks[: index + 1]:
                theirs = ours if second is first else gradients(codes[second], probe, drawn)
                for one, other in zip(ours, theirs, strict=True):
                    kernel[np.ix_(first, second)] += products(one, other).numpy()
    lower = np.tril(kernel) / probes
    return lower + np.tril(lower, -1).T


def operations(network: nn.Module, codes: Float[torch.Tensor, "items inputs"], probes: int, share: float) -> float:
    """About how many additions and multiplications `tangent_kernel` takes: those of passes and of inner products.

    A probe goes forth and back once, and gathers the gradients of a ``share`` of the channels; weights of other layers
    than dense ones and convolutions take passes of their own. What layers without weights do is not counted.
    """
    with eval_mode(network):
        weights = {name: weight.detach() for name, weight in network.named_parameters()}
        layers, others = _parts(network, weights, codes[:1])
        with tapped(factored_layers(network)) as taps:
            output = functional_call(network, weights, (codes[:1],))[0]
        once = sum(multiplications(tap) for tap in taps)
        found = _slopes(network, weights, layers, [], codes[:1], torch.ones_like(output), [None] * len(layers))
    whole = sum(each.whole.numel() for each in found if each.whole is not None)
    numbers = share * whole + sum(weights[name].numel() for name in others)
    passes = 2 * once * (2 + share + 3 * bool(others))
    return probes * len(codes) * (passes + 2 * len(codes) * numbers)


def _parts(
    network: nn.Module, weights: dict[str, torch.Tensor], code: torch.Tensor
) -> tuple[list[nn.Module], list[str]]:
    """The layers whose gradients factor, and the names of all other weights that are trained."""
    layers = _known_layers(network, weights, code)
    inside = {id(weight) for layer in layers for weight in layer.parameters()}
    return layers, [
        name for name, weight in network.named_parameters() if weight.requires_grad and id(weight) not in inside
    ]


def _known_layers(network: nn.Module, weights: dict[str, torch.Tensor], code: torch.Tensor) -> list[nn.Module]:
    """The layers whose gradients factor, as they are used: once each, row by row, and their weights nowhere else.

    Whether weights are used elsewhere (shared, or read past the layer) shows in gradients that come out otherwise.
    """
    codes = code.repeat(COPIES, 1)
    with tapped(factored_layers(network)) as taps, torch.enable_grad():
        functional_call(network, weights, (codes,))
    used = [tap.layer for tap in taps]
    layers = [tap.layer for tap in taps if used.count(tap.layer) == 1 and len(tap.entered) == len(tap.added) == COPIES]
    if not layers:
        return []
    names = {id(weight): name for name, weight in network.named_parameters()}
    wanted = [[names[id(weight)] for weight in layer.parameters()] for layer in layers]
    asked = {name: weights[name].clone().requires_grad_() for each in wanted for name in each}
    with torch.enable_grad():
        outputs = functional_call(network, {**weights, **asked}, (codes,))
        output = outputs[0]
        # Unequal numbers, so that no two pixels cancel by symmetry.
        probe = torch.linspace(1, 2, output.numel(), dtype=output.dtype, device=output.device).reshape(output.shape)
        plain = torch.autograd.grad((outputs * probe).sum(), list(asked.values()), allow_unused=True)
    square = {
        name: 0.0 if each is None else float(each.double().square().sum())
        for name, each in zip(asked, plain, strict=True)
    }
    found = _slopes(network, weights, layers, [], codes, probe, [None] * len(layers))
    sizes = [sum(square[name] for name in each) for each in wanted]
    return [
        layer
        for layer, each, size in zip(layers, found, sizes, strict=True)
        if abs(float(products(each, each).sum()) - size) <= AGREES * size
    ]


def _slopes(
    network: nn.Module,
    weights: dict[str, torch.Tensor],
    layers: list[nn.Module],
    others: list[str],
    codes: torch.Tensor,
    probe: torch.Tensor,
    drawn: list[torch.Tensor | None],
) -> list[Slopes]:
    """The gradients of one probed answer for every code: by layer, and at the end those of all other weights."""
    found = []
    if layers:
        with tapped(layers) as taps, torch.enable_grad():
            answer = (functional_call(network, weights, (codes,)) * probe).sum()
        entered = {tap.layer: tap for tap in taps}
        grads = torch.autograd.grad(answer, [entered[layer].added for layer in layers])
        found = [
            slopes(entered[layer], grad_.detach(), some)
            for layer, grad_, some in zip(layers, grads, drawn, strict=True)
        ]
    if others:
        rest = _by_example(network, weights, others, codes, probe)
        found.append(Slopes(None, torch.cat([each.flatten(1) for each in rest.values()], dim=1), None))
    return found


def _by_example(
    network: nn.Module, weights: dict[str, torch.Tensor], names: list[str], codes: torch.Tensor, probe: torch.Tensor
) -> dict[str, torch.Tensor]:
    """The gradients with respect to these weights, whatever they are used for, of every example by itself."""
    from torch.func import grad, vmap  # loaded here: they take as long to load as a small kernel takes

    def probed(some: dict[str, torch.Tensor], code: torch.Tensor) -> torch.Tensor:
        return (functional_call(network, {**weights, **some}, (code[None],))[0] * probe).sum()

    return vmap(grad(probed), in_dims=(None, 0))({name: weights[name] for name in names}, codes)
