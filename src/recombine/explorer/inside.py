"""A look inside a recorded run: a layer in space, and which failure the run is. Computed beside the server."""

from typing import Any

import numpy as np

from recombine.core.errors import unknown
from recombine.core.shapes import Float
from recombine.explorer import plain
from recombine.explorer.opened import run_of, with_weights
from recombine.explorer.problems import labels
from recombine.measures.exhibit import evenly
from recombine.studies.training import Run

POINTS = 2_000  # combinations that are drawn in space
LANDMARKS = 150  # of them, whose loops and cavities are looked for
BARS = 200  # of each degree
PRESET = ("probe", "bottleneck")  # layers that are looked at first, where there are such


def points(root: str, digest: str, layer: str | None = None) -> dict[str, Any]:
    """A layer along its first three principal components, and its persistence diagram."""
    run = run_of(root, digest)
    if run.experiment.model.trainable and not run.record.weights:
        kept = _kept_points(run, layer)
        if kept is not None:
            return kept
        with_weights(root, digest)  # says how to get them
    layers = run.layers()
    name = _chosen(layer, list(layers))
    rows = layers[name]
    combinations = _combinations(run, len(rows))
    some = evenly(len(rows), POINTS)
    from recombine.measures.spectrum import principal_components

    found = principal_components(rows[some], 3)
    return _told(run, list(layers), name, found.scores, found.shares, combinations, some, _diagram(rows[some]))


def _told(
    run: Run,
    layers: list[str],
    layer: str,
    scores: Float[np.ndarray, "points components"],
    shares: Float[np.ndarray, " components"] | None,
    combinations: np.ndarray | None,
    some: np.ndarray,
    persistence: dict[str, Any] | None,
) -> dict[str, Any]:
    factors = run.experiment.problem.grid.factors
    rows = [] if combinations is None else combinations[some].tolist()
    return {
        "layers": layers,
        "layer": layer,
        "points": plain.rows(scores[:, :3] / max(float(np.abs(scores[:, :3]).max()), 1e-12)),
        "explained": [] if shares is None else [plain.number(share) for share in shares[:3]],
        "combinations": rows,
        "labels": [labels(factors, row) for row in rows],
        "persistence": persistence,
    }


def _chosen(layer: str | None, known: list[str]) -> str:
    """The layer that was asked for; else the one that stands for the network, or the middle one."""
    if layer is not None:
        if layer not in known:
            raise unknown("layer", layer, known)
        return layer
    return next((name for name in PRESET if name in known), known[len(known) // 2])


def _combinations(run: Run, items: int) -> np.ndarray | None:
    """The combination of every row of a layer; None where rows are scenes."""
    problem = run.experiment.problem
    if problem.support is not None:
        return None
    every = problem.grid.combinations()
    return np.repeat(every, items // len(every), axis=0)


def _diagram(rows: np.ndarray) -> dict[str, Any]:
    """Births and deaths of components, loops and cavities, in units of the root mean square distance from the mean."""
    from recombine.measures.homology_bars import diagram

    flat = rows.reshape(len(rows), -1).astype(np.float64)
    flat = flat - flat.mean(axis=0)
    flat /= max(float(np.sqrt(np.square(flat).sum(axis=1).mean())), 1e-12)
    found = diagram(flat, 2, min(len(flat), LANDMARKS))
    return {str(degree): plain.rows(bars[:BARS]) if len(bars) else [] for degree, bars in enumerate(found)}


def _kept_points(run: Run, layer: str | None) -> dict[str, Any] | None:
    """The same of the arrays that a record without weights has kept for figures; None where it has none."""
    arrays = run.record.arrays
    known = [name.removeprefix("portrait_") for name in arrays if name.startswith("portrait_")]
    if not known:
        return None
    name = _chosen(layer, known)
    scores = arrays[f"portrait_{name}"].astype(np.float64)
    kept = {str(degree): arrays.get(f"diagram_{name}_h{degree}") for degree in range(3)}
    # Where fewer bars were found than are kept, zeros follow them.
    bars = {degree: ends[ends[:, 1] > ends[:, 0]] for degree, ends in kept.items() if ends is not None}
    persistence = {degree: plain.rows(ends) if len(ends) else [] for degree, ends in bars.items()} or None
    scores = scores.reshape(-1, scores.shape[-1])
    combinations = _combinations(run, len(scores))
    shares = arrays.get(f"spectrum_{name}")
    return _told(run, known, name, scores, shares, combinations, np.arange(len(scores)), persistence)


def explained(root: str, digest: str) -> dict[str, Any]:
    """Which failure a run is: shares of the held-out error by cause."""
    from recombine.studies.explaining import explain

    found = explain(with_weights(root, digest))
    parts = found.blame.told
    document = {
        "verdict": found.verdict,
        "finding": str(found.finding),
        "shares": [{"failure": str(part.failure), "share": part.share, "text": part.text} for part in parts],
        "sentences": [f"{part.share:.0%} {part.failure}: {part.text}" for part in parts],
        "text": str(found),
    }
    tidied: dict[str, Any] = plain.tidy(document)
    return tidied
