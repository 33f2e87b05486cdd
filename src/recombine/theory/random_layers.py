"""What layers of random weights do to a similarity: the infinitely wide limit, one number at a time.

A wide layer of random weights turns the similarity u of two inputs of length 1 into k(u), whatever the inputs, so an
overlap kernel stays one (Lippl & Stachenfeld 2025, Prop. 4.1). Arithmetic has as many digits as the answer needs:
in deep networks κ(C) − κ(0) → 0 and saliences are ratios of such differences.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from recombine.core.errors import InputError, unknown
from recombine.core.shapes import Float
from recombine.theory.salience import Flags, Similarity, conjunction_flags, inverted, similarity_table

NONLINEARITIES = ("relu", "leaky", "step", "rectified-quadratic", "gaussian")
LEAK = 0.1  # slope of "leaky" below zero, unless another is asked for

DIGITS = 40  # to begin with; doubled until two precisions agree
MOST_DIGITS = 5000
AGREE = 1e-12  # relative
TINY = 1e-300  # saliences below are nothing: double precision ends there


def random_layers(
    similarity: Similarity, nonlinearity: str = "relu", depth: int = 1, *, leak: float | None = None
) -> Float[np.ndarray, " counts"] | dict[Flags, float]:
    """The similarity after `depth` infinitely wide layers of random weights; 0 layers return it as it is.

    Each layer brings inputs to length 1, u = κ/κ(C), and applies (θ = arccos u)

        relu                  [sin θ + (π − θ) u] / 2π
        leaky                 (1 − a)² [sin θ + (π − θ) u] / 2π + a u,   slope a = `leak` below zero, 0.1 by default
        step                  π − θ
        rectified-quadratic   3 sin θ cos θ + (π − θ)(1 + 2 cos² θ)
        gaussian              (9 − 4u²)^(−1/2),   the activation exp(−x²)

    so n layers after m layers are n + m layers. Values are double precision numbers: after a hundred or more
    Gaussian layers they are all but equal, and their saliences must come from `salience_by_depth`.
    """
    table = similarity_table(similarity)
    curve = _curve(nonlinearity, leak)
    _check_depth(depth)
    found = table
    if depth > 0:
        last = _unfold([Fraction(float(value)) for value in table], curve, depth, DIGITS)[-1]
        found = np.array([float(value) for value in last])
    if isinstance(similarity, Mapping):
        return dict(zip(conjunction_flags(len(table).bit_length() - 1), map(float, found), strict=True))
    return found


def salience_by_depth(
    start: Similarity | int, nonlinearity: str = "relu", depth: int = 20, *, leak: float | None = None
) -> Float[np.ndarray, "depths orders"] | dict[Flags, np.ndarray]:
    """Saliences after 0, 1, ..., `depth` random layers, each to about 12 digits however deep.

    `start` is a similarity, or the number C of components of multi-hot inputs, κ(c) = c/C. A row of the answer is
    S(1;C), ..., S(C;C); a similarity by flags gives {flags: one number per depth} instead.

    S(C;C) → 1 for relu, as 1/L, and for step and rectified-quadratic, geometrically: a lookup table. For gaussian
    all similarities contract to 1 alike, and saliences stop short of that.
    """
    if isinstance(start, int):
        if start < 1:
            raise InputError(f"{start} components have no salience; give at least 1.")
        exact = [Fraction(count, start) for count in range(start + 1)]
    else:
        exact = [Fraction(float(value)) for value in similarity_table(start)]
    if exact[0] == exact[-1]:
        raise InputError(
            f"salience is undefined: kappa(C) = kappa(0) = {float(exact[0]):g}; identical inputs must differ from "
            "unrelated ones, so change the similarity."
        )
    by_flags = isinstance(start, Mapping)
    curve = _curve(nonlinearity, leak)
    _check_depth(depth)
    digits = DIGITS
    shares = _shares(exact, curve, depth, digits, by_flags)
    while digits <= MOST_DIGITS:
        digits *= 2
        finer = _shares(exact, curve, depth, digits, by_flags)
        if np.all(np.abs(shares - finer) <= AGREE * np.maximum(np.abs(finer), TINY)):
            if by_flags:
                return dict(zip(conjunction_flags(len(exact).bit_length() - 1)[1:], finer.T, strict=True))
            return finer
        shares = finer
    raise InputError(
        f"saliences of {depth} {nonlinearity} layers need more than {MOST_DIGITS} digits; ask for fewer layers."
    )


def _shares(exact: list[Fraction], curve: Callable, depth: int, digits: int, by_flags: bool) -> np.ndarray:
    """Rows of saliences by depth, computed with so many digits and rounded to double precision at the end."""
    rows = []
    for table in [exact, *_unfold(exact, curve, depth, digits)]:
        span = table[-1] - table[0]
        if not span:
            return np.full((depth + 1, len(exact) - 1), np.nan)  # agrees with nothing: more digits are needed
        parts = inverted(np.array(table, dtype=object), by_flags)
        shares = np.array([float(part / span) for part in parts[1:]])
        rows.append(np.where(np.abs(shares) < TINY, 0.0, shares))
    return np.array(rows)


def _unfold(start: list[Fraction], curve: Callable, depth: int, digits: int) -> list[list[Any]]:
    """The table of similarities after 1, ..., `depth` layers, in numbers of so many digits."""
    from mpmath import MPContext  # type: ignore[import-untyped]

    largest = start[-1]
    worst = max(start, key=abs)
    if largest <= 0 or abs(worst) > largest:
        raise InputError(
            f"similarity {float(worst):g} does not fit a similarity of {float(largest):g} for identical inputs; "
            "kappa(C) must be positive and the largest in size, so that inputs can be brought to length 1."
        )
    numbers = MPContext()
    numbers.dps = digits
    table = [numbers.mpf(value.numerator) / value.denominator for value in start]
    layers = []
    for _ in range(depth):
        # At most 1: rounding may lift a similarity that is all but κ(C) above it.
        shared = {value: curve(min(value / table[-1], numbers.one), numbers) for value in set(table)}
        table = [shared[value] for value in table]
        layers.append(table)
    return layers


def _curve(nonlinearity: str, leak: float | None) -> Callable[[Any, Any], Any]:
    """u ↦ k(u) of one layer, given the numbers to compute with."""
    if nonlinearity not in NONLINEARITIES:
        raise unknown("nonlinearity", nonlinearity, NONLINEARITIES)
    if leak is not None and nonlinearity != "leaky":
        raise InputError(f"leak = {leak} has no meaning for {nonlinearity!r}; use nonlinearity='leaky' or no leak.")
    if nonlinearity in ("relu", "leaky"):
        slope = 0.0 if nonlinearity == "relu" else LEAK if leak is None else leak
        if not 0 <= slope <= 1:
            raise InputError(f"leak = {slope} must lie between 0 (relu) and 1 (no nonlinearity at all).")
        share = (1 - slope) ** 2
        return lambda u, m: share * (m.sqrt(1 - u * u) + (m.pi - m.acos(u)) * u) / (2 * m.pi) + slope * u
    if nonlinearity == "step":
        return lambda u, m: m.pi - m.acos(u)
    if nonlinearity == "rectified-quadratic":
        return lambda u, m: 3 * m.sqrt(1 - u * u) * u + (m.pi - m.acos(u)) * (1 + 2 * u * u)
    return lambda u, m: 1 / m.sqrt(9 - 4 * u * u)


def _check_depth(depth: int) -> None:
    if depth < 0:
        raise InputError(f"depth = {depth} must be at least 0; 0 layers leave the similarity as it is.")
