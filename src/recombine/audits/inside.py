"""What layers hold, of a model that was run or in activations that were given."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from recombine.audits.dataset import Chosen
from recombine.audits.given import Given
from recombine.audits.measuring import dead_layers, measure_layers, read_layers
from recombine.audits.running import Told
from recombine.audits.watching import Watched
from recombine.core.errors import InputError
from recombine.core.shapes import Int


def look_inside(
    activations: Any,
    seen: Mapping[str, np.ndarray],
    given: Given,
    asked: Given,
    chosen: Int[np.ndarray, " some"],
    watched: Watched | None,
    layers: Sequence[str] | None,
    seed: int,
    told: Told,
) -> pd.DataFrame:
    """Measures of every layer with both nulls: shuffled factors, and the same model untrained."""
    nothing = pd.DataFrame(columns=["layer", "measure", "of", "value", "null", "null_low", "null_high", "p"])
    if activations is not None:
        if watched is not None:
            told.note("Activations were given, so that these are looked at and not the layers of the model.")
        named = activations if isinstance(activations, Mapping) else {"activations": activations}
        kept = np.isin(np.arange(given.count), given.numbers)
        alive, refused = read_layers(named, kept)
        for words in refused or ([] if named else ["there are no activations; give an array, or a mapping of arrays."]):
            told.refuse(words)
        return _with_dead(measure_layers(alive, given.table, given.trained, seed=seed), told) if alive else nothing
    mask = None if asked.trained is None or not asked.trained[chosen].any() else asked.trained[chosen]
    part = asked.table.rows(chosen)
    alive = {name: rows for name, rows in seen.items() if rows.ndim == 2 and np.isfinite(rows).all()}
    for name in seen.keys() - alive.keys() - {"answer"}:  # of answers it is said where they are scored
        told.note(f"Layer {name!r} is not finite everywhere and is left out.")
    if watched is None or not alive:
        return nothing
    found = _with_dead(measure_layers(alive, part, mask, seed=seed), told)
    fresh = watched.untrained(seed)
    if fresh is None:
        what = (
            "The model" if watched.module is not None else "The model is a function: it has no layers to look at, and"
        )
        told.note(f"{what} cannot be drawn anew, so that measures stand beside shuffled factors alone.")
        return found
    before: dict[str, list[np.ndarray]] = {}
    try:
        for _, answers, kept_here in fresh.answers(Chosen(asked.inputs, chosen), watched.layers(layers)):
            for name, values in {**kept_here, "answer": answers.reshape(len(answers), -1)}.items():
                before.setdefault(name, []).append(values)
    except InputError as error:
        told.note(f"The untrained model cannot be compared with: {error}")
        return found
    rows = {name: np.concatenate(parts) for name, parts in before.items()}
    finite = {name: each for name, each in rows.items() if np.isfinite(each).all()}
    other = measure_layers(finite, part, mask, shuffles=1, seed=seed)
    keys = ["layer", "measure", "of"]
    return found.merge(other[[*keys, "value"]].rename(columns={"value": "untrained"}), on=keys, how="left")


def _with_dead(measures: pd.DataFrame, told: Told) -> pd.DataFrame:
    """The same measures, with a note for every layer that uses no direction at all."""
    for words in dead_layers(measures):
        told.note(words)
    return measures
