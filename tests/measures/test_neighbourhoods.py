"""UMAP, where it is installed: neighbours stay neighbours, and a seed gives one picture."""

import sys

import numpy as np
import pytest

from recombine.core.errors import InputError
from recombine.measures import umap_view


def circle(items: int = 60) -> np.ndarray:
    angles = np.linspace(0, 2 * np.pi, items, endpoint=False)
    return np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)


def test_neighbours_on_a_circle_stay_neighbours():
    pytest.importorskip("umap")
    rows = circle()
    view = umap_view(rows, dimensions=2, neighbours=5)
    distances = np.linalg.norm(view[:, None] - view[None], axis=-1)
    beside = np.mean([distances[i, (i + 1) % len(rows)] for i in range(len(rows))])
    assert beside < 0.3 * distances.mean()
    np.testing.assert_array_equal(view, umap_view(rows, dimensions=2, neighbours=5))


def test_without_the_extra_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "umap", None)
    with pytest.raises(InputError, match=r"recombine\[umap\]"):
        umap_view(circle())


@pytest.mark.parametrize(
    ("settings", "words"), [({"neighbours": 60}, "fewer than the rows"), ({"dimensions": 0}, "rows")]
)
def test_what_cannot_be_drawn_is_refused(settings, words):
    pytest.importorskip("umap")
    with pytest.raises(InputError, match=words):
        umap_view(circle(), **settings)


def test_rows_that_are_not_finite_are_refused():
    pytest.importorskip("umap")
    with pytest.raises(InputError, match="not finite"):
        umap_view(np.full((20, 3), np.nan))
