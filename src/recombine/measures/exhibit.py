"""Exhibits: small arrays of a run for a figure, kept in its record when its experiment asks for them.

They are in half precision or bytes, weights in single precision: enough to look at, and a few kilobytes a run.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from recombine.core.errors import InputError
from recombine.core.registry import Registry
from recombine.core.shapes import Bool, Float, Int
from recombine.measures.evidence import FACTORS, Evidence
from recombine.measures.layered import hidden_modules
from recombine.measures.module_evidence import ModuleEvidence
from recombine.measures.registry import KINDS, AnyEvidence, kind_of
from recombine.measures.similarity import similarity_matrix
from recombine.measures.tuning import layers_of_interest, unit_maps
from recombine.measures.volume import volume_map

Arrays = dict[str, np.ndarray]


class Exhibit:
    """Named arrays for a figure, drawn from one kind of evidence; called with another, it refuses."""

    def __init__(self, name: str, function: Callable[..., Arrays]) -> None:
        self.name = name
        self.kind = kind_of(f"exhibit {name!r}", function)
        self.function = function
        self.__doc__ = function.__doc__
        # Workers import a script that registers an exhibit of its own, and know it by this.
        self.__module__ = function.__module__

    def __call__(self, evidence: AnyEvidence) -> Arrays:
        if not isinstance(evidence, self.kind):
            kind = next(kind for kind in KINDS if isinstance(evidence, kind))
            raise InputError(
                f"exhibit {self.name!r} shows {KINDS[self.kind][0]}; this is {KINDS[kind][1]}, so leave it out "
                f"or use one of exhibits.for_kind({kind.__name__})."
            )
        return self.function(evidence)


class Exhibits(Registry[Exhibit]):
    """Exhibits by name, each for the kind of evidence that its first parameter is annotated with."""

    def register(self, name: str) -> Callable[[Any], Any]:
        """Decorator that files a function from evidence to named arrays."""
        file_new = super().register(name)

        def file(function: Any) -> Any:
            file_new(Exhibit(name, function))
            return function

        return file

    def for_kind(self, kind: type) -> tuple[str, ...]:
        """The names of the exhibits that can be drawn from evidence of this kind, in order of registration."""
        return tuple(name for name, exhibit in self.items() if exhibit.kind is kind)


#: Every exhibit by name: a function from evidence to named arrays.
exhibits: Exhibits = Exhibits("exhibit")

PANELS = 4  # held-out combinations whose superposition is shown
TRAINED, HELD = 120, 60  # rows and columns of the similarity matrix at most
UNITS = 6  # units and channels that are shown of a layer


@exhibits.register("superposition")
def superposition_panels(evidence: Evidence) -> Arrays:
    """Ink of a few answers deep in the hole, of the truth, and of the summed answers that share x and that share y.

    Each sum is over the trained combinations with that very level and is divided by its maximum.
    """
    chosen = spread_out(evidence.section(evidence.deep), PANELS)
    levels = evidence.levels
    ink, trained = evidence.ink("id"), evidence.section("id")
    sums = []
    for axis in range(len(FACTORS)):
        shared = levels[chosen, axis][:, None] == levels[trained, axis]
        total = shared.astype(np.float64) @ ink
        sums.append(total / np.maximum(total.max(axis=1, keepdims=True), 1e-12))
    pictures = evidence.targets.shape[1:]
    blank = 1.0 if evidence.dark else 0.0
    shown = {
        "superposition_truth": np.abs(blank - evidence.targets[chosen]),
        "superposition_answer": (1 - evidence.outputs[chosen]) if evidence.dark else evidence.outputs[chosen],
        "superposition_y": sums[0].reshape(-1, *pictures),
        "superposition_x": sums[1].reshape(-1, *pictures),
    }
    return {"superposition_combinations": levels[chosen], **{name: half(pictures) for name, pictures in shown.items()}}


@exhibits.register("similarity")
def similarity_exhibit(evidence: Evidence) -> Arrays:
    """The overlap of trained with held-out answers, in bytes of its maximum, for evenly chosen rows and columns."""
    matrix = similarity_matrix(evidence)
    rows, columns = (evenly(size, most) for size, most in zip(matrix.shape, (TRAINED, HELD), strict=True))
    part = matrix[np.ix_(rows, columns)]
    return {
        "similarity": np.round(255 * part / max(part.max(), 1e-12)).astype(np.uint8),
        "similarity_trained": evidence.levels[evidence.section("id")][rows].astype(np.int16),
        "similarity_held": evidence.levels[evidence.section(evidence.deep)][columns].astype(np.int16),
    }


@exhibits.register("volume")
def volume_exhibit(evidence: Evidence) -> Arrays:
    """log10 of the volume of every cell, a map per layer, the input first and the output last."""
    maps = [volume_map(evidence.on_grid(name), evidence.periodic) for name in evidence.every_layer()]
    return {"volume_maps": half(np.stack(maps))}


@exhibits.register("embeddings")
def embedding_exhibit(evidence: Evidence) -> Arrays:
    """The learned pictures of three levels of each factor, for networks that render factors one by one."""
    if not evidence.embeddings:
        raise InputError("this evidence has no embeddings to exhibit; use a model that renders each factor alone.")
    found: Arrays = {}
    for factor, pictures in evidence.embeddings.items():
        levels = np.array([len(pictures) * k // 4 for k in (1, 2, 3)])
        found |= {f"embedding_levels_{factor}": levels, f"embedding_{factor}": half(pictures[levels])}
    return found


@exhibits.register("activations")
def activation_exhibit(evidence: Evidence) -> Arrays:
    """The busiest channels of the first hidden layer for one held-out combination, as pictures."""
    name = evidence.hidden_layers(at_least=1)[0]
    if name not in evidence.channels:
        raise InputError(f"layer {name!r} is no picture, so it has no channels to exhibit; use a convolutional model.")
    (chosen,) = spread_out(evidence.section(evidence.deep), 1)
    maps = evidence.layers[name][chosen].reshape(evidence.channels[name])
    busiest = np.argsort(-np.ptp(maps.reshape(len(maps), -1), axis=1), kind="stable")[:UNITS]
    return {"activation_combination": evidence.levels[chosen], "activation_maps": half(maps[busiest])}


@exhibits.register("tuning")
def tuning_exhibit(evidence: Evidence) -> Arrays:
    """How the busiest units of an early and a late layer answer to every (y, x): (layers, units, y, x)."""
    found = []
    for name in layers_of_interest(evidence):
        maps = unit_maps(evidence, name)
        busiest = np.argsort(-maps.var(axis=(1, 2)), kind="stable")
        found.append(maps[distinct_peaks(maps, busiest)])
    return {"tuning_maps": half(np.stack(found))}


@exhibits.register("weights")
def weight_exhibit(evidence: ModuleEvidence) -> Arrays:
    """The size of every weight, a matrix per layer, and the module that each hidden unit belongs to."""
    evidence.need_modules()
    weights = evidence.need_weights()
    modules = hidden_modules(weights, evidence.modules_in, evidence.modules_out)
    return {
        **{f"weights_{place}": np.abs(matrix).astype(np.float32) for place, matrix in enumerate(weights)},
        **{f"unit_modules_{place}": labels.astype(np.int16) for place, labels in enumerate(modules)},
    }


def half(values: Float[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """The same in half precision; what is beyond its range stays at its end."""
    most = float(np.finfo(np.float16).max)
    return np.clip(values, -most, most).astype(np.float16)


def distinct_peaks(maps: Float[np.ndarray, "units y x"], order: Int[np.ndarray, " units"]) -> Int[np.ndarray, " some"]:
    """The first `UNITS` units in ``order`` whose peaks differ; repeated where there are too few."""
    peaks: dict[int, int] = {}
    for unit in order:
        peaks.setdefault(int(maps[unit].argmax()), int(unit))
        if len(peaks) == UNITS:
            break
    return np.resize(np.array(list(peaks.values())), UNITS)


def spread_out(members: Bool[np.ndarray, " combinations"], most: int) -> Int[np.ndarray, " chosen"]:
    """Up to ``most`` members, evenly spaced in grid order without the ends, as indices of combinations."""
    places = np.flatnonzero(members)
    most = min(most, len(places))
    return places[((np.arange(most) + 0.5) * len(places) / most).astype(int)]


def evenly(size: int, most: int) -> Int[np.ndarray, " chosen"]:
    """At most ``most`` of ``size`` indices, evenly spaced, first and last included."""
    return np.linspace(0, size - 1, min(size, most)).round().astype(int)
