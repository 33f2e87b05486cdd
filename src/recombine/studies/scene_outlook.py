"""What is to be expected of a network on scenes: the calibrated number by section, and the failure by name."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from recombine.core.failures import Failure
from recombine.data import Problem
from recombine.models import ModelSpec
from recombine.studies.expectations import Facts, expectations, sorts_of
from recombine.studies.outlook_notes import scene_notes
from recombine.studies.scene_features import scene_features, scene_network, sort_in_words, with_scene_network
from recombine.studies.supporting import scenes_of
from recombine.theory import Forecast
from recombine.theory.calibration import SCENES, Calibration, standing
from recombine.theory.outlook import COMPOSES_FROM, Expected, Outlook

MOST = 0.5  # share of what is held out from which on values that are never shown are what fails first
REASONS = {"unseen value": Failure.UNSEEN_LEVEL, "lacking pixels": Failure.TOO_LITTLE_OVERLAP}


def scene_outlook(
    problem: Problem,
    found: Forecast,
    model: ModelSpec | None = None,
    seed: int = 0,
    calibration: Calibration | None = None,
) -> Outlook | None:
    """What trained networks should do beyond the support, from its conditions and from what kernels say.

    None where the support is the whole space, so that nothing is held out, and before any scenes were trained to tune
    it on. Without a model: over the sorts of networks that were. ``found`` is the forecast for this model.
    """
    known = calibration or standing(SCENES)
    told = scene_features(problem, model, found, seed) if known is not None else {}
    if known is None or not told:
        return None
    task, _ = scenes_of(problem)
    own = scene_network(model, task)
    networks: Mapping[str, Facts] = {"": own}
    if model is None:
        networks = sorts_of(known, list(own), np.ones(len(known.rows), dtype=bool), sort_in_words)
    asked = {
        section: {name: with_scene_network(facts, one) for name, one in networks.items()}
        for section, facts in told.items()
    }
    made = expectations(known, asked, named=model is None)
    made = replace(made, notes=scene_notes(known, list(asked["ood"].values()), model, made.held_out.expected))
    if made.held_out.expected >= COMPOSES_FROM:
        return made
    kernels = float(np.mean([each["kernels"] for each in asked["ood"].values()]))
    joins = model is None or bool(own["compositional"])
    return replace(made, failures=_failures(found, told["ood"], kernels, joins))


def _failures(found: Forecast, facts: Facts, kernels: float, joins: bool) -> tuple[Expected, ...]:
    """What the support lacks; where it lacks nothing, what it does not settle. ``joins``: a network that composes.

    Values that are never shown come first where most of what is held out has one, and last where it has not.
    """
    lacks = {}
    for reason in found.reasons:
        if (failure := REASONS.get(reason.name)) is not None and failure not in lacks:
            lacks[failure] = Expected(failure, reason.text, reason.evidence)
    unseen = [lacks.pop(Failure.UNSEEN_LEVEL)] if Failure.UNSEEN_LEVEL in lacks else []
    first, last = (unseen, []) if facts["unseen"] >= MOST else ([], unseen)
    others = list(lacks.values()) or ([] if first else [_unsettled(facts, kernels, joins)])
    return (*first, *others, *last)


def _unsettled(facts: Facts, kernels: float, joins: bool) -> Expected:
    if not joins and not facts["together"]:
        text = "Training varies one sprite at a time, and nothing in this network says how sprites join."
        return Expected(Failure.NO_COMPOSITIONAL_EXAMPLE, text, {"together": 0})
    text = (
        f"{10 ** facts['examples']:.0f} scenes do not settle what lies beyond the support: kernels that fit them reach "
        f"a performance of {kernels:.2f} there."
    )
    return Expected(Failure.TOO_LITTLE_DATA, text, {"kernels": kernels})
