"""Builders of small evidence whose answers are known. Sizes differ, so that no axis can be swapped unseen."""

import dataclasses
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from recombine.core.seeds import stream
from recombine.measures import ComponentEvidence, Evidence, ModuleEvidence, SceneEvidence, probe_names

SHAPE = (9, 11)
HOLE = ((2, 7), (3, 9))  # half-open ranges of y and of x: 30 of 99 combinations


def draw_bumps(shape: tuple[int, int] = SHAPE, sigma: float = 1.0) -> np.ndarray:
    """Ink of one bump per combination on a canvas with a pixel per level, in grid order."""
    rows, columns = (np.exp(-np.square(np.subtract.outer(np.arange(n), np.arange(n))) / (2 * sigma**2)) for n in shape)
    return np.einsum("yr,xc->yxrc", rows, columns).reshape(-1, *shape)


def hole_sections(
    shape: tuple[int, int] = SHAPE, hole: tuple[tuple[int, int], tuple[int, int]] = HOLE
) -> dict[str, np.ndarray]:
    """Masks of a rectangular hole, its outermost cells (rim) and the rest of it (interior)."""
    y, x = np.indices(shape).reshape(2, -1)
    (bottom, top), (left, right) = hole
    inside, deep = ((bottom + by <= y) & (y < top - by) & (left + by <= x) & (x < right - by) for by in (0, 1))
    return {"id": ~inside, "ood": inside, "rim": inside & ~deep, "interior": deep}


def one_hot(shape: tuple[int, int] = SHAPE) -> np.ndarray:
    y, x = np.indices(shape).reshape(2, -1)
    return np.concatenate([np.eye(shape[0])[y], np.eye(shape[1])[x]], axis=1)


def stripes(shape: tuple[int, int] = SHAPE) -> dict[str, np.ndarray]:
    """One stripe per level: x stands at a column and runs along the rows, y lies at a row."""
    return {
        "x": np.repeat(np.eye(shape[1])[:, None, :], shape[0], axis=1),
        "y": np.repeat(np.eye(shape[0])[:, :, None], shape[1], axis=2),
    }


def evidence_from_ink(
    output: np.ndarray,
    target: np.ndarray | None = None,
    *,
    shape: tuple[int, int] = SHAPE,
    hole: tuple[tuple[int, int], tuple[int, int]] = HOLE,
    dark: bool = True,
    hidden: dict[str, np.ndarray] | None = None,
    **settings: Any,
) -> Evidence:
    """Evidence whose pictures are given as ink; the targets are bumps unless said."""
    target = draw_bumps(shape) if target is None else target
    layers = {"input": one_hot(shape), **(hidden or {}), "output": output.reshape(len(output), -1)}
    defaults = {"sections": hole_sections(shape, hole), "layers": layers}
    pictures = [1.0 - ink if dark else ink for ink in (target, output)]
    return Evidence(shape, *pictures, dark=dark, **{**defaults, **settings})


def generic_evidence(dark: bool = True, **settings: Any) -> Evidence:
    """Evidence with nothing special about it: noisy pictures, three random hidden layers, noisy stripes, a course.

    The first hidden layer has two channels of 2 x 3.
    """
    rng = stream(3, "measures", "generic")
    hidden, rows = {}, one_hot()
    for depth, width in enumerate((12, 120, 13)):
        rows = np.tanh(rows @ rng.normal(size=(rows.shape[1], width)) / 2)
        hidden[f"hidden{depth}"] = rows
    output = draw_bumps() * rng.uniform(0.2, 1.0, size=(99, 1, 1)) + 0.1 * rng.normal(size=(99, *SHAPE))
    drawn = {name: pictures + 0.1 * rng.normal(size=pictures.shape) for name, pictures in stripes().items()}
    course = {
        "steps": np.array([0, 10, 20, 30]),
        "strict_accuracy.all": np.array([0.0, 0.1, 0.5, 0.8]),
        **{f"participation.{name}": rng.uniform(1, 9, size=4) for name in hidden},
    }
    defaults = {"embeddings": drawn, "channels": {"hidden0": (2, 2, 3)}, "course": course}
    return evidence_from_ink(output, dark=dark, hidden=hidden, **{**defaults, **settings})


