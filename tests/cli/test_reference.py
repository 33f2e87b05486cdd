"""Signatures are read off the source as they are written, and pages have what is registered."""

import sys
from dataclasses import dataclass
from typing import ClassVar, overload

import pytest

from recombine.cli.reference import signatures, wording
from recombine.cli.reference.front import with_verdicts
from recombine.core.errors import InputError

LIMIT = 3  # behind
# above, and
# again above
OTHER = 4
BELOW = 5
"""below"""


def plain(first: "int", /, *rest: str, named: str = "word", **others: float) -> "list[str]":
    """A function."""


@overload
def two(value: int) -> int: ...
@overload
def two(value: str) -> str: ...
def two(value: object) -> object:
    """Of two forms."""


@dataclass
class Above:
    """A class with a field."""

    size: int
    kept: ClassVar[int] = 1


@dataclass
class Below(Above):
    """A class with another."""

    name: str = "none"  # how it is called

    @property
    def length(self) -> int:
        """How long."""
        return 0

    def grow(self, by: int = 1) -> None:
        """Make it longer."""

    def _hidden(self) -> None:
        """Nobody's business."""


@pytest.fixture(autouse=True)
def _as_ours(monkeypatch):
    """Things of this file pass for the library's."""
    monkeypatch.setitem(sys.modules, "recombine_test_names", sys.modules[__name__])
    for thing in (plain, two, Above, Below):
        monkeypatch.setattr(thing, "__module__", "recombine_test_names")


def test_a_function_is_shown_as_written():
    assert signatures.signature(plain) == (
        'plain(first: int, /, *rest: str, named: str = "word", **others: float) -> list[str]'
    )


def test_an_overloaded_function_has_a_line_for_each_form():
    assert signatures.signature(two).splitlines() == ["two(value: int) -> int", "two(value: str) -> str"]


def test_a_class_is_called_with_its_own_fields_and_those_above():
    assert signatures.signature(Below) == 'Below(size: int, name: str = "none")'
    assert signatures.members(Below) == [("length", "How long."), ("grow(by)", "Make it longer.")]


def test_fields_have_the_words_behind_them():
    assert signatures.meanings(Below) == {"name": "how it is called"}
    assert wording.settings({"size": "1", "name": "none"}, {"name": "how"})[2:4] == [
        "| `size` | `1` |  |",
        "| `name` | `none` | how |",
    ]
    assert wording.settings({"size": "1"}, {})[0] == "| setting | default |"


def test_angles_in_words_are_no_tags():
    words = "The {}layer> of `<layer>`, 1 < 2.\n\nA formula:\n\n    <layer>"
    assert wording.described(words.format("<")) == words.format("\\<")


def test_a_long_signature_has_a_line_for_each_parameter(monkeypatch):
    monkeypatch.setattr(signatures, "WIDEST", 20)
    assert signatures.signature(Below) == 'Below(\n    size: int,\n    name: str = "none",\n)'


@pytest.mark.parametrize(
    ("name", "said"), [("LIMIT", "behind"), ("OTHER", "above, and again above"), ("BELOW", "below")]
)
def test_a_constant_has_the_words_beside_it(name, said):
    assert signatures.comment(sys.modules[__name__], name) == said


def test_what_is_no_definition_of_ours_has_none():
    assert signatures.definitions(3) == []
    assert signatures.definitions(int) == []


def test_cells_of_a_table_stay_in_their_cells():
    assert wording.table(("a", "b"), [("|x|", "one\ntwo")])[2] == "| \\|x\\| | one two |"
    assert wording.table(("a",), []) == []


def test_a_readme_without_its_marks_is_refused():
    with pytest.raises(InputError, match="lacks the marks <!-- verdicts -->"):
        with_verdicts("# no marks")
