"""Input codes: how the position of one factor becomes numbers. An absent factor is a code of its own."""

from dataclasses import dataclass

import numpy as np
from pydantic import Field

from recombine.core.errors import InputError
from recombine.core.shapes import Float
from recombine.core.spec import Kinds, Spec

encodings: Kinds["Encoding"] = Kinds("encoding")

Positions = Float[np.ndarray, " items"]  # NaN where the factor is absent
Code = Float[np.ndarray, "items units"]


@dataclass(frozen=True)
class Axis:
    """What a factor's positions lie on: its levels, the pixels of the canvas, and the period where it is a ring."""

    levels: Float[np.ndarray, " levels"]
    pixels: Float[np.ndarray, " pixels"]
    period: float | None = None


class Encoding(Spec):
    """How one factor is coded. Factors are coded separately and their codes concatenated, in grid order."""

    def encode(self, positions: Positions, axis: Axis) -> Code:
        """Codes of real-valued ``positions`` along one axis."""
        raise NotImplementedError


def separation(
    positions: Positions, centres: Float[np.ndarray, " centres"], period: float | None
) -> Float[np.ndarray, "items centres"]:
    """Signed distance from every centre to every position, the short way round where the axis is periodic."""
    apart = positions[:, None] - centres
    return apart if period is None else apart - period * np.round(apart / period)


@encodings.register("one-hot")
class OneHot(Encoding):
    """One unit per level, 1 where the factor has it: 1[i = x]. Absent: all zeros. Levels only, no positions between."""

    def encode(self, positions: Positions, axis: Axis) -> Code:
        code = (np.abs(separation(positions, axis.levels, axis.period)) < 1e-9).astype(float)
        between = ~np.isnan(positions) & (code.sum(axis=1) != 1)
        if between.any():
            raise InputError(
                f"one-hot codes have no unit for position {positions[between][0]:g}; "
                "use grid centres, or a bump, ramp or sinusoidal encoding."
            )
        return code


@encodings.register("bump")
class BumpCode(Encoding):
    """A population of units with Gaussian tuning: exp(-(i - x)^2 / (2 width sigma^2)). Absent: all zeros.

    ``width`` scales the variance, as in the released code of forced rendering: width 9 is three times as wide.
    """

    sigma: float = Field(default=1.0, ge=1e-3, le=1e6)
    width: float = Field(default=1.0, ge=1e-3, le=1e6)

    def encode(self, positions: Positions, axis: Axis) -> Code:
        code = np.exp(-np.square(separation(positions, axis.pixels, axis.period)) / (2 * self.width * self.sigma**2))
        return np.nan_to_num(code, nan=0.0)


@encodings.register("ramp")
class Ramp(Encoding):
    """The position itself, in pixels, one unit; with ``presence`` a second unit says whether the factor is there.

    Zero is a legal position, so an absent factor needs the flag: its code is then (0, 0).
    """

    presence: bool = False

    def encode(self, positions: Positions, axis: Axis) -> Code:
        there = ~np.isnan(positions)
        if not self.presence and not there.all():
            raise InputError(
                "the ramp encoding cannot code an absent factor, since 0 is a position; "
                "use encoding {kind: ramp, presence: true}."
            )
        value = np.where(there, positions, 0.0)
        return np.stack([value, there.astype(float)], axis=1) if self.presence else value[:, None]


@encodings.register("sinusoidal")
class Sinusoidal(Encoding):
    """Sines and cosines of the position at several frequencies. Absent: all zeros, which no position has.

    Pairs (sin w_k x, cos w_k x), k = 0 .. pairs-1, with w_k = base^(-k/pairs) on a line, or
    w_k = 2 pi (k+1) / period on a ring, so that the code closes; ``raw`` codes a ring as a line, which does not close.
    """

    pairs: int = Field(default=8, ge=1, le=1024)
    base: float = Field(default=10000.0, gt=1)
    raw: bool = False

    def encode(self, positions: Positions, axis: Axis) -> Code:
        k = np.arange(self.pairs)
        period = None if self.raw else axis.period
        frequencies = self.base ** (-k / self.pairs) if period is None else 2 * np.pi * (k + 1) / period
        phase = positions[:, None] * frequencies
        return np.nan_to_num(np.concatenate([np.sin(phase), np.cos(phase)], axis=1), nan=0.0)
