"""How the variance of a layer is spread over its principal components, and what the first of them show."""

from numbers import Integral
from typing import NamedTuple

import numpy as np

from recombine.core.arrays import Given, real_array, unit_of
from recombine.core.errors import InputError
from recombine.core.shapes import Float, Real
from recombine.measures.evidence import Evidence
from recombine.measures.exhibit import Arrays, exhibits, half
from recombine.measures.gram import gram
from recombine.measures.layerwise import COMPARED, by_layer, compared_layers
from recombine.measures.registry import measures, rotation_invariant
from recombine.measures.tuning import layers_of_interest

TORUS = 4  # components that an ideal code of two circular factors needs
SHOWN = 15  # components of a spectrum that are kept for figures
NOTHING = 1e-10  # a share of the variance below this is rounding


class PrincipalComponents(NamedTuple):
    """The first principal components, the largest first.

    ``shares``: their shares of the variance. ``scores``: the rows seen along them, so that the mean square of a column
    is the variance of its component.
    """

    shares: Float[np.ndarray, " components"]
    scores: Float[np.ndarray, "items components"]


def principal_components(rows: Given, number: Given) -> PrincipalComponents:
    """The first principal components of the rows (..., samples, features), zeros where there are no more directions.

        share_k = λ_k / Σ λ,   λ the eigenvalues of the covariance of the rows

    The sign of a component is such that the largest of its scores is positive.
    """
    if not isinstance(number, Integral) or isinstance(number, bool) or number < 1:
        raise InputError(f"number = {number!r} of principal components must be a whole number from 1 on; change it.")
    read = real_array(rows, "rows", "(..., samples, features)")
    unit = unit_of(read)
    flat = read.reshape(-1, read.shape[-1]) / unit
    # ptp, not the variance: the mean of equal floats can round away from them.
    if not np.ptp(flat, axis=0).any():
        raise InputError("a layer that does not vary has no principal components; check that it is not dead.")
    from scipy.linalg import eigh  # slow to load, and few need it

    mean = flat.mean(axis=0, dtype=np.float64)
    wide = flat.shape[0] < flat.shape[1]
    centred = None if wide else flat - mean
    products = gram(flat, mean) if centred is None else centred.T @ centred
    size = len(products)
    number = int(number)
    there = min(number, size)
    # All of them: asked for the largest alone, LAPACK finds fewer, or none, where many are equal.
    values, vectors = eigh(products, driver="evd")
    values, vectors = values[: -there - 1 : -1].clip(0), vectors[:, : -there - 1 : -1]
    scores = vectors * np.sqrt(values) if centred is None else centred @ vectors
    signs = np.sign(np.take_along_axis(scores, np.abs(scores).argmax(axis=0)[None], axis=0))
    lacking = ((0, 0), (0, number - there))
    shares = np.where(values > NOTHING * np.trace(products), values / np.trace(products), 0.0)
    return PrincipalComponents(np.pad(shares, lacking[1]), np.pad(scores * signs * unit, lacking))


def top_share_of(rows: Given, number: int = TORUS) -> float:
    """Share of the variance in the first principal components, 4 unless said."""
    return float(principal_components(rows, number).shares.sum())


rotation_invariant.register("top_share_of")(top_share_of)


@measures.register("top_four_share")
def top_four_share(evidence: Evidence) -> dict[str, float]:
    """Share of the variance in the first four principal components, by hidden layer: 1 for a Clifford torus.

        share = (λ_1 + λ_2 + λ_3 + λ_4) / Σ λ

    4 / D for D equally used directions. A layer that does not vary is left out.
    """
    return by_layer(evidence, top_share_of)


@measures.register("spectral_gap")
def spectral_gap(evidence: Evidence) -> dict[str, float]:
    """By what factor the fourth principal component outweighs the fifth, by hidden layer: λ_4 / λ_5, 1 or more.

    1: no gap after the fourth. A layer of four directions or fewer has no fifth and is left out.
    """
    return by_layer(evidence, _gap)


@exhibits.register("spectra")
def spectra(evidence: Evidence) -> Arrays:
    """The shares of the variance of the first 15 principal components of every hidden layer, in order."""
    found = by_layer(evidence, lambda layer: principal_components(layer, SHOWN).shares)
    return {f"spectrum_{name}": half(shares) for name, shares in found.items()}


@exhibits.register("portraits")
def portraits(evidence: Evidence) -> Arrays:
    """Every combination along the first 4 principal components of the compared layers, the first of variance 1.

    The layers are `COMPARED` where there are such, otherwise an early and a late one.
    """
    compared = compared_layers(evidence)
    names = compared if set(compared) <= set(COMPARED) else tuple(dict.fromkeys(layers_of_interest(evidence)))
    found = by_layer(evidence, lambda layer: principal_components(layer, TORUS).scores, names)
    # Their own scale may be beyond half precision.
    scales = {name: np.sqrt(np.square(scores[:, 0]).mean()) for name, scores in found.items()}
    return {f"portrait_{name}": half(scores / scales[name]) for name, scores in found.items()}


def _gap(layer: Real[np.ndarray, "y x features"]) -> float:
    fourth, fifth = principal_components(layer, TORUS + 1).shares[-2:]
    if fifth == 0:
        raise InputError("a layer that varies in four directions or fewer has no gap after the fourth; leave it out.")
    return float(fourth / fifth)
