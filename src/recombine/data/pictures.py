"""Pictures of two factors: Gaussian bumps, stripes and sums of stripes.

A picture is made of two profiles, one along the rows (factor y) and one along the columns (factor x):

    g(p; q) = exp(-(p - q)^2 / (2 sigma^2))        p a pixel, q a centre, |p - q| the short way round on a ring
    bump            ink[r, c] = g(r; y) g(c; x)    (Liang et al. 2025)
    sum of stripes  ink[r, c] = g(r; y) + g(c; x)  (Liang et al. 2024)

With one factor absent both draw the lone stripe of the other. Dark pictures are 1 - ink: a dark bump on white. The
sigma of Liang et al. (2024) stands in exp(-(p - q)^2 / (4 sigma^2)) and is ours divided by the root of 2.
"""

import math
from functools import cached_property
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Float, Int
from recombine.core.spec import MemberOf
from recombine.data.drawn import held_or_drawn
from recombine.data.encodings import Axis, BumpCode, Encoding, encodings, separation
from recombine.data.picture_task import PictureTask, Places
from recombine.data.task import Examples, tasks
from recombine.factors import Factor, Grid

LARGEST = 1024  # pixels a side
CENTRES = 10_000_000  # most centres on a canvas; places and cells of so many fit into a gigabyte
Side = Annotated[int, Field(ge=2, le=LARGEST)]

# Pictures are made in runs that stay in the cache between the product and the inversion.
RUN = 256
# A centre beyond the border is seen as long as this share of its ink reaches the picture.
SEEN = 0.01


