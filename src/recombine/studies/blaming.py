"""A trained run of any family handed over to `measures.blame` as arrays: answers, truth, and what training showed."""

from collections.abc import Mapping, Sequence

import numpy as np

from recombine.core.shapes import Bool, Float, Int
from recombine.data import Problem
from recombine.data.components import ComponentTask
from recombine.data.functions import FunctionTask
from recombine.data.scenes import Sprites
from recombine.data.task import Examples
from recombine.measures import ComponentEvidence, Evidence, ModuleEvidence, SceneEvidence
from recombine.measures.answer import defined
from recombine.measures.blame import FINE, SMALL, Claim, share_out
from recombine.measures.blame_answers import (
    MOST_COMPONENTS,
    contradicting,
    leak,
    not_additive,
    shortcut,
    shown_conjunctions,
)
from recombine.measures.blame_pictures import blame_pictures
from recombine.measures.blame_training import at_scale, not_learned, too_little_data, too_little_overlap, unseen_level
from recombine.measures.conjunctions import conjunction_shares
from recombine.measures.error import nmse
from recombine.measures.explanation_general import (
    GeneralExplanation,
    SectionError,
    SupportMap,
    additive_share,
    explain_general,
    support_map,
    telling_pair,
)
from recombine.studies.lacking import lacking_scenes
from recombine.studies.training import Run

SHOWN = 256  # training examples that are asked again
HELD = 500  # held-out rows that are looked at
LARGEST = 1000  # combinations up to which layers and conjunctions are looked at
SCENES = 24  # ... of scenes, whose support takes a while to look at
BINS = 8  # of a place, for the map of scenes
NO_LAYERS = "layers: not looked at, for"
NO_CONJUNCTIONS = "conjunctions: this task has no components that are symbols"


def explain_other(run: Run) -> GeneralExplanation:
    """What is to blame in a run whose task is no picture over y and x."""
    task, evidence = run.experiment.problem.task, run.evidence
    if isinstance(task, ComponentTask) and isinstance(evidence, ComponentEvidence):
        return _components(run, task, evidence)
    if isinstance(task, FunctionTask) and isinstance(evidence, ModuleEvidence):
        return _functions(run, task, evidence)
    if isinstance(task, Sprites) and isinstance(evidence, SceneEvidence):
        return _scenes(run, evidence)
    assert isinstance(evidence, Evidence)
    return _pictures(run, evidence)


def _components(run: Run, task: ComponentTask, evidence: ComponentEvidence) -> GeneralExplanation:
    problem, seed = run.experiment.problem, run.experiment.seed
    names, levels = problem.grid.names, evidence.combinations
    shown, allowed = problem.shown(seed), problem.trained
    binary, truth, answers = evidence.binary, evidence.targets, evidence.mean
    middle = float(truth[shown].mean())
    wrong, costs = _misses(answers, truth, binary), _costs(truth, middle, binary)
    held = _even(np.flatnonzero(evidence.sections["ood"]), HELD)
    examples = _some(problem.training_set(seed))
    wanted = examples.targets[:, 0, 0].astype(np.float64)
    learned, spent = _misses(_asked_again(run, examples)[:, 0], wanted, binary), _costs(wanted, middle, binary)
    # Images of trained combinations that were not trained on are as fresh as combinations left out by chance.
    new = allowed if task.images is not None else allowed & ~shown
    errors, asked, pool = wrong[held], levels[held], levels[allowed]
    otherwise = float(spent.mean()) or 1.0
    scale = float(costs[held].mean()) if costs[held].any() else otherwise
    sections = _sections(evidence.sections, wrong, costs, otherwise)
    fresh = at_scale(wrong[new], costs[new], scale)
    if binary:
        rules = (asked, levels[shown], truth[shown], names)
        made: list[Claim | None] = [
            contradicting(errors, truth[held], asked, pool),
            shortcut(errors, answers[held], truth[held], *rules),
        ]
    else:
        made = [
            not_additive(errors, truth[held][:, None], asked, pool, truth[allowed][:, None]),
            leak(errors, answers[held][:, None], truth[held][:, None], _sums(asked, pool)),
        ]
    again, shown_error = at_scale(learned, spent, scale), float(learned.mean() / otherwise)
    claims = [*_of_training(errors, again, fresh, asked, pool.astype(np.float64), names, scale, shown_error), *made]
    layers, words = {}, []
    if task.images is None and task.grid.size <= LARGEST:
        layers = _layer_shares(run.layers(), levels)
    else:
        words.append(f"{NO_LAYERS} {'images stand for levels' if task.images else 'the grid is large'}")
    shares = defined(conjunction_shares, evidence) if len(levels) <= LARGEST else None
    if not shares:
        words.append("conjunctions: their shares are not defined for these answers")
    return explain_general(
        "error rate" if binary else "nMSE",
        sections,
        shown_error,
        share_out(errors, claims, scale, "ood", _error(sections, "ood"), shown_error, SMALL if binary else FINE),
        problem.reveal,
        conjunctions=shares or {},
        layers=layers,
        support=_grid_map(problem, levels[shown], asked, errors / scale),
        undefined=tuple(words),
    )


