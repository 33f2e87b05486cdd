"""Do the first principal components of a layer draw two circles, one for each factor?"""

import numpy as np

from recombine.core.arrays import Given, real_array
from recombine.core.errors import InputError
from recombine.core.shapes import Float
from recombine.measures.evidence import Evidence
from recombine.measures.layerwise import by_layer
from recombine.measures.registry import measures, rotation_invariant
from recombine.measures.spectrum import TORUS, principal_components

# A closed ring goes round in steps of about one level. A step of the mean ring beyond so many is a gap: it is open.
STEPS = 3.0


def circle_fit(activations: Given) -> float:
    """How well one circle for each factor, run through once, fits what the first four principal components show.

        fit = min over factors of |mean z exp(∓i a)|² / mean |z|²,   a = 2π level / levels

    z are the points in the plane of the factor, as complex numbers: the plane in which cos a and sin a vary, as far as
    linear regression finds it in the four components. 1: labels run round two circles at even steps, as on the Clifford
    torus. 1/2 is the most for a line to and fro. 0 where the mean over the other factor does not go round once, or has
    a step of more than three even ones, so that the ring is open: a sheet has no circles.
    """
    activations = real_array(activations, "activations", "(y, x, features)")
    if min(activations.shape[:2]) < 3:
        raise InputError(
            f"circles need at least 3 levels of y and of x, got {activations.shape[:2]}; use a larger grid."
        )
    rows, columns, _ = activations.shape
    scores = principal_components(activations, TORUS).scores.reshape(rows, columns, TORUS)
    return min(_once(scores), _once(scores.swapaxes(0, 1)))


def _once(scores: Float[np.ndarray, "other levels components"]) -> float:
    """The fit of the factor along the second axis."""
    levels = scores.shape[1]
    wave = np.exp(2j * np.pi * np.arange(levels) / levels)
    by_level = scores.mean(axis=0)
    both = wave @ by_level
    plane, _ = np.linalg.qr(np.stack([both.real, both.imag], axis=1))
    points = (scores @ plane) @ np.array([1, 1j])
    power = np.square(np.abs(points)).mean()
    if power == 0 or not _goes_round(points.mean(axis=0)):
        return 0.0
    amounts = [np.abs((points * way).mean()) ** 2 for way in (wave, wave.conj())]
    return float(max(amounts) / power)


def _goes_round(ring: np.ndarray) -> bool:
    """Whether points in order go round the origin once, with no step beyond three even ones."""
    steps = np.angle(np.roll(ring, -1) * ring.conj())
    once = abs(round(steps.sum() / (2 * np.pi))) == 1
    return bool(once and np.abs(steps).max() <= STEPS * 2 * np.pi / len(ring))


rotation_invariant.register("circle_fit")(circle_fit)


@measures.register("two_circles")
def two_circles(evidence: Evidence) -> dict[str, float]:
    """How well a circle of x and one of y fit the first four principal components, by hidden layer: 1 for both exactly.

    The formula is that of `circle_fit`. 0: labels do not run round once, as on an open sheet.
    """
    return by_layer(evidence, circle_fit)
