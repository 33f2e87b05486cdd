"""Do the units of a layer fall into as many groups as there are modules, by where their weights come from?"""

import numpy as np

from recombine.core.shapes import Float, Integer
from recombine.measures.layered import Labels, Layers, forward_shares, living, scaled, sizes
from recombine.measures.module_evidence import ModuleEvidence
from recombine.measures.registry import measures


def spectral_score(weights: Layers, modules_in: Labels) -> tuple[float, ...]:
    """1 − λ_K for each hidden layer, λ_K the K-th smallest eigenvalue of the normalised Laplacian of its units.

        R_ik = Σ_j |W_ij| [unit j of the layer before is of module k],   S_ij = cos(R_i, R_j)
        λ: eigenvalues of I − D^−½ S D^−½,   D = diag(Σ_j S_ij)

    A hidden unit is of the module with the largest share in the path mass that reaches it. Dead units (`living`) are
    left out, of the layer and of the one before. S has rank K at most, so λ_{K+1} = 1 and the score is the eigengap.
    1: K groups, each fed by one module; 0: every unit is fed in the same proportions, or fewer than K units live.
    """
    labels = np.asarray(modules_in)
    matrices = [scaled(matrix) for matrix in sizes(weights, inputs=len(labels))]
    known, sources = np.unique(labels, return_inverse=True)
    awake = np.ones(len(sources), dtype=bool)
    scores = []
    for matrix, shares, units in zip(matrices[:-1], forward_shares(weights, labels), living(weights), strict=True):
        scores.append(_score(matrix[units][:, awake], sources[awake], len(known)))
        sources, awake = shares.argmax(axis=1), units
    return tuple(scores)


@measures.register("spectral_score")
def spectral_by_layer(evidence: ModuleEvidence) -> dict[str, float]:
    """Eigengap of the similarity of a hidden layer's units by what feeds them: 1 a group per module, 0 all alike."""
    evidence.need_modules()
    scores = spectral_score(evidence.need_weights(), evidence.modules_in)
    return {f"layer{place}": score for place, score in enumerate(scores)}


def _score(
    matrix: Float[np.ndarray, "_units _before"], sources: Integer[np.ndarray, " _before"], modules: int
) -> float:
    fed = matrix @ np.eye(modules)[sources]
    fed = fed[fed.any(axis=1)]  # a unit that only dead units feed is like no other
    if len(fed) < modules:
        return 0.0
    directions = fed / np.linalg.norm(fed, axis=1, keepdims=True)
    degrees = directions @ directions.sum(axis=0)
    # The eigenvalues of D^−½ S D^−½ are the squared singular values of D^−½ times the directions.
    values = np.linalg.svd(directions / np.sqrt(degrees)[:, None], compute_uv=False)
    return float(values[modules - 1] ** 2)
