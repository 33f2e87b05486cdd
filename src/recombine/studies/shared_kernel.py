"""The tangent kernel of a model over all that a task can show, so that many training sets are forecast with one."""

import numpy as np

from recombine.core.spec import canonical_json, dump
from recombine.data import Problem
from recombine.data.functions import FunctionTask
from recombine.data.picture_task import PictureTask
from recombine.models import ModelSpec, models
from recombine.studies.additions import isolates
from recombine.studies.kernel_forecasting import (
    OwnKernel,
    by_kernels,
    check_forecast_size,
    forecast_functions,
    forecast_pictures,
    kernel_over,
    model_kernel,
)
from recombine.theory import Forecast, tangent_kernels

# Of the latest task, model and seed: a kernel takes seconds and is asked for often.
_last: dict[str, OwnKernel] = {}


def forecast_again(problem: Problem, model: object = None, seed: int = 0) -> Forecast:
    """`by_kernels` for one of many training sets of a task: its model's kernel is computed for all of them.

    A model that draws from noise has no tangent kernel, and is forecast without.
    """
    spec = None if model is None else models.parse(model)
    if spec is not None and spec.generative:
        spec = None
    task = problem.task
    if not isinstance(task, PictureTask | FunctionTask):
        return by_kernels(problem, spec, seed)
    check_forecast_size(problem)
    kernels = tangent_kernels()
    if spec is not None:
        kernels |= shared_kernel(problem, spec, seed).named(spec)
    return (forecast_functions if isinstance(task, FunctionTask) else forecast_pictures)(problem, kernels, seed)


def shared_kernel(problem: Problem, model: ModelSpec, seed: int) -> OwnKernel:
    """The kernel of ``model`` at its initial weights, over every combination and every factor shown alone.

    Where training shows places between levels it is that of the problem alone.
    """
    if not model.trainable or problem.centres != "grid" or problem.spacing is not None or problem.rim:
        return model_kernel(problem, model, seed, hurry=True)
    name = canonical_json([dump(problem.task), dump(model), seed])
    if name not in _last:
        kernel = _over(problem, model, seed)
        _last.clear()
        _last[name] = kernel
    return _last[name]


def _over(problem: Problem, model: ModelSpec, seed: int) -> OwnKernel:
    task, grid = problem.task, problem.grid
    parts = [task.asked(seed), task.examples(grid.combinations(), seed), problem.everything]
    if isolates(task):
        parts.append(task.at(task.alone(grid.names, None, False), seed))
    return kernel_over(np.concatenate([part.codes for part in parts]), problem, model, seed, hurry=True)
