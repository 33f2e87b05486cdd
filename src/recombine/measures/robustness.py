"""Error of a network's answers: as they are, with noise in its units, and with another module's inputs out of range.

Noise in the units and an input out of range are different things to bear; they are never merged into one number.
"""

from collections.abc import Iterable

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Float
from recombine.measures.module_evidence import NOISES, SCALES, SHIFTS, ModuleEvidence
from recombine.measures.registry import measures


def answer_mse(
    evidence: ModuleEvidence,
    answers: Float[np.ndarray, "items outputs"],
    section: str,
    outputs: Bool[np.ndarray, " outputs"] | None = None,
) -> float:
    """Mean squared error of some answers over the items of a section and all outputs, or some. 0: perfect."""
    wrong = np.square(np.subtract(answers, evidence.targets, dtype=np.float64))[evidence.section(section)]
    return float(wrong.mean() if outputs is None else wrong[:, outputs].mean())


@measures.register("id_mse")
def id_mse(evidence: ModuleEvidence) -> float:
    """Mean squared error of the answers to items of trained combinations; 0 is perfect."""
    return answer_mse(evidence, evidence.answers, "id")


@measures.register("ood_mse")
def ood_mse(evidence: ModuleEvidence) -> float:
    """Mean squared error of the answers to items of held-out combinations; 0 is perfect."""
    return answer_mse(evidence, evidence.answers, "ood")


@measures.register("id_nmse")
def id_nmse(evidence: ModuleEvidence) -> float:
    """Error on items of trained combinations relative to answering 0: 0 perfect, 1 as bad as that, no upper end."""
    return _nmse(evidence, "id")


@measures.register("ood_nmse")
def ood_nmse(evidence: ModuleEvidence) -> float:
    """Error on items of held-out combinations relative to answering 0: 0 perfect, 1 as bad as that, no upper end."""
    return _nmse(evidence, "ood")


@measures.register("noise_robustness")
def noise_robustness(evidence: ModuleEvidence) -> dict[str, float]:
    """Mean squared error on trained combinations with Poisson-like noise in the hidden units, by size of the noise.

    A unit that shows a gives a + c √|a| ξ instead, ξ standard normal. Low: robust; compare with `id_mse`.
    """
    return _under_noise(evidence, "poisson")


@measures.register("noise_robustness_additive")
def noise_robustness_additive(evidence: ModuleEvidence) -> dict[str, float]:
    """Mean squared error on trained combinations with noise c ξ added to the hidden units, by its size c."""
    return _under_noise(evidence, "additive")


@measures.register("noise_robustness_multiplicative")
def noise_robustness_multiplicative(evidence: ModuleEvidence) -> dict[str, float]:
    """Mean squared error on trained combinations with noise c |a| ξ on hidden activities a, by its size c."""
    return _under_noise(evidence, "multiplicative")


@measures.register("shift_leak")
def shift_leak(evidence: ModuleEvidence) -> dict[str, float]:
    """Error of the outputs of all other modules when the inputs of module 0 are shifted, by the shift.

    Mean squared error on trained combinations. At `id_mse` for any shift: nothing leaks; growing: it does.
    """
    return _leaks(evidence, "shift", SHIFTS)


@measures.register("pruned_shift_leak")
def pruned_shift_leak(evidence: ModuleEvidence) -> dict[str, float]:
    """`shift_leak` of the pruned network: error of other modules when inputs of module 0 are shifted, by the shift."""
    return _leaks(evidence, "pruned shift", SHIFTS)


@measures.register("scale_leak")
def scale_leak(evidence: ModuleEvidence) -> dict[str, float]:
    """Error of the outputs of all other modules when the inputs of module 0 are multiplied, by the factor."""
    return _leaks(evidence, "scale", SCALES)


@measures.register("pruned_mse")
def pruned_mse(evidence: ModuleEvidence) -> float:
    """Mean squared error of the pruned network on trained combinations; at `id_mse` when pruning cost nothing."""
    return answer_mse(evidence, evidence.probe("pruned"), "id")


def _nmse(evidence: ModuleEvidence, section: str) -> float:
    """Mean squared error over the mean squared target."""
    blank = float(np.square(evidence.targets[evidence.section(section)], dtype=np.float64).mean())
    if blank == 0:
        raise InputError(
            f"nMSE is undefined on section {section!r}: every target there is 0; "
            "use the plain mse, or sections with something to answer."
        )
    return answer_mse(evidence, evidence.answers, section) / blank


def _under_noise(evidence: ModuleEvidence, kind: str) -> dict[str, float]:
    return {f"{size:g}": answer_mse(evidence, evidence.probe(f"{kind} {size:g}"), "id") for size in NOISES}


def _leaks(evidence: ModuleEvidence, disturbance: str, amounts: Iterable[float]) -> dict[str, float]:
    others = evidence.modules_out != 0
    if not others.any() or not (evidence.modules_in == 0).any():
        raise InputError(
            "a leak is undefined: it goes from an input of module 0 to an output of another, and this task lacks one; "
            "use a task of two modules or more with inputs and outputs each."
        )
    names = {f"{amount:g}": f"{disturbance} {amount:g}" for amount in amounts}
    return {amount: answer_mse(evidence, evidence.probe(name), "id", others) for amount, name in names.items()}
