"""A factor refuses nonsense when built and says how to mend it."""

import math
import re

import numpy as np
import pytest

from recombine.core.errors import InputError
from recombine.factors import Factor


def test_numbered_levels_count_from_zero():
    factor = Factor.numbered("x", 3, periodic=True)
    assert (factor.name, factor.levels, factor.periodic, len(factor)) == ("x", (0, 1, 2), True, 3)
    assert not Factor.numbered("x", 3).periodic


def test_words_keep_their_order_and_are_not_numeric():
    factor = Factor("size", ("small", "large", "huge"))
    assert factor.levels == ("small", "large", "huge")
    assert not factor.numeric
    assert Factor("x", (-1.5, 0, 2)).numeric


@pytest.mark.parametrize(
    ("name", "levels", "says"),
    [
        ("", (0, 1), "a factor has an empty name ''"),
        ("x", (), "factor 'x' has no levels; give at least one"),
        ("x", (0, 1, 1), "factor 'x' has the level 1 twice"),
        ("hue", ("red", "red"), "factor 'hue' has the level 'red' twice"),
        ("x", (0, "one"), "factor 'x' mixes words and numbers in (0, 'one')"),
        ("x", (0, 2, 1), "factor 'x' has the levels (0, 2, 1); numbers must ascend"),
        ("x", (0.0, math.nan), "factor 'x' has the level nan; levels must be finite"),
        ("x", (0.0, math.inf), "factor 'x' has the level inf; levels must be finite"),
        ("x", (False, True), "factor 'x' has the level False; levels must be finite numbers or words"),
    ],
)
def test_nonsense_is_refused(name, levels, says):
    with pytest.raises(InputError, match=re.escape(says)):
        Factor(name, levels)


def test_no_levels_are_refused_by_number_too():
    with pytest.raises(InputError, match="'x' has no levels"):
        Factor.numbered("x", 0)


def test_factors_are_values():
    made = Factor("angle", tuple(np.linspace(0.0, 1.0, 5)))
    assert made == Factor("angle", (0.0, 0.25, 0.5, 0.75, 1.0))
    assert hash(made) == hash(Factor("angle", (0.0, 0.25, 0.5, 0.75, 1.0)))
    assert all(type(level) is float for level in made.levels)
    with pytest.raises(AttributeError):
        made.name = "other"
