"""The weights of a recorded run between two layers, their units sorted by module. Computed beside the server."""

from typing import Any

import numpy as np

from recombine.core.errors import InputError, unknown
from recombine.data import Problem
from recombine.data.functions import FunctionTask
from recombine.explorer import plain
from recombine.explorer.opened import run_of, with_weights
from recombine.measures.exhibit import evenly
from recombine.studies.training import Run

UNITS = 128  # of a layer whose weights are shown


def told(root: str, digest: str, layer: str | None = None) -> dict[str, Any]:
    """The weights between two layers, their units sorted by module.

    Units of a task of modules belong to the module with the largest part in their paths from inputs and to outputs; of
    other tasks to the factor that has the largest part in what reaches them, and outputs stay as they are.
    """
    run = run_of(root, digest)
    joints = _kept_joints(run) or _joints(with_weights(root, digest))
    known = list(joints)
    name = known[0] if layer is None else layer
    if name not in joints:
        raise unknown("pair of layers", name, known)
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
