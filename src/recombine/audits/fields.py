"""Inputs and factors in a file with named fields: one's own, or in the layout of dSprites, 3DShapes or MPI3D."""

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from recombine.core.errors import InputError

Fields: TypeAlias = Mapping[str, Callable[[], Any]]  # what reads a field, by its name

INPUT_FIELDS = ("inputs", "images")  # one's own, and of 3DShapes and MPI3D
SIZES = "sizes"  # how many levels each factor of MPI3D has, where not all of it is there
BLACK_AND_WHITE = "imgs"  # of dSprites: 0 and 1 as bytes

# The factors of public sets in the order of their columns, and how many levels MPI3D has of each.
DSPRITES = ("color", "shape", "scale", "orientation", "posX", "posY")
SHAPES3D = ("floor_hue", "wall_hue", "object_hue", "scale", "shape", "orientation")
MPI3D = ("object_color", "object_shape", "object_size", "camera_height", "background_color", "horizontal_axis",
         "vertical_axis")  # fmt: skip
MPI3D_SIZES = ((6, 6, 2, 3, 3, 40, 40), (4, 4, 2, 3, 3, 40, 40))


def inputs_in(fields: Fields) -> Any:
    """Inputs, or None where there are none."""
    found = next((fields[name]() for name in INPUT_FIELDS if name in fields), None)
    if found is not None or BLACK_AND_WHITE not in fields:
        return found
    pictures = fields[BLACK_AND_WHITE]()
    # As bytes of light they would be nearly black.
    return pictures.view(bool) if pictures.dtype == np.uint8 and pictures.max(initial=0) <= 1 else pictures


def factors_in(path: Path, fields: Fields, count: int) -> Any:
    """Factors as a mapping from names to columns, an array without names, or None where there are none."""
    named = {"factors": (), "latents_values": DSPRITES, "labels": SHAPES3D}
    field = next((name for name in named if name in fields), None)
    if field is None:
        return _grid(path, fields[SIZES]() if SIZES in fields else None, count) if "images" in fields else None
    factors = fields[field]()
    columns = factors.shape[1] if factors.ndim == 2 else 1
    if "names" in fields:
        names = [str(name) for name in np.atleast_1d(fields["names"]())]
        if factors.ndim > 2 or len(names) != columns or len(set(names)) != len(names):
            raise InputError(f"{path} has {len(names)} names for factors of shape {factors.shape}; give each one name.")
    elif len(named[field]) == columns:
        names = list(named[field])
    else:
        return factors
    return dict(zip(names, factors.reshape(len(factors), columns).T, strict=True))


def _grid(path: Path, given: Sequence[int] | None, count: int) -> dict[str, np.ndarray] | None:
    """The factors of MPI3D, whose pictures come in the order of its grid; None where they are not as many."""
    sizes: tuple[int, ...] | None = next((each for each in MPI3D_SIZES if math.prod(each) == count), None)
    if given is not None:
        sizes = tuple(int(size) for size in given)
        if len(sizes) != len(MPI3D) or math.prod(sizes) != count:
            raise InputError(
                f"{path} has {count} images and the sizes {sizes}; give {len(MPI3D)} sizes with that product."
            )
    return None if sizes is None else dict(zip(MPI3D, np.indices(sizes).reshape(len(sizes), -1), strict=True))
