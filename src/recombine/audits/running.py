"""A model run once over all rows: its answers scored, and its layers kept for the rows that are looked at."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from recombine.audits.copying import answers_to_nothing
from recombine.audits.given import INPUTS, TARGETS, Given
from recombine.audits.scoring import Scorer, Scores
from recombine.audits.watching import Watched
from recombine.core.errors import InputError
from recombine.core.shapes import Int


@dataclass(frozen=True)
class Told:
    """Sentences about what was left out, each once: what is said of good input, and what is wrong with bad."""

    notes: list[str]
    refused: list[str]

    def note(self, words: str) -> None:
        if words not in self.notes:
            self.notes.append(words)

    def refuse(self, words: object) -> None:
        if str(words) not in self.refused:
            self.refused.append(str(words))


@dataclass(frozen=True)
class Ran:
    """A model's answers scored, its layers on the rows that are looked at, and what it was asked for."""

    wanted: Any
    scores: Scores | None = None
    seen: Mapping[str, np.ndarray] = field(default_factory=dict)
    copied: float | None = None  # of an autoencoder, R² on inputs that show nothing


def watched_model(model: Any, layers: Sequence[str] | None, given: Given, told: Told, tried: bool) -> Watched | None:
    """The model where it can be run, else a sentence."""
    if model is None:
        if layers is not None and not tried:
            told.refuse("layers are those of a model, and there is none; give a model, or leave the layers out.")
        return None
    try:
        watched = Watched(model, told.note)
    except InputError as error:
        told.refuse(error)
        return None
    if given.inputs is None:
        if INPUTS not in given.unusable:
            told.refuse("a model cannot be run without inputs; give them, or give its activations alone.")
        return None
    return watched


def run(
    watched: Watched | None,
    given: Given,
    layers: Sequence[str] | None,
    chosen: Int[np.ndarray, " some"],
    seed: int,
    told: Told,
) -> Ran:
    """Ask the model for every row; what it refuses is told, and what it did not refuse is kept."""
    nothing = Ran(given.targets)
    if watched is None:
        return nothing
    names, scoring = watched.layers(layers, told.refuse), Scoring(given, told)
    kept: dict[str, list[np.ndarray]] = {}
    try:
        for rows, answers, seen in watched.answers(given.inputs, names):
            scoring.take(rows, answers)
            among = chosen[(chosen >= rows.start) & (chosen < rows.stop)] - rows.start
            for name, values in {**seen, "answer": answers.reshape(len(answers), -1)}.items():
                kept.setdefault(name, []).append(values[among])
    except InputError as error:
        told.refuse(error)
        return nothing
    scores = scoring.scores()
    copied = answers_to_nothing(watched, given.inputs, seed) if scores is not None and scoring.autoencodes else None
    whole = {name: np.concatenate(parts) for name, parts in kept.items()}
    return Ran(scoring.wanted, scores, whole, copied)


class Scoring:
    """Answers beside what was asked for: targets, or inputs where these are given back."""

    def __init__(self, given: Given, told: Told) -> None:
        self.given, self.told = given, told
        self.wanted: Any = given.targets
        self.scorer: Scorer | None = None
        self.asked = self.autoencodes = True

    def take(self, rows: slice, answers: np.ndarray) -> None:
        """Score one batch; where that cannot be done, none."""
        if not self.asked:
            return
        try:
            if self.scorer is None:
                self.scorer = self._begun(answers, np.asarray(self.given.inputs[:1]).shape[1:])
            if self.scorer is None:
                self.asked = False
                return
            self.scorer.take(rows, answers)
        except InputError as error:
            self.told.refuse(error)
            self.asked, self.scorer = False, None
            return
        if self.autoencodes and self.wanted is not self.given.inputs:
            self.autoencodes = np.array_equal(np.asarray(self.wanted[rows]), np.asarray(self.given.inputs[rows]))

    def scores(self) -> Scores | None:
        """What was scored; None where nothing was."""
        try:
            return None if self.scorer is None else self.scorer.scores()
        except InputError as error:
            self.told.refuse(error)
            return None

    def _begun(self, answers: np.ndarray, shape: tuple[int, ...]) -> Scorer | None:
        given, alike = self.given, answers[0].size == math.prod(shape)
        like = "the shape of inputs" if answers.shape[1:] == shape else "the size of inputs in another shape"
        trained = np.ones(len(given.table), dtype=bool) if given.trained is None else given.trained
        if given.targets is not None:
            scorer = Scorer(given.targets, trained, given.numbers, further=not alike)
            sorts = scorer.sorts(answers[0].size)
            if sorts is not None and sorts is not scorer.levels:
                self.told.note(f"Targets are taken as places, from 0 on, among the {len(sorts)} scores of the model.")
            if not given.offered or not alike or scorer.fits(answers):
                return scorer
            self.told.note(f"Answers have {like} and not that of these targets, so that inputs are the targets.")
        elif TARGETS in given.unusable:
            return None
        elif not alike:
            self.told.note(
                "No targets were given and answers do not have the shape of inputs, so that none is scored; give "
                "targets, or answers of the shape of inputs."
            )
            return None
        else:
            self.told.note(f"No targets were given; answers have {like}, which are taken as targets.")
        self.wanted = given.inputs
        return Scorer(given.inputs, trained, given.numbers)
