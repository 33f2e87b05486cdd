"""Which pixels of which unseen combinations does training leave free? A test that needs no initial point.

The rank of a support is judged value by value (`support`), and the theorem adds an initial point (A4). Both are covered
by one linear problem: take finitely many component values, let every component output move a little, and ask what the
training combinations fix. Not a result of Wiedemer et al. (2023), but a linear version of their theorem.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.core.shapes import Bool, Float, Int, Integer
from recombine.theory.coverage import Complete

Parts: TypeAlias = list[np.ndarray]  # over slots: (points, blocks, channels_in)
Compose: TypeAlias = Callable[[Parts], np.ndarray]  # -> (points, blocks, channels_out)
Derivative: TypeAlias = Callable[[int, Parts], np.ndarray]  # -> (points, blocks, channels_out, channels_in)
Components: TypeAlias = Callable[
    [int, np.ndarray], np.ndarray
]  # slot, (points, latents) -> (points, blocks, channels_in)

ENTRIES = 2**21  # of the Jacobians, or of the problems of blocks, held at a time
PROBES = 4  # points per anchor whose derivative is compared with differences of the composition


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


def triangular(matrices: np.ndarray) -> np.ndarray:
    """Square R with RᵀR = AᵀA: the singular values and null directions of A, whatever its number of rows."""
    upper = np.asarray(np.linalg.qr(matrices, mode="r"))
    return np.pad(upper, [(0, 0)] * (upper.ndim - 2) + [(0, upper.shape[-1] - upper.shape[-2]), (0, 0)])


def null_space(factors: np.ndarray, floor: float) -> tuple[np.ndarray, Bool[np.ndarray, "anchors entries"]]:
    """For dense factors (anchors, 1, M, M): projectors on directions at most `floor` long, and the entries they use."""
    _, values, rows = np.linalg.svd(factors[:, 0])
    kept = rows * (values <= floor)[:, :, None]
    return np.swapaxes(kept, 1, 2) @ kept, np.square(kept).sum(axis=1) > 1e-12


def in_words(slot: int, value: np.ndarray, names: Sequence[str] | None) -> str:
    if names is None:
        return f"value ({', '.join(f'{each:.4g}' for each in value)})"
    return ", ".join(f"{name}{slot + 1} = {each:.4g}" for name, each in zip(names, value, strict=True))


class Watched:
    """The composition and what it is made of; every answer is checked for its shape and its numbers."""

    def __init__(
        self,
        compose: Compose | None,
        derivative: Derivative,
        components: Components,
        slots: int,
        *,
        dense: bool = False,
        one_sided: bool = False,
        tolerance: float | None = None,
        item: str = "completion",
    ) -> None:
        self.compose, self.derivative, self.components = compose, derivative, components
        self.slots, self.one_sided, self.item = slots, one_sided, item
        self.blocks: int | None = 1 if dense else None
        self.inputs: list[int | None] = [None] * slots  # channels of a component
        self.outputs: int | None = None
        self.smooth = True
        self.tolerance, self.cut = tolerance, tolerance or 0.0  # relative size below which a singular value is zero

    def completions(self, complete: Complete, slot: int, value: np.ndarray, count: int, at: str) -> np.ndarray:
        """Points that show the value, as `complete` gives them."""
        points = self._numbers("complete", complete(slot, value, count), (None, self.slots, len(value)), at, "slot")
        wrong = np.abs(points[:, slot] - value).max(axis=1, initial=0.0) > 1e-9 * (1 + np.abs(value).max(initial=0.0))
        if wrong.any():
            first = int(np.argmax(wrong))
            raise InputError(
                f"complete returned, for {at}, completion {first} with {points[first, slot].tolist()} in that slot; "
                "every point must show the value itself, so set it there, as from_sample does."
            )
        return points

    def component(self, slot: int, values: np.ndarray, at: str) -> np.ndarray:
        """φ of one slot at the values."""
        shape = (len(values), self.blocks, self.inputs[slot])
        part = self._numbers(f"component {slot}", self.components(slot, values), shape, at)
        self.blocks, self.inputs[slot] = part.shape[1:]
        return part.astype(np.float64)

    def jacobians(
        self, slot: int, own: np.ndarray, points: np.ndarray, start: int, rng: np.random.Generator, at: str
    ) -> np.ndarray:
        """The derivatives at some points from `start` on, as many as may be held at a time."""
        entries = (self.blocks or 1) * (self.outputs or self.inputs[slot] or 1) * (self.inputs[slot] or 1)
        chunk = points[start : start + max(1, ENTRIES // entries)]
        parts = [
            np.repeat(own, len(chunk), axis=0) if other == slot else self.component(other, chunk[:, other], at)
            for other in range(self.slots)
        ]
        self._composed(parts, at, start)
        jacobian = self.rows(slot, parts, at, start)
        if start == 0:
            self.compare(slot, parts, jacobian, rng, at)
        return jacobian

    def rows(self, slot: int, parts: Parts, at: str, start: int = 0) -> np.ndarray:
        """The derivative with respect to one slot, in double precision."""
        shape = (len(parts[0]), self.blocks, self.outputs, self.inputs[slot])
        what = f"the derivative for slot {slot}"
        jacobian = self._numbers(what, self.derivative(slot, parts), shape, at, start=start)
        self.outputs = jacobian.shape[2]
        if self.tolerance is None:
            precision = np.finfo(jacobian.dtype if jacobian.dtype.kind == "f" else np.float64).eps
            self.cut = max(self.cut, float(10 * jacobian.shape[1] * max(jacobian.shape[2:]) * precision))
        return jacobian.astype(np.float64)

    def _composed(self, parts: Parts, at: str, start: int = 0) -> np.ndarray:
        assert self.compose is not None
        shape = (len(parts[0]), self.blocks, self.outputs)
        output = self._numbers("the composition", self.compose(parts), shape, at, start=start)
        self.outputs = output.shape[2]
        return output

    def compare(self, slot: int, parts: Parts, jacobian: np.ndarray, rng: np.random.Generator, at: str) -> None:
        """Refuse a derivative that is not the composition's, by differences along a random direction to both sides."""
        parts, jacobian = [part[:PROBES] for part in parts], jacobian[:PROBES]
        output = self._composed(parts, at)
        precision = np.sqrt(np.finfo(output.dtype if output.dtype.kind == "f" else np.float64).eps)
        step = precision * max(1.0, float(np.abs(parts[slot]).max()))
        way = rng.uniform(0.5, 1.0, size=parts[slot].shape) * rng.choice([-1.0, 1.0], size=parts[slot].shape)
        claimed = np.einsum("pboi,pbi->pbo", jacobian, way)
        sides = []
        for sign in (1.0, -1.0):
            moved = [part + sign * step * way if other == slot else part for other, part in enumerate(parts)]
            sides.append((self._composed(moved, at) - output) / (sign * step))
        allowed = 100 * precision * max(1.0, float(np.abs(claimed).max()), float(np.abs(output).max()))
        kink = np.abs(sides[0] - sides[1]) > allowed
        # Where the sides agree, a derivative that fits one of them fits both.
        wrong = np.minimum(*(np.abs(side - claimed) for side in sides)) > allowed
        bad = kink if kink.any() and not self.one_sided else wrong
        if bad.any():
            first = tuple(np.argwhere(bad)[0])
            place = f"{at}, {self.item} {first[0]}, block {first[1]}"
            slope, right, left = (float(each[first]) for each in (claimed, *sides))
            if bad is kink:
                raise InputError(
                    f"the composition is not differentiable at {place}: its slope is {right:.4g} to one side and "
                    f"{left:.4g} to the other, so smooth it, move the value, or accept either side with one_sided=True."
                )
            raise InputError(
                f"the derivative for slot {slot} is {slope:.4g} along a direction at {place}, where the composition's "
                f"is {right:.4g}; they must agree, so mend it, or give one block with structure='dense' if blocks mix."
            )
        self.smooth &= not kink.any()

    def _numbers(
        self, what: str, answer: Any, shape: tuple[int | None, ...], at: str, unit: str = "block", start: int = 0
    ) -> np.ndarray:
        """An answer as finite numbers of the expected shape, in which None is any length."""
        try:
            array = np.asarray(answer)
        except ValueError:
            array = np.empty(0, dtype=object)
        fits = array.ndim == len(shape) and all(
            want in (None, got) for want, got in zip(shape, array.shape, strict=True)
        )
        if not fits or array.dtype.kind not in "fiub":
            wanted = ", ".join("any" if want is None else str(want) for want in shape)
            got = "no regular array of numbers" if array.dtype.kind not in "fiub" else f"shape {array.shape}"
            raise InputError(
                f"{what} returned {got} at {at}, not ({wanted}); its shape must be the same for every input, so give "
                f"(points, {unit}s, ...) throughout."
            )
        bad = ~np.isfinite(array)
        if bad.any():
            place = np.argwhere(bad)[0]
            raise InputError(
                f"{what} is {array[tuple(place)]} at {at}, {self.item} {start + place[0]}, {unit} {place[1]}; it must "
                "be a finite number, so mend it or leave this value out."
            )
        return array
