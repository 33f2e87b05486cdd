"""The kinds of training supports, and the designs of Wiedemer et al. (2023) made of them."""

from collections.abc import Callable, Iterator
from math import ceil, sqrt
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Float, Int
from recombine.core.spec import Spec
from recombine.splits.support import Span, Support, supports

A = (1.0, 1.0, 1.0, 0.0, 1.0)
"""A constant sprite far from the origin, and like all of them of the smallest size."""
O = (0.0, 0.0, 0.0, 0.0, 0.0)  # noqa: E741 - the paper's letter
"""A constant sprite at the origin of the cube."""
M = (0.5, 0.5, 0.5, 0.0, 0.5)
"""A constant sprite in the middle."""

GAP = {"x1": (0.05, 0.45)}
"""The paper's cut: no scene has its front sprite between these two places."""

MOST_VALUES = 60  # along a diagonal

Unit = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[float, Field(gt=0)]


@supports.register("random")
class RandomSupport(Support):
    """Every scene: all latents of all slots uniform and independent."""

    def draws(
        self, count: int, slots: int, latents: int, rng: "np.random.Generator"
    ) -> Float[np.ndarray, "count slots latents"]:
        return rng.random((count, slots, latents))

    def completions(
        self, slot: int, value: Float[np.ndarray, " latents"], count: int, slots: int, rng: "np.random.Generator"
    ) -> Float[np.ndarray, "found slots latents"]:
        points = rng.random((count, slots, len(value)))
        points[:, slot] = value
        return points

    def spans(
        self, slot: int, low: Float[np.ndarray, "items latents"], high: Float[np.ndarray, "items latents"], slots: int
    ) -> Iterator[Span]:
        yield _around(slot, low, high, slots, reach=1.0)

    def values(
        self, count: int, slots: int, latents: int, rng: "np.random.Generator"
    ) -> Float[np.ndarray, "slots values latents"]:
        return rng.random((slots, count, latents))

    def contains(self, points: Float[np.ndarray, "items slots latents"]) -> Bool[np.ndarray, " items"]:
        return np.ones(len(points), dtype=bool)


class Plane(Spec):
    """Scenes in which one slot is free and all others are the same constant sprite: Plane(free=0, at=A)."""

    free: int = Field(ge=0)
    at: tuple[Unit, ...] = Field(min_length=1)


