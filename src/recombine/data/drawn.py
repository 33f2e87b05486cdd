"""Pictures that are drawn when they are asked for, so that a large set needs no memory of its own."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Float, Int

# Pictures are drawn in runs of about this many bytes: a long set then needs its own memory and one run more.
RUN_BYTES = 2**23
HELD_BYTES = 2**28  # of pictures that are held in memory; more are drawn as they are needed


def held_or_drawn(
    draw: Callable[[np.ndarray], np.ndarray], positions: Float[np.ndarray, "items ..."], image: tuple[int, int]
) -> "Float[np.ndarray, 'items rows columns'] | Drawn":
    """The pictures of all positions: in memory where they are few, else drawn as they are needed."""
    drawn = Drawn(draw, positions, image)
    return np.asarray(drawn) if 4 * drawn.size <= HELD_BYTES else drawn


@dataclass(frozen=True, eq=False)
class Drawn:
    """An array of pictures (items, rows, columns) in float32 whose items exist only while somebody looks at them.

    ``draw`` makes the pictures of some rows of ``positions``, and each picture must depend on its own row alone. Index
    it by rows (a slice, an array of indices, or one index) or make it an array with ``np.asarray``; both draw anew.
    """

    draw: Callable[[np.ndarray], np.ndarray]
    positions: Float[np.ndarray, "items ..."]
    image: tuple[int, int]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Items, and rows and columns of a picture."""
        return len(self.positions), *self.image

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        """Numbers in all pictures."""
        return len(self) * self.image[0] * self.image[1]

    @property
    def dtype(self) -> np.dtype[np.float32]:
        return np.dtype(np.float32)

    def __len__(self) -> int:
        return len(self.positions)

    def __getitem__(self, rows: Int[np.ndarray, " rows"] | slice | int) -> Float[np.ndarray, "*rows height width"]:
        if isinstance(rows, int | np.integer):
            return self._all(self.positions[[rows]])[0]
        return self._all(self.positions[rows])

    def __array__(self, dtype: np.dtype | None = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("pictures that are drawn when asked for have no memory to share; leave out copy=False.")
        return self._all(self.positions).astype(dtype or self.dtype, copy=False)

    def _all(self, positions: np.ndarray) -> np.ndarray:
        run = max(1, RUN_BYTES // max(1, 4 * self.image[0] * self.image[1]))
        if len(positions) <= run:
            return self._run(positions)
        pictures = np.empty((len(positions), *self.image), dtype=np.float32)
        for start in range(0, len(positions), run):
            pictures[start : start + run] = self._run(positions[start : start + run])
        return pictures

    def _run(self, positions: np.ndarray) -> np.ndarray:
        pictures = self.draw(positions)
        expected = (len(positions), *self.image)
        if pictures.shape != expected:
            raise InputError(
                f"pictures of shape {pictures.shape} were drawn where {expected} were promised; "
                "let `draw` return one picture of size `image` for each position."
            )
        return pictures.astype(np.float32, copy=False)
