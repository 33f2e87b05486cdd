"""How much of a representation's similarity belongs to single components, and how much to conjunctions of them?

Lippl & Stachenfeld (2025), section 5.1, for representations that are measured: inner products are averaged over pairs
of combinations that share equally much. Pairs of samples must be of different inputs, or what is peculiar to an input
counts as its conjunction's.
"""

from itertools import product
from math import comb

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Float, Int
from recombine.measures.component_evidence import ComponentEvidence
from recombine.measures.registry import measures
from recombine.measures.slope import held_out_slope

ALIKE = 1e-12  # similarities that differ by less than this, relative to the largest, are the same
ADDITIVE = 1e-9  # what a sum of component values leaves of the targets, relative to the largest, is rounding


def network_salience(
    similarity: Float[np.ndarray, "combinations combinations"], combinations: Int[np.ndarray, "combinations components"]
) -> Float[np.ndarray, " components"]:
    """S(1;C), ..., S(C;C): the salience of a conjunction of k components, by how many they are.

        S(k;C) = Σ_{j≤k} (−1)^{k−j} C(k,j) κ_j / (κ_C − κ_0),   κ_j the mean over pairs that share j components

    Σ_k C(C,k) S(k;C) = 1. S(1;C) = 1/C: components side by side, nothing else; 0: single components do not matter.
    With two components S(1;2) = (κ_1 − κ_0)/(κ_2 − κ_0), from 0 for a code per combination to ½.
    """
    counts = _shared(combinations).sum(axis=2)
    orders = range(combinations.shape[1] + 1)
    means = [_mean(similarity, counts == count, f"{count} of {orders[-1]} components") for count in orders]
    scale = _scale(means[-1], means[0])
    return np.array([sum((-1) ** (k - j) * comb(k, j) * means[j] for j in range(k + 1)) for k in orders[1:]]) / scale


def component_salience(
    similarity: Float[np.ndarray, "combinations combinations"], combinations: Int[np.ndarray, "combinations components"]
) -> dict[tuple[int, ...], float]:
    """The salience of each set of components, by a flag per component: (1, 0) is the first alone.

        S_J = Σ_{I⊆J} (−1)^{|J|−|I|} κ_I / (κ_all − κ_∅),   κ_I the mean over pairs that share I and nothing else

    They sum to 1. Where all sets of a size are equal this is `network_salience`.
    """
    shared = _shared(combinations)
    sets = list(product((0, 1), repeat=combinations.shape[1]))
    means = {
        flags: _mean(similarity, (shared == np.array(flags, dtype=bool)).all(axis=2), _names(flags)) for flags in sets
    }
    scale = _scale(means[sets[-1]], means[sets[0]])

    def part(flags: tuple[int, ...]) -> float:
        inside = (each for each in sets if all(a <= b for a, b in zip(each, flags, strict=True)))
        return sum((-1) ** (sum(flags) - sum(each)) * means[each] for each in inside) / scale

    return {flags: part(flags) for flags in sets[1:]}


@measures.register("salience")
def salience(evidence: ComponentEvidence) -> dict[str, float]:
    """Salience S(1;C) of a single component, by representation: 1/C when there is nothing else, 0 when it has none."""
    return _salience(evidence, 1)


@measures.register("salience_2")
def salience_2(evidence: ComponentEvidence) -> dict[str, float]:
    """Salience S(2;C) of a pair of components, by representation: 0 for components side by side."""
    components = evidence.combinations.shape[1]
    if components < 3:
        raise InputError(
            f"salience_2 needs more than 2 components, this task has {components}; "
            "with 2 it is 1 − 2 S(1;2), so use salience."
        )
    return _salience(evidence, 2)


@measures.register("predicted_slope")
def predicted_slope(evidence: ComponentEvidence) -> dict[str, float]:
    """Slope on held-out sums that each representation's salience predicts for a kernel, to compare with `slope`.

        m_1 = p_2 S_1 / (p_2 S_1 + S_12),   m_2 = p_1 S_2 / (p_1 S_2 + S_12),   p_c the anchor levels of component c

    The slope is the mean of the two, each weighted by the variance that its component gives to the held-out targets:
    equal weights for components with the same values. 1: no leak; 0: everything is learnt by heart. The task must be a
    sum of two component values, trained on every combination with an anchor and on no other.
    """
    parts = _parts(evidence)
    first, second = _anchors(evidence)
    held = evidence.section("ood")
    weights = [part[held].var() for part in parts]
    if sum(weights) == 0:
        raise InputError(
            "predicted_slope is undefined: all held-out targets are the same; hold out combinations that differ."
        )
    answer = {}
    for name, matrix in evidence.every_similarity().items():
        each = component_salience(matrix, evidence.combinations)
        slopes = [
            _kept(name, number * each[flags], each[1, 1]) for number, flags in ((second, (1, 0)), (first, (0, 1)))
        ]
        answer[name] = float(np.average(slopes, weights=weights))
    return answer


