"""Component tasks: a few discrete components, one number as the answer (Lippl & Stachenfeld 2025, section 2).

An input is a code of C components, concatenated one-hot vectors; with ``images`` each component is a real picture of
the category its level stands for, in channels of its own. The answer is a number to be regressed or a class, -1 or 1.
"""

from abc import abstractmethod
from collections.abc import Mapping
from functools import cached_property
from itertools import product
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Float, Int
from recombine.data.component_pictures import ComponentPictures
from recombine.data.task import Examples, Task, tasks
from recombine.factors import Factor, Grid

LARGEST = 1_000_000  # combinations
LARGEST_CODES = 1 << 28  # numbers, a gigabyte

# Components and their levels: ((0, 2), (1, 5)) is level 1 of the first with level 5 of the third.
Conjunction = tuple[tuple[int, ...], tuple[int, ...]]


class ComponentTask(Task):
    """Settings all component tasks share: codes, or pictures of real images."""

    largest: ClassVar[int] = LARGEST

    images: ComponentPictures | None = None

    def __eq__(self, other: object) -> bool:
        # By settings alone: the labels kept beside them are arrays, whose comparison is no truth value.
        return type(self) is type(other) and self.settings() == other.settings()

    @property
    @abstractmethod
    def labels(self) -> Float[np.ndarray, " combinations"]:
        """The right answer for every combination in grid order; NaN where there is none."""

    @property
    def types(self) -> Mapping[Conjunction, str]:
        """What kind of knowledge a conjunction stands for, where the task can tell; nothing for most tasks."""
        return {}

    @property
    def outside(self) -> Bool[np.ndarray, " combinations"]:
        return np.isnan(self.labels)

    @property
    def binary(self) -> bool:
        """Whether the answers are classes, -1 and 1."""
        return bool(np.isin(self.labels[~self.outside], (-1.0, 1.0)).all())

    @property
    def picture(self) -> tuple[int, int, int] | None:
        return None if self.images is None else self.images.shape(len(self.grid.shape))

    def examples(self, combinations: Int[np.ndarray, "items components"], seed: int) -> Examples:
        if self.images is not None:
            rows, codes = self.images.training(self.grid.shape, combinations, seed)
            return self._answered(rows, codes)
        return self._answered(combinations, self.codes(combinations))

    def asked(self, seed: int) -> Examples:
        return self.asked_of("held-out", seed)

    def asked_of(self, which: str, seed: int) -> Examples:
        """Every combination in grid order, shown with images of one sort ("held-out", "train"), or as its code."""
        combinations = self.grid.combinations()
        if self.images is None:
            return self._answered(combinations, self.codes(combinations))
        rows, codes = self.images.asked(self.grid.shape, combinations, which, seed)
        return self._answered(rows, codes)

    def codes(self, combinations: Int[np.ndarray, "items components"]) -> Float[np.ndarray, "items units"]:
        """One unit per level of each component, as float32."""
        numbers = len(combinations) * sum(self.grid.shape)
        if numbers > LARGEST_CODES:
            raise InputError(
                f"task {self.kind!r}: the codes of {len(combinations)} combinations of {sum(self.grid.shape)} levels "
                f"would be {numbers:,} numbers; at most {LARGEST_CODES:,} are supported, so use fewer levels."
            )
        parts = [
            np.eye(count, dtype=np.float32)[column]
            for count, column in zip(self.grid.shape, combinations.T, strict=True)
        ]
        return np.concatenate(parts, axis=1)

    def _answered(self, combinations: Int[np.ndarray, "items components"], codes: np.ndarray) -> Examples:
        answers = self.labels[self.grid.index(combinations)].astype(np.float32)
        return Examples(combinations.astype(float), codes, answers[:, None, None])


def items(name: str, count: int) -> Factor:
    """A component whose levels are words, since nothing makes one level the neighbour of another."""
    if count > LARGEST:
        raise InputError(f"component {name!r} would have {count} levels; at most {LARGEST} combinations are supported.")
    return Factor(name, tuple(str(level) for level in range(count)))


Values = Annotated[tuple[float, ...], Field(min_length=1)]


@tasks.register("addition")
class Addition(ComponentTask):
    """Symbolic addition: every item of two components stands for a value, and the answer is their sum.

    ``second`` gives the values of the second component where they differ from the first's.
    """

    values: Values = (-4.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0)
    second: Values | None = None

    @cached_property
    def grid(self) -> Grid:
        counts = (len(self.values), len(self.second or self.values))
        return Grid(tuple(items(name, count) for name, count in zip(("first", "second"), counts, strict=True)))

    @cached_property
    def labels(self) -> Float[np.ndarray, " combinations"]:
        return np.add.outer(np.array(self.values), np.array(self.second or self.values)).ravel()


