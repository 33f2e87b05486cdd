"""Kernels of inputs made of components: similar by what they share, and what such a kernel predicts.

Definitions follow Lippl & Stachenfeld (2025), "When does compositional structure yield compositional
generalization? A kernel theory": Def. 3.1 for the kernel, Eq. 1 for the readout.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TypeAlias

import numpy as np

from recombine.core.errors import InputError, unknown
from recombine.core.shapes import Bool, Float, Integer, Real
from recombine.theory.margin import max_margin
from recombine.theory.solve import regress

# Either κ(0), ..., κ(C) by the number of shared components, or a value per tuple of 0/1 flags, e.g. (1, 0).
Similarity: TypeAlias = Sequence[float] | Real[np.ndarray, " counts"] | Mapping[tuple[int, ...], float]

SOLVERS = ("min-norm", "ridge", "max-margin")


def overlap_kernel(
    a: Integer[np.ndarray, "first components"], b: Integer[np.ndarray, "second components"], similarity: Similarity
) -> Float[np.ndarray, "first second"]:
    """Similarity of every row of `a` with every row of `b`, by the components they share.

        K(z, z') = κ(|{c : z_c = z'_c}|)          or, more generally,          K(z, z') = κ(1[z_1 = z'_1], ...)

    κ(0) is the similarity of inputs with nothing in common, κ(C) that of identical ones. Any two equal entries
    count as shared, also where both mark a factor as absent.
    """
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[1]:
        raise InputError(
            f"combinations of shapes {a.shape} and {b.shape} cannot be compared; "
            "both must be (items, components) with the same components."
        )
    components = a.shape[1]
    table = _table(similarity, components)
    # With a mapping every set of shared components has its own place: component c adds 2^(C-1-c).
    steps = 1 << np.arange(components)[::-1] if isinstance(similarity, Mapping) else np.ones(components, dtype=int)
    place = np.zeros((len(a), len(b)), dtype=np.int32)
    for c, step in enumerate(steps):
        place += (a[:, c, None] == b[None, :, c]) * np.int32(step)
    return table[place]


def predict(
    combinations: Integer[np.ndarray, "items components"],
    targets: Real[np.ndarray, "items *outputs"],
    seen: Bool[np.ndarray, " items"],
    similarity: Similarity,
    solver: str = "min-norm",
    ridge: float = 0.0,
    bias: bool = False,
) -> Float[np.ndarray, "items *outputs"]:
    """What a linear readout of the overlap representation says about every row, trained on the seen ones.

    `min-norm` is ridgeless least squares, `ridge` adds `ridge` to the diagonal of the kernel (ridge = 0 is the
    same as `min-norm`), `max-margin` gives the decision values of the widest-margin classifier of labels ±1.
    `bias` adds a constant that costs nothing. Targets of unseen rows are never read; they may be NaN.

    Whatever the solver, the answer for an unseen row is a sum of one value per conjunction of its components
    that was seen in training (Thm. 4.2); with two components it is f_0 + f_1(z_1) + f_2(z_2).
    """
    if solver not in SOLVERS:
        raise unknown("solver", solver, SOLVERS)
    if ridge != 0 and solver != "ridge":
        raise InputError(f"ridge = {ridge} has no meaning for solver {solver!r}; use solver='ridge' or ridge=0.")
    if seen.dtype != np.bool_ or seen.shape != (len(combinations),) or len(targets) != len(combinations):
        raise InputError(
            f"{len(combinations)} combinations need as many targets and a boolean mask of that length, got "
            f"{len(targets)} targets and a {seen.dtype} mask of shape {seen.shape}; give one entry per combination."
        )
    if not seen.any():
        raise InputError(f"none of the {len(seen)} combinations is marked as seen; mark at least one.")
    known = targets[seen]
    cross = overlap_kernel(combinations, combinations[seen], similarity)
    if solver != "max-margin":
        return regress(cross[seen], cross, known, ridge=ridge, bias=bias).outputs
    columns = [max_margin(cross[seen], cross, labels, bias=bias) for labels in known.reshape(len(known), -1).T]
    return np.stack(columns, axis=1).reshape(targets.shape)


def _table(similarity: Similarity, components: int) -> Float[np.ndarray, " places"]:
    """The values of a checked similarity, in the order `overlap_kernel` looks them up."""
    if isinstance(similarity, Mapping):
        flags = list(product((0, 1), repeat=components))
        strange = [key for key in similarity if key not in flags]
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