class Picture(PictureTask):
    """Settings all pictures share. Rows are y and columns are x; the grid's factors are (y, x).

    ``n`` is the side in pixels, or (rows, columns). Centres lie on pixels, or every ``step`` pixels; with a
    ``margin`` they may lie that many pixels outside, so that what is seen is clipped by the border.

    ``pad`` is how an absent factor is told: not by a code of its own but by a centre beyond the border, at most so many
    pixels, too far out to be seen. ``stripe_ink`` is the ink of a lone stripe.
    """

    n: Side | tuple[Side, Side] = 28
    sigma: float = Field(default=1.0, ge=1e-3, le=1e6)
    encoding: Annotated[Encoding, MemberOf(encodings)] = BumpCode()
    dark: bool = True
    step: float = Field(default=1.0, ge=1e-2)
    margin: int = Field(default=0, ge=0, le=LARGEST)
    periodic: bool = False
    pad: int = Field(default=0, ge=0, le=LARGEST)
    stripe_ink: float = Field(default=1.0, gt=0, le=1)

    isolates: ClassVar[bool] = True
    neutral: ClassVar[float] = 1.0  # the profile of an absent factor

    def model_post_init(self, context: object) -> None:
        if self.periodic and (self.margin or self.pad):
            raise InputError(
                f"task {self.kind}: a periodic picture has no border; set margin = 0 and pad = 0, got {self.margin} "
                f"and {self.pad}."
            )
        if self.pad and self.margin:
            raise InputError(
                f"task {self.kind}: pad = {self.pad} goes without a margin; set margin = 0, got {self.margin}."
            )
        if 0 < self.pad <= self.reach:
            raise InputError(
                f"task {self.kind}: pad = {self.pad} must reach beyond the {self.reach:.3g} pixels from which a centre "
                "outside is still seen; raise pad or lower sigma."
            )
        for name, side in zip("yx", self.image, strict=True):
            levels = (side + 2 * self.margin) / self.step
            if abs(levels - round(levels)) > 1e-9:
                raise InputError(
                    f"task {self.kind}: step = {self.step:g} must divide the {side + 2 * self.margin} pixels of "
                    f"{name}; change it, e.g. to 0.5."
                )

    @property
    def image(self) -> tuple[int, int]:
        """Rows and columns of the picture."""
        return self.n if isinstance(self.n, tuple) else (self.n, self.n)

    @property
    def places(self) -> Places:
        return "pixel"

    @cached_property
    def grid(self) -> Grid:
        """The factors y and x with their centres as levels."""
        return Grid(
            tuple(Factor(name, self._levels(side), self.periodic) for name, side in zip("yx", self.image, strict=True))
        )

    def _levels(self, side: int) -> tuple[float, ...]:
        count = round((side + 2 * self.margin) / self.step)
        return tuple(float(-self.margin + self.step * i) for i in range(count))

    @property
    def reach(self) -> float:
        """How far beyond the outermost pixels a centre still leaves a share `SEEN` of its ink in the picture."""
        return self.sigma * math.sqrt(-2 * math.log(SEEN))

    def profile(self, positions: Float[np.ndarray, " items"], side: int) -> Float[np.ndarray, "items pixels"]:
        """The Gaussian along one axis for each centre; the neutral element where the factor is absent."""
        period = float(side) if self.periodic else None
        apart = separation(positions, np.arange(side, dtype=float), period)
        shape = np.exp(-np.square(apart) / (2 * self.sigma**2))
        return np.where(np.isnan(positions)[:, None], self.neutral, shape)

    def mix(self, rows: np.ndarray, columns: np.ndarray, out: np.ndarray) -> None:
        """Write the ink of broadcast row and column profiles into ``out``."""
        raise NotImplementedError

    def strength(self, absent: Bool[np.ndarray, "items 2"]) -> Float[np.ndarray, " items"]:
        """What the mixed profiles of each picture are multiplied by, given which factors are absent."""
        raise NotImplementedError

    def pictures(self, positions: Float[np.ndarray, "items 2"]) -> Float[np.ndarray, "items rows columns"]:
        """The picture for each row (y, x) of real-valued centres, NaN for absent, as float32."""
        if self.pad == 0 and np.isnan(positions).all(axis=1).any():
            raise InputError("a picture needs at least one factor; both y and x are absent in an example.")
        if self.pad:
            positions = np.where(self._beyond(positions) > self.reach, np.nan, positions)
        strengths = self.strength(np.isnan(positions)).astype(np.float32)
        weak = bool((strengths != 1).any())
        tables, picks = [], []
        for axis, side in enumerate(self.image):
            centres, pick = np.unique(positions[:, axis], return_inverse=True)
            tables.append(self.profile(centres, side).astype(np.float32))
            picks.append(pick)
        pictures = np.empty((len(positions), *self.image), dtype=np.float32)
        for start in range(0, len(positions), RUN):
            run = slice(start, start + RUN)
            self.mix(tables[0][picks[0][run], :, None], tables[1][picks[1][run], None, :], out=pictures[run])
            if weak:
                pictures[run] *= strengths[run, None, None]
            if self.dark:
                np.subtract(1, pictures[run], out=pictures[run])
        return pictures

    def codes(self, positions: Float[np.ndarray, "items 2"]) -> Float[np.ndarray, "items units"]:
        """The input code of each row (y, x) of centres, as float32: the code of y, then that of x."""
        parts = []
        for column, (factor, side) in enumerate(zip(self.grid.factors, self.image, strict=True)):
            pixels = np.arange(-self.margin, side + self.margin, dtype=float)
            axis = Axis(np.asarray(factor.levels, dtype=float), pixels, float(side) if self.periodic else None)
            parts.append(self.encoding.encode(positions[:, column], axis))
        return np.concatenate(parts, axis=1).astype(np.float32)

    def examples(self, combinations: Int[np.ndarray, "items 2"], seed: int) -> Examples:
        return self.at(self.grid.values(combinations))

    def at(self, positions: Float[np.ndarray, "items 2"], seed: int = 0) -> Examples:
        """The example at each row (y, x) of real-valued centres, NaN for absent."""
        return Examples(positions, self.codes(positions), held_or_drawn(self.pictures, positions, self.image))

    def _beyond(self, positions: Float[np.ndarray, "items 2"]) -> Float[np.ndarray, "items 2"]:
        """How far each centre lies beyond the outermost pixels; 0 within the picture, NaN for absent."""
        return np.maximum(np.maximum(-positions, positions - (np.array(self.image) - 1)), 0)

    def between(self, combinations: Int[np.ndarray, "items 2"], spacing: float) -> Float[np.ndarray, "positions 2"]:
        """All centres every ``spacing`` pixels in the cells, which begin half a step before their level.

        A centre on the border of cells is in all of them, and left out unless all are given.
        """
        count = self._per_cell(spacing)
        offsets = (np.indices((count, count)).reshape(2, -1).T - count // 2) * spacing
        places = (self.grid.values(combinations)[:, None] + offsets).reshape(-1, 2)
        if count % 2:
            return places
        given = np.zeros(self.grid.shape, dtype=bool)
        given[tuple(combinations.T)] = True
        own = np.repeat(combinations, count * count, axis=0)
        first = np.tile(np.indices((count, count)).reshape(2, -1).T == 0, (len(combinations), 1))
        whole = np.ones(len(places), dtype=bool)
        for back in ([1, 0], [0, 1], [1, 1]):
            beside = own - np.array(back)
            beside = beside % np.array(self.grid.shape) if self.periodic else beside.clip(0)  # no cell beyond the edge
            whole &= given[tuple(beside.T)] | ~(first | (np.array(back) == 0)).all(axis=1)
        return places[whole]

    def _per_cell(self, spacing: float) -> int:
        """Centres along one side of a cell; one of them lies on its level."""
        area = math.prod(side + 2 * (self.margin + self.pad) for side in self.image)
        if area > CENTRES * spacing * spacing:  # a power of a huge one would be an error
            most = self.step * math.sqrt(CENTRES / area)  # of one cell's side
            way_out = (
                f"raise it, e.g. to {self.step / 10 ** int(math.log10(most)):g}" if most >= 1 else "use fewer pixels"
            )
            raise InputError(
                f"spacing = {spacing:g} puts more than {CENTRES:,} centres on the canvas, too many to list; {way_out}."
            )
        count = round(self.step / spacing)
        if count < 1 or abs(count * spacing - self.step) > 1e-9:
            raise InputError(
                f"spacing = {spacing:g} must divide the {self.step:g} pixels from level to level; set it to "
                f"{self.step / max(1, count):g}, for instance."
            )
        return count

    def alone(self, names: tuple[str, ...], spacing: float | None, rim: bool) -> Float[np.ndarray, "items 2"]:
        """Lone stripes at every level, or every ``spacing`` pixels in the cells of all levels.

        With a ``pad`` the other factor lies beyond the border, both where nothing is seen at all. ``rim`` adds all
        centres that lie beyond the border and are still seen.
        """
        if not self.pad:
            levels = super().alone(names, spacing, rim)
            count = 1 if spacing is None else self._per_cell(spacing)
            # The absent factor is NaN and stays so.
            offsets = (np.arange(count) - count // 2) * (spacing or 0.0)
            return (levels[:, None] + offsets[:, None]).reshape(-1, 2)
        apart = spacing or self.step
        before = self._per_cell(apart) // 2 * apart
        lines = [np.arange(round((side + 2 * self.pad) / apart)) * apart - self.pad - before for side in self.image]
        places = np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, 2)
        # Half a spacing keeps rounding from moving a centre across the border.
        outside = (places < -before - apart / 2) | (places > np.array(self.image) - before - apart / 2)
        hidden = self._beyond(places) > self.reach
        y, x = (name in names for name in self.grid.names)
        # A factor is shown where it lies inside, or where nothing is seen of either.
        shown = (x & outside[:, 0] & ~outside[:, 1]) | (y & outside[:, 1] & ~outside[:, 0])
        shown |= (x and y) & outside.all(axis=1)
        return places[shown & (rim | (hidden | ~outside).all(axis=1))]

    def cells(self, positions: Float[np.ndarray, "items 2"]) -> Int[np.ndarray, "items 2"]:
        """The combination in whose cell each position lies."""
        nearest, shape = self._nearest(positions).astype(int), np.array(self.grid.shape)
        return nearest % shape if self.periodic else np.clip(nearest, 0, shape - 1)

    def absent(self, positions: Float[np.ndarray, "items 2"]) -> Bool[np.ndarray, "items 2"]:
        """Which factors are not there: NaN, or beyond the border."""
        if self.periodic:
            return np.isnan(positions)
        nearest = self._nearest(positions)
        return ~((nearest >= 0) & (nearest < np.array(self.grid.shape)))

    def _nearest(self, positions: Float[np.ndarray, "items 2"]) -> Float[np.ndarray, "items 2"]:
        """The level next to each position, also beyond the last."""
        # Cells begin half a step before their level; what is added keeps rounding from moving a centre out of its cell.
        return np.floor((positions + self.margin) / self.step + 0.5 + 1e-9)

    def scatter(
        self, combinations: Int[np.ndarray, "items 2"], rng: "np.random.Generator"
    ) -> Float[np.ndarray, "items 2"]:
        """A position drawn uniformly from the cell around each combination."""
        jitter = rng.uniform(-0.5, 0.5, size=combinations.shape) * self.step
        return self.grid.values(combinations) + jitter


@tasks.register("bump")
class Bump(Picture):
    """A Gaussian bump at (x, y); a lone stripe where one factor is absent (forced rendering)."""

    def mix(self, rows: np.ndarray, columns: np.ndarray, out: np.ndarray) -> None:
        np.multiply(rows, columns, out=out)

    def strength(self, absent: Bool[np.ndarray, "items 2"]) -> Float[np.ndarray, " items"]:
        """A bump has all its ink, a lone stripe ``stripe_ink``, and nothing is seen where both are absent."""
        return np.array([1.0, self.stripe_ink, 0.0])[absent.sum(axis=1)]


@tasks.register("torus")
class Torus(Bump):
    """A Gaussian bump on a periodic canvas, so that each factor is a ring and the plane a torus."""

    periodic: bool = True

    def model_post_init(self, context: object) -> None:
        if not self.periodic:
            raise InputError("task torus: periodic = false gives it borders, which a torus has not; use the task bump.")
        super().model_post_init(context)


@tasks.register("sum-of-stripes")
class SumOfStripes(Picture):
    """A vertical stripe at x plus a horizontal stripe at y, bright on black; a lone stripe where one is absent."""

    dark: bool = False
    neutral: ClassVar[float] = 0.0

    def model_post_init(self, context: object) -> None:
        super().model_post_init(context)
        if self.dark and self.stripe_ink > 0.5:
            raise InputError(
                f"task {self.kind}: two stripes of stripe_ink = {self.stripe_ink:g} have {2 * self.stripe_ink:g} where "
                "they cross, and a dark picture has no more than 1; set stripe_ink to at most 0.5, or dark = false."
            )

    def mix(self, rows: np.ndarray, columns: np.ndarray, out: np.ndarray) -> None:
        np.add(rows, columns, out=out)

    def strength(self, absent: Bool[np.ndarray, "items 2"]) -> Float[np.ndarray, " items"]:
        """Every stripe has ``stripe_ink``."""
        return np.full(len(absent), self.stripe_ink)

    @property
    def threshold(self) -> float:
        """Half-way between one stripe and a crossing of two."""
        return 1.5 * self.stripe_ink
