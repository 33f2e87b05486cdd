"""A sweep is a value that names settings; nonsense is refused when it is built."""

from functools import partial

import pytest

from recombine.core.errors import InputError
from recombine.papers import Scale, papers
from recombine.papers.forced_rendering.settings import hole, perceptron, revealed
from recombine.papers.sweeps import Sweep

SERIES = {"hole": {1.0: hole, 2.0: revealed}, "perceptron": {3.0: partial(perceptron, steps=5)}}


def sweep(**changes):
    given = {"key": "s", "paper": "forced-rendering", "title": "t", "place": "Fig. 1", "quantity": "ood_nmse"}
    return Sweep(**{**given, "axis_label": "number", "series": SERIES, **changes})


@pytest.mark.parametrize("scale", Scale)
def test_works_come_in_the_order_they_are_written(scale):
    expected = [("hole", 1.0, hole), ("hole", 2.0, revealed), ("perceptron", 3.0, partial(perceptron, steps=5))]
    assert list(sweep().works(scale)) == [(name, number, setting(scale)) for name, number, setting in expected]


def test_an_unknown_arrangement_is_refused():
    with pytest.raises(InputError, match="unknown kind of sweep 'plain'; did you mean 'plane'"):
        sweep(kind="plain")


@pytest.mark.parametrize(
    ("series", "words"), [({}, "sweep 's' has no series"), ({"a": {1.0: hole}, "b": {}}, "nothing in its series 'b'")]
)
def test_an_empty_sweep_is_refused(series, words):
    with pytest.raises(InputError, match=words):
        sweep(series=series)


def test_keys_of_sweeps_are_distinct_and_name_their_paper():
    every = [(paper.key, each) for paper in papers.values() for each in paper.sweeps]
    assert all(key == each.paper for key, each in every)
    assert len({each.key for _, each in every}) == len(every)
