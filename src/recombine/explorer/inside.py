"""A look inside a recorded run: its layers, its weights, and which failure it is. Computed beside the server."""

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from recombine.core.errors import InputError, unknown
from recombine.core.shapes import Float
from recombine.data import Problem
from recombine.data.functions import FunctionTask
from recombine.explorer import plain
from recombine.explorer.problems import labels
from recombine.explorer.refusals import Unknown
from recombine.explorer.watching import Seen, see
from recombine.measures.exhibit import evenly
from recombine.records import Store
from recombine.studies.experiment import Experiment
from recombine.studies.training import Run

KEPT = 3  # runs that are held in memory
POINTS = 2_000  # combinations that are drawn in space
LANDMARKS = 150  # of them, whose loops and cavities are looked for
BARS = 200  # of each degree
UNITS = 128  # of a layer whose weights are shown
PRESET = ("probe", "bottleneck")  # layers that are looked at first, where there are such


@lru_cache(maxsize=KEPT)
def run_of(root: str, digest: str) -> Run:
    """A recorded run, with its weights if they were kept."""
    record = Store(Path(root)).read(digest, weights=True)
    if "kind" in record.body["specification"]:
        raise InputError(f"run {digest} is a calculation, in which nothing was trained; look at a trained run.")
    if record.body["status"] != "done":
        raise InputError(f"run {digest} failed: {record.body['reason']}; it has nothing inside.")
    return Run(Experiment.read(record.body["specification"]), record)


def with_weights(root: str, digest: str) -> Run:
    """The same; an error that says what to do where its weights were not kept."""
    run = run_of(root, digest)
    if run.experiment.model.trainable and not run.record.weights:
        raise Unknown(
            f"run {digest} was recorded without its weights, so that nothing can be asked of it; train it again from "
            "its page, and look inside that run."
        )
    return run


@lru_cache(maxsize=KEPT)
def seen_of(root: str, digest: str) -> Seen | None:
    """What the network of a run answers to every combination; None where its weights were not kept."""
    run = run_of(root, digest)
    experiment = run.experiment
    if not run.record.weights:
        return None
    return see(experiment.problem, run.network, experiment.seed, experiment.recipe.steps)


def points(root: str, digest: str, layer: str | None = None) -> dict[str, Any]:
    """A layer along its first three principal components, and its persistence diagram."""
    run = run_of(root, digest)
    if run.experiment.model.trainable and not run.record.weights:
        return _kept_points(run, layer) or with_weights(root, digest)  # type: ignore[return-value]
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


def weights(root: str, digest: str, layer: str | None = None) -> dict[str, Any]:
    """The weights between two layers, their units sorted by module.

    Units of a task of modules belong to the module with the largest part in their paths from inputs and to outputs; of
    other tasks to the factor that has the largest part in what reaches them, and outputs stay as they are.
    """
    run = run_of(root, digest)
    joints = _kept_joints(run) or _joints(with_weights(root, digest))
    known = list(joints)
    name = _chosen(layer, known) if layer is not None else known[0]
    matrix, rows, columns, by = joints[name]
    # In the network's own order, with the order in which units are drawn beside it; of many units some, evenly.
    kept = [_spread(each) for each in (rows, columns)]
    modules = [each[places] for each, places in zip((rows, columns), kept, strict=True)]
    orders = [np.argsort(each, kind="stable") for each in modules]
    return {
        "layers": known,
        "layer": name,
        "matrix": plain.rows(matrix[np.ix_(*kept)]),
        "row_order": orders[0].tolist(),
        "column_order": orders[1].tolist(),
        "row_modules": modules[0].tolist(),
        "column_modules": modules[1].tolist(),
        "rows": kept[0].tolist(),
        "columns": kept[1].tolist(),
        "sorted_by": by,
    }


def _spread(modules: np.ndarray) -> np.ndarray:
    """At most `UNITS` units in their own order, evenly chosen among those sorted by module."""
    order = np.argsort(modules, kind="stable")
    return np.sort(order[evenly(len(order), UNITS)])


Joint = tuple[np.ndarray, np.ndarray, np.ndarray, str]  # matrix, modules of its rows and of its columns, sorted by


def _kept_joints(run: Run) -> dict[str, Joint]:
    """The weights that a record has kept for a figure; they are sizes, without signs."""
    from recombine.reports.settings import SeedRun
    from recombine.reports.weights_figure import joints_of

    if not isinstance(run.experiment.problem.task, FunctionTask) or run.record.weights:
        return {}
    found = joints_of(SeedRun(run.experiment, run.record.body, run.record.arrays))
    return {f"{each.before} to {each.after}": (each.sizes, each.rows, each.columns, "module") for each in found}


def _joints(run: Run) -> dict[str, Joint]:
    """The weights of a network of plain layers, with the module or factor of every unit."""
    from recombine.measures.layered import forward_shares, hidden_modules
    from recombine.models.network import matrices_of

    matrices = [matrix.detach().double().numpy() for matrix in matrices_of(run.network)]
    if not matrices:
        raise InputError(
            f"the layers of {run.experiment.model.kind} are not plain matrices, so that there is no matrix to sort; "
            "look at a feedforward, mlp or mlp-decoder."
        )
    task = run.experiment.problem.task
    if isinstance(task, FunctionTask):
        into, out, by = task.modules_in, task.modules_out, "module"
        hidden = hidden_modules(matrices, into, out)
    else:
        into, by = factor_of_inputs(run.experiment.problem), "factor"
        hidden = tuple(shares.argmax(axis=1) for shares in forward_shares(matrices, into))
        out = np.zeros(len(matrices[-1]), dtype=int)
    modules = [into, *hidden, out]
    names = ["input", *(f"layer{place}" for place in range(len(hidden))), "output"]
    return {
        f"{names[place]} to {names[place + 1]}": (
            matrix,
            np.asarray(modules[place + 1]),
            np.asarray(modules[place]),
            by,
        )
        for place, matrix in enumerate(matrices)
    }


def factor_of_inputs(problem: Problem) -> np.ndarray:
    """The one factor with which each unit of a code changes, by index; 0 for units that change with several or none."""
    codes, shape = problem.everything.codes, problem.grid.shape
    if len(codes) != problem.grid.size:  # scenes, or several images of a combination
        return np.zeros(codes.shape[1], dtype=int)
    units = codes.shape[1]
    ranges = [np.ptp(codes.reshape(*shape, units), axis=axis).reshape(-1, units) for axis in range(len(shape))]
    changes = np.stack([each.any(axis=0) for each in ranges])
    return np.where(changes.sum(axis=0) == 1, changes.argmax(axis=0), 0)


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
