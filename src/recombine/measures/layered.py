"""Layers of weights as a graph: how much of each module reaches a unit and how much of each it reaches, and who lives.

Only sizes |W| count. A path has the product of the weights along it as its mass.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Float, Integer, Real
from recombine.measures.module_evidence import ModuleEvidence
from recombine.measures.registry import measures

DEAD = 0.02  # a unit whose in- and outgoing weights fall short of this share of the layer's strongest is dead

Labels: TypeAlias = Integer[np.ndarray, " _units"] | Sequence[int]  # the module of each unit
Layers: TypeAlias = Sequence[Real[np.ndarray, "_units _before"]]  # first layer to last
Sizes: TypeAlias = list[Float[np.ndarray, "_units _before"]]
Shares: TypeAlias = list[Float[np.ndarray, "_units _modules"]]  # of each module in each unit, by hidden layer


def sizes(weights: Layers, inputs: int | None = None, outputs: int | None = None) -> Sizes:
    """|W| of every layer in double precision; layers that do not fit on each other or on the labels are refused."""
    matrices = [np.abs(np.asarray(matrix, dtype=np.float64)) for matrix in weights]
    shapes = " and ".join(str(matrix.shape) for matrix in matrices) or "none"
    if not matrices or any(matrix.ndim != 2 or matrix.size == 0 for matrix in matrices):
        raise InputError(f"weights have shapes {shapes}; give one matrix (units, units before) per layer, or more.")
    if any(len(first) != second.shape[1] for first, second in pairwise(matrices)):
        raise InputError(
            f"weights have shapes {shapes}; each must be (units, units before), with as many columns as the layer "
            "before it has rows."
        )
    for what, units, labels in (("in", matrices[0].shape[1], inputs), ("out", len(matrices[-1]), outputs)):
        if labels is not None and labels != units:
            raise InputError(
                f"weights have shapes {shapes}, (units, units before) of each layer, and modules_{what} has "
                f"{labels} labels; it must have {units}, the module of each {what}put unit."
            )
    if not all(np.isfinite(matrix).all() for matrix in matrices):
        raise InputError("weights hold values that are not finite; a network that diverged has no connectivity.")
    return matrices


def forward_shares(weights: Layers, modules_in: Labels) -> Shares:
    """Share of each module, in order of label, in the path mass that reaches the units of each hidden layer.

        share_l = rows of |W_l| ... |W_1| M, each divided by its sum,   M_jk = 1 when input j is of module k

    1: fed by that module alone; 1/K: by all alike, which is also what a unit gets that nothing reaches.
    """
    into = np.asarray(modules_in)
    return _shares(sizes(weights, inputs=len(into))[:-1], _members(into, np.unique(into)))


def hidden_modules(
    weights: Layers, modules_in: Labels, modules_out: Labels
) -> tuple[Integer[np.ndarray, " _units"], ...]:
    """The module of each unit of each hidden layer: that with the largest forward share × backward share.

    The backward share is the forward share of the network read from outputs to inputs: what the unit reaches. Ties go
    to the lower label.
    """
    into, out = np.asarray(modules_in), np.asarray(modules_out)
    matrices = sizes(weights, len(into), len(out))
    known = np.union1d(into, out)
    forward = _shares(matrices[:-1], _members(into, known))
    backward = _shares([matrix.T for matrix in matrices[:0:-1]], _members(out, known))[::-1]
    return tuple(known[(reached * reaches).argmax(axis=1)] for reached, reaches in zip(forward, backward, strict=True))


def living(weights: Layers) -> list[Bool[np.ndarray, " _units"]]:
    """Which units of each hidden layer live: ‖in‖·‖out‖ is at least 2 % of the layer's largest, and above 0."""
    matrices = [scaled(matrix) for matrix in sizes(weights)]
    if len(matrices) < 2:
        raise InputError("this network has no hidden layer, so it has no hidden units; use a deeper one.")
    strengths = [np.linalg.norm(before, axis=1) * np.linalg.norm(after, axis=0) for before, after in pairwise(matrices)]
    return [(strength > 0) & (strength >= DEAD * strength.max()) for strength in strengths]


def alive_units(weights: Layers) -> tuple[int, ...]:
    """How many units of each hidden layer live. 0: the layer passes nothing on; its width: every unit is in use.

    unit i lives when  ‖in_i‖ ‖out_i‖ ≥ 0.02 max_j ‖in_j‖ ‖out_j‖,   over the units j of its layer
    """
    return tuple(int(alive.sum()) for alive in living(weights))


@measures.register("alive_units")
def alive_by_layer(evidence: ModuleEvidence) -> dict[str, float]:
    """How many units of each hidden layer have weights of more than 2 % of its strongest unit's."""
    return {f"layer{place}": float(count) for place, count in enumerate(alive_units(evidence.need_weights()))}


@measures.register("alive_share")
def alive_share(evidence: ModuleEvidence) -> float:
    """Share of all hidden units that live: 1 when every one is in use, 0 when none passes anything on."""
    return float(np.concatenate(living(evidence.need_weights())).mean())


def _members(labels: Integer[np.ndarray, " _units"], known: Integer[np.ndarray, " _modules"]) -> np.ndarray:
    """One-hot rows (units, modules)."""
    return (labels[:, None] == known).astype(np.float64)


def _shares(matrices: Sizes, members: Float[np.ndarray, "_units _modules"]) -> Shares:
    """Shares of the modules in the units of each layer, going through the matrices in order."""
    found, mass = [], members
    for matrix in matrices:
        mass = scaled(matrix) @ mass
        total = mass.sum(axis=1, keepdims=True)
        alike = np.full_like(mass, 1 / mass.shape[1])
        found.append(np.divide(mass, total, out=alike, where=total > 0))
        mass = scaled(mass)
    return found


def scaled(matrix: Float[np.ndarray, "_rows _columns"]) -> Float[np.ndarray, "_rows _columns"]:
    """The same with 1 as its largest entry: shares do not change, and no product leaves the range of floats."""
    largest = matrix.max()
    return matrix / largest if largest > 0 else matrix
