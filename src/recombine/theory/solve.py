"""Kernel regression as linear algebra: minimum norm or ridge, by a Cholesky factor or one eigendecomposition.

Every kernel of this package (overlap, tangent, one handed over as an array) is solved here.
"""

from dataclasses import dataclass

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Float, Real


@dataclass(frozen=True)
class Regression:
    """A fitted kernel regression, f(z) = Σ_i weights_i k(z, z_i) + intercept, and what it says."""

    outputs: Float[np.ndarray, "asked *outputs"]  # f at the rows of `cross`
    weights: Float[np.ndarray, "seen *outputs"]  # the dual coefficients
    intercept: Float[np.ndarray, "*outputs"]  # zero without a bias
    rank: int  # directions of the gram matrix that were used; the others are zero up to rounding
    definite: bool  # False: an eigenvalue is negative, so "minimum norm" is a solution but no norm is minimal


def regress(
    gram_seen: Real[np.ndarray, "seen seen"],
    cross: Real[np.ndarray, "asked seen"],
    targets: Real[np.ndarray, "seen *outputs"],
    ridge: float = 0.0,
    bias: bool = False,
) -> Regression:
    """What kernel regression fitted to `targets` says wherever `cross` asks.

        f = cross · (K + λ1)⁺ · y                          without a bias
        f = cross · a + b,  a = (H K H + λ1)⁺ H y,  b = mean(y − K a),  H = 1 − 11ᵀ/n        with one

    λ = 0 is the limit of a vanishing ridge: the interpolant of minimum norm, or the least-squares fit when
    the targets cannot be interpolated. λ → ∞ gives 0, or the mean of the targets with a bias. The bias is a
    constant that costs nothing; it is the limit of adding an ever larger constant to the kernel.

    The pseudo-inverse drops eigenvalues below 16 · √n · ε times the largest, ε being the precision of
    `gram_seen`: additive kernels are rank-deficient on a grid by design, and a kernel in single precision has
    no more digits than that, so hand it over in single precision. Where no eigenvalue is that small, which a Cholesky
    factor tells in a tenth of the time, there is nothing to drop and the factor gives the same answer.
    """
    _check(gram_seen, cross, targets, ridge)
    count = len(gram_seen)
    precision = np.finfo(gram_seen.dtype).eps if gram_seen.dtype.kind == "f" else np.finfo(np.float64).eps
    gram = np.asarray(gram_seen, dtype=np.float64)
    gram = (gram + gram.T) / 2
    wanted = np.asarray(targets, dtype=np.float64)
    largest = np.abs(gram).max()
    solved = _centred(gram) + largest / count if bias else gram
    right_side = wanted - wanted.mean(axis=0) if bias else wanted
    # Relative to the kernel before centring: what centring cancels leaves rounding of that size behind.
    smallest = 16 * np.sqrt(count) * precision
    weights = _of_full_rank(solved, right_side, ridge, smallest * max(np.abs(solved).sum(axis=1).max(), largest))
    rank, definite = count, True
    if weights is None:
        values, vectors = np.linalg.eigh(solved)
        floor = smallest * max(np.abs(values).max(), largest)
        kept = np.abs(values) > floor
        basis = vectors[:, kept]
        shrink = (values[kept] + ridge).reshape(-1, *[1] * (wanted.ndim - 1))
        weights = basis @ ((basis.T @ right_side) / shrink)
        rank, definite = int(kept.sum()), bool(values.min() >= -floor)
    intercept = np.zeros(wanted.shape[1:])
    if bias:
        weights -= weights.mean(axis=0)  # exact in theory; what rounding left would be multiplied by the kernel
        intercept = np.asarray((wanted - gram @ weights).mean(axis=0))
    return Regression(
        outputs=np.asarray(cross, dtype=np.float64) @ weights + intercept,
        weights=weights,
        intercept=intercept,
        rank=max(rank - bias, 0),  # the constant direction is the intercept's
        definite=definite,
    )


def _of_full_rank(
    gram: Float[np.ndarray, "n n"], right_side: Float[np.ndarray, "n *outputs"], ridge: float, floor: float
) -> Float[np.ndarray, "n *outputs"] | None:
    """(K + λ1)⁻¹ y where all eigenvalues of K are above `floor`, so that K − floor has a Cholesky factor; else None."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve  # slow to load, for what only lists names

    diagonal = np.diag_indices_from(gram)
    moved = gram.copy()
    try:
        moved[diagonal] -= floor
        cho_factor(moved, lower=True, check_finite=False)
        moved[diagonal] += floor + ridge
        factor = cho_factor(moved, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return None
    return cho_solve(factor, right_side.reshape(len(gram), -1), check_finite=False).reshape(right_side.shape)


def _centred(gram: Float[np.ndarray, "n n"]) -> Float[np.ndarray, "n n"]:
    """H K H of a symmetric K: rows and columns with their means taken out.

    Constant vectors have the eigenvalue 0, or a little rounding that looks like a real one. The caller adds
    c 11ᵀ/n, which moves that eigenvalue to c and leaves the others alone.
    """
    rows = gram.mean(axis=1)
    return gram - rows[:, None] - rows[None, :] + rows.mean()


def _check(gram: np.ndarray, cross: np.ndarray, targets: np.ndarray, ridge: float) -> None:
    if len(gram) == 0:
        raise InputError("kernel regression has 0 seen items but needs at least one; mark some items as seen.")
    if gram.shape != (len(targets), len(targets)) or cross.ndim != 2 or cross.shape[1] != len(targets):
        raise InputError(
            f"kernel shapes {gram.shape} and {cross.shape} do not fit {len(targets)} targets; they must be "
            "(seen, seen) and (asked, seen), so compute both against the same seen items."
        )
    for name, array in (("gram matrix", gram), ("cross kernel", cross), ("targets of seen items", targets)):
        if not np.isfinite(array).all():
            raise InputError(
                f"the {name} holds {int((~np.isfinite(array)).sum())} values that are not finite; "
                "kernel regression needs finite numbers, so mark those items as not seen or repair them."
            )
    if not (np.isfinite(ridge) and ridge >= 0):
        raise InputError(f"ridge = {ridge} must be a finite number of at least 0; use 0 for the minimum norm.")