@supports.register("planes")
class PlanesSupport(Support):
    """A few planes, in each of which one slot varies and all others are constant; the paper's "orthogonal".

    Every plane has the same number of points, up to one. A cut takes points from the planes that it meets, and what
    replaces them is drawn from all planes alike, so that a plane with a gap gets a smaller share.

    The free slot is uniform; or normal around the middle with the standard deviation ``spread``, truncated to the cube;
    or Beta(a, b) in every latent with ``skew = (a, b)``.
    """

    planes: tuple[Plane, ...] = Field(
        default=(Plane(free=0, at=A), Plane(free=1, at=O), Plane(free=1, at=M)), min_length=1
    )
    spread: Positive | None = None
    skew: tuple[Positive, Positive] | None = None

    def model_post_init(self, context: Any, /) -> None:
        if self.spread is not None and self.skew is not None:
            raise InputError(
                f"support {self.kind!r} has spread = {self.spread:g} and skew = {self.skew}; the free slot has one "
                f"density, so give one of them."
            )

    def check(self, slots: int, latents: int) -> None:
        super().check(slots, latents)
        for plane in self.planes:
            if plane.free >= slots:
                raise InputError(
                    f"support {self.kind!r} has a plane with the free slot {plane.free}, but a scene has {slots} "
                    f"slots; they are 0 to {slots - 1}."
                )
            if len(plane.at) != latents:
                raise InputError(
                    f"support {self.kind!r} has a plane at {plane.at}, which is {len(plane.at)} numbers; a slot has "
                    f"{latents} latents, so give one number for each."
                )

    def draws(
        self, count: int, slots: int, latents: int, rng: "np.random.Generator"
    ) -> Float[np.ndarray, "count slots latents"]:
        return self._on(self.planes, count, slots, latents, rng)

    def complete(
        self, slot: int, value: Float[np.ndarray, " latents"], count: int, slots: int, rng: "np.random.Generator"
    ) -> Float[np.ndarray, "found slots latents"]:
        """Up to ``count`` points of the support whose component ``slot`` is exactly ``value``.

        A plane whose free slot this is has one such point, which comes first and once. The rest is drawn from the
        planes that hold the slot constant at this very value; most values have none, and the single points are all.
        """
        drawn = super().complete(slot, value, count, slots, rng)
        single = self._single(slot, value, slots)
        return np.concatenate([single[~self.rejects(single)], drawn])[:count]

    def completions(
        self, slot: int, value: Float[np.ndarray, " latents"], count: int, slots: int, rng: "np.random.Generator"
    ) -> Float[np.ndarray, "found slots latents"]:
        holding = [plane for plane in self.planes if plane.free != slot and np.array_equal(value, plane.at)]
        return self._on(tuple(holding), count, slots, len(value), rng)

    def spans(
        self, slot: int, low: Float[np.ndarray, "items latents"], high: Float[np.ndarray, "items latents"], slots: int
    ) -> Iterator[Span]:
        for plane in self.planes:
            at, free = np.array(plane.at), plane.free == slot
            lowest = np.tile(at, (len(low), slots, 1))
            highest = lowest.copy()
            lowest[:, plane.free], highest[:, plane.free] = (low, high) if free else (0.0, 1.0)
            held = ((low <= at) & (at <= high)).all(axis=1)
            yield Span(np.full(len(low), free) | held, lowest, highest)

    def values(
        self, count: int, slots: int, latents: int, rng: "np.random.Generator"
    ) -> Float[np.ndarray, "slots values latents"]:
        """Values by chance and, after them, the constants of all planes."""
        constants = np.array(self._held())
        return np.concatenate([rng.random((slots, count, latents)), np.tile(constants, (slots, 1, 1))], axis=1)

    @property
    def constants(self) -> int:
        return len(self._held())

    def _held(self) -> list[tuple[float, ...]]:
        """The constant sprites of all planes, each once."""
        return list(dict.fromkeys(plane.at for plane in self.planes))

    def contains(self, points: Float[np.ndarray, "items slots latents"]) -> Bool[np.ndarray, " items"]:
        held = [np.delete((points == plane.at).all(axis=2), plane.free, axis=1).all(axis=1) for plane in self.planes]
        return np.any(held, axis=0)

    def _single(
        self, slot: int, value: Float[np.ndarray, " latents"], slots: int
    ) -> Float[np.ndarray, "found slots latents"]:
        """The one point of every plane whose free slot this is; planes that agree in all else share it."""
        constants = dict.fromkeys(plane.at for plane in self.planes if plane.free == slot)
        inside = bool(((value >= 0) & (value <= 1)).all())
        points = np.empty((len(constants) if inside else 0, slots, len(value)))
        for point, at in zip(points, constants, strict=False):
            point[:] = at
            point[slot] = value
        return points

    def _on(
        self, planes: tuple[Plane, ...], count: int, slots: int, latents: int, rng: "np.random.Generator"
    ) -> Float[np.ndarray, "found slots latents"]:
        """Points in equal numbers on some planes, in no order; the first planes have the remainder."""
        if not planes:
            return np.empty((0, slots, latents))
        which = np.arange(count) % len(planes)
        points = np.empty((count, slots, latents))
        points[:] = np.array([plane.at for plane in planes])[which][:, None]
        points[np.arange(count), np.array([plane.free for plane in planes])[which]] = self._free((count, latents), rng)
        return rng.permutation(points)

    def _free(self, shape: tuple[int, int], rng: "np.random.Generator") -> Float[np.ndarray, "count latents"]:
        if self.skew is not None:
            return rng.beta(*self.skew, size=shape)
        if self.spread is None:
            return rng.random(shape)
        from scipy.special import ndtr, ndtri

        # By the inverse of the distribution function: rejection would take ever longer for a large spread.
        low, high = ndtr(-0.5 / self.spread), ndtr(0.5 / self.spread)
        return np.clip(0.5 + self.spread * ndtri(rng.uniform(low, high, shape)), 0.0, 1.0)


