"""The three answers for somebody's own model and data: by theory, by its answers, and by looking inside."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from recombine.audits.diagnosing import NOT_SCORED, TRAINED, diagnose, verdict_of
from recombine.audits.forecasting import forecast_rows
from recombine.audits.given import MASK, Given, check
from recombine.audits.held_out import HeldOut, look_at_mask
from recombine.audits.inside import look_inside
from recombine.audits.measuring import sample
from recombine.audits.running import Told, run, watched_model
from recombine.audits.scoring import ACCURACY
from recombine.audits.telling import input_words, text_of
from recombine.core.errors import InputError
from recombine.theory import Forecast, Reason

HELD_OUT = "held out"  # the section of all of it, where no factor tells what training lacks of which row


@dataclass(frozen=True)
class Audit:
    """What was found. Parts that could not be done are None or empty, and ``notes`` say why.

    ``refused`` has a sentence for each thing that is wrong with what was given, and is the reason for a part that is
    missing. Printed, an audit is what the command prints.
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
    refused: tuple[str, ...] = ()
    combinations: int = 0  # different ones in the table
    balance: Mapping[str, tuple[int, int]] = field(default_factory=dict)  # rows of a factor's rarest, commonest level
    inputs: str = ""  # shape and type of one of them, "12 x 12 of float32"
    model: str = ""  # its class, or the name of the function, and where it was loaded from
    parameters: int | None = None  # of a module

    def __str__(self) -> str:
        return text_of(self)

    @property
    def scores(self) -> list[dict[str, Any]]:
        """The lines of ``performance``."""
        return [{str(name): value for name, value in line.items()} for line in self.performance.to_dict("records")]

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON values."""
        return {
            "refused": list(self.refused),
            "source": self.source,
            "verdict": self.verdict,
            "examples": self.examples,
            "factors": dict(self.factors),
            "combinations": self.combinations,
            "balance": {name: list(ends) for name, ends in self.balance.items()},
            "inputs": self.inputs,
            "model": self.model,
            "parameters": self.parameters,
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
    is taken as an autoencoder. ``inputs`` may be a torch Dataset, whose items are inputs or tuples that begin with one;
    without targets the second parts of its items are these. What cannot be done is left out, and the notes say why;
    what is wrong with what was given is in ``refused``, a sentence each.
    """
    return look(check(inputs, targets, factors, train_mask), model, activations, layers, seed, source)


def look(
    given: Given,
    model: Any = None,
    activations: Any = None,
    layers: Sequence[str] | None = None,
    seed: int = 0,
    source: str = "arrays",
    refused: Sequence[str] = (),
    loader: str = "",
) -> Audit:
    """The audit of data that were checked, for whom the model is costly to load; see `audit`.

    ``refused`` are sentences of those who loaded it, ``loader`` is what they loaded it with.
    """
    if seed < 0:
        raise InputError(f"seed = {seed} must be at least 0; leave it out for 0.")
    told = Told(list(given.notes), [*given.refused, *refused])
    watched = watched_model(model, layers, given, told, bool(refused))
    if given.trained is None and MASK not in given.unusable:
        told.note("No training mask was given, so that nothing can be said about what was held out.")
    if len(given.table.columns) == 1:
        told.note(f"There is one factor, {given.table.names[0]!r}, so that nothing is combined.")
    if model is None and not refused and activations is None:
        told.note("Neither a model nor activations were given, so that only the data are looked at.")

    held_out = None
    if given.trained is not None and given.table.columns:
        held_out = look_at_mask(given.table, given.trained, given.repeated)
    asked = given.only(given.whole)
    asked_held_out = held_out
    if held_out is not None:
        sections = {name: mask[given.whole] for name, mask in held_out.sections.items()}
        asked_held_out = replace(held_out, sections={name: mask for name, mask in sections.items() if mask.any()})
    chosen = sample(len(asked.table), seed)
    ran = run(watched, asked, layers, chosen, seed, told)
    inside = look_inside(activations, ran.seen, given, asked, chosen, watched, layers, seed, told)
    performance = pd.DataFrame(columns=["section", "rows", "score", "low", "high"])
    if ran.scores is not None:
        performance = ran.scores.table(_sections(asked, asked_held_out), seed)
    classes = asked.targets is not None and asked.targets.dtype.kind in "US"
    classes |= ran.scores is not None and ran.scores.quantity == ACCURACY
    forecast = forecast_rows(asked, ran.wanted, classes, asked_held_out, seed, told.note)
    if not given.table.columns and performance.empty and inside.empty:
        raise InputError(told.refused[0])
    diagnosis = tuple(diagnose(performance, asked_held_out, inside, ran.copied))
    quantity = None if ran.scores is None else ran.scores.quantity
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
        notes=tuple(told.notes),
        refused=tuple(told.refused),
        combinations=len(np.unique(given.table.combinations[~given.table.alone], axis=0)) if given.table.columns else 0,
        balance=given.table.balance,
        inputs="" if given.inputs is None else input_words(given.inputs[:1]),
        model="" if watched is None else f"{watched.name} ({loader})" if loader else watched.name,
        parameters=None if watched is None else watched.parameters,
    )


def _sections(given: Given, held_out: HeldOut | None) -> dict[str, np.ndarray]:
    if given.trained is None:
        return {"all": np.ones(len(given.table), dtype=bool)}
    if held_out is None:
        return {TRAINED: given.trained, HELD_OUT: ~given.trained}
    return {TRAINED: given.trained, **held_out.sections}


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Lines of a table as JSON values; numbers that are not known are null."""
    return [
        {
            str(name): None if isinstance(value, float) and not np.isfinite(value) else value
            for name, value in line.items()
        }
        for line in frame.to_dict(orient="records")
    ]
