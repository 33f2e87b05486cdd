"""Whether a network of a model fits a problem, asked before anything is computed."""

import numpy as np

from recombine.core.errors import InputError
from recombine.data import Problem
from recombine.data.components import ComponentTask
from recombine.data.task import Task
from recombine.models import ModelSpec
from recombine.models.catalogue import DoublingDecoder, PerPixel, PixelTransformer

# They draw by neighbours or by places, and would take the channels of one pixel for pixels side by side.
ONE_CHANNEL = (DoublingDecoder, PerPixel, PixelTransformer)


def check_fit(problem: Problem, model: ModelSpec) -> None:
    """Refuse a model whose network cannot fit the problem. Looks at one example, so that it costs little."""
    if not model.trainable:
        return
    from recombine.training.run import check_values, fitting

    if problem.support is not None:
        shown = problem.task.at(np.zeros((1, problem.task.slots * problem.task.latents)))
    else:
        shown = problem.task.examples(problem.grid.combinations()[problem.trained][:1], seed=0)
    interface = fitting(problem, shown.codes.shape[1], shown.targets.shape[1:])
    if isinstance(model, ONE_CHANNEL) and interface.channels > 1:
        raise InputError(
            f"model {model.kind!r} draws pictures of one channel, and those of task {problem.task.kind!r} have "
            f"{interface.channels}; use compositional or monolithic, or mlp-decoder, which knows of no pixels."
        )
    model.check(interface)
    check_values(problem, model)


def fits(problem: Problem, model: ModelSpec) -> bool:
    """Whether a network of the model can be used on the problem."""
    try:
        check_fit(problem, model)
    except InputError:
        return False
    return True


def has_classes(task: Task) -> bool:
    """Whether answers are the classes -1 and 1."""
    return isinstance(task, ComponentTask) and task.binary


def check_loss(task: Task, loss: str) -> None:
    """Refuse what is no loss, or cannot be taken of the answers of a task."""
    from recombine.training import Recipe

    Recipe.read({"loss": loss})
    if loss == "logistic" and not has_classes(task):
        raise InputError(
            f"logistic loss needs a task whose answers are the classes -1 and 1; {task.kind!r} has others, "
            "so use loss = mse."
        )
