"""Principal components against a singular value decomposition, ideal tori, and their portraits."""

import dataclasses
import re

import numpy as np
import pytest
import torch

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.measures import clifford_torus, exhibits, measures, participation_ratio, principal_components

SHAPE = (9, 11)


@pytest.mark.parametrize("size", [(30, 7), (7, 30), (12, 12)])
def test_components_are_those_of_the_singular_values(size):
    rows = stream(0, "measures", "spectrum").normal(size=size) * np.linspace(0.3, 2, size[1]) + 5
    left, values, _ = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    shares, scores = principal_components(rows, 5)
    assert shares == pytest.approx(np.square(values[:5]) / np.square(values).sum())
    assert np.abs(scores) == pytest.approx(np.abs(left * values)[:, :5])
    assert (scores[np.abs(scores).argmax(axis=0), range(5)] > 0).all()


def test_the_participation_ratio_follows_from_all_shares():
    rows = stream(1, "measures", "spectrum").normal(size=(20, 6)) * np.arange(1, 7)
    assert 1 / np.square(principal_components(rows, 6).shares).sum() == pytest.approx(participation_ratio(rows))


@pytest.mark.parametrize("features", [3, 40])
def test_directions_that_are_not_there_have_no_share(features):
    line = np.outer(np.arange(8.0), np.ones(features))
    shares, scores = principal_components(line, 6)
    assert shares == pytest.approx([1, 0, 0, 0, 0, 0])
    assert scores.shape == (8, 6)
    assert scores[:, 1:] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("samples", [5, 33, 64, 100, 200])
@pytest.mark.parametrize("number", [1, 4])
def test_directions_that_are_all_alike_are_found_like_others(samples, number):
    """Corners of a simplex: every direction has the share 1 / (samples - 1)."""
    for rows in (np.eye(samples), np.eye(samples, samples + 9)):
        shares, scores = principal_components(rows, number)
        assert shares == pytest.approx(1 / (samples - 1))
        assert scores.T @ scores == pytest.approx(np.eye(number), abs=1e-9)


def test_a_layer_that_does_not_vary_has_no_components():
    with pytest.raises(InputError, match="does not vary has no principal components; check that it is not dead"):
        principal_components(np.full((6, 3), 0.1), 2)


def torus_and_more(more):
    """A Clifford torus with further directions of equal variance, each by its ratio to a torus direction's (1/2)."""
    rng = stream(2, "measures", "more")
    plain = clifford_torus(*SHAPE).reshape(99, 4)
    # Orthogonal to the torus and to each other, so that variances add up.
    basis, _ = np.linalg.qr(np.concatenate([np.ones((99, 1)), plain, rng.normal(size=(99, len(more)))], axis=1))
    return np.concatenate([plain, basis[:, 5:] * np.sqrt(99 * 0.5 * np.array(more))], axis=1)


def test_shares_and_gaps_match_their_closed_forms(generic):
    layers = generic().layers
    hidden = {"plain": torus_and_more([]), "more": torus_and_more([0.25, 0.5]), "dead": np.full((99, 3), 0.1)}
    evidence = generic(layers={"input": layers["input"], **hidden, "output": layers["output"]})
    assert measures["top_four_share"](evidence) == pytest.approx({"plain": 1.0, "more": 4 / 4.75})
    # A torus alone has no fifth direction.
    assert measures["spectral_gap"](evidence) == pytest.approx({"more": 2.0})


def test_measures_undefined_for_every_layer_say_why(generic):
    layers = generic().layers
    dead = {"input": layers["input"], "one": np.full((99, 3), 0.1), "two": np.ones((99, 3)), "output": layers["output"]}
    with pytest.raises(
        InputError, match=r"undefined for every layer there is, first of all for one \(a layer that does"
    ):
        measures["top_four_share"](generic(layers=dead))
    flat = {**dead, "one": torus_and_more([]), "two": torus_and_more([])}
    with pytest.raises(InputError, match=r"for one \(a layer that varies in four directions or fewer has no gap"):
        measures["spectral_gap"](generic(layers=flat))
    with pytest.raises(InputError, match="has 0 hidden layers and the measure needs at least 1"):
        measures["top_four_share"](generic(layers={name: layers[name] for name in ("input", "output")}))


def test_spectra_are_the_shares_of_every_hidden_layer(generic):
    evidence = generic()
    for name, shares in exhibits.spectra(evidence).items():
        expected = principal_components(evidence.layers[name.removeprefix("spectrum_")], 15).shares
        assert shares.astype(float) == pytest.approx(expected, rel=1e-3, abs=1e-4)
        assert shares.dtype == np.float16


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_portraits_are_of_the_compared_layers_and_their_first_component_has_variance_one(generic, scale):
    evidence = generic()
    layers = {"input": evidence.layers["input"], "true": torus_and_more([0.25]), "other": torus_and_more([0.5])}
    layers |= {"probe": scale * evidence.layers["hidden1"], "output": evidence.layers["output"]}
    found = exhibits.portraits(dataclasses.replace(evidence, layers=layers))
    assert list(found) == ["portrait_true", "portrait_probe"]
    scores = principal_components(evidence.layers["hidden1"], 4).scores
    shown = found["portrait_probe"].astype(float)
    assert np.square(shown).mean(axis=0) == pytest.approx(
        np.square(scores).mean(axis=0) / np.square(scores[:, 0]).mean(), rel=1e-2
    )
    assert shown == pytest.approx(scores / np.sqrt(np.square(scores[:, 0]).mean()), abs=5e-3)


@pytest.mark.parametrize("scale", [2.0**600, 2.0**-600])
def test_no_scale_is_too_large_or_too_small(scale):
    rows = stream(4, "measures", "spectrum").normal(size=(9, 4))
    found, expected = principal_components(scale * rows, 3), principal_components(rows, 3)
    assert np.array_equal(found.shares, expected.shares)
    assert np.array_equal(found.scores, scale * expected.scores)


def test_lists_and_tensors_have_the_same_components():
    rows = stream(4, "measures", "spectrum").normal(size=(9, 4))
    expected = principal_components(rows, 3)
    for same in (rows.tolist(), torch.tensor(rows, requires_grad=True)):
        for found, right in zip(principal_components(same, 3), expected, strict=True):
            assert np.array_equal(found, right)


@pytest.mark.parametrize(
    ("rows", "number", "says"),
    [
        ([1.0, 2.0], 2, "rows of shape (2,) must be (..., samples, features)"),
        (np.zeros((3, 0)), 2, "rows of shape (3, 0) must be"),
        ([[0.0, 1.0], [2.0, np.inf]], 2, "rows are not all finite, first inf at (1, 1);"),
        ([[0.0, 1.0], [2.0, 3.0]], 0, "number = 0 of principal components must be a whole number from 1 on;"),
        ([[0.0, 1.0], [2.0, 3.0]], 2.5, "number = 2.5 of principal components"),
        ([[0.0, 1.0], [2.0, 3.0]], "a", "number = 'a' of principal components"),
    ],
)
def test_what_has_no_components_is_refused_in_a_sentence(rows, number, says):
    with pytest.raises(InputError, match=re.escape(says)):
        principal_components(rows, number)