def _functions(run: Run, task: FunctionTask, evidence: ModuleEvidence) -> GeneralExplanation:
    problem, seed = run.experiment.problem, run.experiment.seed
    names, grid = problem.grid.names, problem.grid
    cells = task.cells(task.asked(seed).positions)
    wrong, costs = (np.square(each - evidence.targets).mean(axis=1) for each in (evidence.answers, 0.0))
    held = _even(np.flatnonzero(evidence.sections["ood"]), HELD)
    training = problem.training_set(seed)
    examples = _some(training)
    wanted = examples.targets[:, 0].astype(np.float64)
    learned, spent = (np.square(each - wanted).mean(axis=1) for each in (_asked_again(run, examples), 0.0))
    errors, asked, inside = wrong[held], cells[held], evidence.sections["id"]
    scale = float(costs[held].mean()) if costs[held].any() else 1.0
    sections = _sections(evidence.sections, wrong, costs)
    pool = grid.combinations()[problem.trained]
    fresh = at_scale(wrong[inside], costs[inside], scale)
    again, shown_error = at_scale(learned, spent, scale), float(learned.mean() / (spent.mean() or 1.0))
    # At the middles of cells, so that a sum over cells need not follow what varies within one.
    at_asked, at_pool = (task.examples(rows, seed).targets[:, 0].astype(np.float64) for rows in (asked, pool))
    claims = [
        *_of_training(errors, again, fresh, asked, pool.astype(np.float64), names, scale, shown_error),
        not_additive(errors, at_asked, asked, pool, at_pool) if len(held) else None,
        leak(errors, evidence.answers[held], evidence.targets[held]),
    ]
    return explain_general(
        "nMSE",
        sections,
        shown_error,
        share_out(errors, claims, scale, "ood", _error(sections, "ood"), shown_error, FINE),
        problem.reveal,
        layers=_layer_shares(evidence.layers, cells),
        support=_grid_map(problem, task.cells(training.positions), asked, errors / scale),
        undefined=(NO_CONJUNCTIONS,),
    )


def _scenes(run: Run, evidence: SceneEvidence) -> GeneralExplanation:
    problem, seed = run.experiment.problem, run.experiment.seed
    section = "ood" if "ood" in evidence.sections else "all"  # where the support is the whole space
    outside = evidence.sections[section]
    middle = evidence.targets[outside].mean(axis=0, dtype=np.float64)
    wrong, costs = (
        np.square(np.subtract(each, evidence.targets, dtype=np.float64)).mean(axis=(1, 2, 3))
        for each in (evidence.outputs, middle)
    )
    held = _even(np.flatnonzero(outside), SCENES)
    training = problem.training_set(seed)
    examples = _some(training)
    wanted = examples.targets.reshape(len(examples), *evidence.targets.shape[1:]).astype(np.float64)
    drawn = _asked_again(run, examples).reshape(wanted.shape)
    learned, spent = (np.square(each - wanted).mean(axis=(1, 2, 3)) for each in (drawn, middle))
    errors, inside, scale = wrong[held], evidence.sections["id"], float(costs[outside].mean()) or 1.0
    again, fresh = at_scale(learned, spent, scale), at_scale(wrong[inside], costs[inside], scale)
    shown_error = float(learned.mean() / (spent.mean() or 1.0))
    sections = _sections(evidence.sections, wrong, costs)
    error = _error(sections, section)
    claims = [
        not_learned(errors, again, scale, shown_error),
        too_little_data(errors, again, fresh),
        *(lacking_scenes(problem, evidence.latents[held], errors, seed) if error is None or error >= SMALL else ()),
    ]
    scenes_shown = training.positions.reshape(len(training), *evidence.latents.shape[1:])
    shown, asked = (
        np.minimum((scenes[:, :2, 0] * BINS).astype(int), BINS - 1) for scenes in (scenes_shown, evidence.latents[held])
    )
    one = evidence.slots < 2
    return explain_general(
        "nMSE",
        sections,
        shown_error,
        share_out(errors, claims, scale, section, error),
        support=None if one else support_map(("x1", "x2"), (BINS, BINS), shown, asked, errors / scale),
        undefined=(NO_CONJUNCTIONS, f"{NO_LAYERS} scenes have no levels"),
    )


def _pictures(run: Run, evidence: Evidence) -> GeneralExplanation:
    """Places read off pictures, and turned digits: pictures of two factors that are not y and x of a canvas."""
    problem, seed = run.experiment.problem, run.experiment.seed
    shown = problem.shown(seed)
    names = problem.grid.names
    levels, held = evidence.levels, np.flatnonzero(evidence.section("ood"))
    wrong, costs = (
        np.square(np.subtract(each, evidence.targets, dtype=np.float64)).mean(axis=(1, 2))
        for each in (evidence.outputs, evidence.blank)
    )
    sections = [
        SectionError(name, int(mask.sum()), score)
        for name, mask in evidence.sections.items()
        if mask.any() and (score := defined(nmse, evidence, name)) is not None
    ]
    return explain_general(
        "nMSE",
        sections,
        float(wrong[shown].mean() / (costs[shown].mean() or 1.0)),
        blame_pictures(evidence, shown, None, problem.trained, names),
        problem.reveal,
        layers=_layer_shares(evidence.layers, levels),
        support=_grid_map(problem, levels[shown], levels[held], wrong[held] / (costs[held].mean() or 1.0)),
        undefined=(NO_CONJUNCTIONS,),
    )