@tasks.register("context")
class Context(ComponentTask):
    """Context dependence: the context says which of two features to answer to.

    The first half of the contexts ask for feature 1 and the others for feature 2. The answer is -1 for the lower half
    of that feature's levels and 1 for the upper half. Published: 2 contexts with 6 levels; 4 with 4 ("stimulus
    composition 2") and 4 with 6 ("context substitution") exist in the released code without a figure, and how their
    contexts are paired is our reading.
    """

    contexts: int = Field(default=2, ge=2, multiple_of=2)
    levels: int = Field(default=6, ge=2, multiple_of=2)

    @cached_property
    def grid(self) -> Grid:
        return Grid((items("context", self.contexts), items("feature1", self.levels), items("feature2", self.levels)))

    @cached_property
    def labels(self) -> Float[np.ndarray, " combinations"]:
        context, *features = self.grid.combinations().T
        asked = np.where(context < self.contexts // 2, *features)
        return np.where(asked < self.levels // 2, -1.0, 1.0)

    @cached_property
    def types(self) -> Mapping[Conjunction, str]:
        """right: a context with the feature it asks for; wrong: with the other; the rest by what they hold."""
        found: dict[Conjunction, str] = {}
        for context in range(self.contexts):
            found[(0,), (context,)] = "context"
            asked = 1 if context < self.contexts // 2 else 2
            for level in range(self.levels):
                for feature in (1, 2):
                    found[(0, feature), (context, level)] = "right" if feature == asked else "wrong"
            for pair in product(range(self.levels), repeat=2):
                found[(0, 1, 2), (context, *pair)] = "memorization"
        for level in range(self.levels):
            found |= {((feature,), (level,)): "sensory" for feature in (1, 2)}
        return found | {((1, 2), pair): "sensory" for pair in product(range(self.levels), repeat=2)}


@tasks.register("equivalence")
class Equivalence(ComponentTask):
    """Transitive equivalence: are two items of one class (1) or not (-1)? ``classes`` gives the size of each class."""

    classes: Annotated[tuple[Annotated[int, Field(ge=1)], ...], Field(min_length=2)] = (2, 2)

    @cached_property
    def grid(self) -> Grid:
        return Grid((items("first", sum(self.classes)), items("second", sum(self.classes))))

    @cached_property
    def labels(self) -> Float[np.ndarray, " combinations"]:
        class_of = np.repeat(np.arange(len(self.classes)), self.classes)
        return np.where(np.equal.outer(class_of, class_of), 1.0, -1.0).ravel()


@tasks.register("ordering")
class Ordering(ComponentTask):
    """Transitive ordering: does the second item come after the first (1) or before it (-1)?

    No item is paired with itself.

    ``exceptions`` lists pairs of items whose answer is turned round, in both orders.
    """

    items: int = Field(default=7, ge=3)
    exceptions: tuple[tuple[int, int], ...] = ()

    def model_post_init(self, context: object) -> None:
        for pair in self.exceptions:
            if pair[0] == pair[1] or not all(0 <= item < self.items for item in pair):
                raise InputError(
                    f"ordering: the exception {list(pair)} must be two different items from 0 to {self.items - 1}."
                )
        if len({frozenset(pair) for pair in self.exceptions}) < len(self.exceptions):
            raise InputError(
                f"ordering: the exceptions {[list(pair) for pair in self.exceptions]} name a pair twice, which would "
                "turn its answer back; a pair covers both orders, so name it once."
            )

    @cached_property
    def grid(self) -> Grid:
        return Grid((items("first", self.items), items("second", self.items)))

    @cached_property
    def labels(self) -> Float[np.ndarray, " combinations"]:
        place = np.arange(self.items)
        sign = np.sign(place[None, :] - place[:, None]).astype(float)
        for one, other in self.exceptions:
            sign[[one, other], [other, one]] *= -1
        return np.where(sign == 0, np.nan, sign).ravel()


@tasks.register("invariance")
class Invariance(ComponentTask):
    """Invariance and partial exposure: the answer is the class of the first component, whatever the second.

    The lower half of the first component's levels is class -1 and the upper half 1. Hold out all but one level of
    ``irrelevant`` for invariance (which extrapolates nothing but needs `extrapolation`), one cell for partial exposure.
    """

    relevant: int = Field(default=2, ge=2, multiple_of=2)
    irrelevant: int = Field(default=2, ge=2)

    @cached_property
    def grid(self) -> Grid:
        return Grid((items("relevant", self.relevant), items("irrelevant", self.irrelevant)))

    @cached_property
    def labels(self) -> Float[np.ndarray, " combinations"]:
        return np.where(self.grid.combinations()[:, 0] < self.relevant // 2, -1.0, 1.0)
