"""The similarity matrix beside the kernel that asks only for a shared level."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.papers import Scale
from recombine.reports.settings import SeedRun, SettingRuns
from recombine.reports.similarity_figure import correlation, sharing, similarity_figure


def setting_of(make, arrays, **body):
    """One finished run of the tiny setting with these arrays."""
    found = {"status": "done", "measures": {}, "layers": ["input", "layer0", "layer1", "output"], **body}
    return SettingRuns("tiny", "", (), (SeedRun(make.tiny(Scale.QUICK), found, arrays),))


TRAINED = np.array([[0, 5], [1, 6], [3, 2], [7, 10]], dtype=np.int16)
HELD = np.array([[3, 5], [4, 6], [5, 7]], dtype=np.int16)
# Rows are trained, columns held out: (0, 5) shares x with (3, 5), (1, 6) with (4, 6), and (3, 2) shares y with (3, 5).
KERNEL = np.array([[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 0]])


def arrays(matrix):
    return {"similarity": matrix.astype(np.uint8), "similarity_trained": TRAINED, "similarity_held": HELD}


def test_the_kernel_is_one_where_a_level_is_shared():
    assert np.array_equal(sharing(TRAINED, HELD), KERNEL)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 6))
def test_the_kernel_does_not_care_which_side_is_held_out(seed, trained, held):
    rng = np.random.default_rng(seed)
    ours, theirs = (rng.integers(0, 4, size=(size, 2)) for size in (trained, held))
    assert np.array_equal(sharing(ours, theirs), sharing(theirs, ours).T)


def test_answers_that_overlap_where_a_level_is_shared_correlate_one(make, parsed, image_bytes):
    figure = similarity_figure(setting_of(make, arrays(255 * KERNEL)))
    assert "The two correlate 1." in figure
    assert "4 trained rows and 3 held-out columns" in parsed(figure).all("img")[0].attributes["alt"]
    svg = image_bytes(figure).decode()
    assert all(
        words in svg for words in ("held-out combination (y, x)", "trained combination (y, x)", ">7, 10<", ">5, 7<")
    )
    assert "Fig. 1e" in figure
    assert figure == similarity_figure(setting_of(make, arrays(255 * KERNEL)))


def test_the_opposite_correlates_minus_one_and_no_variation_not_at_all(make):
    assert correlation(1.0 - KERNEL, KERNEL) == pytest.approx(-1.0)
    assert correlation(np.ones(KERNEL.shape), KERNEL) is None
    assert "correlate" not in similarity_figure(setting_of(make, arrays(np.zeros((4, 3)))))


def test_without_its_arrays_there_is_no_figure(make):
    assert similarity_figure(setting_of(make, {"similarity": np.zeros((4, 3), dtype=np.uint8)})) is None
    assert similarity_figure(setting_of(make, arrays(KERNEL), status="failed")) is None
