"""Kernels of infinitely wide fully connected ReLU networks, in closed form.

The angular functions are those of Cho & Saul (2009), "Kernel methods for deep learning"; the random-network
(NNGP) recursion and the tangent kernel follow Lee et al. (2019), "Wide neural networks of any depth evolve as
linear models", and Jacot, Gabriel & Hongler (2018), "Neural tangent kernel".
"""

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Float, Real


def relu_tangent_kernel(
    codes_a: Real[np.ndarray, "first inputs"],
    codes_b: Real[np.ndarray, "second inputs"],
    depth: int,
    bias: float = 0.0,
) -> Float[np.ndarray, "first second"]:
    """Tangent kernel Θ of a ReLU network with `depth` hidden layers: what training all layers amounts to.

        Σ⁰ = a·b / inputs + β                         u = Σˡ(a,b) / √(Σˡ(a,a) Σˡ(b,b)) = cos θ
        Σˡ⁺¹ = √(Σˡ(a,a) Σˡ(b,b)) (sin θ + (π − θ) cos θ) / π + β
        Θ⁰ = Σ⁰,     Θˡ⁺¹ = Σˡ⁺¹ + Θˡ (π − θ) / π

    β = `bias` is the variance of the biases of every layer; weights have variance 2 / fan-in (1 / fan-in in the
    first layer), which without biases matters only by a factor. depth = 0: a linear map, Θ = Σ⁰. On the diagonal
    Θ = (depth + 1) |a|² / inputs + β (depth + 1)(depth + 2) / 2. depth → ∞ without biases: Θ / (depth + 1) goes
    to |a|² / inputs for equal and to a quarter of |a||b| / inputs for all other inputs, a look-up table.
    The codes are used as they are; for codes of unequal norm the norm matters.
    """
    return _recursion(codes_a, codes_b, depth, bias)[1]


def relu_nngp_kernel(
    codes_a: Real[np.ndarray, "first inputs"],
    codes_b: Real[np.ndarray, "second inputs"],
    depth: int,
    bias: float = 0.0,
) -> Float[np.ndarray, "first second"]:
    """Random-network kernel Σ of `relu_tangent_kernel`: what training the last layer alone amounts to.

    On the diagonal Σ = |a|² / inputs + (depth + 1) β. depth = 0: a linear map. depth → ∞ without biases: all
    directions look alike, Σ(a,b) goes to |a||b| / inputs.
    """
    return _recursion(codes_a, codes_b, depth, bias)[0]


def _recursion(
    codes_a: Real[np.ndarray, "first inputs"], codes_b: Real[np.ndarray, "second inputs"], depth: int, bias: float
) -> tuple[Float[np.ndarray, "first second"], Float[np.ndarray, "first second"]]:
    """Σ and Θ after `depth` hidden layers."""
    if isinstance(depth, bool) or depth != int(depth) or depth < 0:
        raise InputError(
            f"depth = {depth} must be a whole number of hidden layers, at least 0; use 0 for a linear map."
        )
    if not (np.isfinite(bias) and bias >= 0):
        raise InputError(f"bias = {bias} must be a finite variance of at least 0; use 0 for layers without biases.")
    if codes_a.ndim != 2 or codes_b.ndim != 2 or codes_a.shape[1] != codes_b.shape[1] or codes_a.shape[1] == 0:
        raise InputError(
            f"codes of shapes {codes_a.shape} and {codes_b.shape} cannot be compared; "
            "both must be (items, inputs) with the same inputs."
        )
    a, b = np.asarray(codes_a, dtype=np.float64), np.asarray(codes_b, dtype=np.float64)
    inputs = a.shape[1]
    size_a = np.square(a).sum(axis=1) / inputs + bias
    size_b = np.square(b).sum(axis=1) / inputs + bias
    sigma = a @ b.T / inputs + bias
    theta = sigma
    for _ in range(int(depth)):
        scale = np.sqrt(size_a)[:, None] * np.sqrt(size_b)[None, :]
        # A code of zeros has no direction; its kernel is 0 whatever angle is put here.
        cosine = np.divide(sigma, scale, out=np.zeros_like(sigma), where=scale > 0)
        # Rounding turns an angle of 0 into one of 1e-8; equal and opposite inputs must stay exactly that.
        cosine = np.where(np.abs(cosine) > 1 - 1e-14, np.sign(cosine), cosine)
        angle = np.arccos(cosine)
        sigma = scale * (np.sqrt(1 - np.square(cosine)) + (np.pi - angle) * cosine) / np.pi + bias
        theta = sigma + theta * (np.pi - angle) / np.pi
        size_a, size_b = size_a + bias, size_b + bias
    return sigma, theta