def diffusion_evidence(**settings: Any) -> Evidence:
    """The same of a diffusion model: hidden layers by what was shown, two of them noisy pictures, and its error."""
    plain = generic_evidence(**settings)
    rng = stream(9, "measures", "diffusion")
    widths = {"pixels": 20, "untrained": 14, "true": 14, "noised-5": 14, "noised-50": 14, "bottleneck": 6, "probe": 14}
    hidden = {name: np.tanh(one_hot() @ rng.normal(size=(20, width))) for name, width in widths.items()}
    layers = {"input": plain.layers["input"], **hidden, "output": plain.layers["output"]}
    defaults = {"layers": layers, "channels": {}, "denoising": {"shown": 0.02, "new": 0.07}}
    return dataclasses.replace(plain, **{**defaults, **settings})


@pytest.fixture(scope="session")
def bumps() -> Callable[..., np.ndarray]:
    return draw_bumps


@pytest.fixture(scope="session")
def from_ink() -> Callable[..., Evidence]:
    return evidence_from_ink


@pytest.fixture(scope="session")
def generic() -> Callable[..., Evidence]:
    return generic_evidence


@pytest.fixture(scope="session")
def diffused() -> Callable[..., Evidence]:
    return diffusion_evidence


@pytest.fixture(scope="session")
def full_stripes() -> Callable[..., dict[str, np.ndarray]]:
    return stripes


@pytest.fixture(scope="session")
def sections_of() -> Callable[..., dict[str, np.ndarray]]:
    return hole_sections


@pytest.fixture(scope="session")
def one_hot_code() -> Callable[..., np.ndarray]:
    return one_hot


def all_combinations(*sizes: int) -> np.ndarray:
    """Every combination of components with these numbers of levels, the last component fastest."""
    return np.indices(sizes).reshape(len(sizes), -1).T


def conjunction_codes(combinations: np.ndarray, weights: dict[tuple[int, ...], float]) -> np.ndarray:
    """Features whose inner products are the weights of the sets of components, given by index, that are shared."""
    codes = []
    for where, weight in weights.items():
        _, place = np.unique(combinations[:, where], axis=0, return_inverse=True)
        codes.append(np.sqrt(weight) * np.eye(place.max() + 1)[place.reshape(-1)])
    return np.concatenate(codes, axis=1)


def addition_evidence(
    answers: np.ndarray | None = None,
    *,
    values: tuple[Any, Any] = ((-2.0, -1.0, 0.0, 1.0, 2.0), (-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0)),
    anchors: tuple[Any, Any] = ((2,), (0, 6)),
    **settings: Any,
) -> ComponentEvidence:
    """Sums of two values, trained on every pair with an anchor level; the answers are the truth unless given."""
    combinations = all_combinations(*map(len, values))
    first, second = combinations.T
    targets = np.array(values[0])[first] + np.array(values[1])[second]
    trained = np.isin(first, anchors[0]) | np.isin(second, anchors[1])
    answers = targets if answers is None else answers
    return ComponentEvidence(
        combinations,
        targets,
        answers.reshape(len(targets), -1),
        **{"sections": {"id": trained, "ood": ~trained}, **settings},
    )