def _of_training(
    errors: Float[np.ndarray, " held"],
    learned: Float[np.ndarray, " shown"],
    fresh: Float[np.ndarray, " fresh"],
    asked: Int[np.ndarray, "held factors"],
    pool: Float[np.ndarray, "allowed factors"],
    names: Sequence[str],
    scale: float,
    shown_error: float,
) -> list[Claim | None]:
    if not len(errors):
        return []
    return [
        not_learned(errors, learned, scale, shown_error),
        too_little_data(errors, learned, fresh),
        unseen_level(errors, asked, pool, names),
        too_little_overlap(errors, asked, pool),
    ]


def _sums(
    asked: Int[np.ndarray, "held components"], pool: Int[np.ndarray, "allowed components"]
) -> Float[np.ndarray, "held columns"] | None:
    return shown_conjunctions(asked, pool) if asked.shape[1] <= MOST_COMPONENTS else None


def _misses(
    answers: Float[np.ndarray, " rows"], truth: Float[np.ndarray, " rows"], binary: bool
) -> Float[np.ndarray, " rows"]:
    """Squared errors, or 1 for a wrong class and one half for none; 0 where there is no true answer."""
    if binary:
        return np.where(np.isnan(truth), 0.0, 0.5 - 0.5 * np.sign(answers) * np.sign(np.nan_to_num(truth)))
    return np.square(np.nan_to_num(answers - truth))


def _costs(truth: Float[np.ndarray, " rows"], middle: float, binary: bool) -> Float[np.ndarray, " rows"]:
    """What always answering ``middle`` costs; of classes 1, a wrong answer."""
    return np.ones(len(truth)) if binary else np.square(np.nan_to_num(truth - middle))


def _asked_again(run: Run, examples: Examples) -> np.ndarray:
    """What the network answers to training examples, flat."""
    import torch

    from recombine.models.activations import activations

    return activations(run.network, torch.from_numpy(examples.codes), ["output"])["output"].double().numpy()


def _some(examples: Examples) -> Examples:
    """At most `SHOWN` of them, evenly spaced."""
    rows = _even(np.arange(len(examples)), SHOWN)
    return Examples(examples.positions[rows], examples.codes[rows], np.asarray(examples.pictures[rows]))


def _even(rows: Int[np.ndarray, " rows"], most: int) -> Int[np.ndarray, " some"]:
    return rows[np.linspace(0, len(rows) - 1, min(len(rows), most)).round().astype(int)]


def _sections(
    sections: Mapping[str, Bool[np.ndarray, " rows"]],
    wrong: Float[np.ndarray, " rows"],
    costs: Float[np.ndarray, " rows"],
    otherwise: float = 1.0,
) -> list[SectionError]:
    """Errors in units of what knowing nothing costs on the section, and of ``otherwise`` where it costs nothing."""
    return [
        SectionError(name, int(mask.sum()), float(wrong[mask].mean() / (costs[mask].mean() or otherwise)))
        for name, mask in sections.items()
        if mask.any()
    ]


def _error(sections: Sequence[SectionError], name: str) -> float | None:
    """The error of the section with this name; None where it has no items."""
    return next((each.error for each in sections if each.name == name), None)


def _layer_shares(
    layers: Mapping[str, Float[np.ndarray, "items _features"]], levels: Int[np.ndarray, "items factors"]
) -> dict[str, float]:
    shares = {name: additive_share(rows, levels) for name, rows in layers.items()}
    return {name: share for name, share in shares.items() if share is not None}


def _grid_map(
    problem: Problem,
    shown: Int[np.ndarray, "shown factors"],
    asked: Int[np.ndarray, "held factors"],
    errors: Float[np.ndarray, " held"],
) -> SupportMap | None:
    """The two factors that tell what is held out, at the level of others that all of it has; None with one factor."""
    grid = problem.grid
    if len(grid.shape) < 2 or not len(asked):
        return None
    first, second = pair = telling_pair(problem.parts.held_out.reshape(grid.shape))
    held = grid.combinations()[problem.parts.held_out]
    at = {axis: int(levels[0]) for axis, levels in enumerate(held.T) if axis not in pair and np.ptp(levels) == 0}
    there = (shown[:, list(at)] == list(at.values())).all(axis=1)
    return support_map(
        (grid.names[first], grid.names[second]),
        (grid.shape[first], grid.shape[second]),
        shown[there][:, pair],
        asked[:, pair],
        errors,
        {grid.names[axis]: level for axis, level in at.items()},
    )
