"""One-line regions: ranges include both ends, and what cannot be read says why."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine import splits
from recombine.core.errors import InputError
from recombine.splits import parse_region


@pytest.mark.parametrize(
    ("text", "region"),
    [
        ("block:x=6..22,y=6..22", splits.block(x=(6, 23), y=(6, 23))),
        ("block:x=26..2", splits.block(x=(26, 3))),
        (" block : x = 6..22 , y=4..4 ", splits.block(x=(6, 23), y=(4, 5))),
        ("band:factor=x,low=3,high=5", splits.band(factor="x", low=3, high=5)),
        ("band:x=5..8", splits.band(factor="x", low=5, high=9)),
        ("band:x=26..2", splits.band(factor="x", low=26, high=3)),
        ("extrapolation/band:low=3..3", splits.extrapolation(of=splits.band(factor="low", low=3, high=4))),
        ("cross:x=13..18,y=2..4", splits.cross(x=(13, 19), y=(2, 5))),
        ("corner:x=8,y=8", splits.corner(x=8, y=8)),
        ("diagonal:width=2", splits.diagonal(width=2)),
        ("random:fraction=0.3,seed=1", splits.random(fraction=0.3, seed=1)),
        ("random:fraction=.3", splits.random(fraction=0.3, seed=0)),
        ("orthogonal", splits.orthogonal()),
        ("anchors:first=0|8,second=0|8", splits.anchors(first=(0, 8), second=(0, 8))),
        ("anchors:first=4", splits.anchors(first=(4,))),
        ("anchors:first=2..4,second=1", splits.anchors(first=(2, 3, 4), second=(1,))),
        ("dispersed:partners=3,seed=7", splits.dispersed(partners=3, seed=7)),
        ("extrapolation/block:x=0..3", splits.extrapolation(of=splits.block(x=(0, 4)))),
        ("block:x=0..2,y=0..2+corner:x=8,y=8", splits.block(x=(0, 3), y=(0, 3)) | splits.corner(x=8, y=8)),
        ("cells:rows=[[0, 4], [2,1]]", splits.cells(rows=((0, 4), (2, 1)))),
        ('conjunctions:of=[{"x": 3, y: 4}]', splits.conjunctions(of=({"x": 3, "y": 4},))),
        ("orthogonal:at={x: 0}", splits.orthogonal(at={"x": 0})),
        (
            "union:of=[{kind: corner, x: 8}, {kind: cells, rows: [[0, 0]]}]",
            splits.corner(x=8) | splits.cells(rows=((0, 0),)),
        ),
        ("cells:rows=[[0, 4]]+corner:x=8", splits.cells(rows=((0, 4),)) | splits.corner(x=8)),
        (
            "corner:x=8 + corner:y=7 + diagonal:width=1",
            splits.corner(x=8) | splits.corner(y=7) | splits.diagonal(width=1),
        ),
        (
            "extrapolation/corner:x=8+corner:y=7",
            splits.extrapolation(of=splits.corner(x=8) | splits.corner(y=7)),
        ),
    ],
)
def test_lines_read_as_regions(text, region):
    assert parse_region(text) == region


@given(first=st.integers(0, 40), last=st.integers(0, 40))
@settings(deadline=None)
def test_a_range_includes_both_ends(first, last):
    text = f"block:x={first}..{last}"
    if last == first - 1:
        with pytest.raises(InputError, match="ends just before it begins"):
            parse_region(text)
    else:
        assert parse_region(text) == splits.block(x=(first, last + 1))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("blok:x=1..2", "unknown split 'blok'; did you mean 'block'?"),
        ("none", "unknown split 'none';"),
        ("", "region '' cannot be read: a region begins with its kind; write e.g. block:x=6..22,y=6..22."),
        ("anchors:first=4..2", "the range 4..2 runs backwards"),
        ("anchors:first=0|a", "anchors: first"),
        ("corner:x=8+", "region 'corner:x=8+' cannot be read: a region begins with its kind"),
        ("block:", "region 'block:' cannot be read: settings follow the colon"),
        ("block:x", "region 'block:x' cannot be read: 'x' is not name=value"),
        ("block:x=", "region 'block:x=' cannot be read: 'x=' is not name=value"),
        ("block:=1..2", "'=1..2' is not name=value"),
        ("block:x=1..2,", "'' is not name=value"),
        ("block:x=1..2,x=3..4", "'x' is given twice"),
        ("block:x=1...3", "'1...3' is no range of level indices"),
        ("block:x=a..b", "'a..b' is no range of level indices"),
        ("block:x=-1..3", "'-1..3' is no range of level indices"),
        ("block:x=3", "block: x = 3: a range is a pair (low, high)"),
        ("block", "block names no factor"),
        ("band:x=5..8,y=1..2", "a band is one factor with its range (band:x=5..8) or factor=, low= and high="),
        ("band:factor=x,low=5..8", "a band is one factor with its range"),
        ("band:x=5|8", "'5|8' lists levels where a range is meant"),
        ("block:x=5|8,y=1..2", "'5|8' lists levels where a range is meant"),
        ("band:x=5", "unknown setting of band 'x'; known: factor, high, low."),
        ("corner:x=1..2", "corner: x = (1, 3): a level is given by its index"),
        ("cells:rows=[[0, 4]", "of region 'cells:rows=[[0, 4]' is not valid YAML"),
        ("cells:rows=[[0, a]]", "cells: rows"),
        ("random:fracton=0.2", "unknown setting of random 'fracton'; did you mean 'fraction'?"),
        ("random:fraction=nan", "random: fraction = nan"),
        ("random:fraction=some", "random: fraction = 'some'"),
        ("corner:x=8+extrapolation/corner:y=7", "has 'extrapolation/' inside; the prefix goes first"),
        ("extrapolation/extrapolation/corner:y=7", "has 'extrapolation/' inside; the prefix goes first"),
    ],
)
def test_what_cannot_be_read_says_why(text, says):
    with pytest.raises(InputError, match=re.escape(says)):
        parse_region(text)
