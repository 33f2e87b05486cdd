"""Absence: an example may lack a factor. A lone stripe has an x and no y."""

from typing import Final

import numpy as np

from recombine.core.shapes import Bool, Int

ABSENT: Final = -1
"""What a row of level indices holds for a factor the example does not have. Write the name, never the number."""


def present(combinations: Int[np.ndarray, "*shape"]) -> Bool[np.ndarray, "*shape"]:
    """True where a combination has the factor, False where it is `ABSENT`."""
    return combinations != ABSENT
