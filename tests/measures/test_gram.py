"""Inner products in blocks equal those in one piece."""

import numpy as np
import pytest

from recombine.core.seeds import stream
from recombine.measures.gram import gram


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("block", [4, 11, 100])
def test_blocks_of_features_add_up(monkeypatch, dtype, block):
    rng = stream(0, "measures", "gram")
    rows, offset = rng.normal(size=(5, 11)).astype(dtype), rng.normal(size=11)
    monkeypatch.setattr("recombine.measures.gram.BLOCK", block)
    products = gram(rows, offset)
    assert products.dtype == np.float64
    assert products == pytest.approx((rows - offset) @ (rows - offset).T)
