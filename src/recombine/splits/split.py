"""A split: which combinations of a grid are trained on, which are held out, and in which sections."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from recombine.core.errors import InputError, unknown
from recombine.core.shapes import Bool
from recombine.factors import Factor, Grid
from recombine.splits.distance import distance_to_training
from recombine.splits.region import Mask, Region
from recombine.splits.unseen import Extrapolation, unseen_levels

RESERVED = ("id", "ood", "rim", "interior")  # sections that every split makes for itself


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """A grid cut in two by a region. Build it with `make_split`, which checks it.

    ``sections`` are named masks over the combinations: ``id`` is what is trained on, ``ood`` all that is held out,
    and every other section is a part of ``ood``. Where levels are numbers, ``rim`` is the part of ``ood`` near
    training and ``interior`` the rest; then come the sections of the region itself. Empty sections are left out.
    Combinations ``outside`` the task, which have no answer, are neither trained on nor held out.
    """

    grid: Grid
    region: Region
    held_out: Bool[np.ndarray, " combinations"]
    sections: dict[str, Bool[np.ndarray, " combinations"]]
    outside: Bool[np.ndarray, " combinations"]

    @property
    def train(self) -> Mask:
        """True for every combination that is trained on."""
        return ~self.held_out & ~self.outside

    def section(self, name: str) -> Mask:
        """The mask of the section called ``name``."""
        if name not in self.sections:
            raise unknown("section", name, self.sections)
        return self.sections[name]


def make_split(
    region: Region, grid: Grid, shown_alone: Collection[str] = (), rim: int = 2, outside: Mask | None = None
) -> Split:
    """The split of ``grid`` by ``region``, refused when it could not ask about composition.

    Something must be held out, something must be trained on, and every level must occur in training. Levels of the
    factors in ``shown_alone`` count as seen, since isolated examples show them; an outermost `Extrapolation` says
    that unseen levels are meant. ``rim`` is the largest distance to training, in levels, that counts as rim; the
    interior starts one further. 0: all that is held out is interior. Combinations ``outside`` the task take no part.
    """
    out = np.zeros(grid.size, dtype=bool) if outside is None else outside
    held_out = region.contains(grid) & ~out
    train = ~held_out & ~out
    if not held_out.any():
        raise InputError(
            f"split {region.kind!r} holds out nothing of the {grid.size} combinations; "
            "a split needs at least one held out, so enlarge the region."
        )
    if not train.any():
        raise InputError(
            f"split {region.kind!r} holds out all {grid.size} combinations; "
            "a split needs at least one to train on, so shrink the region."
        )
    if rim < 0:
        raise InputError(f"rim = {rim} must be 0 or more levels; the usual rim is 2.")
    alone = {shown_alone} if isinstance(shown_alone, str) else set(shown_alone)
    _check_seen(region, grid, ~train, {grid.factors[grid.axis(name)].name for name in sorted(alone)})
    sections = {"id": train, "ood": held_out}
    if all(factor.numeric for factor in grid.factors):
        distance = distance_to_training(grid, ~train)
        sections |= {"rim": held_out & (distance <= rim), "interior": held_out & (distance > rim)}
    sections |= _own_sections(region, grid, held_out, out)
    sections = {name: mask for name, mask in sections.items() if mask.any()}
    for mask in sections.values():
        mask.setflags(write=False)
    return Split(grid, region, held_out, sections, out)


def _check_seen(region: Region, grid: Grid, not_trained: Mask, shown_alone: set[str]) -> None:
    if isinstance(region, Extrapolation):
        return
    for name, missing in unseen_levels(grid, not_trained).items():
        if name not in shown_alone:
            raise InputError(
                f"split {region.kind!r} never shows {name} = {_listed(grid.factors[grid.axis(name)], missing)} in "
                "training; held-out combinations must be made of levels the model has seen. Shrink the held-out "
                f"region, show {name} alone in extra examples, or use splits.extrapolation if unseen levels are meant."
            )


def _listed(factor: Factor, levels: tuple[int, ...], most: int = 6) -> str:
    """Levels by name, cut short when there are many."""
    shown = ", ".join(str(factor.levels[level]) for level in levels[:most])
    return shown if len(levels) <= most else f"{shown} and {len(levels) - most} more"


def _own_sections(region: Region, grid: Grid, held_out: Mask, outside: Mask) -> dict[str, Mask]:
    """The region's own sections, held to the rules that readers of a split rely on."""
    own = {name: mask & ~outside for name, mask in region.sections(grid).items()}
    for name, mask in own.items():
        if name in RESERVED:
            raise InputError(
                f"split {region.kind!r} names a section {name!r}, which every split makes itself; rename it."
            )
        if (mask & ~held_out).any():
            raise InputError(
                f"split {region.kind!r} has trained combinations in its section {name!r}; a section must lie inside "
                "the region, so cut it to what the region contains."
            )
    return own
