"""What is to be expected of a network on a problem: the calibrated number by section, and the failure by name."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import isnan

import numpy as np

from recombine.core.failures import Failure
from recombine.core.shapes import Bool
from recombine.data import Problem
from recombine.data.pictures import Picture
from recombine.models import ModelSpec, models
from recombine.studies.expectations import expectations, sorts_of
from recombine.studies.features import family, features, network, performance, with_network
from recombine.studies.fitting import fits, has_classes
from recombine.studies.outlook_notes import notes
from recombine.theory import Forecast
from recombine.theory.calibration import Calibration, standing
from recombine.theory.outlook import COMPOSES_FROM, Expectation, Expected, Outlook, in_order

KERNEL_REASONS = {
    "not additive": Failure.NOT_ADDITIVE,
    "shortcut": Failure.SHORTCUT,
    "memorisation leak": Failure.LEAK,
    "no compositional example": Failure.NO_COMPOSITIONAL_EXAMPLE,
}
ADDED = ("deep", "rich", "modular", "logistic")  # facts of a network that are told beside its kind
TRAINED = "id"  # the section that is no question of composition
LARGEST = 20_000  # combinations of a grid whose facts are counted one by one
FEW_PARTNERS = 0.5  # of the levels of a factor, with which the rarest level of what is asked was shown
BETWEEN = 1.5  # mean steps to the nearest training example, beyond which what is held out lies between no two of them
INTERACTS_FROM = 0.1  # share of the answers' variance that is not a sum over levels


def outlook(
    problem: Problem,
    found: Forecast,
    model: ModelSpec | None = None,
    loss: str = "mse",
    seed: int = 0,
    calibration: Calibration | None = None,
) -> Outlook | None:
    """What trained networks should do, from what kernels say.

    None where no right answer is known to compare with. Scenes have an outlook of their own (`scene_outlook`).

    Without a model: over the sorts of networks that were trained for this family of tasks. Without a calibration that
    knows the family the numbers are the theory's own.
    """
    if any(isnan(section.expected) for section in found.sections):
        return None
    known = calibration or standing()
    if known is None or problem.grid.size > LARGEST:
        return plain(found)
    networks: Mapping[str, Mapping[str, float]]
    if model is not None:
        networks, losses = {"": network(model, loss)}, {"": loss}
    else:
        networks = networks_of(known, problem)
        losses = {name: "logistic" if one["logistic"] else "mse" for name, one in networks.items()}
    told = {each: features(problem, model, each, found, seed) for each in {loss, *losses.values()}}
    asked = {
        section: {each: with_network(told[losses[each]][section], one) for each, one in networks.items()}
        for section in told[loss]
        if section != TRAINED
    }
    made = expectations(known, asked, named=model is None)
    words = notes(known, list(asked["ood"].values()), family(problem), model, made.held_out.expected)
    made = replace(made, notes=words, loss=loss if model is not None and has_classes(problem.task) else None)
    if made.held_out.expected >= COMPOSES_FROM:
        return made
    return replace(made, failures=in_order(list(_failures(problem, found, told[loss]["ood"]))))


def plain(found: Forecast) -> Outlook:
    """The theory's own numbers, where nothing was tuned."""
    sections = tuple(
        Expectation(
            each.name,
            performance(each.expected, found.quantity),
            performance(each.high, found.quantity),
            performance(each.low, found.quantity),
        )
        for each in found.sections
        if each.name != TRAINED
    )
    failures = () if found.composes else in_order(list(_by_kernels(found)))
    return Outlook(sections, failures, False)


def networks_of(known: Calibration, problem: Problem) -> dict[str, Mapping[str, float]]:
    """The sorts of networks among the trials of a problem's family, by name; of all families where it has none.

    Networks that cannot be trained on the problem are left out, unless there are no others.
    """
    kind = f"is {family(problem)}"
    mine = known.column(kind) > 0 if kind in known.names else np.zeros(0, bool)
    chosen = mine if mine.any() else np.ones(len(known.rows), dtype=bool)
    usable = chosen & _usable(known, problem)
    return sorts_of(known, list(network(None, "mse")), usable if usable.any() else chosen, _in_words)


def _usable(known: Calibration, problem: Problem) -> Bool[np.ndarray, " trials"]:
    """The trials whose network, and whose loss, could be used on this problem."""
    usable = {kind for kind in set(known.models) if fits(problem, models.parse(kind))}
    mse = known.column("logistic") == 0
    return np.array([kind in usable for kind in known.models]) & (mse | has_classes(problem.task))


def _in_words(kind: str, row: Mapping[str, float]) -> str:
    return ", ".join([kind, *(name for name, value in row.items() if value and name in ADDED)])


def _by_kernels(found: Forecast) -> Iterator[Expected]:
    """The failures that the forecast by kernels names itself."""
    told = set()
    for reason in found.reasons:
        failure = KERNEL_REASONS.get(reason.name)
        if failure is not None and failure not in told:
            told.add(failure)
            yield Expected(failure, reason.text, reason.evidence)


def _failures(problem: Problem, found: Forecast, facts: Mapping[str, float]) -> Iterator[Expected]:
    """What the facts of the training set and the answers of kernels say will go wrong."""
    named = list(_by_kernels(found))
    yield from named
    told = {each.failure for each in named}
    if facts["unseen"] > 0:
        share = facts["unseen"]
        text = f"{share:.0%} of what is held out has a level that no training example shows."
        yield Expected(Failure.UNSEEN_LEVEL, text, {"share": share})
    if not facts["together"] and Failure.NO_COMPOSITIONAL_EXAMPLE not in told:
        yield Expected(Failure.NO_COMPOSITIONAL_EXAMPLE, Failure.NO_COMPOSITIONAL_EXAMPLE.meaning, {"together": 0})
    elif facts["apart"] > facts["unseen"]:
        share = facts["apart"]
        text = f"{share:.0%} of what is held out has levels that no chain of training examples joins."
        yield Expected(Failure.TOO_LITTLE_OVERLAP, text, {"share": share})
    # Of combinations with an unseen level the rarest level has no partner at all: those are told above.
    seen = 1.0 - facts["unseen"]
    partners = facts["partners"] / seen if seen > 0 else 1.0
    several = sum(size > 1 for size in problem.grid.shape) > 1
    rare = several and partners < FEW_PARTNERS
    # Few partners around a hole are no thin sample: nothing lies between what is shown there.
    hole = facts["distance"] * max(problem.grid.shape) > BETWEEN
    adds_up = any(reason.name == "superposition" for reason in found.reasons)
    if isinstance(problem.task, Picture) and facts["interaction"] > INTERACTS_FROM and (adds_up or hole or not rare):
        text = (
            f"{facts['interaction']:.0%} of the pictures' variance is no sum over the levels of single factors, and "
            "what training shows around the hole is what the answers will be made of."
        )
        yield Expected(Failure.SUPERPOSITION, text, {"interaction": facts["interaction"]})
    elif rare:
        text = (
            "The rarest level of a held-out combination is part of too few training examples: on average it was shown "
            f"with {partners:.0%} of the levels that it could be shown with."
        )
        yield Expected(Failure.TOO_LITTLE_DATA, text, {"partners": partners})
    elif not told and not facts["unseen"] and not facts["apart"] and facts["kernels"] < COMPOSES_FROM:
        text = (
            "What training shows does not rule the right answers out, and does not settle them either: kernels that "
            f"fit it reach a performance of {facts['kernels']:.2f} on what is held out."
        )
        yield Expected(Failure.TOO_LITTLE_DATA, text, {"kernels": facts["kernels"]})
