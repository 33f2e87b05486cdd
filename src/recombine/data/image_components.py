"""Combinations shown as tuples of pictures, one picture for each component (Lippl & Stachenfeld 2025).

A level of a component stands for a category of pictures, by a permutation of its own; a combination is shown by one
picture of each of its categories. Every component is drawn in its own channels, so pictures never cover each other;
component c is moved to the right by c * distance pixels, and what it leaves free repeats its nearest column:

    canvas[c, r, x] = picture_c[r, clip(x - c distance, 0, columns - 1)],   x = 0 ... columns + (C - 1) distance - 1

Published numbers: 200 training pictures per category and component (4,000 for CIFAR-10); in all 20,000 training
tuples for addition and transitive equivalence, 30,000 for context dependence, 40,000 on CIFAR-10, shared equally by
the training combinations; 100 tuples per combination for each of the two evaluations; distances 0, 5, 10, 15, 20.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from recombine.core.errors import InputError, unknown
from recombine.core.seeds import stream
from recombine.core.shapes import Float, Int, Real
from recombine.data.image_sets import ImageSet

PER_CATEGORY = 200
TRAINING_TUPLES = 20_000
EVALUATION_TUPLES = 100

Pools = tuple[tuple[np.ndarray, ...], ...]  # indices of pictures by component and level


@dataclass(frozen=True, eq=False)
class Gallery:
    """The pictures that stand for every level of every component in one run.

    Each component has its own permutation from levels to categories: of the first n classes for n levels, or with
    ``shuffle_classes`` of n classes drawn from all. For each component and category ``per_category`` pictures, drawn
    by the seed, are for training and the rest are held out; a larger number contains a smaller one. Components draw
    independently, so a picture one component trains on may be held out for another.
    """

    images: ImageSet
    levels: tuple[int, ...]  # the number of levels of each component
    seed: int = 0
    per_category: int = PER_CATEGORY
    shuffle_classes: bool = False

    def __post_init__(self) -> None:
        classes = self._counts.size
        if not self.levels or not all(1 <= n <= classes for n in self.levels):
            raise InputError(
                f"levels = {self.levels}: every component needs between 1 and {classes} levels, "
                f"the number of classes of the image set {self.images.name!r}."
            )
        used = np.arange(classes if self.shuffle_classes else max(self.levels))
        rarest = int(used[self._counts[used].argmin()])
        if not 1 <= self.per_category < self._counts[rarest]:
            raise InputError(
                f"per_category = {self.per_category} must be at least 1 and leave a held-out picture: the image set "
                f"{self.images.name!r} has {self._counts[rarest]} of class {rarest}; lower it or choose a larger set."
            )

    @cached_property
    def _counts(self) -> Int[np.ndarray, " classes"]:
        return np.bincount(self.images.labels)

    @cached_property
    def categories(self) -> tuple[Int[np.ndarray, " levels"], ...]:
        """For each component the class that stands for each of its levels."""
        found = []
        for component, count in enumerate(self.levels):
            rng = self._stream(f"component {component}", "classes")
            found.append(rng.permutation(self._counts.size if self.shuffle_classes else count)[:count])
        return tuple(found)

    @cached_property
    def pools(self) -> Mapping[str, Pools]:
        """The pictures for ``train`` and those ``held-out``: indices by component and level."""
        train, held_out = [], []
        for component, classes in enumerate(self.categories):
            orders = [self._order(component, int(each)) for each in classes]
            train.append(tuple(order[: self.per_category] for order in orders))
            held_out.append(tuple(order[self.per_category :] for order in orders))
        return {"train": tuple(train), "held-out": tuple(held_out)}

    def _order(self, component: int, category: int) -> Int[np.ndarray, " pictures"]:
        rng = self._stream(f"component {component}", f"class {category}")
        return rng.permutation(np.flatnonzero(self.images.labels == category))

    def _stream(self, *purpose: str) -> "np.random.Generator":
        return stream(self.seed, "data", "images", *purpose)

    def tuples(
        self,
        combinations: Int[np.ndarray, "combinations components"],
        which: str,
        count: int,
        rng: "np.random.Generator",
    ) -> Int[np.ndarray, "items components"]:
        """``count`` tuples of pictures for each combination, drawn with replacement; ``which`` names the pool.

        Rows are indices into the image set, combination by combination: ``np.repeat(targets, count, axis=0)`` goes
        with them.
        """
        if which not in self.pools:
            raise unknown("pool of pictures", which, self.pools)
        self._check(combinations)
        if count < 1:
            raise InputError(f"count = {count} must be at least 1: so many tuples are drawn for each combination.")
        drawn = np.repeat(combinations, count, axis=0)
        for component, pools in enumerate(self.pools[which]):
            sizes = np.array([len(pool) for pool in pools])
            level = drawn[:, component]
            first = np.cumsum(sizes) - sizes
            drawn[:, component] = np.concatenate(pools)[first[level] + rng.integers(sizes[level])]
        return drawn

    def _check(self, combinations: np.ndarray) -> None:
        if combinations.shape[1] != len(self.levels):
            raise InputError(f"combinations of {combinations.shape[1]} components, but levels = {self.levels}.")
        outside = ((combinations < 0) | (combinations >= self.levels)).any(axis=1)
        if outside.any():
            row = tuple(combinations[outside][0].tolist())
            raise InputError(f"combination {row} is not on the grid of {self.levels} levels, which count from 0.")

    def training(
        self, combinations: Int[np.ndarray, "combinations components"], total: int = TRAINING_TUPLES
    ) -> Int[np.ndarray, "items components"]:
        """The training tuples: ``per_combination`` of them for each of the training combinations."""
        count = per_combination(total, len(combinations))
        return self.tuples(combinations, "train", count, self._stream("training"))

    def new_pairings(
        self, combinations: Int[np.ndarray, "combinations components"], count: int = EVALUATION_TUPLES
    ) -> Int[np.ndarray, "items components"]:
        """The first published evaluation: training pictures in tuples drawn anew (some may repeat by chance)."""
        return self.tuples(combinations, "train", count, self._stream("new pairings"))

    def new_images(
        self, combinations: Int[np.ndarray, "combinations components"], count: int = EVALUATION_TUPLES
    ) -> Int[np.ndarray, "items components"]:
        """The second published evaluation: tuples of held-out pictures; generalization is measured on these."""
        return self.tuples(combinations, "held-out", count, self._stream("new images"))

    @property
    def black(self) -> Float[np.ndarray, " channels"]:
        """What a black pixel is in each channel of what is rendered: -mean / sd."""
        return np.tile(-np.array(self.images.mean) / np.array(self.images.sd), len(self.levels)).astype(np.float32)

    def render(
        self, tuples: Int[np.ndarray, "items components"], distance: int = 0
    ) -> Float[np.ndarray, "items channels rows columns"]:
        """The normalised canvas of each tuple as float32; component c has the c-th group of channels to itself."""
        if distance < 0:
            raise InputError(f"distance = {distance} must be at least 0 pixels.")
        shape = canvas_shape(self.images, len(self.levels), distance)
        canvas = np.empty((len(tuples), *shape), dtype=np.float32)
        channels, _, columns = self.images.pictures.shape[1:]
        mean, sd = (np.array(each, dtype=np.float32)[:, None, None] for each in (self.images.mean, self.images.sd))
        for component, indices in enumerate(tuples.T):
            # Each picture is prepared once, however many tuples it is in.
            pictures, places = np.unique(indices, return_inverse=True)
            nearest = np.clip(np.arange(shape[2]) - component * distance, 0, columns - 1)
            table = np.take((self.images.pictures[pictures] - mean) / sd, nearest, axis=3)
            canvas[:, component * channels : (component + 1) * channels] = table[places]
        return canvas


def canvas_shape(images: ImageSet, components: int, distance: int) -> tuple[int, int, int]:
    """Channels, rows and columns of a canvas: a group of channels and ``distance`` columns for each component."""
    channels, rows, columns = images.pictures.shape[1:]
    return components * channels, rows, columns + (components - 1) * distance


def per_combination(total: int, combinations: int) -> int:
    """How many tuples each of the training combinations gets: ``total / combinations``, rounded down.

    20,000 over the 17 training pairs of addition with one anchor is 1,176.
    """
    if not 1 <= combinations <= total:
        raise InputError(f"{total} tuples in all cannot give each of {combinations} training combinations one.")
    return total // combinations


def augmented(
    pictures: Float[np.ndarray, "items channels rows columns"],
    rng: "np.random.Generator",
    components: int = 1,
    padding: int = 4,
    fill: float | Real[np.ndarray, " channels"] = 0.0,
) -> Float[np.ndarray, "items channels rows columns"]:
    """Pictures cropped at random places after ``padding`` on all sides and mirrored half the time (CIFAR-10 training).

    Each of the ``components`` groups of channels is moved on its own. ``fill`` is the value of the padding: 0 is black
    before normalisation, `Gallery.black` after it. Meant for distance 0, where a group is one picture.
    """
    items, channels, rows, columns = pictures.shape
    if components < 1 or channels % components:
        raise InputError(f"{channels} channels cannot be shared equally by {components} components.")
    if padding < 0:
        raise InputError(f"padding = {padding} must be at least 0 pixels.")
    shape = (items, channels, rows + 2 * padding, columns + 2 * padding)
    padded = np.broadcast_to(np.reshape(fill, (-1, 1, 1)), shape).astype(pictures.dtype)
    padded[:, :, padding : padding + rows, padding : padding + columns] = pictures
    groups = padded.reshape(items * components, channels // components, *shape[2:])

    top, left = rng.integers(2 * padding + 1, size=(2, len(groups), 1))
    mirrored = rng.integers(2, size=(len(groups), 1)).astype(bool)
    along = np.where(mirrored, np.arange(columns)[::-1], np.arange(columns)) + left
    down = np.arange(rows) + top
    group = np.arange(len(groups))[:, None, None, None]
    channel = np.arange(groups.shape[1])[:, None, None]
    return groups[group, channel, down[:, None, :, None], along[:, None, None, :]].reshape(pictures.shape)