def decision_evidence(answers: np.ndarray | None = None, **settings: Any) -> ComponentEvidence:
    """Decisions over components of 2, 3 and 5 levels: the first says which of the others counts.

    Levels 0 and 1 of the second are held out together with levels 3 and 4 of the third; (1, 2, 0) has no answer.
    """
    combinations = all_combinations(2, 3, 5)
    context, first, second = combinations.T
    targets = np.where(np.where(context == 0, first > 0, second > 2), 1.0, -1.0)
    held = (first < 2) & (second > 2)
    nothing = (combinations == (1, 2, 0)).all(axis=1)
    targets[nothing] = np.nan
    answers = targets if answers is None else answers
    kinds = {(0,): "context", (1,): "sensory", (2,): "sensory", (1, 2): "sensory", (0, 1, 2): "memorization"}
    types = {(where, tuple(row[list(where)].tolist())): kind for where, kind in kinds.items() for row in combinations}
    for level, where, row in ((level, where, row) for where in (1, 2) for row in combinations for level in (0, 1)):
        types[(0, where), (level, int(row[where]))] = "right" if level == where - 1 else "wrong"
    defaults = {"sections": {"id": ~held & ~nothing, "ood": held}, "types": types}
    return ComponentEvidence(combinations, targets, answers.reshape(30, -1), **{**defaults, **settings})


def generic_components(task: str, **settings: Any) -> ComponentEvidence:
    """Evidence of an "addition" or a "decision" with noisy answers and two random layers, nothing special about it."""
    plain = addition_evidence() if task == "addition" else decision_evidence()
    rng = stream(5, "measures", "components", task)
    number = len(plain.targets)
    code = np.concatenate([np.eye(levels.max() + 1)[levels] for levels in plain.combinations.T], axis=1)
    similarities = {}
    for name in ("initial layer0", "trained layer0"):
        active = np.maximum(code @ rng.normal(size=(code.shape[1], 200)), 0.0)
        similarities[name] = active @ active.T / 200
    answers = 0.7 * plain.targets[:, None] + rng.normal(size=(number, 4))
    familiar = plain.targets[:, None] + rng.normal(size=(number, 3))
    defaults = {"answers": answers, "familiar": familiar, "similarities": similarities}
    return dataclasses.replace(plain, **{**defaults, **settings})


@pytest.fixture(scope="session")
def grid_of() -> Callable[..., np.ndarray]:
    return all_combinations


@pytest.fixture(scope="session")
def codes() -> Callable[..., np.ndarray]:
    return conjunction_codes


@pytest.fixture(scope="session")
def addition() -> Callable[..., ComponentEvidence]:
    return addition_evidence


@pytest.fixture(scope="session")
def decision() -> Callable[..., ComponentEvidence]:
    return decision_evidence


@pytest.fixture(scope="session")
def components() -> Callable[..., ComponentEvidence]:
    return generic_components


def block_layers(
    *units: tuple[int, ...], seed: int = 0, between: float = 0.0, equal: bool = False
) -> tuple[np.ndarray, ...]:
    """Weights of layers in blocks: each layer is told by its number of units of every module, the inputs first.

    Weights between modules are multiplied. They are random, from 0.5 to 1.5 and of either sign, or all 1.
    """
    rng = stream(seed, "measures", "blocks")
    labels = [block_labels(*each) for each in units]
    found = []
    for before, after in pairwise(labels):
        size = (len(after), len(before))
        drawn = np.ones(size) if equal else rng.uniform(0.5, 1.5, size) * rng.choice([-1.0, 1.0], size)
        found.append(drawn * np.where(after[:, None] == before, 1.0, between))
    return tuple(found)


def block_labels(*units: int) -> np.ndarray:
    """The modules of a layer with so many units of each: (2, 1) is 0, 0, 1."""
    return np.repeat(np.arange(len(units)), units)


def pass_on(
    weights: tuple[np.ndarray, ...], inputs: np.ndarray, disturb: Any = lambda active: active
) -> dict[str, Any]:
    """The layers of a network with tanh units, by name; what a hidden layer shows may be disturbed."""
    layers = {"input": inputs}
    active = inputs
    for place, matrix in enumerate(weights[:-1]):
        active = layers[f"layer{place}"] = disturb(np.tanh(active @ matrix.T))
    return {**layers, "output": active @ weights[-1].T}


