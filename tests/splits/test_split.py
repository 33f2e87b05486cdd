"""A split partitions its grid, names the parts, and refuses what could not ask about composition."""

import pickle
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from recombine import splits
from recombine.core.errors import InputError
from recombine.factors import Factor, Grid
from recombine.splits import Region, distance_to_training, make_split, unseen_levels

GRID = Grid.numbered(y=9, x=12)


@given(data=st.data(), rim=st.integers(0, 3))
@settings(deadline=None, max_examples=80)
def test_every_split_partitions_its_grid(data, rim):
    names = ("y", "x", "z")[: data.draw(st.integers(2, 3))]
    grid = Grid(tuple(Factor.numbered(name, data.draw(st.integers(2, 7)), data.draw(st.booleans())) for name in names))
    chosen = data.draw(arrays(bool, grid.size))
    chosen[:2] = (False, True)
    cells, cross = splits.cells(rows=grid.combinations()[chosen].tolist()), splits.cross(y=(0, 1), x=(0, 1))
    region = cells if data.draw(st.booleans()) else cross
    split = make_split(splits.extrapolation(of=region), grid, rim=rim)
    assert np.array_equal(split.held_out, region.contains(grid))
    assert np.array_equal(split.train, ~split.held_out)
    assert np.array_equal(split.sections["id"], split.train)
    assert np.array_equal(split.sections["ood"], split.held_out)
    for name, mask in split.sections.items():
        assert mask.any()
        assert name == "id" or not (mask & split.train).any()
    empty = np.zeros(split.grid.size, dtype=bool)
    near, deep = (split.sections.get(name, empty) for name in ("rim", "interior"))
    assert np.array_equal(near.astype(int) + deep, split.held_out.astype(int))
    distance = distance_to_training(split.grid, split.held_out)
    assert np.array_equal(near, (distance > 0) & (distance <= rim))


def test_a_block_has_a_rim_two_levels_wide():
    split = make_split(splits.block(y=(1, 8), x=(2, 11)), GRID)
    interior = splits.block(y=(3, 6), x=(4, 9)).contains(GRID)
    assert list(split.sections) == ["id", "ood", "rim", "interior"]
    assert np.array_equal(split.sections["interior"], interior)
    thin = make_split(splits.block(y=(1, 8), x=(2, 11)), GRID, rim=1)
    assert thin.sections["interior"].sum() == 5 * 7


def test_empty_sections_are_left_out():
    assert set(make_split(splits.block(y=(1, 4), x=(2, 5)), GRID).sections) == {"id", "ood", "rim"}
    assert set(make_split(splits.block(y=(1, 4), x=(2, 5)), GRID, rim=0).sections) == {"id", "ood", "interior"}


def test_words_have_no_rim():
    grid = Grid((Factor("shape", ("disc", "ring", "star")), Factor.numbered("x", 5)))
    assert set(make_split(splits.cells(rows=[[1, 2]]), grid).sections) == {"id", "ood"}


def test_a_cross_brings_its_own_sections():
    split = make_split(splits.extrapolation(of=splits.cross(x=(4, 9), y=(3, 5))), GRID)
    counts = {name: int(mask.sum()) for name, mask in split.sections.items()}
    assert (counts["vertical"], counts["horizontal"], counts["intersection"]) == (5 * 7, 2 * 7, 10)
    assert counts["ood"] == counts["vertical"] + counts["horizontal"] + counts["intersection"]
    assert np.array_equal(split.section("vertical"), split.sections["vertical"])
    with pytest.raises(InputError, match="unknown section 'vertcal'; did you mean 'vertical'"):
        split.section("vertcal")


def test_unseen_levels_are_found_by_factor():
    held_out = splits.cross(x=(4, 6), y=(3, 4)).contains(GRID)
    assert unseen_levels(GRID, held_out) == {"y": (3,), "x": (4, 5)}
    assert unseen_levels(GRID, splits.block(x=(4, 6), y=(3, 4)).contains(GRID)) == {}


