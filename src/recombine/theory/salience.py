"""How much of a similarity belongs to each conjunction of components: salience, and the way back.

Definitions follow Lippl & Stachenfeld (2025), section 5.1. A similarity κ says how alike two inputs are that share
some of their C components. It is a sum over everything they share,

    κ(J shared) = Σ_{I ⊆ J} s_I,

and s_I, its Möbius inverse, is what sharing all of I adds to sharing the parts of I.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from math import comb
from typing import TypeAlias

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Float, Real

# A tuple of 0/1 flags, one per component: (1, 0, 1) is the conjunction of the first and the third.
Flags: TypeAlias = tuple[int, ...]

# Either κ(0), ..., κ(C) by the number of shared components, or a value per tuple of flags.
Similarity: TypeAlias = Sequence[float] | Real[np.ndarray, " counts"] | Mapping[Flags, float]


def salience(similarity: Similarity) -> Float[np.ndarray, " orders"] | dict[Flags, float]:
    """S(1;C), ..., S(C;C): the share of each conjunction in what separates identical from unrelated inputs.

        S(k;C) = s_k / (κ(C) − κ(0)),        Σ_k binom(C,k) S(k;C) = 1

    A similarity by flags gives {flags: S_J} for every non-empty conjunction J; those sum to 1. 1/C, 0, ..., 0:
    components add up and nothing is remembered as a whole (multi-hot inputs). 0, ..., 0, 1: a lookup table. All
    S ≥ 0 makes the kernel positive semidefinite whatever the inputs.

    Saliences are ratios of differences: a similarity whose values agree to nearly all of their digits, as after a
    hundred Gaussian layers, has none left (`salience_by_depth` carries the digits it needs).
    """
    table = similarity_table(similarity)
    parts = inverted(table, isinstance(similarity, Mapping))
    span = float(table[-1] - table[0])
    if abs(span) <= 1024 * np.finfo(np.float64).eps * np.abs(table).max():
        raise InputError(
            f"salience is undefined: kappa(C) - kappa(0) = {span:.3g} beside values of {table[-1]:.3g} is zero to "
            "rounding; identical inputs must differ from unrelated ones, so change the similarity, or use "
            "salience_by_depth for deep random layers."
        )
    shares = parts[1:] / span
    if isinstance(similarity, Mapping):
        return dict(zip(conjunction_flags(_components(similarity))[1:], map(float, shares), strict=True))
    return np.asarray(shares, dtype=np.float64)


def moebius(similarity: Similarity) -> Float[np.ndarray, " counts"] | dict[Flags, float]:
    """The un-normalised saliences, that of the empty conjunction first: s_0 = κ(0), s_1, ..., s_C.

        s_k = Σ_{j ≤ k} (−1)^{k−j} binom(k,j) κ(j)        or        s_J = Σ_{I ⊆ J} (−1)^{|J|−|I|} κ(I)

    The sequence form holds one number per order, the form by flags one per conjunction, the empty one included.
    """
    parts = inverted(similarity_table(similarity), isinstance(similarity, Mapping))
    if isinstance(similarity, Mapping):
        return dict(zip(conjunction_flags(_components(similarity)), map(float, parts), strict=True))
    return np.asarray(parts, dtype=np.float64)


def similarity_from_salience(
    salience: Sequence[float] | Real[np.ndarray, " orders"] | Mapping[Flags, float], none: float = 0.0
) -> Float[np.ndarray, " counts"] | dict[Flags, float]:
    """The similarity with these saliences and κ(0) = `none`.

        κ(k) = κ(0) + Σ_{1 ≤ j ≤ k} binom(k,j) s_j        or        κ(J) = κ(0) + Σ_{∅ ≠ I ⊆ J} s_I

    Takes s_1, ..., s_C, or one value per non-empty tuple of flags. Normalised ones give κ(C) = κ(0) + 1.
    """
    if isinstance(salience, Mapping):
        empty = (0,) * _components(salience)
        table = similarity_table({**salience, empty: none})
        sums = table.reshape((2,) * len(empty)).copy()
        for axis in range(len(empty)):
            first = np.moveaxis(sums, axis, 0)
            first[1] += first[0]
        return dict(zip(conjunction_flags(len(empty)), map(float, sums.ravel()), strict=True))
    table = similarity_table([none, *salience])
    return np.array([sum(comb(k, j) * table[j] for j in range(k + 1)) for k in range(len(table))], dtype=np.float64)


def conjunction_flags(components: int) -> list[Flags]:
    """All tuples of flags, in the order of binary numbers: the empty conjunction first, the full one last."""
    return list(product((0, 1), repeat=components))


def inverted(table: np.ndarray, by_flags: bool) -> np.ndarray:
    """The Möbius inverse of a table of similarities, in its own order; works on any numbers that subtract."""
    if by_flags:
        parts = table.reshape((2,) * (len(table).bit_length() - 1)).copy()
        for axis in range(parts.ndim):
            first = np.moveaxis(parts, axis, 0)
            first[1] = first[1] - first[0]
        return parts.ravel()
    signed = [[(-1) ** (k - j) * comb(k, j) for j in range(len(table))] for k in range(len(table))]
    return np.array([sum(c * each for c, each in zip(row, table, strict=True) if c) for row in signed])


def similarity_table(similarity: Similarity, components: int | None = None) -> Float[np.ndarray, " places"]:
    """The values of a checked similarity: by count, or in the order of `conjunction_flags`.

    Without `components` their number is taken from the similarity itself.
    """
    if components is None:
        components = _components(similarity)
    if isinstance(similarity, Mapping):
        flags = conjunction_flags(components)
        known = set(flags)
        strange = [key for key in similarity if key not in known]
        if strange:
            raise InputError(
                f"similarity key {strange[0]!r} must be a tuple of {components} flags, 0 or 1, one per component; "
                f"write it like {flags[-1]}."
            )
        for key in flags:
            if key not in similarity:
                raise InputError(
                    f"similarity has no value for shared components {key}; "
                    f"all {len(flags)} tuples of flags are needed, so add {key}."
                )
        table = np.array([similarity[key] for key in flags], dtype=np.float64)
    else:
        table = np.array(similarity, dtype=np.float64)
        if table.shape != (components + 1,):
            raise InputError(
                f"similarity has shape {table.shape}; combinations of {components} components need the "
                f"{components + 1} values kappa(0), ..., kappa({components}), so give one per number shared."
            )
    if not np.isfinite(table).all():
        bad = table[~np.isfinite(table)][0]
        raise InputError(f"similarity holds {bad}; every value must be finite, so replace it.")
    return table


def _components(similarity: Similarity) -> int:
    if isinstance(similarity, Mapping):
        components = max((len(key) for key in similarity if isinstance(key, tuple)), default=0)
    else:
        components = len(similarity) - 1
    if components < 1:
        raise InputError(
            f"similarity {similarity!r} speaks of no component; give kappa(0), ..., kappa(C) with C >= 1, "
            "or a value for every tuple of flags."
        )
    return components
