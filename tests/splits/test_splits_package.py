"""Every registered kind is an attribute of the package, and importing the package stays light."""

import subprocess
import sys

import pytest

from recombine import splits
from recombine.splits import regions


@pytest.mark.parametrize("kind", regions)
def test_every_kind_is_an_attribute(kind):
    # A module called like a kind would hide it.
    assert getattr(splits, kind.replace("-", "_")) is regions[kind]
    assert kind.replace("-", "_") in dir(splits)


def test_an_underscore_stands_for_a_hyphen(monkeypatch):
    monkeypatch.setitem(regions._things, "two-words", regions["block"])
    assert splits.two_words is regions["block"]


def test_unknown_kinds_offer_the_nearest_names():
    with pytest.raises(AttributeError, match="no attribute 'blok': unknown split 'blok'; did you mean 'block'"):
        _ = splits.blok
    assert not hasattr(splits, "__wrapped__")


def test_there_is_no_empty_region():
    assert "none" not in regions


def test_names_are_exported():
    assert all(hasattr(splits, name) for name in splits.__all__)


def test_importing_splits_loads_nothing_heavy():
    heavy = "{'torch', 'scipy', 'sklearn', 'matplotlib', 'pandas'}"
    code = f"import sys, recombine.factors, recombine.splits; sys.exit(', '.join({heavy} & set(sys.modules)) or None)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == ""
    assert done.returncode == 0
