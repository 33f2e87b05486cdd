"""Newman's modularity of the weights of a network: is more weight inside modules than the units' degrees explain?

Barber (2007) for graphs of two sides; |W| are the weights of the edges.
"""

from collections.abc import Sequence

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Real
from recombine.measures.layered import Labels, Layers, hidden_modules, scaled, sizes
from recombine.measures.module_evidence import ModuleEvidence
from recombine.measures.registry import measures


def modularity(
    weights: Real[np.ndarray, "_out _in"] | Sequence[Real[np.ndarray, "_units _before"]],
    modules_in: Labels,
    modules_out: Labels,
) -> float:
    """Weight inside modules beyond what the units' total weights explain, as a share of all weight.

        Q = Σ_l Σ_ij (A_ij − a_i b_j / m_l) [i and j are of one module] / Σ_l m_l,   A = |W_l|

    a_i and b_j are the row and column sums of A, and m_l its sum. ``weights`` is one matrix (outputs, inputs), or
    (inputs, outputs) where the numbers of units tell the two apart; or a list of them from the first layer to the last,
    whose hidden units are labelled by `hidden_modules`. 1 − 1/K: K modules of equal weight and nothing between them;
    0: no more inside than by chance, as for equal weights; below 0: less.
    """
    matrices = sizes(_oriented(weights, len(modules_in), len(modules_out)), len(modules_in), len(modules_out))
    total = sum(matrix.sum() for matrix in matrices)
    if total == 0:
        raise InputError("modularity is undefined: every weight is 0; check that the network was trained.")
    labels = [np.asarray(modules_in), *hidden_modules(matrices, modules_in, modules_out), np.asarray(modules_out)]
    return float(sum(map(_beyond_chance, matrices, labels[1:], labels[:-1])) / total)


def in_block_shares(weights: Layers, modules_in: Labels, modules_out: Labels) -> tuple[float, ...]:
    """Share of squared weight that joins units of one module, by layer, the output last.

        share_l = Σ_ij W_ij² [i and j are of one module] / Σ_ij W_ij²

    Hidden units are labelled by `hidden_modules`. 1: blocks and nothing between them; 1/K to about 1/2: mixed, since
    the labels are read off the same weights.
    """
    matrices = sizes(weights, len(modules_in), len(modules_out))
    labels = [np.asarray(modules_in), *hidden_modules(matrices, modules_in, modules_out), np.asarray(modules_out)]
    return tuple(map(_squared_inside, matrices, labels[1:], labels[:-1]))


@measures.register("newman_q")
def newman_q(evidence: ModuleEvidence) -> float:
    """Newman's modularity of all layers: 1 − 1/K for K equal modules kept apart, 0 for no more than by chance."""
    evidence.need_modules()
    return modularity(evidence.need_weights(), evidence.modules_in, evidence.modules_out)


@measures.register("in_block_share")
def in_block_by_layer(evidence: ModuleEvidence) -> dict[str, float]:
    """Share of squared weight into each layer that joins units of one module: 1 blocks only, near 1/K mixed."""
    evidence.need_modules()
    *hidden, output = in_block_shares(evidence.need_weights(), evidence.modules_in, evidence.modules_out)
    return {**{f"layer{place}": share for place, share in enumerate(hidden)}, "output": output}


def _oriented(weights: Real[np.ndarray, "..."] | Layers, inputs: int, outputs: int) -> Layers:
    """The weights as a list of matrices (units, units before), turned over where only that fits."""
    matrices = [weights] if isinstance(weights, np.ndarray) and weights.ndim == 2 else list(weights)
    for ours in (matrices, [matrix.T for matrix in matrices]):
        widths = [inputs, *(len(matrix) for matrix in ours)]
        if widths[-1] == outputs and [matrix.shape[1:] for matrix in ours] == [(width,) for width in widths[:-1]]:
            return ours
    return matrices


def _beyond_chance(matrix: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> float:
    """Weight inside modules minus what it would be with every unit's total weight spread by chance."""
    inside = rows[:, None] == columns
    total = matrix.sum()
    chance = matrix.sum(axis=1)[:, None] * (matrix.sum(axis=0) / (total or 1.0))
    return float(((matrix - chance) * inside).sum())


def _squared_inside(matrix: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> float:
    squares = np.square(scaled(matrix))
    if not squares.any():
        raise InputError(
            "in_block_share is undefined: a layer has no weight but 0; check that the network was trained."
        )
    return float((squares * (rows[:, None] == columns)).sum() / squares.sum())
