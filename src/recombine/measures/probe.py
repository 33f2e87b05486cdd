"""Can a straight line read the factors off a layer?"""

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Float
from recombine.measures.evidence import Evidence
from recombine.measures.gram import gram
from recombine.measures.registry import measures

RIDGE = 1e-6  # relative to the mean squared singular value: settles ties, biases nothing that matters
STILL = 1e-9  # coordinates are levels, cosines and sines: what differs by less is rounding


def linear_probe(
    rows: Float[np.ndarray, "combinations features"],
    values: Float[np.ndarray, "combinations coordinates"],
    fitted: Bool[np.ndarray, " combinations"],
    scored: Bool[np.ndarray, " combinations"],
) -> Float[np.ndarray, " coordinates"]:
    """R² of each coordinate on the scored rows, for the linear map with intercept that was fitted on the fitted rows.

        W = argmin Σ_fitted ‖v − v̄ − (a − ā) W‖² + λ ‖W‖²,   λ = 10⁻⁶ · mean σ²
        R² = 1 − Σ_scored (v − v̂)² / Σ_scored (v − v̄_scored)²

    σ are the singular values of the centred fitted rows. 1: read off exactly; 0: no better than the scored rows' own
    mean; below 0: worse, without end. Constant rows predict the fitted mean: R² is 0 in sample and at most 0 elsewhere.
    """
    still = np.ptp(values[scored], axis=0) < STILL
    if still.any():
        raise InputError(
            f"a linear probe is undefined: coordinate {int(still.argmax())} is the same in all scored rows; "
            "hold out combinations that differ in y and in x, or leave the probes out."
        )
    spread = np.square(values[scored] - values[scored].mean(axis=0)).sum(axis=0)
    middle = values[fitted].mean(axis=0)
    predicted = middle + _ridge(rows, values[fitted] - middle, fitted, scored)
    return 1.0 - np.square(values[scored] - predicted).sum(axis=0) / spread


@measures.register("probe_in_sample")
def probe_in_sample(evidence: Evidence) -> dict[str, float]:
    """Mean R² of a linear read-out of both factors by layer, fitted and scored on all combinations.

    1: both factors are linear in the layer, which is certain once it has as many features as there are combinations;
    0: nothing linear to read, as for a constant layer. Factors on a ring are read as cosine and sine.
    """
    everywhere = np.ones(len(evidence.targets), dtype=bool)
    return _by_layer(evidence, everywhere, everywhere)


@measures.register("probe_held_out")
def probe_held_out(evidence: Evidence) -> dict[str, float]:
    """Mean R² of a linear read-out of both factors by layer, fitted on trained and scored on held-out combinations.

    1: what reads trained combinations reads held-out ones; 0: no better than guessing their mean; below 0: worse, as
    for a constant layer unless both sections have the same mean. Factors on a ring are read as cosine and sine.
    """
    return _by_layer(evidence, evidence.section("id"), evidence.section("ood"))


def _by_layer(
    evidence: Evidence, fitted: Bool[np.ndarray, " combinations"], scored: Bool[np.ndarray, " combinations"]
) -> dict[str, float]:
    values = _coordinates(evidence)
    return {
        name: float(linear_probe(rows, values, fitted, scored).mean()) for name, rows in evidence.every_layer().items()
    }


def _coordinates(evidence: Evidence) -> Float[np.ndarray, "combinations coordinates"]:
    """What a probe must read, y then x: levels, or on a ring the cosines of their angles, then the sines."""
    levels = evidence.levels.astype(np.float64)
    if not evidence.periodic:
        return levels
    angles = 2 * np.pi * levels / np.array(evidence.shape)
    return np.concatenate([np.cos(angles), np.sin(angles)], axis=1)


def _ridge(
    rows: Float[np.ndarray, "combinations features"],
    values: Float[np.ndarray, "samples coordinates"],
    fitted: Bool[np.ndarray, " combinations"],
    scored: Bool[np.ndarray, " combinations"],
) -> Float[np.ndarray, "asked coordinates"]:
    """Ridge predictions of centred values."""
    known, asked, left = ridge_system(rows, fitted, scored)
    return asked @ np.linalg.solve(known, values if left is None else left @ values)


def ridge_system(
    rows: Float[np.ndarray, "items features"], fitted: Bool[np.ndarray, " items"], scored: Bool[np.ndarray, " items"]
) -> tuple[Float[np.ndarray, "size size"], Float[np.ndarray, "asked size"], Float[np.ndarray, "size samples"] | None]:
    """The smaller of the two systems of equations of a ridge read-out, as K, A and L.

        predictions for the scored rows = A K⁻¹ L v,   v centred values of the fitted rows

    L is None where it is the identity. Nothing depends on the values, so that one system reads any factor.
    """
    offset = rows[fitted].mean(axis=0, dtype=np.float64)
    left = None
    if rows.shape[1] > int(fitted.sum()):
        products = gram(rows, offset)
        known, asked = products[np.ix_(fitted, fitted)], products[np.ix_(scored, fitted)]
    else:
        centred = rows[fitted] - offset
        known, asked, left = centred.T @ centred, rows[scored] - offset, centred.T
    ridge = RIDGE * np.trace(known) / len(known)
    # ptp as well: the mean of equal floats can round away from them, and what is left must not be fitted.
    if ridge == 0 or not np.ptp(rows[fitted], axis=0).any():
        return np.eye(len(known)), np.zeros_like(asked, dtype=np.float64), left
    return known + ridge * np.eye(len(known)), asked, left