def test_unseen_levels_are_refused_by_name_with_the_way_out():
    says = (
        "split 'band' never shows x = 4, 5 in training; held-out combinations must be made of levels the model has "
        "seen. Shrink the held-out region, show x alone in extra examples, or use splits.extrapolation if unseen "
        "levels are meant."
    )
    with pytest.raises(InputError, match=f"^{re.escape(says)}$"):
        make_split(splits.band(factor="x", low=4, high=6), GRID)


def test_levels_are_named_by_their_values_and_not_all_of_many():
    grid = Grid((Factor("hue", ("red", "green", "blue")), Factor("angle", (0.0, 0.5, 1.5))))
    with pytest.raises(InputError, match="never shows hue = green, blue in training"):
        make_split(splits.corner(hue=1), grid)
    with pytest.raises(InputError, match=r"never shows angle = 1\.5 in training"):
        make_split(splits.corner(angle=2), grid)
    with pytest.raises(InputError, match="never shows x = 1, 2, 3, 4, 5, 6 and 5 more in training"):
        make_split(splits.corner(x=1), GRID)


def test_levels_shown_alone_count_as_seen():
    cross = splits.cross(x=(4, 6), y=(3, 4))
    assert make_split(cross, GRID, shown_alone=("x", "y")).held_out.sum() == 2 * 9 + 12 - 2
    with pytest.raises(InputError, match="never shows y = 3 in training"):
        make_split(cross, GRID, shown_alone=("x",))
    with pytest.raises(InputError, match="never shows x = 4, 5 in training"):
        make_split(cross, GRID, shown_alone="y")
    with pytest.raises(InputError, match="unknown factor 'z'"):
        make_split(cross, GRID, shown_alone=("x", "y", "z"))


def test_only_an_outermost_extrapolation_declares_unseen_levels():
    band = splits.band(factor="x", low=4, high=6)
    assert make_split(splits.extrapolation(of=band), GRID).held_out.sum() == 18
    with pytest.raises(InputError, match="split 'union' never shows x = 4, 5"):
        make_split(splits.extrapolation(of=band) | splits.cells(rows=[[0, 0]]), GRID)


@pytest.mark.parametrize(
    ("region", "says"),
    [
        (splits.block(x=(0, 3)) & splits.block(x=(5, 7)), "split 'intersection' holds out nothing of the 108"),
        (splits.random(fraction=0.001), "split 'random' holds out nothing of the 108 combinations"),
        (splits.block(x=(0, 12)), "split 'block' holds out all 108 combinations"),
        (splits.extrapolation(of=splits.corner(x=0)), "split 'extrapolation' holds out all 108 combinations"),
    ],
)
def test_nothing_held_out_and_nothing_trained_are_refused(region, says):
    with pytest.raises(InputError, match=says):
        make_split(region, GRID)


def test_a_negative_rim_is_refused():
    with pytest.raises(InputError, match="rim = -1 must be 0 or more"):
        make_split(splits.cells(rows=[[0, 0]]), GRID, rim=-1)


class Careless(Region):
    """Holds out one cell and misnames its sections."""

    name: str
    spill: bool

    def contains(self, grid):
        return grid.index(grid.combinations()) == 5

    def sections(self, grid):
        return {self.name: self.contains(grid) | self.spill}


def test_sections_of_a_new_region_are_held_to_the_rules():
    assert set(make_split(Careless(name="mine", spill=False), GRID).sections) == {"id", "ood", "rim", "mine"}
    with pytest.raises(InputError, match="names a section 'rim', which every split makes itself"):
        make_split(Careless(name="rim", spill=False), GRID)
    with pytest.raises(InputError, match="has trained combinations in its section 'mine'"):
        make_split(Careless(name="mine", spill=True), GRID)


def test_a_split_cannot_be_changed_and_travels_between_processes():
    split = make_split(splits.block(y=(1, 8), x=(2, 11)), GRID)
    with pytest.raises(AttributeError):
        split.held_out = split.train
    with pytest.raises(ValueError, match="read-only"):
        split.held_out[0] = True
    with pytest.raises(ValueError, match="read-only"):
        split.sections["interior"][0] = True
    again = pickle.loads(pickle.dumps(split))
    assert (again.grid, again.region) == (split.grid, split.region)
    assert all(np.array_equal(again.sections[name], mask) for name, mask in split.sections.items())
