"""The other side: one network after another with a DataLoader, and one picture after another, as papers write them."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset

from recombine.data.pictures import Picture
from recombine.models.band_convolution import BandConvolution
from recombine.models.cnn import CnnNetwork
from recombine.models.forced_rendering_network import ForcedRenderingNetwork
from recombine.training import Plan
from recombine.training.loop import batches
from recombine.training.run import build


def plain_training(plans: Sequence[Plan]) -> list[nn.Module]:
    """Train one network after another: DataLoader, zero_grad, forward, backward, step."""
    networks = []
    for plan in plans:
        examples, recipe = plan.problem.training_set(plan.seed), plan.recipe
        dataset = TensorDataset(torch.from_numpy(examples.codes), torch.from_numpy(examples.targets))
        # Our order of batches in place of a shuffle, so that both sides do the same training; it costs the same.
        size = len(examples) if recipe.batch == "all" else recipe.batch
        order = [rows.tolist() for rows in batches(len(examples), size, recipe.steps, plan.seed)]
        network = build(plan.problem, plan.model, plan.seed)
        optimizer = torch.optim.AdamW(network.parameters(), lr=recipe.rate, weight_decay=recipe.decay)
        criterion = nn.MSELoss()
        forward = plain_forward(network)
        for codes, targets in DataLoader(dataset, batch_sampler=order):
            optimizer.zero_grad()
            loss = criterion(forward(codes), targets)
            for penalty in recipe.penalties:
                loss = loss + penalty.term(network, {}, **penalty.strengths())
            loss.backward()
            optimizer.step()
        networks.append(network)
    return networks


def plain_forward(network: nn.Module) -> Callable[[torch.Tensor], torch.Tensor]:
    """The network's forward pass with the library's own layers in their usual order, on the same parameters."""
    if isinstance(network, CnnNetwork):
        layers = [layer for hidden in (network.first, *network.hidden) for layer in (hidden, nn.ReLU())]
        sequence = nn.Sequential(*layers, network.output)
        return lambda codes: sequence(codes[:, :, None, None])[:, 0]
    if isinstance(network, ForcedRenderingNetwork):
        return lambda codes: plain_rendering(network, codes)
    return network


def plain_rendering(network: ForcedRenderingNetwork, codes: torch.Tensor) -> torch.Tensor:
    """Unit vectors, their weighted products, the two pictures as channels, then PReLU and transposed convolutions."""
    left, right = functional.normalize(network.left, dim=2), functional.normalize(network.right, dim=3)
    pictures = left @ torch.diag_embed(network.scales) @ right  # factor (y, x), level, row, column
    y, x = (torch.tensordot(code, picture, 1) for code, picture in zip(codes.chunk(2, dim=1), pictures, strict=True))
    image = torch.stack([x, y], dim=1)
    for slope, convolution in zip(network.slopes, network.convolutions, strict=True):
        assert isinstance(convolution, BandConvolution)
        image = functional.conv_transpose2d(slope(image), convolution.weight, convolution.bias, padding=1)
    return image[:, 0]


def plain_pictures(task: Picture, positions: np.ndarray) -> np.ndarray:
    """Dark bumps, one picture at a time, on a mesh of pixels."""
    rows, columns = np.meshgrid(*(np.arange(side) for side in task.image), indexing="ij")
    pictures = []
    for y, x in positions:
        pictures.append(1 - np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / (2 * task.sigma**2)))
    return np.array(pictures, dtype=np.float32)
