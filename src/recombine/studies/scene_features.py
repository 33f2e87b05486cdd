"""The numbers that a calibrated forecast of scenes is made of: its support, kernels' answers, the sort of network."""

from collections.abc import Mapping

import numpy as np

from recombine.core.seeds import stream
from recombine.core.shapes import Bool, Float
from recombine.data import Problem
from recombine.data.scenes import Sprites
from recombine.measures.scene_error import relative_error
from recombine.models import ModelSpec
from recombine.models.scene_specs import Compositional, SceneSpec
from recombine.splits import Support
from recombine.studies.features import performance
from recombine.studies.scene_kernels import ADDED, COMPOSED, JOINT, Scenes, kernel_answers, pictures, shown_scenes
from recombine.studies.supporting import reached, rows_looked_at, scenes_of
from recombine.theory import Forecast

ASKED = 200  # held-out scenes that are asked about
DRAWN = 20_000  # scenes of the whole space among which those are sought
FEWEST = 8  # scenes of a section that is told by itself
NEAR = 2000  # training scenes to which a distance is taken


def scene_features(
    problem: Problem, model: ModelSpec | None, found: Forecast, seed: int = 0
) -> dict[str, dict[str, float]]:
    """By section of what is held out: facts of the support, what kernels reach there, and what sort of network it is.

    "ood" is all of it; "seen" has component values that the support shows and "unseen" some that it never does, where
    there are both. Nothing where the support is the whole space. ``found`` is the forecast for the model.
    """
    task, support = scenes_of(problem)
    share, asked = held_out(task, support, seed)
    if len(asked) < FEWEST:
        return {}
    every = rows_looked_at(task)
    answers, truth = kernel_answers(problem, asked, seed, every), pictures(task, asked, every)
    shown = shown_scenes(problem, seed)[:NEAR]
    seen = np.all([reached(problem, slot, asked[:, slot]) for slot in range(task.slots)], axis=0)
    distance, overlap = _distances(shown, asked), task.overlap(asked.reshape(len(asked), -1)).mean(axis=(1, 2))
    details, sort = found.details, scene_network(model, task)
    whole = {
        "lacking": float(np.mean(details["lacking"])),
        "free": float(details["free_share"]),
        "rank": float(np.mean(details["full_rank"])),
        "margin": float(details["margin"]),
        "held_out": share,
        "together": together(shown),
        "examples": float(np.log10(max(problem.examples or 0, 1))),
        "sprites": float(task.slots),
        "pixels": float(task.size),
        "size": float(np.mean(task.scales)),
    }
    return {
        name: with_scene_network(
            {
                **{each: _reached(truth[mask], drawn[mask]) for each, drawn in answers.items()},
                "unseen": float(1 - seen[mask].mean()),
                "distance": float(distance[mask].mean()),
                "overlap": float(overlap[mask].mean()),
                **whole,
            },
            sort,
        )
        for name, mask in _sections(seen).items()
    }


def held_out(task: Sprites, support: Support, seed: int = 0) -> tuple[float, Scenes]:
    """The share of the whole space that the support does not hold, and some scenes of it."""
    drawn = stream(seed, "theory", "held out").random((DRAWN, task.slots, task.latents))
    outside = ~support.has(drawn)
    return float(outside.mean()), drawn[outside][:ASKED]


def _sections(seen: Bool[np.ndarray, " asked"]) -> dict[str, Bool[np.ndarray, " asked"]]:
    parts = {"seen": seen, "unseen": ~seen}
    several = all(mask.sum() >= FEWEST for mask in parts.values())
    return {"ood": np.ones(len(seen), dtype=bool), **(parts if several else {})}


def _reached(truth: Float[np.ndarray, "items *picture"], drawn: Float[np.ndarray, "items *picture"]) -> float:
    return performance(relative_error(truth, drawn, "the pictures of scenes that are held out"), "nMSE")


def _distances(shown: Scenes, asked: Scenes) -> Float[np.ndarray, " asked"]:
    """From each scene to the nearest training scene: 0 shown, 1 the other corner of the space."""
    from scipy.spatial.distance import cdist  # takes as long to load as all else that a command needs

    apart = cdist(asked.reshape(len(asked), -1), shown.reshape(len(shown), -1))
    return apart.min(axis=1) / np.sqrt(asked[0].size)


def together(shown: Scenes) -> float:
    """Share of scenes in which two sprites or more have values of their own, and not one that is shown again and again.

    0: sprites vary one at a time, as in planes; 1: they vary together.
    """
    own = np.zeros(shown.shape[:2], dtype=int)
    for slot in range(shown.shape[1]):
        _, which, counts = np.unique(shown[:, slot], axis=0, return_inverse=True, return_counts=True)
        own[:, slot] = counts[which.ravel()] == 1
    return float((own.sum(axis=1) > 1).mean())


def scene_network(model: ModelSpec | None, task: Sprites) -> dict[str, float]:
    """What sort of network it is, as far as it matters to scenes of this task. All else draws scenes as a whole."""
    own = model if isinstance(model, Compositional) else None
    return {
        "compositional": float(own is not None),
        "agrees": float(own is not None and not own.composition.learned and own.composition.agrees(task.composition)),
        "learned": float(own is not None and own.composition.learned),
        "shared": float(own is not None and own.shared),
        "relative": float(own is not None and own.family == "relative"),
        "convolutional": float(isinstance(model, SceneSpec) and model.family == "upsampling"),
    }


def with_scene_network(facts: Mapping[str, float], network: Mapping[str, float]) -> dict[str, float]:
    """Facts of a problem and those of a network, and what kernels reach that are most like this network."""
    if network["agrees"] or network["learned"]:
        kernels = facts[COMPOSED]
    else:
        kernels = facts[ADDED] if network["compositional"] else facts[JOINT]
    return {**facts, **network, "kernels": kernels}


def sort_in_words(kind: str, network: Mapping[str, float]) -> str:
    """The sort of network in a few words."""
    words = [kind]
    if network["compositional"] and not network["agrees"]:
        words.append("learned composition" if network["learned"] else "another composition")
    words += [f"{name} decoder" for name in ("shared", "relative") if network[name]]
    return ", ".join([*words, *(["convolutional"] if network["convolutional"] else [])])
