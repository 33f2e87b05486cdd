"""Is the position that an answer gives the right one? For a picture: does its extreme pixel lie where it should?"""

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Float, Int
from recombine.measures.evidence import Evidence
from recombine.measures.registry import measures


def position_accuracy(evidence: Evidence, section: str, tolerance: int = 1) -> float:
    """Share of a section's combinations whose answer is within ``tolerance`` of the target's place, along y and x.

        share = mean_k 1[|r_k − r*_k| ≤ tolerance and |c_k − c*_k| ≤ tolerance]

    The place (r, c) is that of the extreme pixel, of the largest unit of each row, or the two numbers themselves
    (`places`); on a periodic grid distances go the short way round. An answer with several equally extreme pixels or
    units, such as a constant one, is wrong. 0: never there; 1: always there, which says nothing about the rest of the
    answer.
    """
    members = evidence.section(section)
    true, single = places(evidence, evidence.targets[members])
    if not single.all():
        y, x = evidence.levels[members][~single][0]
        raise InputError(
            f"accuracy is undefined at y = {y}, x = {x}: its target has no single extreme pixel; "
            "use targets with one bump, or judge by nmse."
        )
    found, certain = places(evidence, evidence.outputs[members])
    apart = np.abs(found - true)
    if evidence.periodic:
        around = evidence.targets.shape[1:] if evidence.places == "pixel" else evidence.shape
        apart = np.minimum(apart, np.array(around) - apart)
    return float(((apart <= tolerance).all(axis=1) & certain).mean())


def places(
    evidence: Evidence, answers: Float[np.ndarray, "members rows columns"]
) -> tuple[Int[np.ndarray, "members 2"], Bool[np.ndarray, " members"]]:
    """The place (row, column) that each answer gives, read as ``evidence.places`` says, and whether it gives just one.

    "pixel": the extreme pixel. "units": the largest of the first row is y, of the second row x. "numbers": y and x
    rounded, which is always one place.
    """
    if evidence.places is None:
        raise InputError(
            "accuracy is undefined for this task: its answers have no position; judge by nmse, or leave it out."
        )
    if evidence.places == "pixel":
        return extreme_pixels(answers, evidence.dark)
    if evidence.places == "units":
        largest = answers == answers.max(axis=2, keepdims=True)
        return answers.argmax(axis=2), (largest.sum(axis=2) == 1).all(axis=1)
    # Clipped: a number far off the grid must stay far off as a whole number.
    return np.round(answers[:, :, 0].clip(-1e6, 1e6)).astype(int), np.ones(len(answers), dtype=bool)


def extreme_pixels(
    pictures: Float[np.ndarray, "members rows columns"], dark: bool
) -> tuple[Int[np.ndarray, "members 2"], Bool[np.ndarray, " members"]]:
    """The (row, column) of each picture's darkest or brightest pixel, and whether no other pixel equals it."""
    # Raw values, not ink: 1 − v would round nearly equal dark pixels into ties.
    flat = pictures.reshape(len(pictures), -1)
    extreme = flat.min(axis=1) if dark else flat.max(axis=1)
    hits = flat == extreme[:, None]
    place = np.stack(np.unravel_index(hits.argmax(axis=1), pictures.shape[1:]), axis=1)
    return place, hits.sum(axis=1) == 1


@measures.register("id_accuracy")
def id_accuracy(evidence: Evidence) -> float:
    """Share of trained combinations drawn within one pixel of their place."""
    return position_accuracy(evidence, "id")


@measures.register("ood_accuracy")
def ood_accuracy(evidence: Evidence) -> float:
    """Share of held-out combinations drawn within one pixel of their place."""
    return position_accuracy(evidence, "ood")


@measures.register("interior_accuracy")
def interior_accuracy(evidence: Evidence) -> float:
    """Share of combinations deep inside the held-out region drawn within one pixel of their place."""
    return position_accuracy(evidence, "interior")


@measures.register("rim_accuracy")
def rim_accuracy(evidence: Evidence) -> float:
    """Share of combinations at the edge of the held-out region drawn within one pixel of their place."""
    return position_accuracy(evidence, "rim")


@measures.register("id_exact")
def id_exact(evidence: Evidence) -> float:
    """Share of trained combinations drawn at exactly their place."""
    return position_accuracy(evidence, "id", tolerance=0)


@measures.register("ood_exact")
def ood_exact(evidence: Evidence) -> float:
    """Share of held-out combinations drawn at exactly their place."""
    return position_accuracy(evidence, "ood", tolerance=0)
