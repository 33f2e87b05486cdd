"""Arrays and weights come back as they went in, whatever their layout in memory."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from recombine.core.errors import InputError
from recombine.records import Record
from recombine.records.artifacts import pack, pack_arrays, pack_weights, unpack_arrays, unpack_weights

names = st.from_regex(r"[a-zA-Z0-9_][a-zA-Z0-9_.:/+-]{0,8}", fullmatch=True).filter(
    lambda name: not name.endswith(".npy")
)
shapes = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
numbers = (
    hnp.boolean_dtypes() | hnp.integer_dtypes(endianness="?") | hnp.floating_dtypes(sizes=(16, 32, 64), endianness="?")
)
others = hnp.complex_number_dtypes() | hnp.unicode_string_dtypes(max_len=3) | hnp.datetime64_dtypes()


def arrays(dtypes):
    return st.dictionaries(names, dtypes.flatmap(lambda dtype: hnp.arrays(dtype, shapes)), max_size=3)


@settings(deadline=None, max_examples=40)
@given(given=arrays(numbers | others))
def test_arrays_come_back_bit_for_bit(given):
    back = unpack_arrays(pack_arrays(Record("abc", {}, arrays=given)))
    assert back.keys() == given.keys()
    for name, array in given.items():
        assert (back[name].dtype, back[name].shape) == (array.dtype, array.shape)
        assert back[name].tobytes() == array.tobytes()


@settings(deadline=None, max_examples=40)
@given(given=arrays(numbers))
def test_weights_come_back_value_for_value(given):
    back = unpack_weights(pack_weights(Record("abc", {}, weights=given)))
    assert back.keys() == given.keys()
    for name, array in given.items():
        assert (back[name].dtype, back[name].shape) == (array.dtype.newbyteorder("="), array.shape)
        np.testing.assert_array_equal(back[name], array)


def test_weights_that_are_views_are_written_in_the_order_they_are_seen():
    whole = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
    views = {"transposed": whole.T, "strided": whole[::2, 1:, ::-1], "fortran": np.asfortranarray(whole)}
    back = unpack_weights(pack_weights(Record("abc", {}, weights=views)))
    for name, view in views.items():
        np.testing.assert_array_equal(back[name], view)


def test_what_is_read_can_be_written_to(store, sample):
    store.commit(sample())
    record = store.read(sample().digest, weights=True)
    for array in (*record.arrays.values(), *record.weights.values()):
        array[...] = 0  # torch warns about memory it may not write to


def test_equal_records_give_equal_bytes_whatever_the_order(sample):
    record = sample()
    backwards = Record(
        record.digest, record.body, dict(reversed(record.arrays.items())), dict(reversed(record.weights.items()))
    )
    assert pack(record) == pack(backwards)


@pytest.mark.parametrize("name", ["file", "allow_pickle", "args", "a.npy.b", "ünï code"])
def test_names_that_would_trip_a_keyword_interface_are_fine(name):
    back = unpack_arrays(pack_arrays(Record("abc", {}, arrays={name: np.arange(3)})))
    np.testing.assert_array_equal(back[name], np.arange(3))


@pytest.mark.parametrize("name", ["", "a.npy", "__metadata__", "nul\x00", "/absolute", "line\n"])
def test_names_that_would_not_come_back_are_refused(name):
    with pytest.raises(InputError, match="cannot name an array of run 'abc'"):
        Record("abc", {}, arrays={name: np.ones(1)})
    with pytest.raises(InputError, match="cannot name an array of run 'abc'"):
        Record("abc", {}, weights={name: np.ones(1)})


def test_arrays_of_objects_are_refused(store):
    with pytest.raises(InputError, match=r"array 'things' of run 'abc' holds Python objects"):
        store.commit(Record("abc", {}, arrays={"things": np.array([{}, None])}))
    assert store.digests() == []


@pytest.mark.parametrize("array", [np.array(["text"]), np.array([{}]), np.ones(2, dtype=np.complex128)])
def test_weights_of_unknown_types_are_refused(store, array):
    with pytest.raises(InputError, match=r"the weights of run 'abc' cannot be saved as safetensors"):
        store.commit(Record("abc", {}, weights={"w": array}))
    assert store.digests() == []
