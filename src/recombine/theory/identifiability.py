"""Which pixels of which unseen combinations does training leave free? A test that needs no initial point.

The rank of a support is judged value by value (`support`), and the theorem adds an initial point (A4). Both are covered
by one linear problem: take finitely many component values, let every component output move a little, and ask what the
training combinations fix. Not a result of Wiedemer et al. (2023), but a linear version of their theorem.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.core.shapes import Bool, Float, Int, Integer
from recombine.theory.watched import ENTRIES, Compose, Derivative, Watched


@dataclass(frozen=True, eq=False)
class Leaks:
    """How far training leaves the outputs at test combinations free, to first order."""

    leak: Float[np.ndarray, "tests blocks"]
    size: Float[np.ndarray, "tests blocks"]  # ‖a_q‖, the leak if nothing were known
    free: Bool[np.ndarray, "tests blocks"]  # leak above `threshold` times size
    null_by_block: Int[np.ndarray, " blocks"]  # directions of all components that training does not see

    @property
    def null_dims(self) -> float:
        """Null directions of a block, on average."""
        return float(self.null_by_block.mean())


def leaks(
    derivative: Derivative,
    values: Sequence[Float[np.ndarray, "_ blocks _"]],
    train: Integer[np.ndarray, "trained _"],
    test: Integer[np.ndarray, "tests _"],
    *,
    compose: Compose | None = None,
    null: float = 1e-6,
    threshold: float = 1e-3,
) -> Leaks:
    """What moves of the components change a test combination and no training combination.

        leak(q) = ‖a_q V‖,    A_P V = 0,    row block of p:  Σ_k ∂C/∂φ_k(p) d_k^(p_k)

    `values` are the outputs of finitely many component values per slot; `train` and `test` name one of each slot. The
    unknowns d are moves of all these outputs, A_P stacks the rows of the training combinations, and V spans its null
    space: singular values up to `null` times the block's largest. 0: the output at q is pinned down; ‖a_q‖: training
    says nothing of it. Give `compose` to compare the derivative with it at the first combinations.
    """
    for what, tuples in (("training", train), ("test", test)):
        _check_tuples(what, tuples, [len(each) for each in values])
    if not 1e-7 <= null < 1:
        raise InputError(f"null = {null} must lie in [1e-7, 1); squared singular values resolve no smaller one.")
    watched = Watched(compose, derivative, lambda slot, chosen: values[slot][chosen[:, 0]], len(values), item="tuple")
    seen, asked = _rows(watched, train, "the training tuples"), _rows(watched, test, "the test tuples")
    starts = np.cumsum([0, *(each.shape[0] * each.shape[2] for each in values)])
    blocks, unknowns = seen[0].shape[1], int(starts[-1])
    leak, size = np.zeros((len(test), blocks)), np.zeros((len(test), blocks))
    counts = np.zeros(blocks, dtype=np.int64)
    step = max(1, ENTRIES // unknowns**2)
    columns = [
        [
            np.concatenate([starts[k] + np.arange(c) + c * each[k] for k, c in enumerate(_widths(seen))])
            for each in tuples
        ]
        for tuples in (train, test)
    ]
    for group in (slice(start, start + step) for start in range(0, blocks, step)):
        gram = np.zeros((len(counts[group]), unknowns, unknowns))
        for number, place in enumerate(columns[0]):
            rows = np.concatenate([each[number, group] for each in seen], axis=-1)
            gram[:, place[:, None], place] += np.swapaxes(rows, 1, 2) @ rows
        squares, vectors = np.linalg.eigh(gram)
        unseen = squares <= null**2 * squares[:, -1:]
        kept = vectors * unseen[:, None, :]
        projector = kept @ np.swapaxes(kept, 1, 2)
        counts[group] = unseen.sum(axis=1)
        for number, place in enumerate(columns[1]):
            rows = np.concatenate([each[number, group] for each in asked], axis=-1)
            free = np.einsum("boi,bij,boj->b", rows, projector[:, place[:, None], place], rows, optimize=True)
            leak[number, group] = np.sqrt(np.maximum(free, 0.0))
            size[number, group] = np.sqrt(np.square(rows).sum(axis=(1, 2)))
    return Leaks(leak, size, leak > threshold * size, counts)


def _widths(rows: list[np.ndarray]) -> list[int]:
    return [each.shape[-1] for each in rows]


def _rows(watched: "Watched", tuples: np.ndarray, at: str) -> list[np.ndarray]:
    """Per slot, the derivatives (tuples, blocks, channels_out, channels_in) at all combinations."""
    parts = [watched.component(slot, tuples[:, [slot]], at) for slot in range(watched.slots)]
    rows = [watched.rows(slot, parts, at) for slot in range(watched.slots)]
    if watched.compose is not None:
        for slot, jacobian in enumerate(rows):
            watched.compare(slot, parts, jacobian, stream(0, "identifiability", str(slot)), at)
    return rows


def _check_tuples(what: str, tuples: np.ndarray, lengths: list[int]) -> None:
    if not len(tuples) or tuples.shape[1] != len(lengths):
        raise InputError(
            f"{what} tuples of shape {tuples.shape} must be (tuples, {len(lengths)}), at least one, with the index of "
            "a component value for every slot."
        )
    outside = (tuples < 0) | (tuples >= np.array(lengths))
    if outside.any():
        number, slot = np.argwhere(outside)[0]
        raise InputError(
            f"{what} tuple {number} names value {tuples[number, slot]} of slot {slot}, which has {lengths[slot]} "
            "values; count them from 0."
        )
