"""The options of the support checker: what each may be."""

from typing import Any

import numpy as np

from recombine.core.errors import InputError, unknown

STRUCTURES = ("blocks", "dense")
NUMBER = (float, int, np.floating, np.integer)


def check_options(structure: str, count: int, tolerance: Any, usable: Any, weights: int, seed: int) -> None:
    """Refuse options of `theory.support.check` with which its answer would mean nothing.

    Comparisons are written so that NaN, which is neither above nor below anything, is refused.
    """
    if structure not in STRUCTURES:
        raise unknown("structure", str(structure), STRUCTURES)
    if not count >= 1:
        raise InputError(f"count = {count} must be at least 1: so many training points are looked at for each value.")
    if tolerance is not None and not (isinstance(tolerance, NUMBER) and 0 < tolerance < 1):
        raise InputError(
            f"tolerance = {tolerance!r} must lie between 0 and 1, both excluded: below so many times the largest, a "
            "singular value is zero; leave it out for a multiple of the machine's precision."
        )
    if not (isinstance(usable, NUMBER) and 0 <= usable < 1):
        raise InputError(
            f"usable = {usable!r} must be at least 0 and below 1: above so many times the largest, a singular value is "
            "large enough to learn from, e.g. 0.001."
        )
    if not weights >= 0:
        raise InputError(f"weights = {weights} must be at least 0: so many random sums are tried beside the plain one.")
    if not seed >= 0:
        raise InputError(f"seed = {seed} must be at least 0; choose another whole number.")
