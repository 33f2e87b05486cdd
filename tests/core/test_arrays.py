"""What is given as an array: read alike from arrays, tensors and lists, or refused in one sentence."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from recombine.core.arrays import as_array, real_array
from recombine.core.errors import InputError

NUMBERS = np.arange(6.0).reshape(2, 3)


@settings(deadline=None, max_examples=40)
@given(arrays.arrays(np.float64, arrays.array_shapes(min_dims=2, max_dims=2), elements=st.floats(-1e6, 1e6)))
def test_arrays_tensors_and_lists_are_read_alike(numbers):
    for same in (numbers, numbers.tolist(), torch.from_numpy(numbers), torch.tensor(numbers, requires_grad=True)):
        assert np.array_equal(real_array(same, "rows", "(items, features)"), numbers)


@pytest.mark.parametrize("sort", [np.float16, np.float32, np.uint8, np.int64])
def test_the_precision_stays_as_it_was_given(sort):
    assert real_array(NUMBERS.astype(sort), "rows", "(a, b)").dtype == sort


def test_an_array_is_not_copied():
    assert real_array(NUMBERS, "rows", "(a, b)") is NUMBERS


@pytest.mark.parametrize(("shape", "fits"), [
    ("(a,)", {1}), ("(a, b)", {2}), ("(a, b, c)", {3}), ("(..., b)", {1, 2, 3, 4}), ("(..., b, c)", {2, 3, 4}),
])  # fmt: skip
def test_a_shape_says_how_many_axes_there_are(shape, fits):
    read = set()
    for axes in range(5):
        try:
            read.add(real_array(np.ones((2,) * axes), "rows", shape).ndim)
        except InputError as error:
            assert f"rows of shape {(2,) * axes} must be {shape}" in str(error)  # noqa: PT017
    assert read == fits


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ([[1, 2], [3]], "rows must be of one sort and shape, got a ragged or mixed list;"),
        (None, "got a ragged or mixed NoneType;"),
        ([[1, None]], "got a ragged or mixed list;"),
        (torch.ones(2, 2, dtype=torch.bfloat16), "got a torch.strided tensor of torch.bfloat16; convert it first"),
        (torch.eye(2).to_sparse(), "got a torch.sparse_coo tensor of torch.float32; convert it first"),
        ([["a", "b"]], "rows of type <U1 must be real numbers;"),
        ([[True]], "rows of type bool must be real numbers;"),
        ([[1j]], "rows of type complex128 must be real numbers;"),
        ([1.0, 2.0], "rows of shape (2,) must be (items, features) with one of each at least; write it so."),
        (3, "rows of shape () must be"),
        ([], "rows of shape (0,) must be"),
        (np.zeros((0, 3)), "rows of shape (0, 3) must be"),
        (np.zeros((3, 0)), "rows of shape (3, 0) must be"),
        ([[1.0, 2.0], [3.0, np.nan], [np.inf, 0.0]], "rows are not all finite, first nan at (1, 1);"),
        (torch.tensor([[0.0, -torch.inf]]), "rows are not all finite, first -inf at (0, 1);"),
        (np.float16([[0.0], [np.inf]]), "rows are not all finite, first inf at (1, 0);"),
    ],
)
def test_anything_else_is_refused_in_one_sentence(given, says):
    with pytest.raises(InputError) as refused:
        real_array(given, "rows", "(items, features)", way_out="write it so")
    assert says in str(refused.value)
    assert str(refused.value).endswith(".")
    assert ". " not in str(refused.value).replace("e.g. ", "")


def test_the_largest_numbers_are_finite():
    largest = np.full((1, 2), np.finfo(np.float32).max, dtype=np.float32)
    assert np.array_equal(real_array(largest, "rows", "(a, b)"), largest)


def test_infinite_numbers_pass_where_they_may():
    assert np.isinf(real_array([np.inf], "densities", "(densities,)", finite=False)).all()


def test_words_are_an_array_too():
    assert as_array(["red", "blue"], "colours").tolist() == ["red", "blue"]
