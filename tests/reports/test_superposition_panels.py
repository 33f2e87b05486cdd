"""The panels show what is in the arrays, with the cross where the truth is."""

import numpy as np
import pytest

from recombine.papers import Scale
from recombine.reports.settings import SeedRun, SettingRuns
from recombine.reports.superposition_panels import mean_correlation, scaled, superposition_figure, true_place


def setting_of(make, arrays, **body):
    """One finished run of the tiny setting with these arrays."""
    found = {"status": "done", "measures": {}, "layers": ["input", "layer0", "layer1", "output"], **body}
    return SettingRuns("tiny", "", (), (SeedRun(make.tiny(Scale.QUICK), found, arrays),))


def arrays(answer="sum"):
    """Combinations (y 3, x 7) and (y 5, x 6): an upright and a level stripe, and a truth where they cross."""
    levels = np.array([[3, 7], [5, 6]])
    across, up, truth = (np.zeros((2, 8, 11)) for _ in range(3))
    for place, (y, x) in enumerate(levels):
        up[place, :, x], across[place, y, :], truth[place, y, x] = 1.0, 1.0, 1.0
    answers = {"sum": scaled(up + across), "truth": truth}
    named = {"truth": truth, "answer": answers[answer], "y": across, "x": up}
    kept = {f"superposition_{name}": values.astype(np.float16) for name, values in named.items()}
    return {"superposition_combinations": levels, **kept}


def test_each_held_out_combination_has_a_row_of_five_pictures(make, parsed, image_bytes):
    figure = superposition_figure(setting_of(make, arrays()))
    svg = image_bytes(figure).decode()
    assert svg.count("<image") == 2 * 5 + 1  # and the scale
    assert all(words in svg for words in ("the same x", "the same y", "network", "truth", "asked: x 7, y 3"))
    assert "seed 0, for x 7, y 3; x 6, y 5" in parsed(figure).all("img")[0].attributes["alt"]
    assert "Fig. 1d" in figure


@pytest.mark.parametrize("answer", ["sum", "truth"])
def test_the_caption_says_which_of_the_two_the_answer_is(make, answer):
    """An answer that is the sum correlates 1 with it, one that is the truth 1 with that."""
    figure = superposition_figure(setting_of(make, arrays(answer)))
    assert ("correlates 1 with the sum" in figure) is (answer == "sum")
    assert ("and 1 with the truth" in figure) is (answer == "truth")


def test_the_same_arrays_are_the_same_figure(make):
    assert superposition_figure(setting_of(make, arrays())) == superposition_figure(setting_of(make, arrays()))


def test_without_its_arrays_there_is_no_figure(make):
    incomplete = {name: values for name, values in arrays().items() if name != "superposition_truth"}
    empty = {name: values[:0] for name, values in arrays().items()}
    assert superposition_figure(setting_of(make, incomplete)) is None
    assert superposition_figure(setting_of(make, empty)) is None
    assert superposition_figure(setting_of(make, arrays(), status="failed")) is None


def test_the_true_place_is_a_row_and_a_column():
    picture = np.zeros((8, 11))
    assert true_place(picture) is None
    picture[2, 9] = 0.5
    assert true_place(picture) == (2, 9)


def test_correlation_is_blind_to_scale_and_zero_for_a_uniform_picture():
    pictures = np.random.default_rng(0).random((3, 4, 5))
    assert mean_correlation(pictures, 2 + 3 * pictures) == pytest.approx(1.0)
    assert mean_correlation(pictures, -pictures) == pytest.approx(-1.0)
    assert mean_correlation(pictures, np.ones((3, 4, 5))) == 0.0


def test_a_sum_is_divided_by_its_largest_value_picture_by_picture():
    first, second = np.zeros((2, 3, 4)), np.zeros((2, 3, 4))
    first[0, 1, :], second[0, :, 2] = 1.0, 1.0
    assert scaled(first + second)[0, 1].tolist() == [0.5, 0.5, 1.0, 0.5]
    assert not scaled(first + second)[1].any()
