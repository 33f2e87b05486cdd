"""The other side: one network after another with a DataLoader, and one picture after another, as papers write them."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from recombine.data.pictures import Picture
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
        order = [rows.tolist() for rows in batches(len(examples), recipe.batch, recipe.steps, plan.seed)]
        network = build(plan.problem, plan.model, plan.seed)
        optimizer = torch.optim.AdamW(network.parameters(), lr=recipe.rate, weight_decay=recipe.decay)
        criterion = nn.MSELoss()
        network.train()
        for codes, targets in DataLoader(dataset, batch_sampler=order):
            optimizer.zero_grad()
            loss = criterion(network(codes), targets)
            for penalty in recipe.penalties:
                loss = loss + penalty.term(network, **penalty.strengths())
            loss.backward()
            optimizer.step()
        networks.append(network)
    return networks


def plain_pictures(task: Picture, positions: np.ndarray) -> np.ndarray:
    """Dark bumps, one picture at a time, on a mesh of pixels."""
    rows, columns = np.meshgrid(*(np.arange(side) for side in task.image), indexing="ij")
    pictures = []
    for y, x in positions:
        pictures.append(1 - np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / (2 * task.sigma**2)))
    return np.array(pictures, dtype=np.float32)
