"""How large are the answers compared with the truth? A slope below 1 is a shrunk generalization."""

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Float
from recombine.measures.component_evidence import ComponentEvidence
from recombine.measures.registry import measures

STILL = 1e-12  # targets that differ by less than this, relative to the largest, are all the same


def fitted_line(answers: Float[np.ndarray, " items"], targets: Float[np.ndarray, " items"]) -> tuple[float, float]:
    """Slope m and offset b of the straight line m y + b that fits the answers best.

        m = Σ (f − f̄)(y − ȳ) / Σ (y − ȳ)²,   b = f̄ − m ȳ

    m = 1 and b = 0: answers are right on the whole; 0 < m < 1: right in kind and too small; m = 0: they do not depend
    on the truth; m < 0: reversed. Scatter about the line is not seen.
    """
    if np.ptp(targets) <= STILL * np.abs(targets).max():
        raise InputError(
            f"the slope is undefined: all {len(targets)} targets are {targets[0]:g}; "
            "use a section whose targets differ, or judge by mse."
        )
    apart = targets - targets.mean()
    steepness = float(apart @ (answers - answers.mean()) / (apart @ apart))
    return steepness, float(answers.mean() - steepness * targets.mean())


@measures.register("slope")
def held_out_slope(evidence: ComponentEvidence) -> float:
    """Slope of the mean answers on the targets over held-out combinations: 1 right, 0 to 1 shrunk, 0 unrelated."""
    return _line(evidence, "ood")[0]


@measures.register("offset")
def held_out_offset(evidence: ComponentEvidence) -> float:
    """What is answered, along the fitted line, to a held-out combination whose target is 0; 0 when unbiased."""
    return _line(evidence, "ood")[1]


@measures.register("id_slope")
def id_slope(evidence: ComponentEvidence) -> float:
    """Slope of the mean answers on the targets over trained combinations: below 1 where training did not finish.

    A held-out `slope` mixes underfitting with a leak unless this one is 1.
    """
    return _line(evidence, "id")[0]


@measures.register("id_mse")
def id_mse(evidence: ComponentEvidence) -> float:
    """Mean squared error over all answers to trained combinations; 0 is perfect."""
    return _squared_error(evidence, "id")


@measures.register("ood_mse")
def ood_mse(evidence: ComponentEvidence) -> float:
    """Mean squared error over all answers to held-out combinations; 0 is perfect."""
    return _squared_error(evidence, "ood")


@measures.register("id_nmse")
def id_nmse(evidence: ComponentEvidence) -> float:
    """Error on trained combinations relative to always answering the mean of their targets: 0 perfect, 1 as bad."""
    return _nmse(evidence, "id")


@measures.register("ood_nmse")
def ood_nmse(evidence: ComponentEvidence) -> float:
    """Error on held-out combinations relative to always answering the mean of the trained targets: 0 perfect."""
    return _nmse(evidence, "ood")


@measures.register("familiar_mse")
def familiar_mse(evidence: ComponentEvidence) -> float:
    """Mean squared error over trained combinations shown as new pairings of training images; 0 is perfect."""
    if evidence.familiar is None:
        raise InputError("this evidence has no new pairings of training images; leave familiar_mse out for symbols.")
    members = evidence.section("id")
    errors = np.subtract(evidence.familiar[members], evidence.targets[members, None], dtype=np.float64)
    return float(np.square(errors).mean())


def _line(evidence: ComponentEvidence, section: str) -> tuple[float, float]:
    members = evidence.section(section)
    return fitted_line(evidence.mean[members], evidence.targets[members].astype(np.float64))


def _nmse(evidence: ComponentEvidence, name: str) -> float:
    """The squared error over that of the mean trained answer, or over their variance where that is right already."""
    trained, asked = evidence.targets[evidence.section("id")], evidence.targets[evidence.section(name)]
    power = np.square(asked - trained.mean()).mean() or trained.var() or 1.0
    return _squared_error(evidence, name) / float(power)


def _squared_error(evidence: ComponentEvidence, section: str) -> float:
    members = evidence.section(section)
    errors = np.subtract(evidence.answers[members], evidence.targets[members, None], dtype=np.float64)
    return float(np.square(errors).mean())


@measures.register("leak")
def leak(evidence: ComponentEvidence) -> float:
    """How much smaller the slope is on held-out combinations than on trained ones: 1 - slope / id_slope.

    0: unseen combinations are answered as fully as seen ones, however well that is; 1: not at all. For an
    interpolating kernel id_slope is 1 and this is 1 - m of the memorisation leak.
    """
    trained = id_slope(evidence)
    if abs(trained) < STILL:
        raise InputError(
            f"the leak is undefined: the slope on trained combinations is {trained:g}, so there is nothing to lose; "
            "train longer, or judge by the slope alone."
        )
    return 1.0 - held_out_slope(evidence) / trained


@measures.register("compositional_gap")
def compositional_gap(evidence: ComponentEvidence) -> float:
    """The mean squared error on held-out combinations less that on trained ones, both for inputs never trained on."""
    return ood_mse(evidence) - id_mse(evidence)
