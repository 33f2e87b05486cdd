"""Exact derivatives of a composition by the components it joins, for those who check supports without torch."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, TypeAlias

import numpy as np
import torch
from torch.func import jvp

from recombine.core.compositions import Composition
from recombine.core.errors import InputError
from recombine.core.shapes import Float

# From the components of all slots (points, pixels, channels) to a picture, (points, ...).
Function: TypeAlias = Callable[[Sequence[torch.Tensor]], torch.Tensor]
# From the components of all slots to the derivative (points, blocks, out, in) of what it was made for.
Derivative: TypeAlias = Callable[[Sequence[np.ndarray]], np.ndarray]
Structure: TypeAlias = Literal["blocks", "dense"]

ROUNDING = 1e-10  # of the largest derivative: less is none


def derivative(
    composition: Composition, slot: int, parts: Sequence[Float[np.ndarray, "points pixels _"]]
) -> Float[np.ndarray, "points pixels out in"]:
    """∂C/∂φ_slot at every pixel of every point: J[..., i, j] = ∂ output channel i / ∂ channel j of the component.

    In float64. A composition works pixel by pixel, so one pass for each channel of the picture gives a row of all
    blocks at once. Where a formula bends, the derivative is the one torch takes: a `clamp` counts its ends as inside.
    """
    return _blocks(lambda given: composition.join(list(given)), slot, _tensors(slot, parts))


def general_derivative(
    function: Function, slot: int, parts: Sequence[Float[np.ndarray, "points pixels _"]]
) -> tuple[Structure, Derivative]:
    """Whether a function joins components pixel by pixel, as seen at ``parts``, and its derivative by one of them.

    ``function`` takes a list of tensors (points, pixels, channels), float64, and gives one of (points, ...). It is
    ``"blocks"`` if its answer is (points, pixels, out) and no pixel depends on another one of the component: then the
    derivative is (points, pixels, out, in). Otherwise it is ``"dense"``, one block for the whole picture: (points, 1,
    all out, all in), in the order in which arrays are flattened.

    Every pair of pixels is probed, by derivatives along random changes of half of the pixels: those whose number has a
    given binary digit. Points must not depend on one another, which is probed likewise. Parts given to the derivative
    may be flat, (points, 1, pixels · channels).
    """
    at = _tensors(slot, parts)
    shapes = [part.shape[1:] for part in at]
    answer = _answer(function, slot, at)
    if _mixes(function, slot, at, axis=0):
        raise InputError(
            f"the composition makes points depend on one another in its derivative by slot {slot}; it must compose "
            "every point by itself, so take no mean or norm over the first axis."
        )
    apart = answer.ndim == 3 and answer.shape[1] == at[slot].shape[1] and not _mixes(function, slot, at, axis=1)
    rows = _blocks if apart else _dense

    def found(parts: Sequence[np.ndarray]) -> np.ndarray:
        tensors = _tensors(slot, parts)
        given = [part.reshape(len(part), *shape) for part, shape in zip(tensors, shapes, strict=True)]
        return rows(function, slot, given)

    return "blocks" if apart else "dense", found


def _tensors(slot: int, parts: Sequence[np.ndarray]) -> list[torch.Tensor]:
    """The components in float64, if there is one of such a slot."""
    if not 0 <= slot < len(parts):
        raise InputError(f"slot = {slot} must be one of 0 to {len(parts) - 1}: there are {len(parts)} components.")
    return [torch.as_tensor(np.asarray(part, dtype=np.float64)) for part in parts]


def _answer(function: Function, slot: int, parts: Sequence[torch.Tensor]) -> torch.Tensor:
    """What the function says, if torch can follow how it depends on the component of a slot."""
    watched = [part.clone().requires_grad_(index == slot) for index, part in enumerate(parts)]
    try:
        answer = function(watched)
    except (RuntimeError, TypeError) as error:
        raise _undifferentiable(slot, str(error)) from None
    if not isinstance(answer, torch.Tensor) or not answer.requires_grad:
        raise _undifferentiable(slot, "its answer has no graph to that component")
    if answer.ndim < 2 or len(answer) != len(parts[slot]):
        raise InputError(
            f"the composition gives an array of shape {tuple(answer.shape)} for {len(parts[slot])} points; its first "
            "axis must be the points, and the others what it says of each."
        )
    return answer


def _along(function: Function, slot: int, parts: Sequence[torch.Tensor], change: torch.Tensor) -> torch.Tensor:
    """The derivative along one change of the component of a slot."""

    def by_slot(part: torch.Tensor) -> torch.Tensor:
        return function([part if index == slot else other for index, other in enumerate(parts)])

    try:
        with warnings.catch_warnings():
            # The first forward-mode derivative of a process makes torch load code of its own that it deprecates.
            warnings.filterwarnings("ignore", "`torch.jit.script", DeprecationWarning)
            return jvp(by_slot, (parts[slot],), (change,))[1].detach()
    except (RuntimeError, TypeError) as error:
        raise _undifferentiable(slot, str(error)) from None


def _undifferentiable(slot: int, reason: str) -> InputError:
    why = " ".join(reason.split()).rstrip(".")
    return InputError(
        f"torch cannot differentiate the composition by the component of slot {slot} ({why}); write it with torch "
        "functions of that component alone, without detaching it or leaving torch."
    )


def _blocks(function: Function, slot: int, parts: Sequence[torch.Tensor]) -> np.ndarray:
    """Rows of all blocks, one for each channel of the answer: backwards, which takes torch a third of the time."""
    part = parts[slot].clone().requires_grad_()
    try:
        answer = function([part if index == slot else other for index, other in enumerate(parts)])
        if not answer.requires_grad:  # nothing of this component is in it
            return np.zeros((*answer.shape, part.shape[-1]))
        totals = answer.sum(dim=tuple(range(answer.ndim - 1)))
        rows = [torch.autograd.grad(total, part, retain_graph=True, materialize_grads=True)[0] for total in totals]
    except (RuntimeError, TypeError) as error:
        raise _undifferentiable(slot, str(error)) from None
    return torch.stack(rows, dim=-2).numpy(force=True)


def _dense(function: Function, slot: int, parts: Sequence[torch.Tensor]) -> np.ndarray:
    """Columns of the one block, number by number of the component."""
    one = parts[slot][0]
    changes = torch.eye(one.numel(), dtype=torch.float64).unflatten(1, one.shape)
    columns = [_along(function, slot, parts, change.expand(parts[slot].shape).clone()) for change in changes]
    return torch.stack([column.flatten(1) for column in columns], dim=-1)[:, None].numpy(force=True)


def _mixes(function: Function, slot: int, parts: Sequence[torch.Tensor], axis: int) -> bool:
    """Whether a change at one index of an axis moves the answer at another."""
    generator = torch.Generator().manual_seed(0)
    change = torch.randn(parts[slot].shape, generator=generator, dtype=torch.float64)
    for some in _halves(change.shape[axis]):
        kept = [1] * change.ndim
        kept[axis] = -1
        moved = _along(function, slot, parts, change * some.view(kept)).abs().movedim(axis, 0)
        if moved[~some].max() > ROUNDING * moved.max():
            return True
    return False


def _halves(count: int) -> Iterator[torch.Tensor]:
    """Masks such that for any two indices, in this order, one has the first and lacks the second.

    Two different numbers differ in a binary digit, so the digits and their opposites do.
    """
    for digit in range((count - 1).bit_length()):
        some = (torch.arange(count) >> digit) % 2 == 1
        yield some
        yield ~some
