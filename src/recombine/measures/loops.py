"""Is a layer a torus? The loops and cavities that stand out in each, by persistent homology.

How it counts was set by shapes whose holes are known (tests/measures/test_loops.py), with no trained network in sight.
"""

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Float, Real
from recombine.measures.evidence import Evidence
from recombine.measures.exhibit import Arrays, exhibits, half
from recombine.measures.homology_bars import SHORT, LongBars, diagram, homology, landmark_sets, spread_of
from recombine.measures.layerwise import by_layer, compared_layers
from recombine.measures.noise_bars import noise_floor
from recombine.measures.registry import measures
from recombine.measures.spectrum import principal_components

POINTS = 300  # all of them up to so many, beyond that so many landmarks
SPARSE = 120  # landmarks by which parts are told, too few to follow every gap between points
FEWER = 0.6  # share of the points that are looked at again, to see whether it matters which
CHOICES = (0, 1, 2, 3, 4)  # seeds of these looks
MOST = 8  # loops or cavities that are told apart at most
GAP = 3.0  # medians of the finite lifetimes in degree 0 beyond which a bar is a gap between two parts
KEPT = 20  # bars of a degree that are kept for a figure
DEGREES = (0, 1, 2)
TORUS = (1, 2, 1)  # components, loops and cavities


@measures.register("holes")
def holes(evidence: Evidence) -> dict[str, float]:
    """How many components, loops and cavities stand out, and by what factor, by layer: 1, 2 and 1 for a torus.

    "<layer>-h1" and "<layer>-h2" are the bars before the largest fall of lifetimes, "-ratio" is that fall (`standing`).
    A bar counts only if it is longer than those of noise with the layer's covariance (`noise_floor`). A ratio near 1
    means that none stands out, whatever the number. "<layer>-h0" are the `parts`. All points are looked at, or 300
    landmarks, of `COMPARED` layers where there are such, otherwise of all hidden ones. Does it matter which points?
    "<layer>-torus" is the share of five choices of 60% of them in which the three numbers are 1, 2, 1, "-h1-spread"
    and "-h2-spread" how far lifetimes of one place lie apart between the choices, in units of the largest of all.
    """
    found: dict[str, float] = {}
    for name, counted in by_layer(evidence, _counted, compared_layers(evidence)).items():
        found |= {f"{name}-{part}": value for part, value in counted.items()}
    return found


def ranks(
    bars: list[Float[np.ndarray, " _"]], floor: tuple[float, ...], components: Float[np.ndarray, " _bars"]
) -> tuple[int, LongBars, LongBars]:
    """Components, loops and cavities, by lifetimes in all degrees, floors of degree 1 and 2, and the `parts`."""
    short = SHORT * max(lifetimes.max(initial=0.0) for lifetimes in bars[1:])
    loops, cavities = (standing(bars[degree], floor[degree - 1], short) for degree in DEGREES[1:])
    return parts(components), loops, cavities


def standing(lifetimes: Float[np.ndarray, " bars"], floor: float, short: float) -> LongBars:
    """How many bars come before the largest fall from a bar above the floor to the next one, and its ratio.

        number = argmax over k of l_k / max(l_{k+1}, short),   l_k above the floor and above short, k ≤ 8

    (0, 1) where no bar is. The floor is the longest bar of noise; ``short`` is a tenth of the longest loop or cavity of
    the layer, so that ratios go up to 10 and a tiny cavity of a layer with long loops is none. At most 8 are told
    apart: rings that lie side by side have a loop each until they are joined, all as long.
    """
    able = min(MOST, int((lifetimes > max(floor, short)).sum()))
    if not able:
        return LongBars(0, 1.0)
    following = np.append(lifetimes, short)[: able + 1].clip(min=short)
    falls = following[:-1] / following[1:]
    last = int(falls.argmax())
    return LongBars(last + 1, float(falls[last]))


