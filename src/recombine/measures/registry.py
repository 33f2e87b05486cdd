"""Where measures are filed: a measure is a function from `Evidence` to a number, or to numbers by name."""

from collections.abc import Callable
from typing import Any

from recombine.core.registry import Registry
from recombine.measures.evidence import Evidence

Measure = Callable[[Evidence], float | dict[str, float]]

#: Every measure by name. One that returns a mapping gives a value per layer or per section.
measures: Registry[Measure] = Registry("measure")

#: Functions of an array (y, x, features) that no rotation of feature space may change.
rotation_invariant: Registry[Callable[..., Any]] = Registry("rotation-invariant function")
