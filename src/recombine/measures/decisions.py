"""Does the sign of the answer agree with the label, and by how much? Tasks whose targets are +1 and −1."""

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Float
from recombine.measures.component_evidence import ComponentEvidence
from recombine.measures.registry import measures

UNDECIDED = 1e-9  # an answer nearer to 0 than this decides nothing: its sign is rounding


def sign_agreement(
    answers: Float[np.ndarray, "combinations samples"], labels: Float[np.ndarray, " combinations"]
) -> float:
    """Share of answers that have the sign of their label; an answer of 0 counts one half.

        share = mean 1[y f > 0],   with ½ where |f| < 10⁻⁹

    0: always wrong; ½: as good as a coin, or no answer at all; 1: always right, however small the margin.
    """
    right = np.where(np.abs(answers) < UNDECIDED, 0.5, answers * labels[:, None] > 0)
    return float(right.mean())


def margin(answers: Float[np.ndarray, "combinations samples"], labels: Float[np.ndarray, " combinations"]) -> float:
    """Mean of label times answer, y f. 1: answers equal to the labels; 0: none; below 0: wrong; no ends."""
    return float((answers.astype(np.float64) * labels[:, None]).mean())


@measures.register("id_accuracy")
def id_accuracy(evidence: ComponentEvidence) -> float:
    """Share of answers to trained combinations that have the right sign; 0 counts one half."""
    return sign_agreement(*_decisions(evidence, "id"))


@measures.register("ood_accuracy")
def ood_accuracy(evidence: ComponentEvidence) -> float:
    """Share of answers to held-out combinations that have the right sign; 0 counts one half."""
    return sign_agreement(*_decisions(evidence, "ood"))


@measures.register("familiar_accuracy")
def familiar_accuracy(evidence: ComponentEvidence) -> float:
    """Share of right signs on trained combinations shown as new pairings of training images.

    Beside `id_accuracy`, whose images are new, it tells a combination that was not learnt from images that were
    learnt by heart.
    """
    _, labels = _decisions(evidence, "id")
    if evidence.familiar is None:
        raise InputError(
            "familiar_accuracy is undefined: this evidence has no answers to new pairings of training images; "
            "evaluate the model on them, or leave the measure out."
        )
    return sign_agreement(evidence.familiar[evidence.section("id")], labels)


@measures.register("id_margin")
def id_margin(evidence: ComponentEvidence) -> float:
    """Mean of label times answer on trained combinations: 1 equals the labels, below 0 is wrong."""
    return margin(*_decisions(evidence, "id"))


@measures.register("ood_margin")
def ood_margin(evidence: ComponentEvidence) -> float:
    """Mean of label times answer on held-out combinations: 1 equals the labels, 0 says nothing, below 0 is wrong."""
    return margin(*_decisions(evidence, "ood"))


def _decisions(
    evidence: ComponentEvidence, section: str
) -> tuple[Float[np.ndarray, "members samples"], Float[np.ndarray, " members"]]:
    """The answers and labels of a section, or an `InputError` when the task is no decision."""
    members = evidence.section(section)
    if not evidence.binary:
        defined = evidence.targets[np.isfinite(evidence.targets)]
        odd = defined[np.abs(defined) != 1][0]
        raise InputError(
            f"accuracy and margin are undefined: a target is {odd:g}, and only decisions between +1 and −1 are right "
            "or wrong by their sign; judge this task by slope and mse."
        )
    return evidence.answers[members], evidence.targets[members]
