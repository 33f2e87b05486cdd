"""How near the rings of a layer are to those of an ideal torus, layer by layer.

The tests of single pairs are those of `rings`: the angles between the planes of two rings, those between their
principal components, and what of one ring lies outside the plane of another. Layers in which a ring has no plane are
left out.
"""

import numpy as np

from recombine.core.shapes import Real
from recombine.measures.evidence import Evidence
from recombine.measures.exhibit import Arrays, exhibits, half
from recombine.measures.layerwise import by_layer, compared_layers
from recombine.measures.registry import measures
from recombine.measures.rings import all_tests, ring_tests, torus_distances

IDEALS = ("clifford", "ring")
MOST = {"angles": 90.0, "residuals": 1.0, "components": 90.0}  # ends of the histograms; all begin at 0
BINS = 18
DRAWN = ("pixels", "untrained", "probe")  # layers whose angles are kept for a figure


@measures.register("torus_orthogonality")
def torus_orthogonality(evidence: Evidence) -> dict[str, float]:
    """How far the angles between rings of x and of y are from those of an ideal torus, in degrees, by hidden layer.

        distance = ∫ |Q(p) − Q'(p)| dp,   Q and Q' the quantiles of the principal angles of all pairs

    "<layer>-clifford": from the Clifford torus, where all are 90; "<layer>-ring": from the torus of three dimensions,
    where half are 0. 0: the same histogram; 90: the opposite. "<layer>-nearer": by how much the first is nearer than
    the second.
    """
    return _distances(evidence, "x-on-y")


@measures.register("torus_parallelism")
def torus_parallelism(evidence: Evidence) -> dict[str, float]:
    """How far the angles between rings of different x are from those of an ideal torus, in degrees, by hidden layer.

    The distances of `torus_orthogonality` for x-on-x: on the Clifford torus all angles are 0, on the torus of three
    dimensions x turns the rings.
    """
    return _distances(evidence, "x-on-x")


@measures.register("torus_parallelism_y")
def torus_parallelism_y(evidence: Evidence) -> dict[str, float]:
    """How far the angles between rings of different y are from those of an ideal torus, in degrees, by hidden layer.

    The distances of `torus_orthogonality` for y-on-y: all angles are 0 on either ideal torus.
    """
    return _distances(evidence, "y-on-y")


@measures.register("ring_angle")
def ring_angle(evidence: Evidence) -> dict[str, float]:
    """Median principal angle in degrees between rings, x-on-y, x-on-x and y-on-y, by hidden layer.

    Clifford torus: 90, 0, 0. Torus of three dimensions: 45, 0, 0. Both angles of every pair count.
    """
    return _medians(evidence, "angles")


@measures.register("ring_residual")
def ring_residual(evidence: Evidence) -> dict[str, float]:
    """Median share of a ring outside the plane of another, x-on-y, x-on-x and y-on-y, by hidden layer.

    0: inside it, so parallel; 1: orthogonal. Clifford torus: 1, 0, 0. A ring of more than two dimensions has a share
    outside of its own plane too.
    """
    return _medians(evidence, "residuals")


@measures.register("ring_distances")
def ring_distances(evidence: Evidence) -> dict[str, float]:
    """How far components and residuals of rings are from those of an ideal torus, by compared layer and pair.

    The distances of `torus_distances`. "<layer>-x-on-y-components-clifford" is that of the angles between principal
    components, in degrees, as published; "-residuals-" that of the shares outside another plane; "-ring" is from the
    torus of three dimensions, "-nearer" by how much the Clifford torus is nearer than that. `torus_orthogonality` and
    `torus_parallelism` are those of principal angles.
    """
    found = by_layer(evidence, torus_distances, compared_layers(evidence))
    return {f"{name}-{part}": value for name, each in found.items() for part, value in beside_ideals(each).items()}


def beside_ideals(distances: dict[str, float]) -> dict[str, float]:
    """Distances of components and residuals by "<pair>-<quantity>-<ideal>", and by how much Clifford is nearer."""
    found: dict[str, float] = {}
    for key in distances:
        pair, quantity, ideal = key.split()
        if quantity != "angles" and ideal == IDEALS[0]:
            clifford, ring = (distances[f"{pair} {quantity} {each}"] for each in IDEALS)
            found |= {f"{pair}-{quantity}-clifford": clifford, f"{pair}-{quantity}-ring": ring}
            found |= {f"{pair}-{quantity}-nearer": ring - clifford}
    return found


@exhibits.register("ring_histograms")
def ring_histograms(evidence: Evidence) -> Arrays:
    """Shares of angles, components and residuals in 18 bins of equal width, for all rings of the compared layers."""
    found = by_layer(evidence, all_tests, compared_layers(evidence, DRAWN))
    return {
        f"{quantity}_{name}_{pair}": half(shares)
        for name, tests in found.items()
        for pair, test in tests.items()
        for quantity, shares in histograms(test).items()
    }


def histograms(test: dict[str, Real[np.ndarray, "..."]]) -> dict[str, Real[np.ndarray, " bins"]]:
    """Shares of each quantity of `all_tests` in bins of equal width from 0 to the most there can be."""
    return {
        quantity: np.histogram(values, bins=BINS, range=(0, MOST[quantity]))[0] / values.size
        for quantity, values in test.items()
    }


def _distances(evidence: Evidence, pair: str) -> dict[str, float]:
    found = by_layer(evidence, torus_distances)
    distances: dict[str, float] = {}
    for name, all_pairs in found.items():
        clifford, ring = (all_pairs[f"{pair} angles {ideal}"] for ideal in IDEALS)
        distances |= {f"{name}-clifford": clifford, f"{name}-ring": ring, f"{name}-nearer": ring - clifford}
    return distances


def _medians(evidence: Evidence, quantity: str) -> dict[str, float]:
    found = by_layer(evidence, ring_tests)
    return {
        f"{name}-{pair}": float(np.median(getattr(test, quantity)))
        for name, tests in found.items()
        for pair, test in tests.items()
    }
