"""The participation ratio against its spectrum, at its ends, and by its laws."""

import re

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.measures import measures, participation_ratio


@pytest.mark.parametrize("shape", [(40, 5), (6, 30), (12, 12)])
def test_traces_equal_eigenvalues_on_tall_and_wide_data(shape):
    rows = stream(0, "measures", "participation").normal(size=shape) * np.linspace(0.1, 2, shape[1])
    eigenvalues = np.linalg.eigvalsh(np.cov(rows, rowvar=False))
    assert participation_ratio(rows) == pytest.approx(eigenvalues.sum() ** 2 / np.square(eigenvalues).sum())


@pytest.mark.parametrize("features", [1, 3, 8])
def test_equal_variance_in_every_direction_counts_them_all(features):
    assert participation_ratio(np.concatenate([np.eye(features), -np.eye(features)])) == pytest.approx(features)


def test_a_line_counts_one():
    assert participation_ratio(np.outer(np.arange(7.0), [3.0, -1.0, 2.0])) == pytest.approx(1.0)


def test_the_measure_counts_none_for_a_layer_that_does_not_vary(generic):
    layers = {name: np.full_like(rows, 0.1) if name == "hidden1" else rows for name, rows in generic().layers.items()}
    found = measures["participation"](generic(layers=layers))
    assert found["hidden1"] == 0
    assert found["hidden0"] > 1


@pytest.mark.parametrize(("ny", "nx"), [(9, 11), (3, 20)])
def test_one_hot_codes_match_their_closed_form(one_hot_code, ny, nx):
    # Eigenvalues 1/ny (ny − 1 times) and 1/nx (nx − 1 times).
    expected = (2 - 1 / ny - 1 / nx) ** 2 / ((ny - 1) / ny**2 + (nx - 1) / nx**2)
    assert participation_ratio(one_hot_code((ny, nx))) == pytest.approx(expected)


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 1000),
    samples=st.integers(2, 12),
    features=st.integers(1, 15),
    scale=st.sampled_from([1e-100, 1e-3, 1.0, 1e100]),
)
def test_it_lies_between_one_and_the_directions_there_are(seed, samples, features, scale):
    rows = stream(seed, "measures", "bounds").normal(size=(samples, features))
    ratio = participation_ratio(rows)
    assert 1 - 1e-9 <= ratio <= min(samples - 1, features) + 1e-9
    assert participation_ratio(scale * rows + 3 * scale) == pytest.approx(ratio)


def test_it_is_given_for_every_layer(generic):
    evidence = generic()
    by_layer = measures["participation"](evidence)
    assert list(by_layer) == list(evidence.layers)
    assert by_layer["hidden1"] == participation_ratio(evidence.layers["hidden1"])


@pytest.mark.parametrize("scale", [2.0**600, 2.0**-600])
def test_no_scale_is_too_large_or_too_small(scale):
    rows = stream(3, "measures", "participation").normal(size=(7, 4))
    assert participation_ratio(scale * rows) == participation_ratio(rows)


def test_lists_and_tensors_are_rows_too():
    rows = stream(3, "measures", "participation").normal(size=(7, 4))
    for same in (rows.tolist(), torch.tensor(rows, requires_grad=True)):
        assert participation_ratio(same) == participation_ratio(rows)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([1.0, 2.0], "rows of shape (2,) must be (..., samples, features)"),
        (np.zeros((0, 5)), "rows of shape (0, 5) must be"),
        ([[0.0, 1.0], [np.nan, 2.0]], "rows are not all finite, first nan at (1, 0);"),
        ([["a"], ["b"]], "must be real numbers"),
        (np.full((7, 3), 0.1), "the participation ratio of 7 rows that do not vary is undefined; check"),
        (np.ones((1, 3)), "the participation ratio of one row that does not vary is undefined; check"),
    ],
)
def test_what_are_no_rows_is_refused_in_a_sentence(rows, says):
    with pytest.raises(InputError, match=re.escape(says)):
        participation_ratio(rows)
