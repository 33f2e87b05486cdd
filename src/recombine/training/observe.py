"""Ask a trained network about every combination and hand over what it showed as arrays."""

import numpy as np
import torch
from torch import nn

from recombine.data import Problem
from recombine.measures import Evidence
from recombine.models.activations import activations


def observe(problem: Problem, network: nn.Module) -> Evidence:
    """Outputs and the activations of every layer over the whole grid, held-out combinations included."""
    everything = problem.everything
    layers = {name: tensor.numpy() for name, tensor in activations(network, torch.from_numpy(everything.codes)).items()}
    pictures = {}
    if hasattr(network, "embeddings"):
        with torch.no_grad():
            pictures = {name: picture.numpy() for name, picture in network.embeddings().items()}  # type: ignore[operator]
    return _evidence(problem, layers["output"].reshape(everything.targets.shape), layers, pictures)


def truth(problem: Problem) -> Evidence:
    """The evidence a perfect model would give: the true pictures, as its only layer and as its output."""
    everything = problem.everything
    flat = everything.targets.reshape(len(everything), -1)
    layers = {"input": everything.codes, "layer0": flat, "output": flat}
    return _evidence(problem, everything.targets, layers, {})


def _evidence(
    problem: Problem, outputs: np.ndarray, layers: dict[str, np.ndarray], embeddings: dict[str, np.ndarray]
) -> Evidence:
    return Evidence(
        shape=(problem.grid.shape[0], problem.grid.shape[1]),
        targets=problem.everything.targets,
        outputs=outputs,
        sections=problem.parts.sections,
        dark=problem.task.dark,
        layers=layers,
        embeddings=embeddings,
        periodic=problem.task.periodic,
    )
