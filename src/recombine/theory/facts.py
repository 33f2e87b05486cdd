"""Plain facts of a training set that bear on whether anything can compose from it, as numbers from 0 to 1.

They say nothing about a network. Together with what kernels predict they are what a forecast is made of.
"""

from collections.abc import Sequence

import numpy as np

from recombine.core.shapes import Bool, Float, Int

Rows = Int[np.ndarray, "items factors"]
Marked = Bool[np.ndarray, " items"]


def with_unseen_level(combinations: Rows, shown: Marked, alone: Sequence[Bool[np.ndarray, " _"]]) -> Marked:
    """Which combinations have a level that no training example shows, whole or alone."""
    found = np.zeros(len(combinations), dtype=bool)
    for column, lone in zip(combinations.T, alone, strict=True):
        found |= ~(np.isin(column, column[shown]) | lone[column])
    return found


def apart(combinations: Rows, shown: Marked, sizes: Sequence[int]) -> Marked:
    """Which combinations have levels that training does not join.

    Two levels are joined when a training example shows both, or when both are joined to a third.
    """
    from scipy.sparse import coo_array  # takes as long to load as all else that a command needs
    from scipy.sparse.csgraph import connected_components

    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    nodes = combinations + starts
    first, others = nodes[shown, :1], nodes[shown, 1:]
    edges = np.repeat(first, others.shape[1], axis=1).ravel(), others.ravel()
    joined = coo_array((np.ones(len(edges[0])), edges), shape=(sum(sizes), sum(sizes)))
    part = connected_components(joined, directed=False)[1][nodes]
    return (part != part[:, :1]).any(axis=1)


def partners(combinations: Rows, shown: Marked) -> Float[np.ndarray, " items"]:
    """Of how many training combinations the rarest level of each combination is part."""
    counts = [np.bincount(column[shown], minlength=column.max() + 1)[column] for column in combinations.T]
    return np.min(counts, axis=0).astype(float)


def interaction(combinations: Rows, answers: Float[np.ndarray, "items numbers"]) -> float:
    """Share of the variance of the true answers that no sum over single levels can give: 0 additive, 1 nothing is."""
    columns = [np.equal.outer(column, np.unique(column)).astype(float) for column in combinations.T]
    design = np.concatenate(columns, axis=1)
    spread = answers - answers.mean(axis=0)
    energy = float(np.square(spread).sum())
    if energy == 0:
        return 0.0
    basis, sizes, _ = np.linalg.svd(design, full_matrices=False)
    basis = basis[:, sizes > 1e-9 * sizes[0]]
    return float(np.square(spread - basis @ (basis.T @ spread)).sum()) / energy
