"""Synthetic records: as many as are wanted, of the shape that a real run has, with nothing trained.

The shape is that of a convolutional decoder on pictures of 16 x 16 with some levels held out, as among the reference
records: its specification (and so its digest) is that of a real experiment, its numbers and arrays are drawn.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from recombine.core.seeds import stream
from recombine.core.spec import canonical_json, sha256
from recombine.data import Problem, tasks
from recombine.models import models
from recombine.records import Record, Store, provenance
from recombine.records.artifacts import ARRAYS, checksum, pack_arrays
from recombine.records.sealed import seal
from recombine.records.store import RECORD
from recombine.splits import regions
from recombine.studies import Experiment
from recombine.training import Outcome, Recipe

SIDE = 16
SECTIONS = ("id", "interior", "ood", "rim")
NUMBERS = (
    *("error_plateau", "id_accuracy", "id_nmse", "interior_accuracy", "interior_nmse"),
    *("ood_accuracy", "ood_nmse", "rim_nmse"),
)
LAYERS = ("input", "layer0", "layer1", "layer2", "layer3", "layer4", "output")


def experiment(seed: int) -> Experiment:
    """The experiment whose record is simulated."""
    return Experiment(
        problem=Problem(tasks.bump(n=SIDE), regions.corner(x=8, y=8), examples=10),
        model=models.cnn_decoder(width=16),
        recipe=Recipe(steps=1000),
        seed=seed,
        measures=(*NUMBERS, "nmse_by_section"),
    )


def outcome(seed: int) -> Outcome:
    """What its training might have come to."""
    return Outcome("done", None, _measures(seed), _cost(), _arrays(seed), layers=LAYERS)


def records(count: int) -> Iterator[Record]:
    """So many records, a seed each. Arrays are those of the first: packing is not what is simulated."""
    base, origin, arrays = experiment(0), provenance(), _arrays(0)
    settings, forecast = base.settings(), base.forecast_digest
    for seed in range(count):
        chosen = {**settings, **({"seed": seed} if seed else {})}  # as `settings` has it: defaults are left out
        body = {
            "specification": chosen,
            "seed": seed,
            "exact": False,
            "status": "done",
            "reason": None,
            "measures": _measures(seed),
            "cost": _cost(),
            "layers": list(LAYERS),
            "parameters": 0,
            "undefined": {},
            "forecast": forecast,
            "provenance": origin,
        }
        yield Record(sha256(canonical_json(chosen))[:16], body, arrays)


def simulate(root: Path, count: int, arrays: bool = True) -> Store:
    """A store of so many records as commits would leave it, written without waiting for the disk and not indexed.

    Without ``arrays`` they have numbers alone, for whoever looks at nothing else.
    """
    store = Store(root)
    content, sums = b"", {}
    for record in records(count):
        if arrays and not content:
            content = pack_arrays(record)
            sums = {ARRAYS: checksum(content)}
        folder = store.runs / record.digest
        folder.mkdir(parents=True)
        if arrays:
            (folder / ARRAYS).write_bytes(content)
        body = {**record.body, "digest": record.digest, "artifacts": sums}
        (folder / RECORD).write_bytes(seal(canonical_json(body)))
    return store


def _measures(seed: int) -> dict[str, Any]:
    rng = stream(seed, "synthetic", "measures")
    numbers: dict[str, Any] = {
        name: float(value) for name, value in zip(NUMBERS, rng.random(len(NUMBERS)), strict=True)
    }
    sections = {name: float(value) for name, value in zip(SECTIONS, rng.random(len(SECTIONS)), strict=True)}
    return {**numbers, "nmse_by_section": sections}


def _cost() -> dict[str, float]:
    return {"training_seconds": 12.086575752000499, "seconds": 12.127838207001332, "peak_mb": 363.74609375}


def _arrays(seed: int) -> dict[str, np.ndarray]:
    rng = stream(seed, "synthetic", "arrays")
    pictures = (6, SIDE, SIDE)
    return {
        "error_map": rng.random((SIDE, SIDE)).astype(np.float32),
        "errors": rng.random(100),
        "losses": rng.random(100),
        "sample_combinations": rng.integers(0, SIDE, (6, 2)),
        "sample_outputs": rng.random(pictures).astype(np.float32),
        "sample_targets": np.round(rng.random(pictures)).astype(np.float32),
        "steps": np.arange(100.0),
    }
