"""What a trained network showed on a task made of modules: its answers, its weights, and how it bears disturbance."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Float, Int
from recombine.measures.evidence import check_finite, check_layers
from recombine.measures.sections import check_sections, pick_section

NOISE_KINDS = ("poisson", "additive", "multiplicative")
NOISES = (0.02, 0.05, 0.1, 0.2, 0.4)  # sizes of the noise after every hidden layer
SHIFTS = (0.1, 1.0, 10.0, 100.0, 1000.0)  # added to the inputs of module 0
SCALES = (2.0, 4.0, 8.0)  # the inputs of module 0 are multiplied by these


def probe_names() -> tuple[str, ...]:
    """The names of all probes: "poisson 0.02", ..., "shift 10", "scale 8", "pruned", "pruned shift 10", "sensitivity".

    All are answers (items, outputs) but the last, which is the mean of |∂y_k/∂x_j| over items (outputs, inputs).
    """
    noisy = [f"{kind} {size:g}" for kind in NOISE_KINDS for size in NOISES]
    shifted = [f"shift {shift:g}" for shift in SHIFTS]
    scaled = [f"scale {scale:g}" for scale in SCALES]
    return (*noisy, *shifted, *scaled, "pruned", *(f"pruned {name}" for name in shifted), "sensitivity")


@dataclass(frozen=True, eq=False)
class ModuleEvidence:
    """What a network showed on a task made of K modules, each with inputs and outputs of its own.

    An item is an input the network was asked about. A section is a mask over the items; "id" (of trained
    combinations) and "ood" (of held-out ones) are always there and disjoint. Modules are numbered from 0 to K − 1.
    """

    targets: Float[np.ndarray, "items outputs"]
    answers: Float[np.ndarray, "items outputs"]
    sections: Mapping[str, Bool[np.ndarray, " items"]]  # "id", "ood", others
    modules_in: Int[np.ndarray, " inputs"]  # the module of each input unit
    modules_out: Int[np.ndarray, " outputs"]  # the module of each output unit
    # (units, units before), first layer to last, as they act: masks applied. None where it is no plain layers.
    weights: tuple[Float[np.ndarray, "_units _before"], ...] = ()
    layers: Mapping[str, Float[np.ndarray, "items _features"]] = field(default_factory=dict)  # "input", ..., "output"
    # Answers under disturbances, by the names of `probe_names`. Looked at only by measures that need them, so that it
    # may be a mapping that is computed when asked.
    probes: Mapping[str, Float[np.ndarray, "_rows _columns"]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._check_answers()
        check_sections(self.sections, len(self.targets))
        self._check_modules()
        self._check_weights()
        self._check_layers()

    def _check_answers(self) -> None:
        if self.targets.ndim != 2 or self.targets.size == 0:
            raise InputError(
                f"evidence targets have shape {self.targets.shape}; they must be (items, outputs), a row per item."
            )
        if self.answers.shape != self.targets.shape:
            raise InputError(
                f"evidence answers have shape {self.answers.shape} and targets {self.targets.shape}; "
                "they must be equal, so give one answer per target."
            )
        check_finite("targets", self.targets)
        check_finite("answers", self.answers)

    def _check_modules(self) -> None:
        for name, labels in (("modules_in", self.modules_in), ("modules_out", self.modules_out)):
            if labels.ndim != 1 or labels.size == 0 or not np.issubdtype(labels.dtype, np.integer):
                raise InputError(
                    f"evidence {name} are {labels.dtype} of shape {labels.shape}; "
                    "they must be a list of whole numbers, the module of each unit."
                )
        if len(self.modules_out) != self.targets.shape[1]:
            raise InputError(
                f"evidence modules_out name {len(self.modules_out)} outputs and targets have {self.targets.shape[1]}; "
                "give the module of every output."
            )
        found = np.union1d(self.modules_in, self.modules_out)
        if not np.array_equal(found, np.arange(len(found))):
            raise InputError(
                f"evidence modules are numbered {', '.join(map(str, found))}; "
                f"number them from 0 to {len(found) - 1} without a gap."
            )

    def _check_weights(self) -> None:
        before = len(self.modules_in)
        for place, matrix in enumerate(self.weights):
            last = place == len(self.weights) - 1
            if matrix.ndim != 2 or matrix.shape[1] != before or (last and len(matrix) != self.targets.shape[1]):
                units = self.targets.shape[1] if last else "units"
                raise InputError(
                    f"evidence weights of layer {place} have shape {matrix.shape}; they must be ({units}, {before}), "
                    "a row per unit and a column per unit of the layer before."
                )
            check_finite(f"weights of layer {place}", matrix)
            before = len(matrix)

    def _check_layers(self) -> None:
        check_layers(self.layers, len(self.targets))
        kept = [rows.shape[1] for rows in self.layers.values()]
        joined = [len(self.modules_in), *(len(matrix) for matrix in self.weights)]
        if kept and self.weights and kept != joined:
            raise InputError(
                f"evidence layers have {', '.join(map(str, kept))} units and the weights join layers of "
                f"{', '.join(map(str, joined))}; keep the activations of those layers, or leave out the weights."
            )

    @property
    def parts(self) -> int:
        """K, the number of modules: of different labels over inputs and outputs."""
        return len(np.union1d(self.modules_in, self.modules_out))

    def section(self, name: str) -> Bool[np.ndarray, " items"]:
        """The mask of a section that has at least one item, or an `InputError`."""
        return pick_section(self.sections, name)

    def need_weights(self) -> tuple[Float[np.ndarray, "_units _before"], ...]:
        """The weights, first layer to last, or an `InputError` when the network has none to show."""
        if not self.weights:
            raise InputError(
                "this evidence has no weights; use a network of plain layers, "
                "or leave out the measures of connectivity."
            )
        return self.weights

    def need_modules(self) -> None:
        """Raise an `InputError` unless there are two modules or more, each with inputs and outputs of its own."""
        into, out = np.unique(self.modules_in), np.unique(self.modules_out)
        if len(into) < 2 or not np.array_equal(into, out):
            raise InputError(
                f"cross-talk is undefined: inputs belong to modules {', '.join(map(str, into))} and outputs to "
                f"{', '.join(map(str, out))}; use a task of two modules or more with inputs and outputs each."
            )

    def hidden_layers(self) -> dict[str, Float[np.ndarray, "items _features"]]:
        """The activations of the layers between input and output, in order, or an `InputError` when none were kept."""
        hidden = tuple(self.layers)[1:-1]
        if not hidden:
            raise InputError(
                "this evidence has no hidden layers; extract those of a model that has some, "
                "or leave out the measures of activations."
            )
        return {name: self.layers[name] for name in hidden}

    def probe(self, name: str) -> Float[np.ndarray, "_rows _columns"]:
        """What the network gave under one disturbance, or an `InputError` when it was not tried."""
        if name not in self.probes:
            raise InputError(
                f"this evidence has no probe {name!r}; disturb the network that way, "
                "or leave out the measures that read it."
            )
        found = self.probes[name]
        sensitivity = (self.targets.shape[1], len(self.modules_in))
        expected = sensitivity if name == "sensitivity" else self.targets.shape
        if found.shape != expected:
            raise InputError(
                f"evidence probe {name!r} has shape {found.shape}; it must be {expected}, "
                f"({'outputs, inputs' if name == 'sensitivity' else 'items, outputs'})."
            )
        check_finite(f"probe {name!r}", found)
        return found
