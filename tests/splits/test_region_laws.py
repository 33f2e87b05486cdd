"""Laws that every region keeps: the algebra of sets, reading back what was written, one mask entry per combination."""

import json
import pickle
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine import splits
from recombine.core.errors import InputError
from recombine.core.spec import dump
from recombine.factors import Factor, Grid
from recombine.splits import Region, regions
from recombine.splits.region import Complement, Intersection, Union

GRID = Grid.numbered(y=5, x=7)
BLOCK, CORNER, CROSS = splits.block(x=(1, 3), y=(0, 4)), splits.corner(x=4, y=2), splits.cross(x=(2, 5), y=(1, 2))

EXAMPLES: dict[str, Region] = {
    "union": splits.union(of=[BLOCK, CORNER]),
    "intersection": splits.intersection(of=[BLOCK, CROSS]),
    "difference": splits.difference(of=CROSS, minus=CORNER),
    "complement": splits.complement(of=splits.union(of=[BLOCK, CORNER])),
    "block": BLOCK,
    "band": splits.band(factor="x", low=2, high=4),
    "cross": CROSS,
    "corner": CORNER,
    "several": splits.several(count=2, low=3),
    "diagonal": splits.diagonal(width=1.5),
    "orthogonal": splits.orthogonal(at={"x": 3}),
    "conjunctions": splits.conjunctions(of=[{"x": 3, "y": 4}, {"y": 0}]),
    "cells": splits.cells(rows=[[0, 6], [4, 1]]),
    "random": splits.random(fraction=0.3, seed=4),
    "anchors": splits.anchors(x=(0, 5), y=2),
    "dispersed": splits.dispersed(partners=2, seed=3),
    "extrapolation": splits.extrapolation(of=CROSS),
}
OPERATORS = {"union", "intersection", "difference", "complement", "extrapolation"}
SQUARE = {"dispersed": Grid.numbered(y=5, x=5)}  # kinds that need factors with equally many levels


# Strategies draw plain documents; the tests build from them. (The run-time shape checks use `random`, which Hypothesis
# forbids inside a strategy.)
Factors = list[tuple[str, int, bool]]


@st.composite
def factor_lists(draw: st.DrawFn) -> Factors:
    """Two or three factors: name, levels, periodic."""
    names = ("y", "x", "z")[: draw(st.integers(2, 3))]
    return [(name, draw(st.integers(2, 6)), draw(st.booleans())) for name in names]


@st.composite
def spans(draw: st.DrawFn, count: int, periodic: bool) -> tuple[int, int]:
    low = draw(st.integers(0, count - 1))
    straight = st.integers(low + 1, count)
    return low, draw(straight | st.integers(0, low - 1) if periodic and low else straight)


@st.composite
def documents(draw: st.DrawFn, factors: Factors) -> dict[str, Any]:
    """A region of any simple kind, as it stands in YAML."""
    some = draw(st.lists(st.sampled_from(factors), min_size=1, unique=True))
    kind = draw(st.sampled_from(sorted(set(EXAMPLES) - OPERATORS - set(SQUARE))))
    level = {name: draw(st.integers(0, count - 1)) for name, count, _ in factors}
    few = {name: level[name] for name, *_ in some}
    if kind in ("block", "cross"):
        settings_ = {name: draw(spans(*sizes)) for name, *sizes in (some if kind == "block" else factors)}
    elif kind == "band":
        (name, *sizes), *_ = some
        settings_ = dict(zip(("factor", "low", "high"), (name, *draw(spans(*sizes))), strict=True))
    elif kind == "random":
        settings_ = {"fraction": draw(st.floats(0.05, 0.95)), "seed": draw(st.integers(0, 3))}
    else:
        settings_ = {
            "corner": few,
            "several": {"count": len(some), "low": min(few.values())},
            "anchors": {name: [index, 0] for name, index in few.items()},
            "diagonal": {"width": draw(st.floats(0, 6))},
            "orthogonal": {"at": few},
            "conjunctions": {"of": [level, few]},
            "cells": {"rows": [list(level.values())]},
        }[kind]
    return {"kind": kind, **settings_}


@st.composite
def problems(draw: st.DrawFn, count: int) -> tuple[Factors, list[dict[str, Any]]]:
    factors = draw(factor_lists())
    return factors, [draw(documents(factors)) for _ in range(count)]


def build(problem: tuple[Factors, list[dict[str, Any]]]) -> tuple[Grid, list[Region]]:
    factors, drawn = problem
    return Grid(tuple(Factor.numbered(*factor) for factor in factors)), [regions.parse(one) for one in drawn]


def same(grid: Grid, first: Region, second: Region) -> bool:
    return np.array_equal(first.contains(grid), second.contains(grid))


def test_every_kind_has_an_example():
    assert set(EXAMPLES) == set(regions)


@pytest.mark.parametrize("kind", EXAMPLES)
def test_a_region_gives_one_answer_per_combination_and_holds_out_some(kind):
    region, grid = EXAMPLES[kind], SQUARE.get(kind, GRID)
    mask = region.contains(grid)
    assert region.kind == kind
    assert (mask.dtype, mask.shape) == (bool, (grid.size,))
    assert 0 < mask.sum() < grid.size
    assert np.array_equal(mask, region.contains(grid))


