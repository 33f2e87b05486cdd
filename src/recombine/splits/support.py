"""Training supports over continuous latents: what one is, and the cut that each may have.

A point is a scene: one row of unit latents for each of its slots. A support says which points are trained on, and how
they are drawn (Wiedemer et al. 2023, Sec. 4).
"""

import re
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
from pydantic import Field, field_validator

from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Float, Int
from recombine.core.spec import Kinds, Spec

LATENTS = ("x", "y", "shape", "scale", "hue")
"""The latents of a slot, in the order in which points hold them."""

AT_LEAST = 1000  # one draw in so many must survive a cut
DRAWS = 100_000  # so many are made before a cut is judged
BATCH = 1000  # small enough to be cheap, large enough that no rare point takes many rounds

MOST = 50_000  # combinations of a lattice that are looked at

_NAME = re.compile(rf"({'|'.join(LATENTS)})([1-9]\d*)")


def position(name: str) -> tuple[int, int]:
    """The slot and the latent that a name means, both from 0: ``"shape2"`` is ``(1, 2)``."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise InputError(
            f"a cut names the latent {name!r}; a name is one of {', '.join(LATENTS)} and the number of a slot from 1, "
            f"such as 'x1'."
        )
    return int(match[2]) - 1, LATENTS.index(match[1])


class Span(NamedTuple):
    """One way in which a support may show given values of one slot: the smallest box around the points that do.

    Which points of the box are shown does not matter to a cut: they all lie in the cut's box if and only if this does.
    """

    there: Bool[np.ndarray, " items"]  # whether any of the values is shown in this way at all
    low: Float[np.ndarray, "items slots latents"]
    high: Float[np.ndarray, "items slots latents"]


class Support(Spec):
    """Which scenes are trained on, as a law over points of the unit cube.

    ``without`` is a cut: points whose named latents all lie in their closed ranges are rejected. The front slot is
    1, so ``{"x1": (0.05, 0.45)}`` cuts by where the front sprite is.
    """

    without: dict[str, tuple[float, float]] = Field(default={})

    @field_validator("without", mode="before")
    @classmethod
    def _has_two_ends(cls, without: object) -> object:
        for name, ends in without.items() if isinstance(without, Mapping) else ():
            if isinstance(ends, list | tuple) and len(ends) != 2:
                raise InputError(
                    f"a cut gives {name!r} the range {list(ends)}; a range has two ends, such as [0.05, 0.45]."
                )
        return without

    @field_validator("without")
    @classmethod
    def _is_a_box(cls, without: dict[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
        for name, (low, high) in without.items():
            position(name)
            if not 0 <= low <= high <= 1:
                raise InputError(
                    f"a cut gives {name!r} the range ({low:g}, {high:g}); a range needs 0 <= low <= high <= 1."
                )
        return without

    @abstractmethod
    def draws(
        self, count: int, slots: int, latents: int, rng: "np.random.Generator"
    ) -> Float[np.ndarray, "count slots latents"]:
        """Points of the support as if it had no cut."""

    @abstractmethod
    def completions(
        self, slot: int, value: Float[np.ndarray, " latents"], count: int, slots: int, rng: "np.random.Generator"
    ) -> Float[np.ndarray, "found slots latents"]:
        """Points whose component ``slot`` is ``value``, drawn as if there were no cut; the value is in the cube."""

    @abstractmethod
    def spans(
        self, slot: int, low: Float[np.ndarray, "items latents"], high: Float[np.ndarray, "items latents"], slots: int
    ) -> Iterator[Span]:
        """Every way in which the support, as if it had no cut, shows values of component ``slot`` from low to high."""

    @abstractmethod
    def values(
        self, count: int, slots: int, latents: int, rng: "np.random.Generator"
    ) -> Float[np.ndarray, "slots values latents"]:
        """Component values of which many are shown together, ``count`` or a few more of each slot, `constants` last."""

    @property
    def constants(self) -> int:
        """How many of the `values` are special ones, without which little is shown together."""
        return 0

    @abstractmethod
    def contains(self, points: Float[np.ndarray, "items slots latents"]) -> Bool[np.ndarray, " items"]:
        """Which points of the cube the support has, as if it had no cut."""

    def check(self, slots: int, latents: int) -> None:
        """Refuse scenes that the support cannot be about."""
        for name in self.without:
            slot, latent = position(name)
            if slot >= slots or latent >= latents:
                raise InputError(
                    f"support {self.kind!r} cuts by {name!r}, but a scene has {slots} slots of {latents} latents; "
                    f"name a latent that it has."
                )

    def points(
        self, count: int, slots: int, latents: int, rng: "np.random.Generator"
    ) -> Float[np.ndarray, "count slots latents"]:
        """Points to train on, in no order. What the cut rejects is replaced by drawing again from the whole support."""
        self.check(slots, latents)
        found, drawn = self.survivors(count, (slots, latents), lambda size: self.draws(size, slots, latents, rng))
        if len(found) < count:
            some = f"kept only {len(found):,} of" if len(found) else "rejected all"
            raise InputError(
                f"support {self.kind!r} {some} {drawn:,} draws, because of its cut without = {self.without}; "
                f"a cut must keep one draw in {AT_LEAST:,}, so narrow it."
            )
        return found

    def complete(
        self, slot: int, value: Float[np.ndarray, " latents"], count: int, slots: int, rng: "np.random.Generator"
    ) -> Float[np.ndarray, "found slots latents"]:
        """Up to ``count`` points of the support whose component ``slot`` is exactly ``value``.

        None where the support never shows that value. There are fewer than ``count`` where the support has fewer, or
        where a cut over several slots leaves less than one completion in a thousand.
        """
        shape = (slots, len(value))
        if not self.reaches(slot, value[None], slots)[0]:
            return np.empty((0, *shape))
        return self.survivors(count, shape, lambda size: self.completions(slot, value, size, slots, rng))[0]

    def reaches(self, slot: int, values: Float[np.ndarray, "items latents"], slots: int) -> Bool[np.ndarray, " items"]:
        """Whether the support shows these values of component ``slot`` in some point; exact, for every cut."""
        return self.shows(slot, values, values, slots)

    def shows(
        self, slot: int, low: Float[np.ndarray, "items latents"], high: Float[np.ndarray, "items latents"], slots: int
    ) -> Bool[np.ndarray, " items"]:
        """Whether the support shows any value from low to high, ends included, of component ``slot``; exact."""
        if not 0 <= slot < slots:
            raise InputError(f"slot {slot} is none of the {slots} slots of a scene; they are 0 to {slots - 1}.")
        self.check(slots, low.shape[1])
        shown = np.zeros(len(low), dtype=bool)
        for there, lowest, highest in self.spans(slot, np.maximum(low, 0.0), np.minimum(high, 1.0), slots):
            shown |= there & ~(self.rejects(lowest) & self.rejects(highest))
        return shown & ((high >= 0) & (low <= 1) & (low <= high)).all(axis=1)

    def lattice(
        self, count: int, slots: int, latents: int, rng: "np.random.Generator"
    ) -> tuple[Float[np.ndarray, "slots values latents"], Int[np.ndarray, "shown slots"]]:
        """Finitely many values of each component, ``count`` or a few more, and which of their combinations are shown.

        A combination is told by the index of the value of each slot. Of more than `MOST` combinations some are drawn.
        """
        self.check(slots, latents)
        values = self.values(count, slots, latents, rng)
        return values, self.together(values, rng)

    def together(
        self, values: Float[np.ndarray, "slots values latents"], rng: "np.random.Generator"
    ) -> Int[np.ndarray, "shown slots"]:
        """Which combinations of values of each component are shown, as in a `lattice`."""
        slots, count = values.shape[:2]
        every = np.stack(np.unravel_index(_some(count**slots, rng), (count,) * slots), axis=1)
        points = values[np.arange(slots), every]
        return every[self.has(points)]

    def has(self, points: Float[np.ndarray, "items slots latents"]) -> Bool[np.ndarray, " items"]:
        """Which points of the cube are trained on, the cut regarded."""
        return self.contains(points) & ~self.rejects(points)

    def rejects(self, points: Float[np.ndarray, "items slots latents"]) -> Bool[np.ndarray, " items"]:
        """Which points lie in the cut; a box does if its lowest and its highest corner do."""
        inside = np.full(len(points), bool(self.without))
        for name, (low, high) in self.without.items():
            coordinate = points[:, *position(name)]
            inside &= (low <= coordinate) & (coordinate <= high)
        return inside

    def survivors(
        self, count: int, shape: tuple[int, int], draw: Callable[[int], Float[np.ndarray, "found slots latents"]]
    ) -> tuple[Float[np.ndarray, "kept slots latents"], int]:
        """Up to ``count`` draws outside the cut, and how many were drawn for them."""
        if count < 0:
            raise InputError(f"support {self.kind!r} was asked for {count} points; ask for 0 or more.")
        kept, found, drawn = [np.empty((0, *shape))], 0, 0
        while found < count and (drawn < DRAWS or found * AT_LEAST >= drawn):
            # The first batch is exactly what was asked for, so that a support without a cut keeps its shares exactly.
            size = max(count - found, BATCH) if drawn else count
            batch = draw(size)
            if not len(batch):
                break
            drawn += size
            kept.append(batch[~self.rejects(batch)][: count - found])
            found += len(kept[-1])
        return np.concatenate(kept), drawn

    def __hash__(self) -> int:
        # pydantic would hash the mapping of the cut, which has no hash.
        return hash((self.kind, self.canonical()))


def _some(count: int, rng: "np.random.Generator") -> Int[np.ndarray, " some"]:
    """All of so many indices, or `MOST` of them."""
    return np.arange(count) if count <= MOST else rng.choice(count, size=MOST, replace=False)


supports: Kinds[Support] = Kinds("support")
"""Every kind of support by name."""
