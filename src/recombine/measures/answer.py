"""One answer taken apart: the non-negative sum of remembered pictures that comes nearest to it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Float
from recombine.factors import Grid
from recombine.measures.correlation import pearson
from recombine.measures.error import nmse
from recombine.measures.evidence import FACTORS, Evidence
from recombine.measures.remembered import Stripes, remembered
from recombine.measures.superposition import decompose, share_on
from recombine.splits.distance import distance_to_training

T = TypeVar("T")

TRACE = 1e-6  # a smaller share of the weight is what the solver leaves of zero


@dataclass(frozen=True, slots=True)
class Contributor:
    """A remembered picture in the sum that an answer is made of; a stripe has one of y and x only."""

    y: int | None
    x: int | None
    weight: float
    share: float  # of the whole weight


@dataclass(frozen=True, slots=True)
class Share:
    """How much of the weight lies on remembered pictures that share a level, and what blind weights would give."""

    same: float
    same_chance: float
    near: float  # levels one step apart counted as shared, for codes that overlap
    near_chance: float


@dataclass(frozen=True, eq=False)
class Answer:
    """What the network drew for one combination, and the sum of remembered pictures that comes nearest to it."""

    y: int
    x: int
    trained: bool  # then it is itself among the remembered
    nmse: float | None  # None: there is nothing to draw
    truth_correlation: float
    energy: float  # share of the answer's energy that the sum explains
    remembered: int  # number of pictures the sum could be made of
    stripes: int  # how many of them are lone stripes
    contributors: tuple[Contributor, ...]  # those with weight, heaviest first
    shares: Mapping[str, Share]  # "y", "x", "either"; "stripes" of whatever level, if training showed some
    weights: Float[np.ndarray, "y x"]  # of combinations; NaN where nothing is remembered
    truth: Float[np.ndarray, "rows columns"]  # these three in ink
    drawn: Float[np.ndarray, "rows columns"]
    sum: Float[np.ndarray, "rows columns"]


def take_apart(
    evidence: Evidence, at: tuple[int, int], shown: Bool[np.ndarray, " combinations"], stripes: Stripes | None = None
) -> Answer:
    """The answer to one combination as a non-negative sum of the answers to what training showed."""
    for name, level, levels in zip(FACTORS, at, evidence.shape, strict=True):
        if not 0 <= level < levels:
            raise InputError(
                f"there is no combination with {name} = {level}; {name} has {levels} levels, "
                f"so give an index from 0 to {levels - 1}."
            )
    asked = np.zeros(evidence.shape, dtype=bool)
    asked[at] = True
    marked = replace(evidence, sections={**evidence.sections, "asked": asked.ravel()})
    drawn, true = marked.ink("asked"), marked.target_ink("asked")
    parts = remembered(evidence, shown, stripes)
    weights, energy = decompose(drawn, parts.ink)
    everywhere = np.full(len(shown), np.nan)
    everywhere[shown] = weights[0, parts.whole]
    picture = evidence.targets.shape[1:]
    apart = parts.apart(evidence, np.array([at]))
    return Answer(
        y=at[0],
        x=at[1],
        trained=bool(shown.reshape(evidence.shape)[at]),
        nmse=defined(nmse, marked, "asked"),
        truth_correlation=float(pearson(true, drawn)[0]),
        energy=float(energy[0]),
        remembered=len(parts.levels),
        stripes=int((~parts.whole).sum()),
        contributors=_contributors(parts.levels, weights[0]),
        shares=_shares(apart, ~parts.whole, weights) if len(parts.levels) else {},
        weights=everywhere.reshape(evidence.shape),
        truth=true.reshape(picture),
        drawn=drawn.reshape(picture),
        sum=(weights @ parts.ink).reshape(picture),
    )


def deepest(evidence: Evidence) -> tuple[int, int]:
    """The held-out combination (y, x) farthest from training; of several, the one nearest to their middle."""
    rings = FACTORS if evidence.periodic else ()
    grid = Grid.numbered(periodic=rings, **dict(zip(FACTORS, evidence.shape, strict=True)))
    depth = np.where(evidence.section("ood"), distance_to_training(grid, ~evidence.section("id")), -1)
    farthest = evidence.levels[depth == depth.max()]
    y, x = farthest[np.square(farthest - farthest.mean(axis=0)).sum(axis=1).argmin()]
    return int(y), int(x)


def defined(measure: Callable[..., T], *arguments: object) -> T | None:
    """A measure, or None where it is not defined."""
    try:
        return measure(*arguments)
    except InputError:
        return None


def _contributors(
    levels: Float[np.ndarray, "pictures 2"], weights: Float[np.ndarray, " pictures"]
) -> tuple[Contributor, ...]:
    total = weights.sum()
    found = []
    for k in np.argsort(-weights, kind="stable"):
        if weights[k] > TRACE * total:
            y, x = (None if np.isnan(level) else int(level) for level in levels[k])
            found.append(Contributor(y, x, float(weights[k]), float(weights[k] / total)))
    return tuple(found)


def _shares(
    apart: Float[np.ndarray, "2 1 pictures"],
    stripes: Bool[np.ndarray, " pictures"],
    weights: Float[np.ndarray, "1 pictures"],
) -> dict[str, Share]:
    in_y, in_x = apart
    counted = {name: (each == 0, each <= 1) for name, each in (("y", in_y), ("x", in_x), ("either", apart.min(axis=0)))}
    if stripes.any():
        counted["stripes"] = (stripes[None], stripes[None])
    shares = {}
    for name, (same, near) in counted.items():
        same_weight, near_weight = (float(share_on(weights, each)[0]) for each in (same, near))
        shares[name] = Share(same_weight, float(same.mean()), near_weight, float(near.mean()))
    return shares
