"""A composition and what it is made of, called with care: every answer is checked for its shape and its numbers."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Bool
from recombine.theory.coverage import Complete

Parts: TypeAlias = list[np.ndarray]  # over slots: (points, blocks, channels_in)
Compose: TypeAlias = Callable[[Parts], np.ndarray]  # -> (points, blocks, channels_out)
Derivative: TypeAlias = Callable[[int, Parts], np.ndarray]  # -> (points, blocks, channels_out, channels_in)
Components: TypeAlias = Callable[
    [int, np.ndarray], np.ndarray
]  # slot, (points, latents) -> (points, blocks, channels_in)

ENTRIES = 2**21  # of the Jacobians, or of the problems of blocks, held at a time
PROBES = 4  # points per anchor whose derivative is compared with differences of the composition


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


def asked(what: str, at: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """The answer of a function that others wrote; what it raises is told with its place."""
    try:
        return function(*arguments)
    except InputError:
        raise
    except Exception as error:
        said = " ".join(str(error).split()).rstrip(".")
        raise InputError(
            f"{what} raised {type(error).__name__}{f' ({said})' if said else ''} at {at}; it must answer for every "
            "value, so mend it or leave this value out."
        ) from error


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
        answer = asked("complete", at, complete, slot, value, count)
        points = self._numbers("complete", answer, (None, self.slots, len(value)), at, "slot")
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
        what = f"component {slot}"
        part = self._numbers(what, asked(what, at, self.components, slot, values), shape, at)
        self.blocks, self.inputs[slot] = part.shape[1:]
        return part.astype(np.float64)

    def jacobians(
        self, slot: int, own: np.ndarray, points: np.ndarray, start: int, rng: "np.random.Generator", at: str
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
        jacobian = self._numbers(what, asked(what, at, self.derivative, slot, parts), shape, at, start=start)
        self.outputs = jacobian.shape[2]
        if self.tolerance is None:
            precision = np.finfo(jacobian.dtype if jacobian.dtype.kind == "f" else np.float64).eps
            self.cut = max(self.cut, float(10 * jacobian.shape[1] * max(jacobian.shape[2:]) * precision))
        return jacobian.astype(np.float64)

    def _composed(self, parts: Parts, at: str, start: int = 0) -> np.ndarray:
        assert self.compose is not None
        shape = (len(parts[0]), self.blocks, self.outputs)
        what = "the composition"
        output = self._numbers(what, asked(what, at, self.compose, parts), shape, at, start=start)
        self.outputs = output.shape[2]
        return output

    def compare(self, slot: int, parts: Parts, jacobian: np.ndarray, rng: "np.random.Generator", at: str) -> None:
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
