"""What kernels say of every held-out combination by itself: the error there and, where it is one number, the answer."""

from typing import Any

import numpy as np

from recombine.data import Problem
from recombine.data.functions import FunctionTask
from recombine.theory import Forecast

MOST = 4000  # combinations that are listed; of more, so many of them evenly


def combination_forecasts(problem: Problem, found: Forecast) -> dict[str, Any] | None:
    """A table with a row for every held-out combination, as JSON values; None where the forecast is not by combination.

    Columns: its levels, its section (the first that is not all that is held out), the error of kernels in the
    forecast's quantity, and their answer where it is one number. The mean of the errors is what the forecast expects
    of all that is held out, unless some are left out.
    """
    if found.errors is None or problem.support is not None:
        return None
    each = problem.task.asked_each if isinstance(problem.task, FunctionTask) else 1
    errors = found.errors.reshape(problem.grid.size, each).mean(axis=1)
    held = np.flatnonzero(problem.parts.held_out)
    rows = held if len(held) <= MOST else held[np.linspace(0, len(held) - 1, MOST).astype(int)]
    names = {name: mask for name, mask in problem.parts.sections.items() if name not in ("id", "ood")}
    factors, levels = problem.grid.factors, problem.grid.combinations()[rows]
    answers = found.outputs if found.outputs is not None and each == 1 and found.outputs.shape[1] == 1 else None
    table = [
        [
            *(factor.levels[level] for factor, level in zip(factors, combination, strict=True)),
            next((name for name, mask in names.items() if mask[row]), "ood"),
            None if np.isnan(errors[row]) else float(f"{errors[row]:.4g}"),
            *([] if answers is None else [float(f"{answers[row, 0]:.4g}")]),
        ]
        for row, combination in zip(rows, levels, strict=True)
    ]
    columns = [*problem.grid.names, "section", found.quantity, *([] if answers is None else ["answer"])]
    return {"columns": columns, "rows": table, "left_out": len(held) - len(rows)}
