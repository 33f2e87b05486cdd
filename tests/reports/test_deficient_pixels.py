"""Maps of pixels that a support leaves open: a row for each sprite, one scale."""

import numpy as np
import pytest

from recombine.papers.first_principles.checking import SceneDefinition, SupportCheckup
from recombine.reports.deficient_pixels import deficient_pixels_figure, sprites_of
from recombine.reports.kinds import CALCULATIONS, kind_of
from recombine.reports.settings import SeedRun, SettingRuns


def kept(sprites=2, rows=4, columns=6):
    """Sprite k lacks its first k columns everywhere by rank, and half as often what is asked."""
    found = {}
    for sprite in range(1, sprites + 1):
        shares = np.zeros((rows, columns), dtype=np.float32)
        shares[:, :sprite] = 1.0
        found |= {f"deficient_{sprite}": shares, f"lacking_{sprite}": shares / 2}
    return found


def setting_of(*arrays, status="done"):
    """A run for each of these arrays."""
    body = {"status": status, "measures": {}, "layers": ()}
    return SettingRuns("planes", "", (), tuple(SeedRun(SupportCheckup(), body, each) for each in arrays))


@pytest.mark.parametrize("sprites", [1, 2, 3])
def test_every_sprite_has_a_row_of_two_maps(image_bytes, sprites):
    svg = image_bytes(deficient_pixels_figure(setting_of(kept(sprites)))).decode()
    assert svg.count("<image") == 2 * sprites + 1  # and the scale
    assert all(f">sprite {sprite + 1}<" in svg for sprite in range(sprites))
    assert svg.count(">column<") == 2
    assert svg.count(">row<") == sprites
    assert svg.count(">share of component values<") == 1


def test_the_words_have_the_means_over_pixels(parsed):
    """One of six columns is a sixth, two are a third."""
    figure = deficient_pixels_figure(setting_of(kept()))
    assert parsed(figure).all("img")[0].attributes["alt"] == (
        "Pixels that the support of planes leaves open, by sprite. Sprite 1: rank not full for 0.167 of the values on "
        "average and 1 at most, lacks what is asked for 0.0833 of the values on average and 0.5 at most. Sprite 2: "
        "rank not full for 0.333 of the values on average and 1 at most, lacks what is asked for 0.167 of the values "
        "on average and 0.5 at most."
    )


def test_seeds_are_averaged_and_counted():
    """A sixth of the pixels in one seed and none in the other."""
    nothing = {name: np.zeros_like(each) for name, each in kept(1).items()}
    figure = deficient_pixels_figure(setting_of(kept(1), nothing))
    assert "averaged over 2 seeds" in figure
    assert "rank not full for 0.0833 of the values on average and 0.5 at most" in figure


def test_sprites_end_where_one_of_their_maps_is_missing():
    arrays = kept(3)
    assert len(sprites_of(arrays)) == 3
    assert len(sprites_of({name: each for name, each in arrays.items() if name != "lacking_3"})) == 2
    assert sprites_of({name: each for name, each in arrays.items() if name != "deficient_1"}) == []
    assert sprites_of({name: np.full_like(each, np.nan) for name, each in arrays.items()}) == []


def test_without_maps_there_is_no_figure():
    assert deficient_pixels_figure(setting_of({})) is None
    assert deficient_pixels_figure(setting_of(kept(), status="failed")) is None


def test_the_figure_belongs_to_the_check_of_a_support():
    assert kind_of(SupportCheckup()) is CALCULATIONS
    assert CALCULATIONS.figures(setting_of(kept()), []) == [deficient_pixels_figure(setting_of(kept()))]
    other = SettingRuns("definition", "", (), (SeedRun(SceneDefinition(), {"status": "done", "measures": {}}, kept()),))
    assert CALCULATIONS.figures(other, []) == []