@supports.register("diagonal")
class DiagonalSupport(Support):
    """Scenes whose slots are nearly alike: a band around the diagonal, in every latent on its own.

        z_k = t + r n_k,   t uniform in [0, 1],   r = width · U^(1/(K−1)),   n a direction with Σ_k n_k = 0

    rejected outside the cube. Two slots have n = ±(1, −1)/√2. Any two slots differ by at most √2 · width per latent.
    """

    width: float = Field(default=0.1, gt=0, le=1)

    def check(self, slots: int, latents: int) -> None:
        super().check(slots, latents)
        if slots < 2:
            raise InputError(f"support {self.kind!r} needs at least 2 slots, got {slots}; use 'random' for one.")

    def draws(
        self, count: int, slots: int, latents: int, rng: "np.random.Generator"
    ) -> Float[np.ndarray, "count slots latents"]:
        def candidates(which: Int[np.ndarray, " left"]) -> Float[np.ndarray, "left slots"]:
            return rng.random((len(which), 1)) + self._noise(len(which), slots, rng)

        return _inside(count, latents, slots, candidates)

    def completions(
        self, slot: int, value: Float[np.ndarray, " latents"], count: int, slots: int, rng: "np.random.Generator"
    ) -> Float[np.ndarray, "found slots latents"]:
        given = np.tile(value, count)

        # t = z_slot − r n_slot has density 1 wherever it is in [0, 1], so this is the conditional law. That t is in
        # [0, 1] need not be asked: it is the mean of the slots, which are.
        def candidates(which: Int[np.ndarray, " left"]) -> Float[np.ndarray, "left slots"]:
            noise = self._noise(len(which), slots, rng)
            return given[which, None] + (noise - noise[:, [slot]])

        return _inside(count, len(value), slots, candidates)

    def spans(
        self, slot: int, low: Float[np.ndarray, "items latents"], high: Float[np.ndarray, "items latents"], slots: int
    ) -> Iterator[Span]:
        # Two slots are farthest apart where all others are at t, and then their distance is √2 times the radius.
        yield _around(slot, low, high, slots, reach=sqrt(2) * self.width)

    def values(
        self, count: int, slots: int, latents: int, rng: "np.random.Generator"
    ) -> Float[np.ndarray, "slots values latents"]:
        """Values along the diagonal of the cube, the same for all slots: others are hardly ever shown together.

        What is free among them may be fixed by values elsewhere: they show too much freedom rather than too little.
        """
        # As close as the band is wide, so that neighbours are shown together; more than sixty would take too long.
        closer = min(max(count, ceil(1 / self.width) + 1), MOST_VALUES)
        return np.tile(np.linspace(0.0, 1.0, closer)[:, None], (slots, 1, latents))

    def contains(self, points: Float[np.ndarray, "items slots latents"]) -> Bool[np.ndarray, " items"]:
        apart = np.linalg.norm(points - points.mean(axis=1, keepdims=True), axis=1)
        return (apart <= self.width).all(axis=1)

    def _noise(self, count: int, slots: int, rng: "np.random.Generator") -> Float[np.ndarray, "count slots"]:
        """Uniform in the ball of radius ``width`` orthogonal to (1, ..., 1)."""
        direction = rng.standard_normal((count, slots))
        direction -= direction.mean(axis=1, keepdims=True)
        direction /= np.linalg.norm(direction, axis=1, keepdims=True)
        return self.width * rng.random((count, 1)) ** (1 / (slots - 1)) * direction


def _inside(
    count: int,
    latents: int,
    slots: int,
    candidates: Callable[[Int[np.ndarray, " left"]], Float[np.ndarray, "left slots"]],
) -> Float[np.ndarray, "count slots latents"]:
    """Points of the cube, every latent of every point drawn anew until all slots are in [0, 1].

    Rejecting whole points would give the same law: latents are independent and a point is in the cube when each of them
    is. It would cost a power of the number of latents more.
    """
    drawn = np.empty((count * latents, slots))
    left = np.arange(len(drawn))
    while len(left):
        new = candidates(left)
        good = ((new >= 0) & (new <= 1)).all(axis=1)
        drawn[left[good]] = new[good]
        left = left[~good]
    return np.ascontiguousarray(drawn.reshape(count, latents, slots).swapaxes(1, 2))


def _around(
    slot: int,
    low: Float[np.ndarray, "items latents"],
    high: Float[np.ndarray, "items latents"],
    slots: int,
    reach: float,
) -> Span:
    """One slot at its values, all others anywhere in the cube that is at most ``reach`` away in every latent."""
    lowest = np.repeat(np.clip(low - reach, 0.0, 1.0)[:, None], slots, axis=1)
    highest = np.repeat(np.clip(high + reach, 0.0, 1.0)[:, None], slots, axis=1)
    lowest[:, slot], highest[:, slot] = low, high
    return Span(np.ones(len(low), dtype=bool), lowest, highest)


def orthogonal(**settings: Any) -> PlanesSupport:
    """The paper's planes: one for the front slot, and two for the back one, so that each of its pixels is seen."""
    return PlanesSupport(**settings)


def orthogonal_single(**settings: Any) -> PlanesSupport:
    """One plane for each slot: the back sprite is always seen behind the same front one."""
    return PlanesSupport(planes=(Plane(free=0, at=A), Plane(free=1, at=O)), **settings)


def orthogonal_broad(**settings: Any) -> PlanesSupport:
    """Two planes for each slot."""
    front = (Plane(free=0, at=A), Plane(free=0, at=(0.7, 0.7, 0.7, 0.0, 0.7)))
    back = (Plane(free=1, at=O), Plane(free=1, at=(0.3, 0.3, 0.3, 0.0, 0.3)))
    return PlanesSupport(planes=(*front, *back), **settings)
