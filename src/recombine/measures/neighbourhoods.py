"""A picture of a layer in which neighbours stay neighbours: UMAP, an extra beside principal components.

McInnes, Healy & Melville (2018, arXiv:1802.03426). Distances in such a picture mean little, and a ring in it is no
evidence of a ring: judge by `homology` and `ring_tests`, and look at this.
"""

import warnings

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Float, Real


def umap_view(
    rows: Real[np.ndarray, "*samples features"], dimensions: int = 3, neighbours: int = 15, seed: int = 0
) -> Float[np.ndarray, "items dimensions"]:
    """Every row as a point of a few ``dimensions``, by UMAP; needs the extra: ``pip install 'recombine[umap]'``.

    ``neighbours``: how many of them a row is kept close to. The same seed gives the same picture.
    """
    try:
        from umap import UMAP
    except ImportError:
        raise InputError(
            "umap_view needs umap-learn, which is not installed; install it with `pip install 'recombine[umap]'`, or "
            "look at `principal_components`."
        ) from None
    given = np.asarray(rows, dtype=np.float64)
    flat = given.reshape(-1, given.shape[-1])
    if not np.isfinite(flat).all():
        raise InputError("umap_view got rows that are not finite; leave them out.")
    if not 2 <= neighbours < len(flat) or not 1 <= dimensions < len(flat) - 1:
        raise InputError(
            f"umap_view got {len(flat)} rows, {neighbours} neighbours and {dimensions} dimensions; neighbours are 2 or "
            "more and fewer than the rows, dimensions fewer than the rows by two."
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a seed means one thread
        view = UMAP(n_components=dimensions, n_neighbors=neighbours, random_state=seed).fit_transform(flat)
    return np.asarray(view, dtype=np.float64)
