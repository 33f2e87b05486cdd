"""Accuracy by section and coordinate, from the measures of every seed."""

import pytest

from recombine.papers.diffusion_factorize import canvases as c
from recombine.reports.section_bars import ARMS, bars_of, section_bars, sections_of

ENDS = ("-x", "-y", "")


def accuracies(start=0.0, sections=("id", *ARMS, "ood", "all")):
    """A value of its own for every section and coordinate, a hundredth apart."""
    names = [f"{section}{end}" for section in sections for end in ENDS]
    return {name: start + place / 100 for place, name in enumerate(names)}


@pytest.mark.parametrize(
    ("setting", "sections"),
    [
        (c.sums, ("id", *ARMS)),
        (c.sums_and_stripes, ("id", *ARMS)),
        (c.lesions[2], ("id", "ood")),
        (c.squares["bump", "corner", 4], ("id", "ood")),
        (c.torus, ("all",)),
        (c.lattice[0.5, 0.4], ("all",)),
    ],
)
def test_sections_are_those_of_the_problem(runs_of, setting, sections):
    assert sections_of(runs_of(setting, {})) == sections


def test_bars_hold_the_values_of_all_seeds(runs_of):
    setting = runs_of(c.sums, {}, {}, measures=[{"strict_accuracy": accuracies(start)} for start in (0.0, 0.5)])
    found = bars_of(setting, "strict_accuracy")
    assert list(found) == ["id", *ARMS]
    assert found["vertical"] == {
        "x": [0.03, 0.53],
        "y": [0.04, 0.54],
        "both": [pytest.approx(0.05), pytest.approx(0.55)],
    }


def test_the_figure_tells_the_means(runs_of, parsed, image_bytes):
    measures = [{"darkest_accuracy": accuracies(start), "strict_accuracy": accuracies(0.4)} for start in (0.0, 0.5)]
    figure = section_bars(runs_of(c.sums, {}, {}, measures=measures))
    alt = parsed(figure).all("img")[0].attributes["alt"]
    assert "darkest pixel right: id x 0.25 y 0.26 both 0.27, vertical x 0.28 y 0.29 both 0.3, horizontal" in alt
    assert "one mark, and it is right: id x 0.4 y 0.41 both 0.42" in alt
    svg = image_bytes(figure).decode()
    assert all(f">{words}<" in svg for words in ("vertical", "horizontal", "share of pictures", "x", "y", "both"))
    assert "mean over 2 seeds" in figure
    assert "x was never shown" in figure


@pytest.mark.parametrize(
    ("setting", "words"),
    [(c.sums_and_stripes, "x was shown in lone stripes only"), (c.sums_revealed, "x was shown here all the same")],
)
def test_the_caption_says_what_was_shown_of_the_cross(runs_of, setting, words):
    assert words in section_bars(runs_of(setting, {}, measures={"strict_accuracy": accuracies()}))


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        (c.stripes, "No combination was shown, only lone stripes: sections"),
        (c.stripes_for_bumps, "No combination was shown, only lone stripes: sections"),
        (c.stripes_rim, "No combination was shown, only lone stripes and crossings that the border cuts off: sections"),
    ],
)
def test_lone_stripes_are_not_called_trained_combinations(runs_of, image_bytes, setting, words):
    figure = section_bars(runs_of(setting, {}, measures={"strict_accuracy": accuracies()}))
    assert words in figure
    assert "arm" not in figure
    svg = image_bytes(figure).decode()
    assert ">outside<" in svg
    assert ">trained<" not in svg
    usual = image_bytes(section_bars(runs_of(c.sums_and_stripes, {}, measures={"strict_accuracy": accuracies()})))
    assert ">trained<" in usual.decode()


def test_a_band_has_two_sections_and_no_arms(runs_of, parsed):
    figure = section_bars(runs_of(c.lesions[2], {}, measures={"darkest_accuracy": accuracies()}))
    alt = parsed(figure).all("img")[0].attributes["alt"]
    assert "id x 0 y 0.01 both 0.02, ood x 0.12" in alt
    assert "arm" not in figure


def test_without_accuracies_there_are_no_bars(runs_of):
    assert section_bars(runs_of(c.sums, {})) is None
    assert section_bars(runs_of(c.sums, {}, measures={"strict_accuracy": {"somewhere": 1.0}})) is None
    assert section_bars(runs_of(c.sums, {}, measures={"strict_accuracy": accuracies()}, status="failed")) is None
