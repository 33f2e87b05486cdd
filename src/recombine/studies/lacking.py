"""Which asked scenes training does not support: a component never shown, or never shown so that it could be told."""

import numpy as np

from recombine.core.failures import Failure
from recombine.core.seeds import stream
from recombine.core.shapes import Bool, Float
from recombine.data import Problem
from recombine.measures.blame import Claim
from recombine.models.derivatives import derivative
from recombine.splits.designs import RandomSupport
from recombine.studies.supporting import reached, scenes_of
from recombine.theory.support import check

COMPLETIONS, TESTS = 128, 16  # training and test scenes looked at for each component value
LACKING = 0.02  # share of pixels that may seem to lack something by the chance of which scenes were looked at


def lacking_scenes(
    problem: Problem, scenes: Float[np.ndarray, "items slots latents"], errors: Float[np.ndarray, " items"], seed: int
) -> list[Claim | None]:
    """The error on scenes with a component value that the support never shows, or whose support lacks pixels.

    A value lacks a pixel where a change of the component shows in a test and in no training scene (`theory.support`).
    """
    slots = scenes.shape[1]
    never = ~np.all([reached(problem, slot, scenes[:, slot]) for slot in range(slots)], axis=0)
    thin = lacking(problem, scenes, seed)
    shown = float(thin.mean()), float(never.mean())
    return [
        Claim(
            Failure.UNSEEN_LEVEL,
            errors * never,
            f"{shown[1]:.0%} of these scenes have a component that training never shows.",
            {"rows": shown[1]},
        ),
        Claim(
            Failure.TOO_LITTLE_OVERLAP,
            errors * thin,
            f"{shown[0]:.0%} of these scenes have a component that can change where training never lets it be seen.",
            {"rows": shown[0]},
        ),
    ]


def lacking(
    problem: Problem, scenes: Float[np.ndarray, "items slots latents"], seed: int = 0
) -> Bool[np.ndarray, " items"]:
    """Which scenes have a component value that lacks more than `LACKING` of its pixels in training."""
    task, support = scenes_of(problem)
    thin = np.zeros(len(scenes), dtype=bool)
    if support == RandomSupport():  # shows all there is
        return thin
    composition = task.composition
    pixels = task.size**2

    def components(slot: int, values: np.ndarray) -> np.ndarray:
        made = task.component(values, composition)
        return made.reshape(len(values), -1, made.shape[-1]).astype(np.float64)

    shown, asked = (stream(seed, "explain", "completions", purpose) for purpose in ("training", "test"))
    whole = RandomSupport()
    found = check(
        composition.join,
        lambda slot, parts: derivative(composition, slot, parts),
        components,
        lambda slot, value, count: support.complete(slot, value, count, task.slots, shown),
        [scenes[:, slot] for slot in range(task.slots)],
        test_complete=lambda slot, value, count: whole.complete(slot, value, min(count, TESTS), task.slots, asked),
        count=COMPLETIONS,
        one_sided=True,
        seed=seed,
    )
    for each in found.missing:
        if each.why == "relative" and len(each.blocks) > LACKING * pixels:
            thin |= (scenes[:, each.slot] == np.array(each.value)).all(axis=1)
    return thin