def disturbed(weights: tuple[np.ndarray, ...], inputs: np.ndarray, first: np.ndarray) -> dict[str, np.ndarray]:
    """All probes of that network; ``first`` are the inputs of module 0. Pruning drops the weights below a half."""
    rng = stream(7, "measures", "disturbed")
    powers = {"poisson": 0.5, "additive": 0.0, "multiplicative": 1.0}

    def noisy(active: np.ndarray) -> np.ndarray:
        return active + float(amount) * np.abs(active) ** powers[kind] * rng.normal(size=active.shape)

    pruned = tuple(np.where(np.abs(matrix) < 0.5, 0.0, matrix) for matrix in weights)
    found = {}
    for name in probe_names():
        kind, _, amount = name.rpartition(" ")
        net, asked = pruned if name.startswith("pruned") else weights, inputs
        if kind.endswith("shift"):
            asked = inputs + float(amount) * first
        elif kind == "scale":
            asked = np.where(first, float(amount) * inputs, inputs)
        layers = pass_on(net, asked, noisy) if kind in powers else pass_on(net, asked)
        found[name] = layers["output"]
    step = 1e-4 * np.eye(inputs.shape[1])
    here = pass_on(weights, inputs)["output"]
    moved = [np.abs(pass_on(weights, inputs + each)["output"] - here).mean(axis=0) / 1e-4 for each in step]
    return {**found, "sensitivity": np.stack(moved, axis=1)}


def generic_modules(**settings: Any) -> ModuleEvidence:
    """Evidence of a network with blocks and something between them, for three modules of unequal size.

    5 inputs, hidden layers of 8, 3 (one unit per module) and 7 units, 4 outputs, 40 items: 24 trained, 12 held out.
    """
    rng = stream(6, "measures", "modules")
    weights = block_layers((2, 1, 2), (3, 2, 3), (1, 1, 1), (2, 2, 3), (1, 2, 1), seed=6, between=0.1)
    into, out = block_labels(2, 1, 2), block_labels(1, 2, 1)
    inputs = rng.uniform(-2, 2, size=(40, 5))
    layers = pass_on(weights, inputs)
    place = np.arange(40)
    sections = {"id": place < 24, "ood": (place >= 24) & (place < 36), "corner": (place >= 30) & (place < 36)}
    defaults = {
        "targets": layers["output"] + 0.3 * rng.normal(size=(40, 4)),
        "answers": layers["output"],
        "sections": sections,
        "modules_in": into,
        "modules_out": out,
        "weights": weights,
        "layers": layers,
        "probes": disturbed(weights, inputs, into == 0),
    }
    return ModuleEvidence(**{**defaults, **settings})


@pytest.fixture(scope="session")
def blocks() -> Callable[..., tuple[np.ndarray, ...]]:
    return block_layers


@pytest.fixture(scope="session")
def labelled() -> Callable[..., np.ndarray]:
    return block_labels


@pytest.fixture(scope="session")
def modules() -> Callable[..., ModuleEvidence]:
    return generic_modules


def generic_scenes(**settings: Any) -> SceneEvidence:
    """Evidence of a model that adds two noisy components: 20 scenes of 3 x 4 pixels, 8 like the training set."""
    rng = stream(8, "measures", "scenes")
    truths = rng.uniform(size=(2, 20, 3, 4, 3))
    components = truths + 0.1 * rng.normal(size=truths.shape)
    place = np.arange(20)
    defaults = {
        "targets": truths.sum(axis=0),
        "outputs": components.sum(axis=0),
        "latents": rng.uniform(size=(20, 2, 5)),
        "sections": {
            "id": place < 8,
            "all": place >= 8,
            "ood": place >= 10,
            "seen": (place >= 8) & (place < 16),
            "unseen": place >= 16,
        },
        "overlap": rng.uniform(size=(20, 3, 4)) < 0.3,
        "truths": truths,
        "components": components,
        "swapped": components + truths[::-1],
        "composed": truths.sum(axis=0),
    }
    return SceneEvidence(**{**defaults, **settings})


@pytest.fixture(scope="session")
def scenes() -> Callable[..., SceneEvidence]:
    return generic_scenes
