"""Squared error of pictures of scenes: plain, beside the variance of the true ones, and where sprites overlap.

Most of a scene is drawn right by a model that composes wrongly, because few pixels show two sprites; so the error where
they overlap is told apart.
"""

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Float
from recombine.measures.registry import measures
from recombine.measures.scene_evidence import SceneEvidence


def scene_errors(evidence: SceneEvidence) -> Float[np.ndarray, "items rows columns"]:
    """Squared error of every pixel of every item, averaged over channels."""
    return np.square(np.subtract(evidence.outputs, evidence.targets, dtype=np.float64)).mean(axis=-1)


def scene_mse(evidence: SceneEvidence, section: str) -> float:
    """Mean squared error over the items, pixels and channels of a section. 0: perfect; no upper end."""
    return float(scene_errors(evidence)[evidence.section(section)].mean())


def pooled_r2(
    truth: Float[np.ndarray, "items *entries"], answer: Float[np.ndarray, "items *entries"], what: str
) -> float:
    """Share of the variance of some arrays that others explain, pooled over entries: 1 − `relative_error`."""
    return 1.0 - relative_error(truth, answer, what)


def relative_error(
    truth: Float[np.ndarray, "items *entries"], answer: Float[np.ndarray, "items *entries"], what: str
) -> float:
    """Squared error of some arrays as a multiple of the variance of the true ones.

        Σ_ip (answer_ip − truth_ip)² / Σ_ip (truth_ip − m_p)²,   m_p = mean of truth_ip over items i

    Entries p (a channel of a pixel) are summed and not averaged after division, so that one that hardly varies weighs
    little. 0: equal; 1: as bad as always answering m_p; no upper end. ``what`` names the true ones in the refusal of
    those that never vary.
    """
    # ptp, not the variance: the mean of equal floats can round away from them.
    if not np.ptp(truth, axis=0).any():
        raise InputError(
            f"the variance of {what} is 0, so an error cannot be divided by it; use two items or more that differ."
        )
    wrong = np.square(np.subtract(answer, truth, dtype=np.float64)).sum()
    return float(wrong / np.square(truth - truth.mean(axis=0, dtype=np.float64)).sum())


def scene_r2(evidence: SceneEvidence, section: str) -> float:
    """Variance-weighted R² of the pictures of a section: `pooled_r2` of outputs around each channel's own mean."""
    members = evidence.section(section)
    return pooled_r2(evidence.targets[members], evidence.outputs[members], f"the targets of section {section!r}")


@measures.register("id_mse")
def id_mse(evidence: SceneEvidence) -> float:
    """Mean squared error of pictures of scenes drawn like the training set; 0 is perfect."""
    return scene_mse(evidence, "id")


@measures.register("all_mse")
def all_mse(evidence: SceneEvidence) -> float:
    """Mean squared error of pictures of scenes drawn from the whole space; 0 is perfect.

    Compare it with the same model trained on the whole space: where the training set moves one sprite at a time, its
    scenes vary less, and even a perfect generaliser has a smaller error there.
    """
    return scene_mse(evidence, "all")


@measures.register("seen_mse")
def seen_mse(evidence: SceneEvidence) -> float:
    """Mean squared error on scenes of the whole space whose components are all shown in training; 0 is perfect."""
    return scene_mse(evidence, "seen")


@measures.register("unseen_mse")
def unseen_mse(evidence: SceneEvidence) -> float:
    """Mean squared error on scenes of the whole space with a component that training never shows; 0 is perfect."""
    return scene_mse(evidence, "unseen")


@measures.register("id_r2")
def id_r2(evidence: SceneEvidence) -> float:
    """R² of pictures of scenes drawn like the training set: 1 perfect, 0 as the mean picture, no lower end.

    1 − Σ (output − target)² / Σ (target − mean)² over items, pixels and channels; the mean is that of each channel of
    each pixel over the section.
    """
    return scene_r2(evidence, "id")


@measures.register("all_r2")
def all_r2(evidence: SceneEvidence) -> float:
    """R² of pictures of scenes drawn from the whole space: 1 perfect, 0 as the mean picture, no lower end.

    The formula is that of `id_r2`.
    """
    return scene_r2(evidence, "all")


@measures.register("seen_r2")
def seen_r2(evidence: SceneEvidence) -> float:
    """R² of pictures of the whole space whose components are all shown in training: 1 perfect, 0 as the mean picture.

    The formula is that of `id_r2`; there is no lower end.
    """
    return scene_r2(evidence, "seen")


@measures.register("ood_r2")
def ood_r2(evidence: SceneEvidence) -> float:
    """R² of pictures of the whole space that the support does not hold: 1 perfect, 0 as the mean picture.

    The formula is that of `id_r2`; there is no lower end. Where the support is planes or a narrow band it is `all_r2`.
    """
    return scene_r2(evidence, "ood")


@measures.register("all_overlap_mse")
def all_overlap_mse(evidence: SceneEvidence) -> float:
    """Mean squared error over the pixels of the whole space that two sprites or more cover; 0 is perfect.

    All such pixels of all items are averaged at once, so that a scene weighs by its overlap.
    """
    return _mse_where(evidence, overlapping=True)


@measures.register("all_rest_mse")
def all_rest_mse(evidence: SceneEvidence) -> float:
    """Mean squared error over the pixels of the whole space that one sprite covers or none; 0 is perfect."""
    return _mse_where(evidence, overlapping=False)


@measures.register("overlap_share")
def overlap_share(evidence: SceneEvidence) -> float:
    """Share of the pixels of scenes of the whole space that two sprites or more cover: 0 none, 1 all of them.

    With this share w, all_mse = w · all_overlap_mse + (1 − w) · all_rest_mse.
    """
    return float(evidence.overlap[evidence.section("all")].mean())


@measures.register("generalisation_ratio")
def generalisation_ratio(evidence: SceneEvidence) -> float:
    """Error on the whole space over error on scenes like the training set: 1 no worse, no upper end.

    all_mse / id_mse. It is above 1 for a perfect generaliser too where training scenes vary less, as `all_mse` says.
    """
    return _ratio(evidence, "all", "id", "generalisation_ratio")


@measures.register("unseen_ratio")
def unseen_ratio(evidence: SceneEvidence) -> float:
    """Error on scenes with a component never shown over error on those with all shown: 1 no worse, no upper end.

    unseen_mse / seen_mse, both on the whole space.
    """
    return _ratio(evidence, "unseen", "seen", "unseen_ratio")


def _mse_where(evidence: SceneEvidence, overlapping: bool) -> float:
    members = evidence.section("all")
    where = evidence.overlap[members] == overlapping
    if not where.any():
        every, other = ("no pixel", "all_mse") if overlapping else ("every pixel", "all_overlap_mse")
        raise InputError(
            f"this error is undefined: sprites overlap in {every} of section 'all'; "
            f"use larger or smaller sprites, or {other} alone."
        )
    return float(scene_errors(evidence)[members][where].mean())


def _ratio(evidence: SceneEvidence, above: str, below: str, name: str) -> float:
    base = scene_mse(evidence, below)
    if base == 0:
        raise InputError(
            f"{name} is undefined: section {below!r} has no error at all; compare {above}_mse and {below}_mse instead."
        )
    return scene_mse(evidence, above) / base