@pytest.mark.parametrize("kind", EXAMPLES)
def test_what_is_written_reads_back_equal(kind):
    region = EXAMPLES[kind]
    for text, load in ((json.dumps(dump(region)), json.loads), (yaml.safe_dump(dump(region)), yaml.safe_load)):
        again = regions.parse(load(text))
        assert again == region
        assert hash(again) == hash(region)
        assert type(again) is type(region)
        assert again.digest() == region.digest()
    assert pickle.loads(pickle.dumps(region)) == region


@pytest.mark.parametrize("kind", EXAMPLES)
def test_a_region_is_frozen_and_listed(kind):
    with pytest.raises(ValueError, match="frozen"):
        EXAMPLES[kind].extra = (0, 1)
    assert 20 < len(regions.summaries()[kind]) < 120


@pytest.mark.parametrize("kind", EXAMPLES)
def test_sections_lie_inside_their_region(kind):
    region, grid = EXAMPLES[kind], SQUARE.get(kind, GRID)
    for section in region.sections(grid).values():
        assert not (section & ~region.contains(grid)).any()


@given(problem=problems(count=3))
@settings(deadline=None, max_examples=60)
def test_the_algebra_of_sets(problem):
    grid, (a, b, c) = build(problem)
    assert same(grid, ~(a | b), ~a & ~b)
    assert same(grid, ~(a & b), ~a | ~b)
    assert same(grid, Complement(of=Complement(of=a)), a)
    assert same(grid, a | b, b | a)
    assert same(grid, a & b, b & a)
    assert same(grid, (a | b) | c, a | (b | c))
    assert same(grid, a & (b | c), (a & b) | (a & c))
    assert same(grid, a - b, a & ~b)
    assert np.array_equal((a | b).contains(grid), a.contains(grid) | b.contains(grid))
    assert np.array_equal((a & b).contains(grid), a.contains(grid) & b.contains(grid))
    assert np.array_equal((~a).contains(grid), ~a.contains(grid))


@given(problem=problems(count=2))
@settings(deadline=None, max_examples=60)
def test_any_expression_reads_back_equal(problem):
    grid, (a, b) = build(problem)
    region = splits.extrapolation(of=((a | b) - (a & ~b)) | ~a)
    again = regions.parse(json.loads(json.dumps(dump(region))))
    assert again == region
    assert same(grid, again, region)


def test_chains_are_flat_and_a_double_complement_is_the_region_itself():
    assert Union(of=(BLOCK, CORNER, CROSS)) == BLOCK | CORNER | CROSS
    assert Intersection(of=(BLOCK, CORNER, CROSS)) == BLOCK & (CORNER & CROSS)
    assert ~~CROSS == CROSS
    assert dump(BLOCK | CORNER) == {
        "kind": "union",
        "of": [{"kind": "block", "x": [1, 3], "y": [0, 4]}, {"kind": "corner", "x": 4, "y": 2}],
    }


def test_order_of_settings_does_not_matter_and_their_values_do():
    assert splits.block(y=(0, 4), x=(1, 3)) == BLOCK
    assert len({splits.block(y=(0, 4), x=(1, 3)), BLOCK, splits.block(x=(1, 3)), splits.block(x=(1, 4))}) == 3


def test_operators_keep_the_sections_of_their_parts():
    cross = CROSS.sections(GRID)
    assert set((CROSS | BLOCK).sections(GRID)) == set(cross)
    assert all(np.array_equal((CROSS | BLOCK).sections(GRID)[name], cross[name]) for name in cross)
    for name, section in (CROSS - BLOCK).sections(GRID).items():
        assert np.array_equal(section, cross[name] & ~BLOCK.contains(GRID))
    for name, section in (CROSS & BLOCK).sections(GRID).items():
        assert np.array_equal(section, cross[name] & BLOCK.contains(GRID))
    other = splits.cross(x=(0, 1), y=(4, 5))
    both = (CROSS | other).sections(GRID)["vertical"]
    assert np.array_equal(both, cross["vertical"] | other.sections(GRID)["vertical"])
    assert (~CROSS).sections(GRID) == {}


@pytest.mark.parametrize(
    ("settings_", "says"),
    [
        ({"kind": "union", "of": []}, "union: of = .*at least 1"),
        ({"kind": "union", "of": [{"kind": "blok", "x": [0, 1]}]}, "unknown split 'blok'; did you mean 'block'"),
        ({"kind": "complement", "of": 3}, "3 is no split"),
        ({"kind": "difference", "of": {"kind": "corner", "x": 1}}, "difference needs the setting 'minus'"),
        ({"of": []}, "a split needs a 'kind'"),
        ({"kind": "complement", "of": {"kind": "block", "x": [2, 2]}}, r"block: x = \[2, 2\]: the range is empty"),
    ],
)
def test_misspelt_documents_get_a_sentence(settings_, says):
    with pytest.raises(InputError, match=says):
        regions.parse(settings_)
