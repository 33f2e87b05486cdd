"""Settings as they are written on the command line."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recombine.cli.problem import parse_member, parse_settings, read_problem
from recombine.core.errors import InputError
from recombine.core.plain_documents import split_outside


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", [""]),
        ("a=1,b=2", ["a=1", "b=2"]),
        ("a=[1, 2],b=3", ["a=[1, 2]", "b=3"]),
        ("a=[{k: x, n: [1, 2]}, {k: y}],b=3", ["a=[{k: x, n: [1, 2]}, {k: y}]", "b=3"]),
        ("a='x, y',b=\"p, q\"", ["a='x, y'", 'b="p, q"']),
        (r'a="say \", then go",b=1', [r'a="say \", then go"', "b=1"]),
        ("a=['],'],b=1", ["a=['],']", "b=1"]),
        ("a=o'clock,b=o'clock", ["a=o'clock", "b=o'clock"]),
    ],
)
def test_only_commas_outside_brackets_and_quotes_split(text, pieces):
    assert split_outside(text, ",") == pieces


VALUES = st.recursive(
    st.integers(-9, 9) | st.booleans() | st.text("ab ,[]{}'\"\\:=", max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab,]}", max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(["steps", "batch", "penalties"]), VALUES))
def test_what_is_written_as_json_is_read_back(settings):
    text = ",".join(f"{name}={json.dumps(value)}" for name, value in settings.items())
    assert parse_settings(text) == settings


def test_a_member_takes_lists_and_mappings_too():
    assert parse_member("net:sizes=[1, 2],at={x: 3, y: 4},width=5") == {
        "kind": "net", "sizes": [1, 2], "at": {"x": 3, "y": 4}, "width": 5,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "says"),
    [("a=[1,b=2", "is no value"), ("a=1,b", "'b' must read name=value"), ("a=[1],a=2", "'a' is given twice")],
)
def test_what_is_no_setting_is_refused(text, says):
    with pytest.raises(InputError, match=says):
        parse_settings(text)


def test_all_isolated_means_the_factors_of_the_task():
    hidden = read_problem("bump", ["n=8"], "band:x=2..4", "all")
    assert set(hidden.isolated) == set(hidden.grid.names)
    with pytest.raises(InputError, match="task 'rotated-digit' has whole combinations only"):
        read_problem("rotated-digit", None, "block:angle=3..5", "all")
