"""Inner products between rows, for layers with far more features than combinations."""

import numpy as np

from recombine.core.shapes import Float, Real

BLOCK = 4096  # features taken at a time; bounds the memory of wide layers


def gram(
    rows: Real[np.ndarray, "items features"], offset: Float[np.ndarray, " features"]
) -> Float[np.ndarray, "items items"]:
    """Inner products of all pairs of rows, seen from ``offset``, in double precision: G_ij = ⟨a_i − o, a_j − o⟩."""
    total = np.zeros((len(rows), len(rows)))
    for start in range(0, rows.shape[1], BLOCK):
        block = rows[:, start : start + BLOCK] - offset[start : start + BLOCK]
        total += block @ block.T
    return total
