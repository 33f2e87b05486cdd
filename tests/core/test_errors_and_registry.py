"""Names: unknown ones get the nearest; registering is refused twice."""

import pytest

from recombine.core.errors import InputError, unknown
from recombine.core.registry import Registry


def test_unknown_names_get_the_nearest_and_the_list():
    message = str(unknown("task", "bmup", ["torus", "bump"]))
    assert message == "unknown task 'bmup'; did you mean 'bump'? Known: bump, torus."


def test_nothing_near_offers_the_list_alone():
    assert str(unknown("task", "zzzz", ["bump"])) == "unknown task 'zzzz'; known: bump."


def test_case_does_not_matter_and_beginnings_count():
    assert "did you mean 'FR11'" in str(unknown("claim", "fr11x", ["FR11", "KT6"]))
    assert "did you mean 'cnn-decoder'" in str(unknown("model", "cnn", ["cnn-decoder", "mlp-decoder"]))


def fruit() -> Registry:
    registry = Registry("fruit")

    @registry.register("red-apple")
    def apple():
        """Round.

        More words.
        """

    return registry


def test_a_registry_reads_like_a_mapping_and_like_a_module():
    registry = fruit()
    assert registry.red_apple is registry["red-apple"] is registry.pick("red-apple")
    assert registry.summaries() == {"red-apple": "Round."}
    assert "pear" not in registry
    with pytest.raises(AttributeError, match="did you mean 'red-apple'"):
        registry.red_aple  # noqa: B018


def test_a_name_is_given_once():
    with pytest.raises(InputError, match="registered already"):
        fruit().register("red-apple")(len)


def test_what_is_registered_explains_itself():
    with pytest.raises(InputError, match="no docstring"):
        fruit().register("pear")(lambda: None)
