"""Do the first principal components of a layer draw two circles, one for each factor?"""

import numpy as np

from recombine.core.shapes import Real
from recombine.measures.evidence import Evidence
from recombine.measures.layerwise import by_layer
from recombine.measures.registry import measures, rotation_invariant
from recombine.measures.spectrum import TORUS, principal_components


def circle_share(activations: Real[np.ndarray, "y x features"]) -> float:
    """Share of the variance of the first four principal components that one wave of x and one of y explain.

        share = Σ_k ‖P s_k‖² / Σ_k ‖s_k‖²,   s_k the centred scores, P the projection on cos a, sin a, cos b, sin b

    a = 2π x / columns, b = 2π y / rows. 1: two circles, as on the Clifford torus; 0: no trace of them.
    """
    rows, columns = activations.shape[:2]
    b, a = np.indices((rows, columns)).reshape(2, -1) * (2 * np.pi / np.array([[rows], [columns]]))
    waves = np.stack([np.cos(a), np.sin(a), np.cos(b), np.sin(b)], axis=1)
    scores = principal_components(activations, TORUS).scores
    # Over whole turns the waves are orthogonal, so that projections add up.
    explained = np.square(waves.T @ scores) / np.square(waves).sum(axis=0)[:, None]
    return float(explained.sum() / np.square(scores).sum())


rotation_invariant.register("circle_share")(circle_share)


@measures.register("circles")
def circles(evidence: Evidence) -> dict[str, float]:
    """Share of the first four principal components that is one circle of x and one of y, by hidden layer: 1 all of it.

    The formula is that of `circle_share`. 0: no trace of circles.
    """
    return by_layer(evidence, circle_share)
