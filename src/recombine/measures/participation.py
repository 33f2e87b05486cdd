"""How many directions a layer uses."""

import numpy as np

from recombine.core.arrays import Given, real_array, unit_of
from recombine.core.errors import InputError
from recombine.measures.evidence import Evidence
from recombine.measures.gram import gram
from recombine.measures.registry import measures, rotation_invariant


def participation_ratio(rows: Given) -> float:
    """Effective number of directions in which the rows (..., samples, features) vary.

        PR = (Σ λ)² / Σ λ² = (tr C)² / tr C²,   λ the eigenvalues of the covariance C of the rows

    1: they vary along one line; min(samples − 1, features): equally in every direction they can. Undefined where they
    do not vary. Traces need no eigenvalues, and the smaller of the two Gram matrices has the same ones.
    """
    read = real_array(rows, "rows", "(..., samples, features)")
    flat = read.reshape(-1, read.shape[-1]) / unit_of(read)
    count = f"{len(flat)} rows" if len(flat) > 1 else "one row"
    # ptp, not the variance: the mean of equal floats can round away from them.
    if not np.ptp(flat, axis=0).any():
        raise InputError(
            f"the participation ratio of {count} that {'do' if len(flat) > 1 else 'does'} not vary is undefined; check "
            "that the layer is not dead, and give more rows than one."
        )
    mean = flat.mean(axis=0, dtype=np.float64)
    if flat.shape[0] < flat.shape[1]:
        products = gram(flat, mean)
    else:
        centred = flat - mean
        products = centred.T @ centred
    # Divided by the trace before squaring, so that no fourth power can leave the range of floats.
    return float(1 / np.square(products / np.trace(products)).sum())


rotation_invariant.register("participation_ratio")(participation_ratio)


@measures.register("participation")
def participation(evidence: Evidence) -> dict[str, float]:
    """Effective number of directions by layer: 1 for a line, 0 for a layer that does not vary."""
    layers = evidence.every_layer()
    return {name: participation_ratio(rows) if np.ptp(rows, axis=0).any() else 0.0 for name, rows in layers.items()}
