"""The three answers for somebody's own model and data: by theory, by its answers, and by looking inside."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from recombine.audits.diagnosing import NOT_SCORED, TRAINED, diagnose, verdict_of
from recombine.audits.forecasting import forecast_rows
from recombine.audits.given import Given, check
from recombine.audits.held_out import HeldOut, look_at_mask
from recombine.audits.measuring import measure, sample
from recombine.audits.scoring import ACCURACY, Scorer, Scores
from recombine.audits.telling import text_of
from recombine.audits.watching import Watched
from recombine.core.errors import InputError
from recombine.core.shapes import Int
from recombine.theory import Forecast, Reason

COPIED = 1e-10  # an error, over that of the mean, which only a copy of the inputs has


@dataclass(frozen=True)
class Audit:
    """What was found. Parts that could not be done are None or empty, and ``notes`` say why.

    Printed, it is what the command prints.
    """

    source: str
    verdict: str
    examples: int
    factors: Mapping[str, int]  # how many levels each has
    held_out: HeldOut | None
    forecast: Forecast | None
    quantity: str | None
    performance: pd.DataFrame  # a line per section: rows, score, low, high
    measures: pd.DataFrame  # as of `measure`, and what the untrained model shows
    diagnosis: tuple[Reason, ...]
    notes: tuple[str, ...]

    def __str__(self) -> str:
        return text_of(self)

    @property
    def scores(self) -> list[dict[str, Any]]:
        """The lines of ``performance``."""
        return [{str(name): value for name, value in line.items()} for line in self.performance.to_dict("records")]

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON values."""
        return {
            "source": self.source,
            "verdict": self.verdict,
            "examples": self.examples,
            "factors": dict(self.factors),
            "held_out": None if self.held_out is None else self.held_out.to_dict(),
            "forecast": None if self.forecast is None else self.forecast.to_dict(),
            "quantity": self.quantity,
            "performance": _records(self.performance),
            "measures": _records(self.measures),
            "diagnosis": [{"name": r.name, "text": r.text, "evidence": dict(r.evidence)} for r in self.diagnosis],
            "notes": list(self.notes),
        }


def audit(
    inputs: Any = None,
    targets: Any = None,
    factors: Any = None,
    train_mask: Any = None,
    model: Any = None,
    activations: Any = None,
    layers: Sequence[str] | None = None,
    seed: int = 0,
    source: str = "arrays",
) -> Audit:
    """Will this model compose on this data, and why?

    ``inputs`` and ``targets`` have a row per example, ``factors`` is a data frame, a mapping from names to columns or
    an array with a column per factor, ``train_mask`` says which rows were trained on. ``model`` is a module of torch or
    any function from a batch of inputs to a batch of answers; without one, ``activations`` (an array, or a mapping from
    names of layers to arrays) can be looked at alone. Without targets a model that answers in the shape of its inputs
    is taken as an autoencoder. What cannot be done is left out, and the notes say why.
    """
    return look(check(inputs, targets, factors, train_mask), model, activations, layers, seed, source)


def look(
    given: Given,
    model: Any = None,
    activations: Any = None,
    layers: Sequence[str] | None = None,
    seed: int = 0,
    source: str = "arrays",
) -> Audit:
    """The audit of data that were checked, for whom the model is costly to load; see `audit`."""
    notes = list(given.notes)

    def note(words: str) -> None:
        if words not in notes:
            notes.append(words)

    watched = None if model is None else Watched(model, note)
    if watched is None and layers is not None:
        raise InputError("layers are those of a model, and there is none; give a model, or leave the layers out.")
    if watched is not None and given.inputs is None:
        raise InputError("a model cannot be run without inputs; give them, or give its activations alone.")
    if given.trained is None:
        note("No training mask was given, so that nothing can be said about what was held out.")
    if len(given.table.columns) == 1:
        note(f"There is one factor, {given.table.names[0]!r}, so that nothing is combined.")
    if watched is None and activations is None:
        note("Neither a model nor activations were given, so that only the data are looked at.")

    chosen = sample(len(given.table), seed)
    held_out = None if given.trained is None else look_at_mask(given.table, given.trained, given.repeated)
    scores, seen, wanted = _run(watched, given, layers, chosen, note)
    inside = _inside(activations, seen, given, chosen, watched, layers, seed, note)
    performance = pd.DataFrame(columns=["section", "rows", "score", "low", "high"])
    if scores is not None:
        performance = scores.table(_sections(given, held_out), seed)
    classes = given.targets is not None and given.targets.dtype.kind in "US"
    classes |= scores is not None and scores.quantity == ACCURACY
    forecast = forecast_rows(given, wanted, classes, held_out, seed, note)
    copies = scores is not None and wanted is given.inputs and scores.errors.sum() <= COPIED * scores.scales.sum()
    diagnosis = tuple(diagnose(performance, held_out, inside, copies))
    quantity = None if scores is None else scores.quantity
    verdict = verdict_of(performance, quantity, diagnosis)
    if forecast is not None and verdict == NOT_SCORED:
        verdict += f" By theory: {forecast.verdict}"
    return Audit(
        source=source,
        verdict=verdict,
        examples=len(given.table),
        factors=given.table.level_numbers,
        held_out=held_out,
        forecast=forecast,
        quantity=quantity,
        performance=performance,
        measures=inside,
        diagnosis=diagnosis,
        notes=tuple(notes),
    )


