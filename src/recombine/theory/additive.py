"""The additive answer: a sum of one picture per factor, which is all a kernel can say about an unseen pair.

With codes that only match or do not match, an unseen pair never matches a training pair in both factors, so
kernel regression answers a(x) + b(y). Images are indexed [y, x, row, column].
"""

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Float, Real


def additive_answer(
    images: Real[np.ndarray, "y x rows columns"], held_out: Bool[np.ndarray, "y x"]
) -> Float[np.ndarray, "y x rows columns"]:
    """The additive answer to a held-out block A × B (x in A and y in B), in closed form.

        f(x,y) = mean_{y' ∉ B} I(x,y') + mean_{x' ∉ A} I(x',y) − mean_{x' ∉ A, y' ∉ B} I(x',y')

    Inside the block this is the least-squares additive fit to the rest (`additive_fit`). It is right when images
    are sums over factors. For products I = u(y) v(x) it misses by (u − ū)(v − v̄), ū and v̄ being means over
    the levels outside the block: two faint stripes outside the block and nothing at (x, y).
    """
    _check(images, held_out)
    rows, columns = held_out.any(axis=1), held_out.any(axis=0)
    if not np.array_equal(held_out, np.outer(rows, columns)):
        raise InputError(
            f"{int(held_out.sum())} held-out combinations do not form a block of {int(rows.sum())} by "
            f"{int(columns.sum())} levels; the closed form needs a block, so use additive_fit for other shapes."
        )
    for factor, touched in (("y", rows), ("x", columns)):
        if np.all(touched):
            raise InputError(
                f"the held-out block covers all {np.size(touched)} levels of {factor}; "
                "the closed form needs levels outside it, so shrink the block."
            )
    by_column = np.asarray(images[~rows], dtype=np.float64).mean(axis=0)[None]
    by_row = np.asarray(images[:, ~columns], dtype=np.float64).mean(axis=1)[:, None]
    both = np.asarray(images[np.ix_(~rows, ~columns)], dtype=np.float64).mean(axis=(0, 1))
    return by_column + by_row - both


def additive_fit(
    images: Real[np.ndarray, "y x rows columns"], held_out: Bool[np.ndarray, "y x"]
) -> Float[np.ndarray, "y x rows columns"]:
    """The least-squares fit a(y) + b(x) to the images that are not held out, for any held-out set.

    Where the fit is not determined (a level never seen, or seen pairs that fall into unconnected groups) the
    pictures a and b of minimum norm are taken, so a level never seen contributes nothing. This equals
    minimum-norm regression with the kernel 1[y = y'] + 1[x = x'].
    """
    _check(images, held_out)
    many, wide = held_out.shape
    y, x = np.divmod(np.arange(many * wide), wide)
    design = np.concatenate([np.eye(many)[y], np.eye(wide)[x]], axis=1)
    seen = ~held_out.ravel()
    pictures = np.linalg.pinv(design[seen]) @ images.reshape(many * wide, -1)[seen]
    return (design @ pictures).reshape(images.shape)


def _check(images: np.ndarray, held_out: np.ndarray) -> None:
    if images.ndim != 4 or held_out.shape != images.shape[:2]:
        raise InputError(
            f"images of shape {images.shape} and a held-out mask of shape {held_out.shape} do not belong together; "
            "they must be (y, x, rows, columns) and (y, x)."
        )
    if held_out.all():
        raise InputError(f"all {held_out.size} combinations are held out; leave at least one to fit.")
    if not np.isfinite(images[~held_out]).all():
        raise InputError("an image that is not held out holds values that are not finite; repair it or hold it out.")
