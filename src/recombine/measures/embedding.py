"""What a network that renders each factor on its own drew for it: one picture per level, a stripe if all is well."""

from collections.abc import Mapping

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Float
from recombine.measures.evidence import FACTORS, Evidence
from recombine.measures.registry import measures


def top_share(picture: Float[np.ndarray, "rows columns"]) -> float:
    """Share of the largest singular value in the sum of all: σ₁ / Σ σ. 1: rank one; 1/min(rows, columns): no order."""
    values = np.linalg.svd(picture.astype(np.float64), compute_uv=False)
    return float(values[0] / values.sum())


@measures.register("embedding_top_share")
def embedding_top_share(evidence: Evidence) -> float:
    """Mean share of the top singular value over the pictures of all levels: 1 when every one has rank one.

    A stripe has rank one, but so has a stripe that stops halfway: see `stripe_extension`.
    """
    shares = []
    for factor, pictures in _embeddings(evidence).items():
        blank = ~pictures.any(axis=(1, 2))
        if blank.any():
            raise InputError(
                f"embedding_top_share is undefined: the picture of {factor} = {int(blank.argmax())} is all zero; "
                "check that the embedding was trained."
            )
        shares += [top_share(picture) for picture in pictures]
    return float(np.mean(shares))


@measures.register("stripe_extension")
def stripe_extension(evidence: Evidence) -> float:
    """How far stripes run into the held-out region: 1 straight through it, 0 they stop at its edge.

        profile_x[i](r) = sqrt(mean_c E_x[i][r, c]²),   profile_y[j](c) = sqrt(mean_r E_y[j][r, c]²)
        extension = mean over levels of  mean profile where held out / mean profile where trained

    A stripe of x runs along the rows, that is along y, and a stripe of y along the columns. The mean is over the
    levels of both factors that occur in held-out and in trained combinations. Above 1: stronger inside the region.
    """
    evidence.section("ood")
    held, trained = (evidence.sections[name].reshape(evidence.shape) for name in ("ood", "id"))
    ratios = []
    for factor, pictures in _embeddings(evidence).items():
        axis = FACTORS.index(factor)
        # One row per level, one column per position along its stripe.
        inside, outside = np.moveaxis(held, axis, 0), np.moveaxis(trained, axis, 0)
        profiles = np.sqrt(np.square(pictures, dtype=np.float64).mean(axis=1 + _across(factor)))
        if profiles.shape != inside.shape:
            raise InputError(
                f"stripe_extension is undefined: stripes of {factor} are {profiles.shape[1]} pixels long and the "
                f"other factor has {inside.shape[1]} levels; use pictures with a pixel per level."
            )
        for level in np.flatnonzero(inside.any(axis=1) & outside.any(axis=1)):
            reference = profiles[level, outside[level]].mean()
            if reference == 0:
                raise InputError(
                    f"stripe_extension is undefined: the picture of {factor} = {level} is zero wherever it was "
                    "trained; check that the embedding was trained."
                )
            ratios.append(profiles[level, inside[level]].mean() / reference)
    if not ratios:
        raise InputError(
            "stripe_extension is undefined: no level occurs in both held-out and trained combinations; "
            "use a split that holds out combinations of trained levels."
        )
    return float(np.mean(ratios))


def _across(factor: str) -> int:
    """The picture axis (0 rows, 1 columns) that crosses the stripe of a factor: a stripe of x stands at a column."""
    return 1 if factor == "x" else 0


def _embeddings(evidence: Evidence) -> Mapping[str, Float[np.ndarray, "_levels rows columns"]]:
    if not evidence.embeddings:
        raise InputError(
            "this evidence has no embeddings; use a model that renders each factor as a picture, "
            "or leave out the measures of embeddings."
        )
    return evidence.embeddings
