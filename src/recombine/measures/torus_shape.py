"""How near the rings of a layer are to those of an ideal torus, layer by layer.

The tests of single pairs are those of `rings`: the angles between the planes of two rings, and what of one ring lies
outside the plane of another. Layers in which a ring has no plane are left out.
"""

import numpy as np

from recombine.core.shapes import Real
from recombine.measures.evidence import Evidence
from recombine.measures.exhibit import Arrays, exhibits, half
from recombine.measures.layerwise import by_layer, compared_layers
from recombine.measures.registry import measures
from recombine.measures.rings import ring_tests, torus_distances

IDEALS = ("clifford", "ring")
BINS = 18  # of 5 degrees
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


@exhibits.register("ring_histograms")
def ring_histograms(evidence: Evidence) -> Arrays:
    """Shares of the principal angles between rings in 18 bins of 5 degrees, for every pair of the compared layers."""
    found = by_layer(evidence, ring_tests, compared_layers(evidence, DRAWN))
    return {
        f"angles_{name}_{pair}": half(_histogram(test.angles))
        for name, tests in found.items()
        for pair, test in tests.items()
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


def _histogram(angles: Real[np.ndarray, "pairs 2"]) -> Real[np.ndarray, " bins"]:
    counts, _ = np.histogram(angles, bins=BINS, range=(0, 90))
    return counts / angles.size
