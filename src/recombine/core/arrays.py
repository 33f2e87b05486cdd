"""Arrays as they are given: of NumPy, tensors of torch, or lists of numbers."""

from typing import Any, TypeAlias

import numpy as np

from recombine.core.errors import InputError

# What `as_array` and `real_array` read. No narrower: where annotations are checked, it would be refused unread.
Given: TypeAlias = Any


def as_array(thing: Given, what: str) -> np.ndarray:
    """A NumPy array of what somebody gave: a tensor of torch, an array or a list; nothing is unpickled or guessed."""
    try:
        array = np.asarray(thing.detach().cpu().numpy() if hasattr(thing, "detach") else thing)
    except TypeError:  # a tensor of a sort that NumPy does not have
        raise InputError(
            f"{what} must be of a sort that NumPy has, got a {getattr(thing, 'layout', 'strange')} tensor of "
            f"{getattr(thing, 'dtype', 'unknown sort')}; convert it first, e.g. by .float() or .to_dense()."
        ) from None
    except ValueError:  # lists of unequal lengths
        array = np.empty(0, dtype=object)
    if array.dtype == object:
        raise InputError(
            f"{what} must be of one sort and shape, got a ragged or mixed {type(thing).__name__}; give an array of "
            "numbers or words."
        )
    return array


def unit_of(numbers: np.ndarray) -> float:
    """A power of two as large as the numbers: divided by it no square leaves the range of floats, no digit is lost."""
    largest = max(float(numbers.max(initial=0)), -float(numbers.min(initial=0)))
    return float(2.0 ** np.clip(np.frexp(largest)[1], -1000, 1000)) if largest else 1.0


def real_array(
    given: Given, what: str, shape: str, *, way_out: str = "give one array of that shape", finite: bool = True
) -> np.ndarray:
    """Real numbers of a shape, finite unless said otherwise, of the precision they were given in; or an `InputError`.

    ``shape`` names the axes, "(points, features)"; dots first stand for any number of further ones. ``what`` names the
    numbers in the plural, for messages.
    """
    array = as_array(given, what)
    if array.dtype.kind not in "fiu":
        raise InputError(f"{what} of type {array.dtype} must be real numbers; convert them first.")
    axes = [axis.strip() for axis in shape.strip("()").split(",") if axis.strip()]
    further = axes[0] == "..."
    fits = array.ndim >= len(axes) - 1 if further else array.ndim == len(axes)
    if not fits or 0 in array.shape:
        raise InputError(f"{what} of shape {array.shape} must be {shape} with one of each at least; {way_out}.")
    if finite and array.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            ends = array.min(), array.max()  # both are NaN where a number is, and no mask is made of a large array
        if not np.isfinite(ends).all():
            place = tuple(map(int, np.unravel_index(np.argmax(~np.isfinite(array)), array.shape)))
            raise InputError(
                f"{what} are not all finite, first {float(array[place])} at {place}; check where they come from, or "
                "leave such ones out."
            )
    return array