def _sections(given: Given, held_out: HeldOut | None) -> dict[str, np.ndarray]:
    if given.trained is None or held_out is None:
        return {"all": np.ones(len(given.table), dtype=bool)}
    return {TRAINED: given.trained, **held_out.sections}


def _run(
    watched: Watched | None,
    given: Given,
    layers: Sequence[str] | None,
    chosen: Int[np.ndarray, " some"],
    note: Callable[[str], None],
) -> tuple[Scores | None, dict[str, np.ndarray], Any]:
    """The model's answers scored, its layers on the rows that are looked at, and what it was asked for."""
    if watched is None:
        return None, {}, given.targets
    names, inputs = watched.layers(layers), given.inputs
    scorer, wanted = None, given.targets
    trained = np.ones(len(given.table), dtype=bool) if given.trained is None else given.trained
    kept: dict[str, list[np.ndarray]] = {}
    for rows, answers, seen in watched.answers(inputs, names):
        if wanted is None and scorer is None and rows.start == 0:
            if answers.shape[1:] != np.asarray(inputs[:1]).shape[1:]:
                note("No targets were given and answers do not have the shape of inputs, so that none is scored.")
            else:
                note("No targets were given; answers have the shape of inputs, which are taken as targets.")
                wanted = inputs
        if wanted is not None:
            scorer = scorer or Scorer(wanted, trained)
            scorer.take(rows, answers)
        among = chosen[(chosen >= rows.start) & (chosen < rows.stop)] - rows.start
        for name, values in {**seen, "answer": answers.reshape(len(answers), -1)}.items():
            kept.setdefault(name, []).append(values[among])
    whole = {name: np.concatenate(parts) for name, parts in kept.items()}
    return None if scorer is None else scorer.scores(), whole, wanted


def _inside(
    activations: Any,
    seen: Mapping[str, np.ndarray],
    given: Given,
    chosen: Int[np.ndarray, " some"],
    watched: Watched | None,
    layers: Sequence[str] | None,
    seed: int,
    note: Callable[[str], None],
) -> pd.DataFrame:
    """Measures of every layer with both nulls: shuffled factors, and the same model untrained."""
    if activations is not None:
        if watched is not None:
            note("Activations were given, so that these are looked at and not the layers of the model.")
        return _with_dead(measure(activations, given.table, given.trained, seed=seed), note)
    mask = None if given.trained is None or not given.trained[chosen].any() else given.trained[chosen]
    part = given.table.rows(chosen)
    alive = {name: rows for name, rows in seen.items() if rows.ndim == 2 and np.isfinite(rows).all()}
    for name in seen.keys() - alive.keys():
        note(f"Layer {name!r} is not finite everywhere and is left out.")
    if watched is None or not alive:
        return pd.DataFrame(columns=["layer", "measure", "of", "value", "null", "null_low", "null_high", "p"])
    found = _with_dead(measure(alive, part, mask, seed=seed), note)
    fresh = watched.untrained(seed)
    if fresh is None:
        what = (
            "The model" if watched.module is not None else "The model is a function: it has no layers to look at, and"
        )
        note(f"{what} cannot be drawn anew, so that measures stand beside shuffled factors alone.")
        return found
    before: dict[str, list[np.ndarray]] = {}
    for _, answers, kept in fresh.answers(_Chosen(given.inputs, chosen), watched.layers(layers)):
        for name, values in {**kept, "answer": answers.reshape(len(answers), -1)}.items():
            before.setdefault(name, []).append(values)
    other = measure({name: np.concatenate(parts) for name, parts in before.items()}, part, mask, shuffles=1, seed=seed)
    keys = ["layer", "measure", "of"]
    return found.merge(other[[*keys, "value"]].rename(columns={"value": "untrained"}), on=keys, how="left")


def _with_dead(measures: pd.DataFrame, note: Callable[[str], None]) -> pd.DataFrame:
    """The same measures, with a note for every layer that uses no direction at all."""
    for name in measures.loc[(measures["measure"] == "participation") & (measures["value"] == 0), "layer"]:
        note(f"Layer {name!r} is dead: it puts out the same for every input.")
    return measures


class _Chosen:
    """Some rows of the inputs."""

    def __init__(self, inputs: Any, chosen: np.ndarray) -> None:
        self.inputs, self.chosen = inputs, chosen

    def __len__(self) -> int:
        return len(self.chosen)

    def __getitem__(self, rows: slice) -> Any:
        return self.inputs[self.chosen[rows]]


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Lines of a table as JSON values; numbers that are not known are null."""
    return [
        {
            str(name): None if isinstance(value, float) and not np.isfinite(value) else value
            for name, value in line.items()
        }
        for line in frame.to_dict(orient="records")
    ]
