"""What an answer may be made of: the network's own pictures of everything that training showed, whole or in part."""

from dataclasses import dataclass

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Float, Int
from recombine.measures.evidence import Evidence, check_finite


@dataclass(frozen=True, eq=False)
class Stripes:
    """The lone stripes that training showed, one level of one factor each, with what the network drew for them."""

    levels: Float[np.ndarray, "stripes 2"]  # level indices (y, x); NaN: that factor is absent
    outputs: Float[np.ndarray, "stripes rows columns"]
    targets: Float[np.ndarray, "stripes rows columns"]

    def __post_init__(self) -> None:
        if (np.isnan(self.levels).sum(axis=1) != 1).any():
            raise InputError("a stripe has one factor and lacks the other; give NaN for exactly one of y and x.")
        check_finite("outputs of stripes", self.outputs)
        check_finite("targets of stripes", self.targets)

    def __len__(self) -> int:
        return len(self.levels)

    def nmse(self, blank: float) -> float | None:
        """Their squared error as a multiple of what blank pictures cost, as `nmse`; None: all of them are blank."""
        wrong, cost = (
            np.square(np.subtract(each, self.targets, dtype=np.float64)).mean() for each in (self.outputs, blank)
        )
        return float(wrong / cost) if cost > 0 else None


@dataclass(frozen=True, eq=False)
class Remembered:
    """The remembered pictures in order: combinations, then stripes."""

    levels: Float[np.ndarray, "pictures 2"]  # NaN where a stripe lacks the factor
    ink: Float[np.ndarray, "pictures pixels"]

    @property
    def whole(self) -> Bool[np.ndarray, " pictures"]:
        """Which are pictures of combinations; the others are stripes."""
        return ~np.isnan(self.levels).any(axis=1)

    def apart(self, evidence: Evidence, asked: Int[np.ndarray, "asked 2"]) -> Float[np.ndarray, "2 asked pictures"]:
        """Distance in levels, along y and along x, from combinations; the short way round a ring.

        Infinite along the factor that a stripe lacks: it shares no level of it.
        """
        distance = np.abs(asked.T[:, :, None] - self.levels.T[:, None, :])
        around = np.array(evidence.shape)[:, None, None] - distance
        short = np.where(np.array(evidence.on_ring)[:, None, None], np.minimum(distance, around), distance)
        return np.where(np.isnan(short), np.inf, short)


def remembered(
    evidence: Evidence, shown: Bool[np.ndarray, " combinations"], stripes: Stripes | None = None
) -> Remembered:
    """What the network drew for the combinations that training showed, and for its stripes."""
    levels, pictures = evidence.levels[shown].astype(np.float64), evidence.outputs[shown]
    if stripes is not None:
        if stripes.outputs.shape[1:] != pictures.shape[1:]:
            raise InputError(
                f"stripes are {' x '.join(map(str, stripes.outputs.shape[1:]))} pixels and answers "
                f"{' x '.join(map(str, pictures.shape[1:]))}; give stripes of the same size."
            )
        levels = np.concatenate([levels, stripes.levels])
        pictures = np.concatenate([pictures, stripes.outputs])
    flat = pictures.reshape(len(pictures), int(np.prod(pictures.shape[1:]))).astype(np.float64)
    return Remembered(levels, 1.0 - flat if evidence.dark else flat)
