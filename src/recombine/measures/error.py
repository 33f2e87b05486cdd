"""Squared error of the drawn pictures, plain and divided by the error of drawing nothing."""

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Float
from recombine.measures.evidence import Evidence
from recombine.measures.registry import measures


def mse(evidence: Evidence, section: str) -> float:
    """Mean squared error over the pixels and combinations of a section. 0: perfect; no upper end."""
    return float(_errors(evidence)[evidence.section(section)].mean())


def nmse(evidence: Evidence, section: str) -> float:
    """Mean squared error of a section as a multiple of what a blank picture costs there.

        nMSE = Σ_k ‖output_k − target_k‖² / Σ_k ‖blank − target_k‖²,   k over the section

    blank is 1 for dark bumps on white and 0 for bright ones. 0: perfect; 1: as bad as drawing nothing; above 1: the
    wrong thing is drawn; no upper end.
    """
    members = evidence.section(section)
    blank = _blank_errors(evidence)[members].mean()
    if blank == 0:
        raise InputError(
            f"nMSE is undefined on section {section!r}: every target there is blank; "
            "use the plain mse, or sections with something to draw."
        )
    return float(_errors(evidence)[members].mean() / blank)


def error_map(evidence: Evidence) -> Float[np.ndarray, "y x"]:
    """nMSE of every combination, each divided by the cost of its own blank, as a map [row = y, column = x].

    NaN where the target itself is blank, as of a bump that lies outside the canvas.
    """
    wrong, blank = _errors(evidence), _blank_errors(evidence)
    return np.divide(wrong, blank, out=np.full_like(wrong, np.nan), where=blank > 0).reshape(evidence.shape)


@measures.register("id_mse")
def id_mse(evidence: Evidence) -> float:
    """Mean squared error on trained combinations; 0 is perfect."""
    return mse(evidence, "id")


@measures.register("ood_mse")
def ood_mse(evidence: Evidence) -> float:
    """Mean squared error on held-out combinations; 0 is perfect."""
    return mse(evidence, "ood")


@measures.register("id_nmse")
def id_nmse(evidence: Evidence) -> float:
    """Error on trained combinations relative to a blank picture: 0 perfect, 1 drew nothing, above 1 drew it wrong."""
    return nmse(evidence, "id")


@measures.register("ood_nmse")
def ood_nmse(evidence: Evidence) -> float:
    """Error on held-out combinations relative to a blank picture: 0 perfect, 1 drew nothing, above 1 drew it wrong."""
    return nmse(evidence, "ood")


@measures.register("interior_nmse")
def interior_nmse(evidence: Evidence) -> float:
    """Error deep inside the held-out region relative to a blank picture: 0 perfect, 1 drew nothing."""
    return nmse(evidence, "interior")


@measures.register("rim_nmse")
def rim_nmse(evidence: Evidence) -> float:
    """Error at the edge of the held-out region relative to a blank picture: 0 perfect, 1 drew nothing."""
    return nmse(evidence, "rim")


@measures.register("nmse_by_section")
def nmse_by_section(evidence: Evidence) -> dict[str, float]:
    """Error relative to a blank picture, for every section that has combinations."""
    return {name: nmse(evidence, name) for name, members in evidence.sections.items() if members.any()}


@measures.register("error_plateau")
def error_plateau(evidence: Evidence) -> float:
    """Interior nMSE over rim nMSE: above 1 when the error is highest in the middle of the hole, 1 when it is flat."""
    rim = nmse(evidence, "rim")
    if rim == 0:
        raise InputError(
            "error_plateau is undefined: the rim has no error at all; compare rim_nmse and interior_nmse instead."
        )
    return nmse(evidence, "interior") / rim


def _errors(evidence: Evidence) -> Float[np.ndarray, " combinations"]:
    """Mean squared error of each combination's picture."""
    return np.square(np.subtract(evidence.outputs, evidence.targets, dtype=np.float64)).mean(axis=(1, 2))


def _blank_errors(evidence: Evidence) -> Float[np.ndarray, " combinations"]:
    """Mean squared error of a blank picture in each combination's place."""
    return np.square(np.subtract(evidence.blank, evidence.targets, dtype=np.float64)).mean(axis=(1, 2))