@measures.register("slope_error")
def slope_error(evidence: ComponentEvidence) -> dict[str, float]:
    """Predicted minus measured slope by representation: 0 predicted, above 0 the model shrinks more than predicted."""
    measured = held_out_slope(evidence)
    return {name: predicted - measured for name, predicted in predicted_slope(evidence).items()}


def _salience(evidence: ComponentEvidence, order: int) -> dict[str, float]:
    every = evidence.every_similarity().items()
    return {name: float(network_salience(matrix, evidence.combinations)[order - 1]) for name, matrix in every}


def _shared(
    combinations: Int[np.ndarray, "combinations components"],
) -> Bool[np.ndarray, "combinations combinations components"]:
    return combinations[:, None] == combinations[None]


def _names(flags: tuple[int, ...]) -> str:
    names = ", ".join(str(component) for component, flag in enumerate(flags) if flag)
    return f"components {names} and no other" if names else "no component"


def _mean(
    similarity: Float[np.ndarray, "combinations combinations"],
    pairs: Bool[np.ndarray, "combinations combinations"],
    what: str,
) -> float:
    if not pairs.any():
        raise InputError(
            f"salience is undefined: no two combinations share {what}; "
            "every component needs two levels or more, in all their combinations."
        )
    return float(similarity[pairs].mean(dtype=np.float64))


def _scale(identical: float, distinct: float) -> float:
    if identical - distinct <= ALIKE * max(abs(identical), abs(distinct)):
        raise InputError(
            f"salience is undefined: samples of the same combination ({identical:.3g}) are no more similar than "
            f"those of combinations that share nothing ({distinct:.3g}); use a layer that tells combinations apart."
        )
    return identical - distinct


def _kept(name: str, single: float, both: float) -> float:
    """The share of a component's value that does not leak into its conjunctions."""
    if single + both <= ALIKE:
        raise InputError(
            f"predicted_slope is undefined for representation {name!r}: a component and its conjunctions have no "
            f"salience together ({single + both:.3g}); leave that representation out."
        )
    return single / (single + both)


def _anchors(evidence: ComponentEvidence) -> tuple[int, int]:
    """How many levels of each component are trained on in all their combinations; all others must be held out."""
    trained, held = evidence.section("id"), evidence.section("ood")
    anchored = np.zeros(evidence.combinations.shape, dtype=bool)
    numbers = []
    for component, levels in enumerate(evidence.combinations.T):
        anchors = [level for level in np.unique(levels) if trained[levels == level].all()]
        anchored[:, component] = np.isin(levels, anchors)
        numbers.append(len(anchors))
    if 0 in numbers or not np.array_equal(anchored.any(axis=1), trained) or not np.array_equal(~trained, held):
        raise InputError(
            f"predicted_slope needs a split by anchors, this one has {numbers[0]} and {numbers[1]} levels that are "
            "always trained on; train on every combination with an anchor and hold out the rest, or leave it out."
        )
    return numbers[0], numbers[1]


def _parts(
    evidence: ComponentEvidence,
) -> tuple[Float[np.ndarray, " combinations"], Float[np.ndarray, " combinations"]]:
    """What each of two components gives to the target of every combination, up to a constant."""
    combinations, targets = evidence.combinations, evidence.targets.astype(np.float64)
    sizes = [len(np.unique(levels)) for levels in combinations.T]
    if len(sizes) != 2 or len(combinations) != np.prod(sizes) or np.isnan(targets).any():
        raise InputError(
            f"predicted_slope needs all combinations of two components with an answer each, got {len(combinations)} "
            f"combinations of {len(sizes)} components with {' × '.join(map(str, sizes))} levels; leave the measure out."
        )
    first, second = (
        np.array([targets[levels == level].mean() for level in levels]) - targets.mean() for levels in combinations.T
    )
    if np.abs(targets - targets.mean() - first - second).max() > ADDITIVE * np.abs(targets).max():
        raise InputError(
            "predicted_slope needs targets that are sums of a value per component, and these are not; "
            "leave the measure out, or judge by additivity."
        )
    return first, second
