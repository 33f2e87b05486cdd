"""The empirical tangent kernel of a network: how much learning one example moves the answer to another."""

import numpy as np
import torch
from torch import nn
from torch.func import functional_call, grad, vmap

from recombine.core.errors import InputError
from recombine.core.shapes import Float
from recombine.models.activations import eval_mode

AT_ONCE = 32  # examples whose backward pass runs together
TOGETHER = 4096  # weights whose products are summed before they are added in float64


def tangent_kernel(
    network: nn.Module,
    codes: Float[torch.Tensor, "items inputs"],
    probes: int = 4,
    *,
    generator: torch.Generator,
    memory: int = 2**30,
) -> Float[np.ndarray, "items items"]:
    """The trace of the tangent kernel at the network's present weights, estimated with random probes.

        K_ab = Σ_o ⟨∇_θ f_o(a), ∇_θ f_o(b)⟩  ≈  (1/P) Σ_p ⟨∇_θ (v_p · f)(a), ∇_θ (v_p · f)(b)⟩

    o runs over the output pixels and the entries of v_p are ±1 at random (Hutchinson), the same for all examples.
    The estimate is unbiased, symmetric and positive semi-definite for any P. It is exact when there is one pixel or
    when the network is linear. Its error otherwise falls like 1/√P.

    Gradients of about ``memory`` bytes are held at a time. When those of all examples take more, they are computed in
    blocks, and again for every pair of blocks. The network is in `eval_mode` meanwhile.
    """
    if probes < 1 or len(codes) < 1:
        raise InputError(
            f"tangent_kernel got {probes} probes and {len(codes)} codes; it needs at least one of each, "
            "and 4 probes are a good start."
        )
    with eval_mode(network):
        return _tangent_kernel(network, codes, probes, generator, memory)


def _tangent_kernel(
    network: nn.Module, codes: torch.Tensor, probes: int, generator: torch.Generator, memory: int
) -> Float[np.ndarray, "items items"]:
    weights = {name: weight.detach() for name, weight in network.named_parameters() if weight.requires_grad}
    with torch.no_grad():
        output = network(codes[:1])[0]

    def probed(weights: dict[str, torch.Tensor], code: torch.Tensor, probe: torch.Tensor) -> torch.Tensor:
        return (functional_call(network, weights, (code[None],))[0] * probe).sum()

    gradients = vmap(grad(probed), in_dims=(None, 0, None), chunk_size=AT_ONCE)
    held = sum(weight.numel() * weight.element_size() for weight in weights.values())
    fit = memory // held
    blocks = torch.arange(len(codes)).split(max(1, fit if fit >= len(codes) else fit // 2))
    kernel = np.zeros((len(codes), len(codes)))
    for _ in range(probes):
        signs = torch.randint(2, output.shape, generator=generator, device=generator.device) * 2 - 1
        probe = signs.to(output)
        for index, first in enumerate(blocks):
            ours = gradients(weights, codes[first], probe)
            for second in blocks[: index + 1]:
                theirs = ours if second is first else gradients(weights, codes[second], probe)
                kernel[np.ix_(first, second)] += _inner_products(ours, theirs)
    lower = np.tril(kernel) / probes
    return lower + np.tril(lower, -1).T


def _inner_products(
    ours: dict[str, torch.Tensor], theirs: dict[str, torch.Tensor]
) -> Float[np.ndarray, "first second"]:
    """Products in the precision of the weights, a few thousand of them at a time, summed in float64."""
    total = torch.zeros(len(next(iter(ours.values()))), len(next(iter(theirs.values()))), dtype=torch.float64)
    for name in ours:
        pairs = zip(ours[name].flatten(1).split(TOGETHER, 1), theirs[name].flatten(1).split(TOGETHER, 1), strict=True)
        for one, other in pairs:
            total += (one @ other.T).to(total)
    return total.numpy()
