"""What a trained model answered for every combination of a component task: what the measures of such tasks look at."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Float, Int
from recombine.measures.evidence import check_finite
from recombine.measures.sections import check_sections, pick_section

# Some components and a level of each, e.g. ((0, 2), (1, 4)): component 0 at level 1 together with component 2 at 4.
Conjunction: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class ComponentEvidence:
    """What a model of a component task answered for every combination.

    The task gives one number to each combination of C discrete components. A section is a mask over the combinations;
    "id" (trained on) and "ood" (held out) are always there and disjoint, and need not cover them all: a combination
    without an answer (its target is NaN) is in no section.
    """

    combinations: Int[np.ndarray, "combinations components"]
    targets: Float[np.ndarray, " combinations"]  # NaN where the task has no answer
    # Outputs for inputs that were never trained on as such: held-out images, or the one input there is for symbols.
    answers: Float[np.ndarray, "combinations samples"]
    sections: Mapping[str, Bool[np.ndarray, " combinations"]]  # "id", "ood", others
    familiar: Float[np.ndarray, "combinations pairings"] | None = None  # outputs for new pairings of training images
    # Mean inner product of different samples of two combinations, by representation: "initial layer0", "trained ...".
    # Looked at only by measures that need it, so that it may be a mapping that is computed when asked.
    similarities: Mapping[str, Float[np.ndarray, "combinations combinations"]] = field(default_factory=dict)
    # What a conjunction is good for, e.g. "right", "wrong", "context"; the others are typed by order: "order 1", ...
    types: Mapping[Conjunction, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._check_combinations()
        self._check_sections()
        self._check_answers()
        self._check_types()

    def _check_combinations(self) -> None:
        if self.combinations.ndim != 2 or self.combinations.size == 0:
            raise InputError(
                f"evidence combinations have shape {self.combinations.shape}; "
                "they must be (combinations, components), a row of levels per combination."
            )
        different = len(np.unique(self.combinations, axis=0))
        if different < len(self.combinations):
            raise InputError(
                f"evidence has {len(self.combinations)} combinations of which only {different} are different; "
                "give each once, with its samples side by side in answers."
            )
        if self.targets.shape != (len(self.combinations),):
            raise InputError(
                f"evidence targets have shape {self.targets.shape}; they must be ({len(self.combinations)},), "
                "one number per combination and NaN where there is no answer."
            )

    def _check_sections(self) -> None:
        check_sections(self.sections, len(self.targets))
        for name, mask in self.sections.items():
            if not np.isfinite(self.targets[mask]).all():
                raise InputError(
                    f"evidence section {name!r} has combinations whose target is not a finite number; "
                    "a combination without an answer belongs to no section, so take it out."
                )

    def _check_answers(self) -> None:
        self._check_outputs("answers", self.answers, np.logical_or.reduce(list(self.sections.values())))
        if self.familiar is not None:
            self._check_outputs("familiar", self.familiar, self.sections["id"])

    def _check_outputs(
        self, what: str, outputs: Float[np.ndarray, "..."], needed: Bool[np.ndarray, " combinations"]
    ) -> None:
        if outputs.ndim != 2 or len(outputs) != len(self.targets) or outputs.size == 0:
            raise InputError(
                f"evidence {what} have shape {outputs.shape}; they must be ({len(self.targets)}, samples) "
                "with one sample or more per combination."
            )
        check_finite(what, outputs[needed])

    def _check_similarities(self) -> None:
        expected = (len(self.targets), len(self.targets))
        for name, matrix in self.similarities.items():
            if matrix.shape != expected:
                raise InputError(
                    f"evidence similarity {name!r} has shape {matrix.shape}; it must be a matrix of shape {expected}, "
                    "a number per pair of combinations, so compute it anew or leave it out."
                )
            check_finite(f"similarities {name!r}", matrix)

    def _check_types(self) -> None:
        components = self.combinations.shape[1]
        for where, levels in self.types:
            ordered = list(where) == sorted(set(where)) and set(where) <= set(range(components))
            if not where or not ordered or len(levels) != len(where):
                raise InputError(
                    f"evidence types a conjunction of components {where} at levels {levels}; name components in rising "
                    f"order from 0 to {components - 1}, and as many levels."
                )

    @property
    def binary(self) -> bool:
        """Whether the task is a decision: every target in a section is +1 or −1."""
        used = np.logical_or.reduce(list(self.sections.values()))
        return bool((np.abs(self.targets[used]) == 1).all())

    @property
    def mean(self) -> Float[np.ndarray, " combinations"]:
        """The answer to each combination, averaged over its samples."""
        return self.answers.mean(axis=1, dtype=np.float64)

    def section(self, name: str) -> Bool[np.ndarray, " combinations"]:
        """The mask of a section that has at least one combination, or an `InputError`."""
        return pick_section(self.sections, name)

    def every_similarity(self) -> Mapping[str, Float[np.ndarray, "combinations combinations"]]:
        """The similarities by representation, or an `InputError` when none were kept."""
        if not self.similarities:
            raise InputError(
                "this evidence has no similarities; extract those of the model's representations, "
                "or leave out the measures of salience."
            )
        self._check_similarities()
        return self.similarities
