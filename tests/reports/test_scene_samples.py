"""Pictures in colour beside each other, with the error of each."""

import numpy as np
import pytest

from recombine.papers import Scale
from recombine.reports.scene_samples import scene_samples_figure, shapes_of, strip_of
from recombine.reports.settings import SeedRun, SettingRuns


def kept(scenes=3, rows=4, columns=5, wrong=0.5):
    """Black targets, and outputs that are off by ``wrong`` in one colour of every pixel of the last scene."""
    latents = np.full((scenes, 2, 5), 0.5)
    latents[:, 0, 2], latents[:, 1, 2] = 0.0, 1.0
    targets = np.zeros((scenes, rows, columns, 3))
    outputs = targets.copy()
    outputs[-1, ..., 1] = wrong
    named = {"latents": latents, "targets": targets, "outputs": outputs}
    return {f"scene_{name}": values.astype(np.float16) for name, values in named.items()}


def setting_of(make, *arrays, status="done"):
    """A run for each of these arrays; what was trained does not matter here."""
    body = {"status": status, "measures": {}, "layers": ()}
    return SettingRuns("tiny", "", (), tuple(SeedRun(make.tiny(Scale.QUICK), body, each) for each in arrays))


def test_three_rows_of_pictures_and_their_words(make, parsed, image_bytes):
    figure = scene_samples_figure(setting_of(make, kept()))
    svg = image_bytes(figure).decode()
    assert svg.count("<image") == 3
    assert all(f">{words}<" in svg for words in ("target", "output", "|difference|", "mean squared error"))
    assert svg.count(">triangle<") == svg.count(">circle<") == 3
    # One colour of three is off by a half: (1/2)² / 3.
    assert svg.count(">0.0833<") == 1
    assert svg.count(">0<") == 2
    alt = parsed(figure).all("img")[0].attributes["alt"]
    assert alt.endswith("triangle, circle: 0; triangle, circle: 0; triangle, circle: 0.0833.")


def test_the_caption_says_what_display_cuts_off(make):
    assert "outputs run from 0 to 1.5, targets from 0 to 0" in scene_samples_figure(setting_of(make, kept(wrong=1.5)))


def test_a_strip_keeps_colours_apart_and_has_white_between_pictures():
    pictures = np.random.default_rng(0).random((3, 4, 16, 3))
    strip = strip_of(pictures)
    assert strip.shape == (4, 3 * 16 + 2 * 2, 3)
    for place in range(3):
        assert np.array_equal(strip[:, 18 * place : 18 * place + 16], pictures[place])
    assert (strip[:, 16:18] == 1).all()


def test_a_strip_is_cut_to_what_can_be_shown():
    pictures = np.array([-1.0, 0.25, 7.0]).reshape(1, 1, 1, 3)
    assert strip_of(pictures).ravel().tolist() == [0.0, 0.25, 1.0]


def test_shapes_have_the_shares_of_the_range_that_the_task_gives_them():
    latents = np.zeros((1, 5, 5))
    latents[0, :, 2] = (0.0, 0.24, 0.25, 0.74, 0.75)
    assert shapes_of(latents) == [["triangle", "triangle", "square", "square", "circle"]]


@pytest.mark.parametrize("absent", sorted(kept()))
def test_without_its_arrays_there_is_no_figure(make, absent):
    incomplete = {name: values for name, values in kept().items() if name != absent}
    assert scene_samples_figure(setting_of(make, incomplete)) is None
    assert scene_samples_figure(setting_of(make, {name: values[:0] for name, values in kept().items()})) is None
    assert scene_samples_figure(setting_of(make, kept(), status="failed")) is None
    # A later seed stands in.
    assert scene_samples_figure(setting_of(make, incomplete, kept())) is not None
