"""A problem: a task, which of its combinations are held out, and what else is shown."""

from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, field_validator

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.core.shapes import Bool, Float
from recombine.core.spec import MemberOf, Spec
from recombine.data.task import Examples, Task, tasks
from recombine.factors import Grid
from recombine.splits import Certificate, Region, Split, Support, certificate, make_split, regions, supports

MOST_EXAMPLES = 10_000_000  # drawn ones


class Problem(Spec):
    """A task with a split, or with a support where it is continuous, and, if wanted, other training examples.

    A split says what is held out of a grid of combinations; a support draws ``examples`` scenes to train on from a
    continuous space, and all of that space is asked about.
    ``isolated`` names factors whose levels are also shown alone (a lone stripe), all of them or ``isolated_levels`` of
    each, drawn by the seed. ``examples`` trains on that many of the training combinations, drawn by the seed; a
    larger number contains a smaller one, here and there, but need not where a support draws them. With ``centres:
    uniform`` the examples are drawn, with replacement, uniformly from the area of the training cells.
    With ``spacing`` training shows centres every so many pixels within the training cells, and not their levels alone.
    ``rim`` goes with a task whose absent factors lie beyond the border (``pad``): what is nearly alone is shown too.
    ``reveal`` adds the held-out combinations to the training set: a control that must compose.
    """

    task: Annotated[Task, MemberOf(tasks)]
    split: Annotated[Region, MemberOf(regions)] | None = None
    isolated: tuple[str, ...] = ()
    isolated_levels: int | None = Field(default=None, ge=1)
    examples: int | None = Field(default=None, ge=0, le=MOST_EXAMPLES)
    centres: Literal["grid", "uniform"] = "grid"
    reveal: bool = False
    support: Annotated[Support, MemberOf(supports)] | None = None
    spacing: float | None = Field(default=None, gt=0)
    rim: bool = False

    def __init__(self, task: Any = None, split: Any = None, **settings: Any) -> None:
        given = {"task": task, "split": split, **settings}
        super().__init__(**{name: value for name, value in given.items() if value is not None})

    def model_post_init(self, context: object) -> None:
        if self.task.continuous:
            self._check_support()
        else:
            self._check_split()

    def _check_support(self) -> None:
        """Refuse what a task over continuous latents cannot have."""
        if self.split is not None or self.isolated or self.centres != "grid" or self.reveal or self.spacing or self.rim:
            raise InputError(
                f"task {self.task.kind!r} is shown where a support draws it: it has no split, isolated factors, "
                "centres, spacing, rim or reveal; leave them out, and give a support, e.g. planes, or random to show "
                "everything."
            )
        if self.support is None or not self.examples:
            raise InputError(
                f"task {self.task.kind!r} needs a support that draws its training examples, and their number: e.g. "
                "support = planes and examples = 20000."
            )
        self.support.points(
            1, self.task.slots, self.task.latents, stream(0, "data", "support")
        )  # refuses what is amiss

    def _check_split(self) -> None:
        """Refuse a training set that could not ask about the composition of levels."""
        if self.support is not None:
            raise InputError(
                f"task {self.task.kind!r} is a grid of combinations and has no support; say what is held out of it by "
                "a split, e.g. block."
            )
        if self.split is None:
            raise InputError(f"task {self.task.kind!r} needs a split: say what is held out, e.g. random(fraction=0.3).")
        if self.grid.size > self.task.largest:
            raise InputError(
                f"task {self.task.kind!r} has {self.grid.size:,} combinations; at most {self.task.largest:,} are "
                "supported, so use fewer levels."
            )
        for name in self.isolated:
            self.grid.axis(name)
        if not self.task.isolates and (self.isolated or self.centres != "grid" or self.spacing):
            raise InputError(
                f"task {self.task.kind!r} has whole combinations only: it shows no factor alone and nothing between "
                "levels; leave out `isolated`, `centres` and `spacing`."
            )
        if self.spacing is not None and self.centres != "grid":
            raise InputError(
                "spacing puts centres on a grid and centres = 'uniform' draws them; leave one of them out."
            )
        padded = bool(getattr(self.task, "pad", 0))
        if self.rim and not (padded and self.isolated):
            raise InputError(
                "rim = true shows factors that are nearly alone; it needs isolated factors and a task with a pad, e.g. "
                "pad = 4."
            )
        if padded and self.isolated_levels is not None:
            raise InputError("isolated_levels counts levels, which a task with a pad shows all; leave it out.")
        if self.isolated_levels is not None and not self.isolated:
            raise InputError(
                f"isolated_levels = {self.isolated_levels} limits the levels that are shown alone, but no factor is "
                "isolated; name factors in `isolated`, or leave it out."
            )
        fewest = min((self.grid.shape[self.grid.axis(name)] for name in self.isolated), default=0)
        if self.isolated_levels is not None and self.isolated_levels > fewest:
            raise InputError(
                f"isolated_levels = {self.isolated_levels} of each isolated factor cannot be shown alone: "
                f"one of them has {fewest}; lower it."
            )
        if self.task.leaves_cells and not (self.reveal and self.centres == "uniform"):
            raise InputError(
                f"task {self.task.kind!r} with these settings draws examples that leave their cells, so nothing can be "
                "held out; set reveal = true and centres = 'uniform'."
            )
        pool = self.most_examples
        if self.centres == "uniform" and self.examples is None:
            raise InputError("centres = 'uniform' draws from an area, so it needs the number of examples.")
        if self.centres == "grid" and self.examples is not None and self.examples > pool:
            raise InputError(
                f"examples = {self.examples} is more than the {pool} training "
                f"{'combinations' if self.spacing is None else 'centres'}; "
                "lower it, leave it out to use them all, or draw with centres = 'uniform'."
            )
        if self.examples == 0 and not self.isolated:
            raise InputError("the training set is empty: examples = 0 and no isolated factors; raise one of them.")

    @field_validator("isolated")
    @classmethod
    def _each_once(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(sorted(set(names), reverse=True))  # y before x, as everywhere

    @property
    def grid(self) -> Grid:
        return self.task.grid

    @property
    def rule(self) -> Region | Support:
        """What decides what is shown: the split or the support."""
        rule = self.split if self.support is None else self.support
        assert rule is not None  # checked when it was built
        return rule

    @cached_property
    def parts(self) -> Split:
        """Which combinations are trained on, which are held out, and in which sections; of a task with a split."""
        if self.split is None:
            raise InputError(
                f"the training set of task {self.task.kind!r} is drawn by the support {self.rule.kind!r}, which holds "
                "out no combinations of a grid; use a task of levels, e.g. bump."
            )
        # A level missing from a factor that interpolates is asked about on purpose, as one that is shown alone is.
        allowed = (*self.isolated, *self.task.interpolates)
        return make_split(self.split, self.grid, shown_alone=allowed, outside=self.task.outside)

    @property
    def trained(self) -> Bool[np.ndarray, " combinations"]:
        """The combinations that training draws from: all that are not held out, or all when they are revealed."""
        return self.parts.train | (self.parts.held_out & self.reveal)

    def training_set(self, seed: int = 0) -> Examples:
        """The training examples of one seed: combinations first, isolated factors after them."""
        if self.support is not None:
            return self.task.at(self.training_scenes(seed), seed)
        together = self._together(seed)
        if not self.isolated:
            return together
        # Anew and not joined: pictures that are drawn as they are needed would all be drawn to be joined.
        return self.task.at(np.concatenate([together.positions, self._alone(seed)]), seed)

    def training_scenes(self, seed: int = 0) -> Float[np.ndarray, "examples all"]:
        """The unit latents that a support draws for one seed; nothing of them is rendered."""
        return self._scenes("shown", seed, self.examples or 0)

    def lone(self, seed: int = 0) -> Bool[np.ndarray, " examples"]:
        """Which training examples of one seed show a factor alone, or nearly so."""
        alone = self.lone_examples(seed)
        return np.repeat([False, True], [len(self.training_set(seed)) - alone, alone])

    def lone_examples(self, seed: int = 0) -> int:
        """How many of the training examples, its last ones, show a factor alone, or nearly so; nothing is drawn."""
        return len(self._alone(seed)) if self.isolated else 0

    @property
    def most_examples(self) -> int:
        """How many different examples there are to be drawn, lone factors apart."""
        return len(self._pool())

    def _pool(self) -> np.ndarray:
        """What examples are drawn from: combinations, or positions where there is a spacing."""
        pool = self.grid.combinations()[self.trained]
        return pool if self.spacing is None else self.task.between(pool, self.spacing)

    def _together(self, seed: int) -> Examples:
        """The examples in which all factors are there."""
        pool, rng = self._pool(), stream(seed, "data", "examples")
        if self.centres == "uniform":
            # Cells and places within them by streams of their own, so that more examples contain fewer.
            cells = pool[rng.integers(len(pool), size=self.examples)]
            return self.task.at(self.task.scatter(cells, stream(seed, "data", "centres")), seed)
        chosen = pool if self.examples is None else pool[rng.permutation(len(pool))[: self.examples]]
        return self.task.examples(chosen, seed) if self.spacing is None else self.task.at(chosen, seed)

    def _alone(self, seed: int) -> Float[np.ndarray, "examples factors"]:
        """The positions at which a factor is shown alone."""
        if self.isolated_levels is None:
            return self.task.alone(self.isolated, self.spacing, self.rim)
        rows = self.grid.isolated(*self.isolated)
        kept = []
        for name in self.isolated:
            levels = stream(seed, "data", "isolated", name).permutation(self.grid.shape[self.grid.axis(name)])
            kept.append(rows[np.isin(rows[:, self.grid.axis(name)], levels[: self.isolated_levels])])
        return self.grid.values(np.concatenate(kept))

    def _scenes(self, purpose: str, seed: int, count: int) -> Float[np.ndarray, "count all"]:
        """Unit latents drawn from the support."""
        assert self.support is not None
        rng = stream(seed, "data", "support", purpose)
        return self.support.points(count, self.task.slots, self.task.latents, rng).reshape(count, -1)

    @cached_property
    def everything(self) -> Examples:
        """Every combination of the grid in order, as the first seed is asked; most tasks ask all seeds the same.

        With a support: scenes that it draws, and as many of the whole space, the same for all seeds.
        """
        return self.task.asked(0) if self.support is None else self.task.at(self._tests)

    @cached_property
    def _tests(self) -> Float[np.ndarray, "items all"]:
        count = self.task.asked_count
        whole = stream(0, "data", "support", "all").random((count, self.task.slots * self.task.latents))
        return np.concatenate([self._scenes("asked", 0, count), whole])

    @cached_property
    def asked_sections(self) -> dict[str, Bool[np.ndarray, " items"]]:
        """Sections of `everything` with a support: "id" is drawn by it and "all" is the whole space.

        Of "all", "ood" lies outside the support, "seen" has component values that the support shows, "unseen" some that
        it never does; empty ones are left out.
        """
        assert self.support is not None
        slots, count = self.task.slots, self.task.asked_count
        scenes = self._tests.reshape(len(self._tests), slots, -1)
        whole = np.arange(len(scenes)) >= count
        reached = np.all([self.support.reaches(slot, scenes[:, slot], slots) for slot in range(slots)], axis=0)
        outside = whole & ~self.support.has(scenes)
        found = {"id": ~whole, "all": whole, "ood": outside, "seen": whole & reached, "unseen": whole & ~reached}
        return {name: mask for name, mask in found.items() if mask.any()}

    def certificate(self, seed: int = 0) -> Certificate:
        """What the training set of one seed really shows, and how it bears on what is held out."""
        every_level = self.isolated if self.isolated_levels is None else ()
        return certificate(self.parts, self.shown(seed), every_level)

    def shown(self, seed: int = 0) -> Bool[np.ndarray, " combinations"]:
        """The combinations that the training set of one seed really shows."""
        every = self.trained  # refuses a support, which shows no combinations of a grid
        if self.examples is None:
            return every
        mask = np.zeros(self.grid.size, dtype=bool)
        mask[self.grid.index(self.task.cells(self._together(seed).positions))] = True
        return mask
