"""What kernels say of scenes that training does not show: of pictures, of sums over sprites, and of components.

No network is that simple. Yet how well a sample of training scenes settles pictures of the whole code (``joint``), sums
of one picture for each sprite (``added``), and the true components, each of its own code and then composed
(``composed``), is what networks without a composition and with one begin from.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from recombine.core.shapes import Float
from recombine.data import Problem
from recombine.data.scenes import Sprites
from recombine.studies.supporting import scenes_of
from recombine.theory.forecast import tangent_kernels
from recombine.theory.solve import regress

Scenes: TypeAlias = Float[np.ndarray, "items slots latents"]
Pictures: TypeAlias = Float[np.ndarray, "items rows columns channels"]
Kernel: TypeAlias = Callable[[np.ndarray, np.ndarray], np.ndarray]

SHOWN = 500  # training scenes that are fitted: the time that a fit takes grows with their cube
JOINT, ADDED, COMPOSED = "joint", "added", "composed"


def kernel_answers(problem: Problem, asked: Scenes, seed: int = 0, every: int = 1) -> Mapping[str, Pictures]:
    """The pictures of these scenes by kernels that fit training scenes; pixels of every so many rows and columns."""
    task, _ = scenes_of(problem)
    (kernel,) = tangent_kernels((3,)).values()
    shown = shown_scenes(problem, seed)[:SHOWN]
    codes, wanted = (_by_sprite(task, each) for each in (shown, asked))
    targets = pictures(task, shown, every)
    return {
        JOINT: _fitted(kernel, np.concatenate(codes, axis=1), np.concatenate(wanted, axis=1), targets),
        ADDED: _fitted(kernel, codes, wanted, targets),
        COMPOSED: _composed(task, kernel, shown, asked, every),
    }


def shown_scenes(problem: Problem, seed: int) -> Scenes:
    """The scenes of the training set, as unit latents by sprite."""
    task, _ = scenes_of(problem)
    return task.scenes(problem.training_scenes(seed))


def pictures(task: Sprites, scenes: Scenes, every: int = 1) -> Pictures:
    """The true pictures of scenes, at the pixels of every so many rows and columns."""
    return task.composition.join(list(task.components(scenes.reshape(len(scenes), -1), task.composition, every)))


def _by_sprite(task: Sprites, scenes: Scenes) -> list[Float[np.ndarray, "items units"]]:
    """The part of the code that tells of each sprite."""
    return np.split(task.code(scenes.reshape(len(scenes), -1)), task.slots, axis=1)


def _fitted(
    kernel: Kernel,
    codes: np.ndarray | list[np.ndarray],
    wanted: np.ndarray | list[np.ndarray],
    targets: Float[np.ndarray, "shown *picture"],
) -> Float[np.ndarray, "asked *picture"]:
    """What a kernel, or the sum of it over the parts of a code, says at ``wanted`` when it fits the targets."""
    seen, asked = ([each] if isinstance(each, np.ndarray) else each for each in (codes, wanted))
    gram, cross = (np.sum([kernel(a, b) for a, b in zip(side, seen, strict=True)], axis=0) for side in (seen, asked))
    flat = targets.reshape(len(targets), -1)
    return regress(gram, cross, flat, bias=True).outputs.reshape(len(cross), *targets.shape[1:])


def _composed(task: Sprites, kernel: Kernel, shown: Scenes, asked: Scenes, every: int) -> Pictures:
    """The composition of components that are each fitted to the values which training shows of them."""
    parts = []
    for slot in range(task.slots):
        values = np.unique(shown[:, slot], axis=0)  # of a plane one sprite has the same value again and again
        targets = task.component(values, task.composition, every)
        codes, wanted = (_alone(task, each, slot) for each in (values, asked[:, slot]))
        parts.append(_fitted(kernel, codes, wanted, targets))
    return task.composition.join(parts)


def _alone(task: Sprites, values: Float[np.ndarray, "items latents"], slot: int) -> Float[np.ndarray, "items units"]:
    """The code of one sprite with these values."""
    scenes = np.zeros((len(values), task.slots, task.latents))
    scenes[:, slot] = values
    return _by_sprite(task, scenes)[slot]
