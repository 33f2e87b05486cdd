"""Is a layer a torus? The loops and cavities that stand out in each, by persistent homology of landmarks."""

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Float, Real
from recombine.measures.evidence import Evidence
from recombine.measures.exhibit import Arrays, exhibits, half
from recombine.measures.homology_bars import SHORT, LongBars, diagram, long_bars
from recombine.measures.layerwise import by_layer, compared_layers
from recombine.measures.registry import measures

LANDMARKS = 120
GAP = 3.0  # medians of the finite lifetimes in degree 0 beyond which a bar is a gap between two parts
KEPT = 20  # bars of a degree that are kept for a figure
DEGREES = (0, 1, 2)


@measures.register("loops")
def loops(evidence: Evidence) -> dict[str, float]:
    """How many components, loops and cavities stand out, and by what factor, by layer: 1, 2 and 1 for a torus.

    "<layer>-h1" and "<layer>-h2" are the bars before the largest fall of lifetimes, "-ratio" is that fall (`standing`).
    A ratio near 1 means that none stands out, whatever the number. "<layer>-h0" are the `parts`. 120 landmarks, of
    `COMPARED` layers where there are such, otherwise of all hidden ones.
    """
    found = {}
    for name, ends in by_layer(evidence, _bars, compared_layers(evidence)).items():
        components, *holes = [deaths - births for births, deaths in (each.T for each in ends)]
        found[f"{name}-h0"] = float(parts(components[np.isfinite(components)]))
        floor = SHORT * max(lifetimes.max(initial=0.0) for lifetimes in holes)
        for degree, lifetimes in enumerate(holes, start=1):
            number, ratio = standing(lifetimes, floor)
            found[f"{name}-h{degree}"] = float(number)
            found[f"{name}-h{degree}-ratio"] = ratio
    return found


def standing(lifetimes: Float[np.ndarray, " bars"], floor: float) -> LongBars:
    """`long_bars` of the bars above a floor, the next one after them being as long as the floor: (0, 1) for none.

    A lone bar thus stands out by its length, and not without end. The floor of a layer is a tenth of its longest loop
    or cavity, so that ratios go up to 10 and a tiny cavity of a layer with long loops is none.
    """
    lasting = lifetimes[lifetimes > floor]
    return long_bars(np.append(lasting, floor)) if len(lasting) else LongBars(0, 1.0)


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
    for name, by_degree in by_layer(evidence, _bars, compared_layers(evidence)).items():
        for degree, pairs in enumerate(by_degree):
            finite = pairs[np.isfinite(pairs[:, 1])][:KEPT]
            ends = np.pad(finite, ((0, KEPT - len(finite)), (0, 0)))
            found[f"bars_{name}_h{degree}"] = half(ends[:, 1] - ends[:, 0])
            found[f"diagram_{name}_h{degree}"] = half(ends)
    return found


def _bars(layer: Real[np.ndarray, "y x features"]) -> list[Float[np.ndarray, "_bars 2"]]:
    """Births and deaths by degree, in units of the root mean square distance from the mean."""
    points = layer.reshape(-1, layer.shape[-1])
    # ptp, not the variance: the mean of equal floats can round away from them.
    if not np.ptp(points, axis=0).any():
        raise InputError("a layer that does not vary is a single point and has no shape; check that it is not dead.")
    size = np.sqrt(points.var(axis=0, dtype=np.float64).sum())
    ends = diagram(points, degrees=DEGREES[-1], landmarks=min(LANDMARKS, len(points)))
    return [each / size for each in ends]
