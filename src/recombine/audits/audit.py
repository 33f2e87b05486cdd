"""The three answers for somebody's own model and data: by theory, by its answers, and by looking inside."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from recombine.audits.diagnosing import TRAINED, diagnose, verdict_of
from recombine.audits.factor_table import FactorTable, as_array
from recombine.audits.held_out import KNOWN, HeldOut, look_at_mask
from recombine.audits.measuring import measure, read_mask, sample
from recombine.audits.scoring import Scorer, Scores
from recombine.audits.watching import BATCH, Watched, as_floats
from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.core.shapes import Bool, Int
from recombine.theory import Forecast, Reason, forecast_images

KERNEL_ROWS = 1000  # trained rows, and held-out rows, that a forecast by kernels is made of
KERNEL_NUMBERS = 4096  # numbers of a target that it looks at, drawn by the seed


@dataclass(frozen=True)
class Audit:
    """What was found. Parts that could not be done are None or empty, and ``notes`` say why."""

    source: str
    verdict: str
    held_out: HeldOut | None
    forecast: Forecast | None
    quantity: str | None
    performance: pd.DataFrame  # a line per section: rows, score, low, high
    measures: pd.DataFrame  # as of `measure`, and what the untrained model shows
    diagnosis: tuple[Reason, ...]
    notes: tuple[str, ...]

    @property
    def scores(self) -> list[dict[str, Any]]:
        """The lines of ``performance``."""
        return [{str(name): value for name, value in line.items()} for line in self.performance.to_dict("records")]

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON values."""
        return {
            "source": self.source,
            "verdict": self.verdict,
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
    notes: list[str] = []

    def note(words: str) -> None:
        if words not in notes:
            notes.append(words)

    if factors is None:
        raise InputError("an audit needs the factors of the examples; give a table with a column for each.")
    table, left_out = FactorTable.read(factors).usable()
    notes += [words[0].upper() + words[1:] for words in left_out]
    count = len(table)
    given = _rows(inputs, count, "inputs")
    answers = None if targets is None else _targets(targets, count)
    trained = None if train_mask is None else read_mask(train_mask, count)
    if trained is None:
        note("No training mask was given, so that nothing can be said about what was held out.")
    watched = None if model is None else Watched(model, note)
    if watched is not None and given is None:
        raise InputError("a model cannot be run without inputs; give them, or give its activations alone.")
    if watched is None and given is not None:
        _check_finite(given)
    if watched is None and activations is None:
        note("Neither a model nor activations were given, so that only the data are looked at.")

    chosen = sample(count, seed)
    held_out = None if trained is None else look_at_mask(table, trained, _repeated(given, trained))
    scores, seen, wanted = _run(watched, given, answers, trained, layers, chosen, note)
    inside = _inside(activations, seen, table, trained, chosen, watched, given, layers, seed, note)
    sections = {} if trained is None or held_out is None else {TRAINED: trained, **held_out.sections}
    if trained is None:
        sections = {"all": np.ones(count, dtype=bool)}
    performance = pd.DataFrame(columns=["section", "rows", "score", "low", "high"])
    if scores is not None:
        performance = scores.table(sections, seed)
    forecast = _forecast(given, wanted, trained, held_out, seed, note)
    diagnosis = diagnose(performance, held_out, inside)
    return Audit(
        source=source,
        verdict=verdict_of(performance, forecast, scores),
        held_out=held_out,
        forecast=forecast,
        quantity=None if scores is None else scores.quantity,
        performance=performance,
        measures=inside,
        diagnosis=tuple(diagnosis),
        notes=tuple(notes),
    )


def _rows(given: Any, count: int, what: str) -> Any:
    """Inputs as they are, if there are as many as rows of factors."""
    if given is None:
        return None
    if not hasattr(given, "__len__") or not hasattr(given, "__getitem__"):
        raise InputError(f"{what} are a {type(given).__name__}; give an array, or anything with rows.")
    if isinstance(given, list | tuple):
        given = as_array(given, what)
    if len(given) != count:
        raise InputError(f"there are {len(given)} {what} and {count} rows of factors; give a row of each per example.")
    if hasattr(given, "shape"):
        return given
    if isinstance(given[0], Mapping):
        raise InputError(
            f"items of {what} are mappings; give a dataset of tuples that begin with the input, or an array."
        )
    return DatasetRows(given) if _is_dataset(given) else given


def _is_dataset(given: Any) -> bool:
    return isinstance(given[0], tuple | list) or hasattr(given[0], "detach")


class DatasetRows:
    """The inputs of a torch Dataset, whose items are inputs or tuples that begin with one."""

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset

    def __len__(self) -> int:
        return len(self.dataset)

    def __getitem__(self, rows: Any) -> np.ndarray:
        items = [self.dataset[int(row)] for row in np.arange(len(self))[rows]]
        firsts = [item[0] if isinstance(item, tuple | list) else item for item in items]
        return np.stack([as_array(first, "an item of the dataset") for first in firsts])


def _targets(targets: Any, count: int) -> np.ndarray:
    array = as_array(targets, "targets")
    if array.ndim == 0 or len(array) != count:
        raise InputError(f"targets have shape {array.shape}; give a row for each of the {count} rows of factors.")
    return array


def _check_finite(inputs: Any) -> None:
    """Refuse inputs with NaN; where a model is run they are looked at batch by batch."""
    for start in range(0, len(inputs), BATCH):
        batch = np.asarray(inputs[start : start + BATCH])
        if batch.dtype.kind == "f":
            as_floats(batch, start)


def _repeated(inputs: Any, trained: np.ndarray) -> Bool[np.ndarray, " rows"] | None:
    """Rows whose input, byte by byte, is that of a trained row."""
    if inputs is None:
        return None
    digests: list[int] = []
    for start in range(0, len(inputs), BATCH):
        digests += [hash(np.ascontiguousarray(row).tobytes()) for row in np.asarray(inputs[start : start + BATCH])]
    names = np.array(digests)
    return np.isin(names, names[trained])


def _run(
    watched: Watched | None,
    inputs: Any,
    targets: np.ndarray | None,
    trained: np.ndarray | None,
    layers: Sequence[str] | None,
    chosen: Int[np.ndarray, " some"],
    note: Any,
) -> tuple[Scores | None, dict[str, np.ndarray], Any]:
    """The model's answers scored, its layers on the rows that are looked at, and what it was asked for."""
    if watched is None:
        return None, {}, targets
    names = watched.layers(layers)
    scorer, wanted = None, targets
    kept: dict[str, list[np.ndarray]] = {}
    for rows, answers, seen in watched.answers(inputs, names):
        if wanted is None and scorer is None and rows.start == 0:
            if answers.shape[1:] != np.asarray(inputs[:1]).shape[1:]:
                note("No targets were given and answers do not have the shape of inputs, so that none is scored.")
            else:
                note("No targets were given; answers have the shape of inputs, which are taken as targets.")
                wanted = inputs
        if wanted is not None:
            scorer = scorer or Scorer(wanted, np.ones(len(inputs), dtype=bool) if trained is None else trained)
            scorer.take(rows, answers)
        among = chosen[(chosen >= rows.start) & (chosen < rows.stop)] - rows.start
        for name, values in {**seen, "answer": answers.reshape(len(answers), -1)}.items():
            kept.setdefault(name, []).append(values[among])
    whole = {name: np.concatenate(parts) for name, parts in kept.items()}
    return None if scorer is None else scorer.scores(), whole, wanted


def _inside(
    activations: Any,
    seen: Mapping[str, np.ndarray],
    table: FactorTable,
    trained: np.ndarray | None,
    chosen: Int[np.ndarray, " some"],
    watched: Watched | None,
    inputs: Any,
    layers: Sequence[str] | None,
    seed: int,
    note: Any,
) -> pd.DataFrame:
    """Measures of every layer with both nulls: shuffled factors, and the same model untrained."""
    if activations is not None:
        return measure(activations, table, trained, seed=seed)
    mask = None if trained is None else trained[chosen]
    if mask is not None and (mask.all() or not mask.any()):
        mask = None
    part = table.rows(chosen)
    alive = {name: rows for name, rows in seen.items() if rows.ndim == 2 and np.isfinite(rows).all()}
    for name in seen.keys() - alive.keys():
        note(f"Layer {name!r} is not finite everywhere and is left out.")
    if not alive:
        return pd.DataFrame(columns=["layer", "measure", "of", "value", "null", "null_low", "null_high", "p"])
    for name, rows in alive.items():
        if not np.ptp(rows, axis=0).any():
            note(f"Layer {name!r} is dead: it puts out the same for every input.")
    found = measure(alive, part, mask, seed=seed)
    fresh = None if watched is None else watched.untrained(seed)
    if fresh is None or watched is None:
        note("The model cannot be drawn anew, so that measures stand beside shuffled factors alone.")
        return found
    before: dict[str, list[np.ndarray]] = {}
    for _, answers, kept in fresh.answers(_Chosen(inputs, chosen), watched.layers(layers)):
        for name, values in {**kept, "answer": answers.reshape(len(answers), -1)}.items():
            before.setdefault(name, []).append(values)
    other = measure({name: np.concatenate(parts) for name, parts in before.items()}, part, mask, shuffles=1, seed=seed)
    keys = ["layer", "measure", "of"]
    return found.merge(other[[*keys, "value"]].rename(columns={"value": "untrained"}), on=keys, how="left")


class _Chosen:
    """Some rows of the inputs."""

    def __init__(self, inputs: Any, chosen: np.ndarray) -> None:
        self.inputs, self.chosen = inputs, chosen

    def __len__(self) -> int:
        return len(self.chosen)

    def __getitem__(self, rows: slice) -> Any:
        return self.inputs[self.chosen[rows]]


def _forecast(
    inputs: Any,
    targets: Any,
    trained: np.ndarray | None,
    held_out: HeldOut | None,
    seed: int,
    note: Any,
) -> Forecast | None:
    """Kernel regression from inputs to targets, on samples of trained and held-out rows.

    nMSE is the squared error over that of always answering the mean of the trained rows.
    """
    if trained is None or held_out is None or inputs is None or targets is None:
        return None
    asked = {name: rows for name, rows in held_out.sections.items() if name != KNOWN}
    if not asked:
        note("Every held-out combination is also trained on, so that there is nothing to compose.")
        return None
    rng = stream(seed, "audit", "forecast")
    fitted = _some(np.flatnonzero(trained), rng)
    scored = np.sort(np.concatenate([_some(np.flatnonzero(rows), rng, len(asked)) for rows in asked.values()]))
    codes, others = (as_floats(inputs[rows]).reshape(len(rows), -1) for rows in (fitted, scored))
    middle, spread = codes.mean(axis=0), codes.std() or 1.0
    wanted, true = _numbers(targets, fitted, scored)
    columns = np.sort(rng.permutation(wanted.shape[1])[:KERNEL_NUMBERS])
    wanted, true = wanted[:, columns], true[:, columns]
    mean = wanted.mean(axis=0, dtype=np.float64)
    sections = {"ood": np.ones(len(scored), dtype=bool)}
    sections |= {name: rows[scored] for name, rows in asked.items()}
    return forecast_images(
        (others - middle) / spread,
        (codes - middle) / spread,
        wanted - mean,
        true - mean,
        sections,
        0.0,
        dark=False,
        image=None,
        nothing="always answering the mean of the trained rows",
    )


def _numbers(targets: Any, *places: np.ndarray) -> list[np.ndarray]:
    """Targets of some rows as numbers; words as marks of their sort."""
    if getattr(targets, "dtype", None) is not None and targets.dtype.kind in "US":
        levels, codes = np.unique(targets, return_inverse=True)
        return [np.eye(len(levels))[codes.reshape(-1)[rows]] for rows in places]
    return [as_floats(targets[rows]).reshape(len(rows), -1).astype(np.float64) for rows in places]


def _some(rows: np.ndarray, rng: "np.random.Generator", among: int = 1) -> np.ndarray:
    most = KERNEL_ROWS // among
    return rows if len(rows) <= most else np.sort(rng.choice(rows, most, replace=False))


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Lines of a table as JSON values; numbers that are not known are null."""
    return [
        {
            str(name): None if isinstance(value, float) and not np.isfinite(value) else value
            for name, value in line.items()
        }
        for line in frame.to_dict(orient="records")
    ]
