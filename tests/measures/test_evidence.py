"""Evidence is in grid order, and nonsense is refused when it is built."""

import dataclasses

import jaxtyping
import numpy as np
import pytest

from recombine.core.errors import InputError


def test_levels_are_in_grid_order_rows_first(generic):
    evidence = generic()
    y, x = evidence.levels.T.reshape(2, *evidence.shape)
    assert (y == np.arange(9)[:, None]).all()
    assert (x == np.arange(11)).all()


def test_a_layer_on_the_grid_is_indexed_by_y_then_x(generic):
    evidence = generic()
    assert np.array_equal(evidence.on_grid("hidden0")[2, 7], evidence.layers["hidden0"][2 * 11 + 7])


def test_hidden_layers_are_those_between_input_and_output(generic):
    assert generic().hidden_layers() == ("hidden0", "hidden1", "hidden2")


@pytest.mark.parametrize("dark", [True, False])
def test_ink_is_what_was_drawn_in_either_polarity(from_ink, bumps, dark):
    evidence = from_ink(0.5 * bumps(), dark=dark)
    held = evidence.sections["ood"]
    assert evidence.ink("ood") == pytest.approx(0.5 * bumps()[held].reshape(30, -1))
    assert evidence.target_ink("ood") == pytest.approx(bumps()[held].reshape(30, -1))


def test_a_missing_and_an_empty_section_are_told_apart(generic):
    evidence = generic()
    with pytest.raises(InputError, match="no section 'corner', only id, ood, rim, interior; name that section"):
        evidence.section("corner")
    none = dataclasses.replace(evidence, sections={**evidence.sections, "rim": np.zeros(99, dtype=bool)})
    with pytest.raises(InputError, match="section 'rim' of this evidence is empty; use a split"):
        none.section("rim")


def test_layers_may_be_left_out_but_not_read(generic):
    evidence = generic(layers={})
    with pytest.raises(InputError, match="has no layers; extract"):
        evidence.on_grid("input")


def test_distances_go_round_the_factors_that_are_rings(generic):
    def span(**settings):
        evidence = generic(sections={"id": ~corner, "ood": corner}, **settings)
        return evidence.apart("ood", "id").max(axis=(1, 2)).tolist()

    corner = np.arange(99) == 0
    assert span() == [8, 10]
    assert span(periodic=True) == span(rings=(True, True)) == [4, 5]
    assert span(rings=(False, True)) == [8, 5]
    assert span(rings=(True, False), periodic=True) == [4, 10]


def bad_values(evidence):
    """A change to good evidence, and what the refusal must say."""
    masks, layers = evidence.sections, evidence.layers
    nan = evidence.outputs.copy()
    nan[4, 3, 2] = np.nan
    infinite = np.full((99, 3), np.inf)
    return {
        "another grid": ({"shape": (9, 12)}, r"targets have shape \(99, 9, 11\), but a grid of \(9, 12\)"),
        "no levels": ({"shape": (0, 11)}, r"shape \(0, 11\) must be"),
        "fewer outputs": ({"outputs": evidence.outputs[:-1]}, r"outputs have shape \(98, 9, 11\)"),
        "outputs of another size": ({"outputs": evidence.outputs[:, :, :-1]}, r"outputs have shape \(99, 9, 10\)"),
        "diverged outputs": ({"outputs": nan}, "outputs hold values that are not finite"),
        "no id": ({"sections": {"ood": masks["ood"]}}, "needs a section 'id', got ood"),
        "no ood": ({"sections": {"id": masks["id"]}}, "needs a section 'ood', got id"),
        "short mask": ({"sections": {**masks, "rim": masks["rim"][1:]}}, r"section 'rim' is bool of shape \(98,\)"),
        "numbers for a mask": ({"sections": {**masks, "rim": masks["rim"] * 1}}, "section 'rim' is int64"),
        "trained and held out": ({"sections": {**masks, "id": masks["id"] | masks["rim"]}}, "18 combinations in both"),
        "no input": ({"layers": {"hidden": layers["hidden0"], "output": layers["output"]}}, "'input' must come first"),
        "output early": ({"layers": {"input": layers["input"], "output": layers["output"], "late": layers["hidden0"]}},
                         "layers are input, output, late"),
        "one layer": ({"layers": {"input": layers["input"]}}, "'output' last"),
        "picture layer": ({"layers": {**layers, "hidden1": evidence.outputs}}, r"'hidden1' has shape \(99, 9, 11\)"),
        "short layer": ({"layers": {**layers, "hidden1": layers["hidden1"][1:]}}, r"must be \(99, features\)"),
        "diverged layer": ({"layers": {**layers, "hidden1": infinite}}, "layer 'hidden1' hold values that are not"),
        "unknown factor": ({"embeddings": {"z": evidence.embeddings["x"]}}, "factor 'z'; use 'x' and 'y'"),
        "swapped factors": ({"embeddings": {"y": evidence.embeddings["x"]}}, r"of y have shape \(11, 9, 11\)"),
        "small pictures": ({"embeddings": {"x": evidence.embeddings["x"][:, 1:]}}, r"must be \(11, 9, 11\)"),
        "units in a picture": ({"places": "units"}, r"places are 'units' and its answers are 9 x 11; units need two"),
        "numbers in a picture": ({"places": "numbers"}, r"places are 'numbers' and its answers are 9 x 11"),
        "no ink": ({"threshold": 0.0}, "threshold 0.0 must be an amount of ink above 0"),
        "no steps": ({"course": {"loss": np.ones(3)}}, "course has loss and no 'steps'; say at which"),
        "no checkpoint": ({"course": {"steps": np.zeros(0)}}, "one value for each of the steps, of which there is at"),
        "short course": ({"course": {"steps": np.arange(4), "loss": np.ones(3)}},
                         r"course of 'loss' has shape \(3,\); it must be \(4,\)"),
        "diverged course": ({"course": {"steps": np.array([1, np.nan])}}, "course of 'steps' hold values that are not"),
        "diverged embeddings": ({"embeddings": {"x": evidence.embeddings["x"] * np.inf}}, "embeddings of x hold"),
    }  # fmt: skip


def test_nonsense_is_refused_with_its_name_and_value(generic, monkeypatch):
    evidence = generic()
    # As users have it: without the checker of shapes, which in tests refuses some of these first.
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
    for change, message in bad_values(evidence).values():
        with pytest.raises(InputError, match=message):
            dataclasses.replace(evidence, **change)
