"""Held-out regions: what one is, and the algebra over them."""

from abc import abstractmethod
from functools import reduce
from typing import Annotated, TypeAlias

import numpy as np
from pydantic import Field

from recombine.core.shapes import Bool
from recombine.core.spec import Kinds, MemberOf, Spec
from recombine.factors import Grid

Mask: TypeAlias = Bool[np.ndarray, " combinations"]  # one entry per combination, in grid order


class Region(Spec):
    """A rule that says which combinations of a grid are held out.

    A region knows no grid until it is asked, so that one rule serves grids of many sizes. ``a | b``, ``a & b``,
    ``a - b`` and ``~a`` are regions too.
    """

    @abstractmethod
    def contains(self, grid: Grid) -> Mask:
        """True for every combination that is held out."""

    def sections(self, grid: Grid) -> dict[str, Mask]:
        """The named parts of the region, each inside it. Most regions have none."""
        return {}

    def __or__(self, other: "Region") -> "Region":
        return Union(of=(*_parts(self, Union), *_parts(other, Union)))

    def __and__(self, other: "Region") -> "Region":
        return Intersection(of=(*_parts(self, Intersection), *_parts(other, Intersection)))

    def __sub__(self, other: "Region") -> "Region":
        return Difference(of=self, minus=other)

    def __invert__(self) -> "Region":
        return Complement(of=self)

    def __hash__(self) -> int:
        # pydantic would hash the declared fields only: factors named as settings and mappings are not among them.
        return hash((self.kind, self.canonical()))


regions: Kinds[Region] = Kinds("split")
"""Every kind of region by name."""

Member: TypeAlias = Annotated[Region, MemberOf(regions)]  # the type of a setting that is a region itself
Members: TypeAlias = Annotated[tuple[Member, ...], Field(min_length=1)]


def _parts(region: Region, kind: "type[Union] | type[Intersection]") -> tuple[Region, ...]:
    """``a | b | c`` is one union of three, which reads better in YAML than a union of unions."""
    return region.of if isinstance(region, kind) else (region,)


def _sections_within(mask: Mask, parts: tuple[Region, ...], grid: Grid) -> dict[str, Mask]:
    """The sections of all parts, cut to ``mask``; those that share a name are joined."""
    joined: dict[str, Mask] = {}
    for part in parts:
        for name, section in part.sections(grid).items():
            joined[name] = joined.get(name, False) | (section & mask)
    return joined


@regions.register("union")
class Union(Region):
    """Held out by any of several regions: union(of=[a, b]), or a | b."""

    of: Members

    def contains(self, grid: Grid) -> Mask:
        return reduce(np.logical_or, (part.contains(grid) for part in self.of))

    def sections(self, grid: Grid) -> dict[str, Mask]:
        return _sections_within(self.contains(grid), self.of, grid)


@regions.register("intersection")
class Intersection(Region):
    """Held out by all of several regions: intersection(of=[a, b]), or a & b."""

    of: Members

    def contains(self, grid: Grid) -> Mask:
        return reduce(np.logical_and, (part.contains(grid) for part in self.of))

    def sections(self, grid: Grid) -> dict[str, Mask]:
        return _sections_within(self.contains(grid), self.of, grid)


@regions.register("difference")
class Difference(Region):
    """Held out by one region but not by another: difference(of=a, minus=b), or a - b."""

    of: Member
    minus: Member

    def contains(self, grid: Grid) -> Mask:
        return self.of.contains(grid) & ~self.minus.contains(grid)

    def sections(self, grid: Grid) -> dict[str, Mask]:
        return _sections_within(self.contains(grid), (self.of,), grid)


@regions.register("complement")
class Complement(Region):
    """Held out wherever another region is not: complement(of=a), or ~a."""

    of: Member

    def contains(self, grid: Grid) -> Mask:
        return ~self.of.contains(grid)

    def __invert__(self) -> Region:
        return self.of
