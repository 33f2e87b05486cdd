"""How long loops and cavities of noise last: what a bar must outlast before it is a hole."""

import numpy as np

from recombine.core.arrays import Given, real_array
from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.measures.homology_bars import homology
from recombine.measures.spectrum import principal_components

CLOUDS = 9  # of noise: at most one in ten clouds of noise has a loop beyond all of theirs


def noise_floor(
    points: Given, degrees: int = 2, landmarks: int | None = None, clouds: int = CLOUDS
) -> tuple[float, ...]:
    """The longest bar in degree 1, 2, ..., ``degrees`` of Gaussian clouds as large as this one, 0 where there is none.

        floor_d = max over clouds of the longest lifetime in degree d

    The clouds have as many points (points, features) as this one and its covariance, and are looked at by as many
    ``landmarks``. What is Gaussian itself has a bar beyond the floor with a chance of 1 / (clouds + 1) in each degree.
    """
    read = real_array(points, "points", "(points, features)")
    if clouds < 1:
        raise InputError(f"clouds = {clouds} of noise must be at least 1; draw more.")
    if len(read) == 1 or not np.ptp(read, axis=0).any():
        return (0.0,) * degrees
    scores = principal_components(read, min(read.shape)).scores
    deviations = np.sqrt(np.square(scores).mean(axis=0))
    floor = np.zeros(degrees)
    for cloud in range(clouds):
        # By component, so that directions in which nothing varies do not shift the others.
        noise = deviations * stream(cloud, "measures", "noise-bars").normal(size=scores.shape[::-1]).T
        bars = homology(noise, degrees, landmarks)
        floor = np.maximum(floor, [lifetimes.max(initial=0.0) for lifetimes in bars[1:]])
    return tuple(map(float, floor))
