"""Specifications: round trips, digests, and errors in one sentence."""

from pathlib import Path
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from recombine.core.errors import InputError
from recombine.core.spec import Kinds, MemberOf, Spec, canonical_json, read_yaml

shapes: Kinds = Kinds("shape")


@shapes.register("disc")
class Disc(Spec):
    """A disc."""

    radius: float = 1.0


@shapes.register("box")
class Box(Spec):
    """A box."""

    sides: tuple[int, int] = (1, 2)


class Scene(Spec):
    """Shapes together."""

    main: Annotated[Spec, MemberOf(shapes)]
    others: tuple[Annotated[Spec, MemberOf(shapes)], ...] = ()
    title: str = ""


@given(radius=st.floats(0.1, 10), sides=st.tuples(st.integers(), st.integers()), title=st.text(max_size=5))
def test_what_is_written_reads_back_the_same(radius, sides, title):
    scene = Scene(main=Disc(radius=radius), others=(Box(sides=sides), Disc()), title=title)
    assert Scene.read(scene.settings()) == scene
    assert Scene.read(scene.settings()).digest() == scene.digest()


def test_the_digest_leaves_out_defaults_and_ignores_order():
    assert Scene(main="disc").digest() == Scene(title="", main={"kind": "disc", "radius": 1.0}).digest()
    assert Scene(main="disc").settings() == {"main": {"kind": "disc"}}
    assert canonical_json({"b": 1, "a": [2]}) == canonical_json({"a": [2], "b": 1}) == '{"a":[2],"b":1}'


def test_a_specification_is_frozen():
    with pytest.raises(ValueError, match="frozen"):
        Disc().radius = 2.0


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"main": "dsic"}, "unknown shape 'dsic'; did you mean 'disc'?"),
        ({"main": {"kind": "disc", "radios": 2}}, "unknown setting of disc 'radios'; did you mean 'radius'?"),
        ({"man": "disc"}, "unknown setting of Scene 'man'; did you mean 'main'?"),
        ({}, "needs the setting 'main'"),
        ({"main": {"radius": 2}}, "a shape needs a 'kind'"),
        ({"main": 3}, "3 is no shape"),
        ({"main": {"kind": "disc", "radius": "wide"}}, "disc: radius = 'wide'"),
        ({"main": {"kind": "disc", "radius": float("nan")}}, "disc: radius = nan"),
        (7, "must be a mapping of settings, got int"),
        ({1: 2}, "names are words"),
        ({"main": {"kind": "disc", None: 2}}, "names are words"),
    ],
)
def test_errors_are_one_sentence_with_the_way_out(settings, says):
    with pytest.raises(InputError) as caught:
        Scene.read(settings)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_yaml_is_read_safely(tmp_path: Path):
    bad = tmp_path / "bad.yaml"
    bad.write_text("a: !!python/object/apply:os.system ['true']")
    with pytest.raises(InputError, match="not valid YAML"):
        read_yaml(bad)
    bad.write_text("a: [1,")
    with pytest.raises(InputError, match="not valid YAML"):
        read_yaml(bad)
    with pytest.raises(InputError, match="cannot read"):
        read_yaml(tmp_path / "missing.yaml")


def test_a_list_that_ends_too_early_is_said_to_do_so():
    class Pair(Spec):
        """Two numbers."""

        ends: tuple[float, float]

    with pytest.raises(InputError, match=r"^Pair: ends = \[1\.5\] has too few values; give the next one too\.$"):
        Pair.read({"ends": [1.5]})


class Canvas(Spec):
    """A number or a pair of them, and a number or a word."""

    n: Annotated[int, Field(ge=2)] | tuple[Annotated[int, Field(ge=2)], Annotated[int, Field(ge=2)]] = 4
    batch: Annotated[int, Field(ge=1)] | Literal["all"] | None = 3


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"n": 1}, "Canvas: n = 1: Input should be greater than or equal to 2."),
        ({"n": 2.5}, "Canvas: n = 2.5: Input should be a valid integer, got a number with a fractional part."),
        ({"n": (3, 1)}, "Canvas: n.1 = 1: Input should be greater than or equal to 2."),
        ({"n": [3]}, "Canvas: n = [3] has too few values; give the next one too."),
        ({"n": {}}, "Canvas: n = {}: Input should be a valid integer, or a list."),
        ({"batch": 0}, "Canvas: batch = 0: Input should be greater than or equal to 1."),
        ({"batch": []}, "Canvas: batch = []: Input should be a valid integer, or 'all'."),
        ({"n": 1, "bach": 2}, "unknown setting of Canvas 'bach'; did you mean 'batch'? Known: batch, n."),
    ],
)
def test_a_setting_of_several_sorts_is_named_as_it_was_written(settings, says):
    with pytest.raises(InputError) as caught:
        Canvas.read(settings)
    assert str(caught.value) == says
