"""What a trained model showed on every combination of a two-factor grid: the one thing a measure looks at."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Float, Int, Real
from recombine.measures.sections import check_sections, pick_section

FACTORS = ("y", "x")  # rows first: reshaping an array of combinations to `Evidence.shape` gives [row = y, column = x]


@dataclass(frozen=True, eq=False)
class Evidence:
    """What a trained model showed on every combination of a two-factor grid, as arrays.

    Combinations are in grid order: reshaping to ``shape`` gives [row = y, column = x]. A section is a mask over
    them; "id" (trained on) and "ood" (held out) are always there and disjoint, and need not cover the grid.
    """

    shape: tuple[int, int]  # levels of (y, x)
    targets: Float[np.ndarray, "combinations rows columns"]
    outputs: Float[np.ndarray, "combinations rows columns"]
    sections: Mapping[str, Bool[np.ndarray, " combinations"]]  # "id", "ood", often "rim", "interior", ...
    dark: (
        bool  # True: dark bump on white, position is the darkest pixel, blank is 1; False: bright on black, blank is 0
    )
    layers: Mapping[str, Float[np.ndarray, "combinations _features"]]  # in order: "input", hidden ones, "output"
    # One picture per level of a factor ("x", "y"), for networks that render each factor on its own.
    embeddings: Mapping[str, Float[np.ndarray, "_levels rows columns"]] = field(default_factory=dict)
    periodic: bool = False  # both factors are rings, and so are the rows and columns of the pictures
    # Channels, rows and columns of the layers that are pictures themselves; their features are flat, in that order.
    channels: Mapping[str, tuple[int, int, int]] = field(default_factory=dict)
    # How a position is read off an answer: the extreme pixel; the largest unit of each of two rows, y then x; two
    # numbers, y then x; None: it has no position.
    places: Literal["pixel", "units", "numbers"] | None = "pixel"
    rings: tuple[bool, bool] | None = None  # whether y and whether x is a ring; None: both or neither, as `periodic`
    threshold: float = 0.5  # the ink from which a pixel counts as drawn
    # What was measured at checkpoints: an array over checkpoints for each measure by name, and their "steps".
    course: Mapping[str, Real[np.ndarray, " checkpoints"]] = field(default_factory=dict)
    # Of a model that predicts noise: its mean squared error, on pictures that were "shown" and on others.
    denoising: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._check_pictures()
        self._check_places()
        check_sections(self.sections, len(self.targets))
        check_layers(self.layers, len(self.targets))
        self._check_embeddings()
        self._check_course()

    def _check_pictures(self) -> None:
        if len(self.shape) != 2 or min(self.shape) < 1:
            raise InputError(
                f"evidence shape {self.shape} must be the numbers of levels of y and of x, both 1 or more."
            )
        if self.targets.ndim != 3 or self.targets.size == 0 or len(self.targets) != self.shape[0] * self.shape[1]:
            raise InputError(
                f"evidence targets have shape {self.targets.shape}, but a grid of {self.shape} levels needs "
                f"({self.shape[0] * self.shape[1]}, rows, columns): give one picture per combination, in grid order."
            )
        if self.outputs.shape != self.targets.shape:
            raise InputError(
                f"evidence outputs have shape {self.outputs.shape} and targets {self.targets.shape}; "
                "they must be equal, so give one output per target."
            )
        check_finite("targets", self.targets)
        check_finite("outputs", self.outputs)
        if not self.threshold > 0:
            raise InputError(f"evidence threshold {self.threshold} must be an amount of ink above 0.")

    def _check_places(self) -> None:
        rows, columns = self.targets.shape[1:]
        if (self.places == "units" and rows != 2) or (self.places == "numbers" and (rows, columns) != (2, 1)):
            raise InputError(
                f"evidence places are {self.places!r} and its answers are {rows} x {columns}; units need two rows, y "
                "above x, and numbers one column of two, so give such answers or read places off pixels."
            )

    def _check_embeddings(self) -> None:
        levels = dict(zip(FACTORS, self.shape, strict=True))
        for factor, pictures in self.embeddings.items():
            if factor not in levels:
                raise InputError(f"evidence embeddings name a factor {factor!r}; use 'x' and 'y'.")
            expected = (levels[factor], *self.targets.shape[1:])
            if pictures.shape != expected:
                raise InputError(
                    f"evidence embeddings of {factor} have shape {pictures.shape}; "
                    f"they must be {expected}, one picture of the output's size per level."
                )
            check_finite(f"embeddings of {factor}", pictures)

    def _check_course(self) -> None:
        if self.course and "steps" not in self.course:
            raise InputError(
                f"evidence course has {', '.join(self.course)} and no 'steps'; say at which steps they were measured."
            )
        for name, values in self.course.items():
            steps = self.course["steps"]
            if values.ndim != 1 or not len(values) or len(values) != len(steps):
                raise InputError(
                    f"evidence course of {name!r} has shape {values.shape}; it must be ({len(steps)},), "
                    "one value for each of the steps, of which there is at least one."
                )
            check_finite(f"course of {name!r}", values)

    @property
    def levels(self) -> Int[np.ndarray, "combinations 2"]:
        """The level indices (y, x) of each combination."""
        return np.indices(self.shape).reshape(2, -1).T

    @property
    def deep(self) -> str:
        """The held-out section away from training: "interior" where there is one, else all of "ood"."""
        return "interior" if self.sections.get("interior", np.zeros(1)).any() else "ood"

    def apart(self, first: str, second: str) -> Int[np.ndarray, "2 first second"]:
        """Distance in levels, along y and along x, between the members of two sections; the short way round a ring."""
        ours, theirs = (self.levels[self.section(name)].T for name in (first, second))
        distance = np.abs(ours[:, :, None] - theirs[:, None, :])
        around = np.array(self.shape)[:, None, None] - distance
        return np.where(np.array(self.on_ring)[:, None, None], np.minimum(distance, around), distance)

    @property
    def on_ring(self) -> tuple[bool, bool]:
        """Whether y and whether x is a ring."""
        return (self.periodic, self.periodic) if self.rings is None else self.rings

    @property
    def blank(self) -> float:
        """The value of every pixel of an empty picture: 1 on white, 0 on black."""
        return 1.0 if self.dark else 0.0

    def ink(self, section: str) -> Float[np.ndarray, "members pixels"]:
        """The outputs of a section as ink, flattened: 1 − image when the bump is dark, else the image."""
        return self._as_ink(self.outputs[self.section(section)])

    def target_ink(self, section: str) -> Float[np.ndarray, "members pixels"]:
        """The targets of a section as ink, flattened."""
        return self._as_ink(self.targets[self.section(section)])

    def _as_ink(self, pictures: Float[np.ndarray, "members rows columns"]) -> Float[np.ndarray, "members pixels"]:
        flat = pictures.reshape(len(pictures), -1).astype(np.float64)
        return 1.0 - flat if self.dark else flat

    def section(self, name: str) -> Bool[np.ndarray, " combinations"]:
        """The mask of a section that has at least one combination, or an `InputError`."""
        return pick_section(self.sections, name)

    def every_layer(self) -> Mapping[str, Float[np.ndarray, "combinations _features"]]:
        """The layers by name, input first, or an `InputError` when none were kept."""
        if not self.layers:
            raise InputError(
                "this evidence has no layers; extract the model's representations, or leave out the measures by layer."
            )
        return self.layers

    def hidden_layers(self, at_least: int = 0) -> tuple[str, ...]:
        """The names of the layers between input and output, in order; an `InputError` when there are too few."""
        hidden = tuple(self.every_layer())[1:-1]
        if len(hidden) < at_least:
            raise InputError(
                f"this evidence has {len(hidden)} hidden layers and the measure needs at least {at_least}; "
                "use a deeper model, or leave that measure out."
            )
        return hidden

    def on_grid(self, layer: str) -> Float[np.ndarray, "y x features"]:
        """The activations of a layer as an array [y, x, feature]."""
        return self.every_layer()[layer].reshape(*self.shape, -1)


class NotFinite(InputError):
    """What a model showed is not finite: it diverged."""


def check_layers(layers: Mapping[str, Float[np.ndarray, "..."]], items: int) -> None:
    """Refuse layers that do not go from "input" to "output", or are not a finite row of activations per item."""
    names = list(layers)
    if names and (len(names) < 2 or names[0] != "input" or names[-1] != "output"):
        raise InputError(
            f"evidence layers are {', '.join(names)}; 'input' must come first and 'output' last, "
            "with the hidden layers in order between them."
        )
    for name, rows in layers.items():
        if rows.ndim != 2 or len(rows) != items or rows.size == 0:
            raise InputError(
                f"evidence layer {name!r} has shape {rows.shape}; it must be ({items}, features), "
                "so flatten the activations of each combination."
            )
        check_finite(f"layer {name!r}", rows)


def check_finite(what: str, values: Real[np.ndarray, "..."]) -> None:
    if not np.isfinite(values).all():
        raise NotFinite(
            f"evidence {what} hold values that are not finite; a run that diverged has no measures, "
            "so record it as failed."
        )