def parts(lifetimes: Float[np.ndarray, " bars"]) -> int:
    """The number of parts that landmarks fall into, by the finite lifetimes in degree 0: 1 when they hang together.

        parts = 1 + number of lifetimes above three times their median

    Furthest points that cover a set to within ε lie at least ε apart. Where the set hangs together by steps of at most
    ε, they are joined by steps of at most 3 ε: no bar is longer than three times the shortest.
    """
    return 1 + int((lifetimes > GAP * np.median(lifetimes)).sum()) if len(lifetimes) else 1


@exhibits.register("bars")
def bars(evidence: Evidence) -> Arrays:
    """The 20 longest finite bars of degree 0, 1 and 2 of the compared layers: lifetimes, and births with deaths.

    Lengths are in units of the root mean square distance of the layer's points from their mean. Fewer bars are
    followed by zeros.
    """
    found: Arrays = {}
    for name, by_degree in by_layer(evidence, _ends, compared_layers(evidence)).items():
        for degree, pairs in enumerate(by_degree):
            finite = pairs[np.isfinite(pairs[:, 1])][:KEPT]
            ends = np.pad(finite, ((0, KEPT - len(finite)), (0, 0)))
            found[f"bars_{name}_h{degree}"] = half(ends[:, 1] - ends[:, 0])
            found[f"diagram_{name}_h{degree}"] = half(ends)
    return found


def counted(points: Real[np.ndarray, "points features"]) -> tuple[int, LongBars, LongBars]:
    """Components, loops and cavities of a cloud."""
    seen = _cloud(points)
    looked = _looked(seen)
    return ranks(homology(seen, DEGREES[-1], looked), noise_floor(seen, DEGREES[-1], looked), _apart(seen))


def _counted(layer: Real[np.ndarray, "y x features"]) -> dict[str, float]:
    points = _cloud(layer.reshape(-1, layer.shape[-1]))
    looked, components = _looked(points), _apart(points)
    floor = noise_floor(points, DEGREES[-1], looked)
    everything = homology(points, DEGREES[-1], looked)
    together, *several = ranks(everything, floor, components)
    found = {"h0": float(together)}
    for degree, each in enumerate(several, start=1):
        found |= {f"h{degree}": float(each.number), f"h{degree}-ratio": each.ratio}
    again, _ = landmark_sets(points, max(1, round(FEWER * (looked or len(points)))), DEGREES[-1], CHOICES)
    seen = [ranks(each, floor, components) for each in again]
    found["torus"] = float(np.mean([(one, two.number, three.number) == TORUS for one, two, three in seen]))
    longest = max(lifetimes.max(initial=0.0) for lifetimes in everything[1:])
    for degree, spread in enumerate(spread_of(again)[1:], start=1):
        found[f"h{degree}-spread"] = float(spread / longest) if longest else 0.0
    return found


def _ends(layer: Real[np.ndarray, "y x features"]) -> list[Float[np.ndarray, "_bars 2"]]:
    """Births and deaths by degree, in units of the root mean square distance from the mean."""
    points = _cloud(layer.reshape(-1, layer.shape[-1]))
    return diagram(points, degrees=DEGREES[-1], landmarks=_looked(points))


def _cloud(points: Real[np.ndarray, "points features"]) -> Float[np.ndarray, "points components"]:
    """The same cloud in as few dimensions as it has, in units of the root mean square distance from its mean."""
    # ptp, not the variance: the mean of equal floats can round away from them.
    if not np.ptp(points, axis=0).any():
        raise InputError("a layer that does not vary is a single point and has no shape; check that it is not dead.")
    scores = principal_components(points, min(points.shape)).scores
    return scores / np.sqrt(np.square(scores).sum(axis=1).mean())


def _looked(points: Float[np.ndarray, "points components"]) -> int | None:
    """How many landmarks are looked at; None for all points."""
    return None if len(points) <= POINTS else POINTS


def _apart(points: Float[np.ndarray, "points components"]) -> Float[np.ndarray, " _bars"]:
    """The finite lifetimes in degree 0 of a few landmarks."""
    return homology(points, 0, min(SPARSE, len(points)))[0][1:]
