"""No byte of a record can change unnoticed."""

import contextlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.records import DamagedRecord, Record, Store

FILES = ["record.json", "arrays.npz", "weights.safetensors"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory, sample):
    """A store with one record and one forecast, and the bytes of its files."""
    store = Store(tmp_path_factory.mktemp("fuzz"))
    store.commit(sample("a0"))
    store.commit_forecast("a0", sample().body)
    paths = {name: store.runs / "a0" / name for name in FILES} | {"forecast": store.forecasts / "a0.json"}
    return store, {name: (path, path.read_bytes()) for name, path in paths.items()}


def outcome(whole, file, content):
    """What the store says of a file with this content: the parsed values, or None for damage of this very file."""
    store, files = whole
    path, original = files[file]
    path.write_bytes(content)
    try:
        if file == "forecast":
            return store.forecast("a0")
        record = store.read("a0", weights=True)
        return {"body": record.body, "shapes": {k: v.shape for k, v in (record.arrays | record.weights).items()}}
    except DamagedRecord as damage:
        return None if (damage.digest, damage.file) == ("a0", path.name) else damage
    finally:
        path.write_bytes(original)


@settings(deadline=None, max_examples=60)
@given(file=st.sampled_from(["arrays.npz", "weights.safetensors"]), place=st.floats(0, 1), bits=st.integers(1, 255))
def test_a_changed_byte_of_an_artifact_is_noticed(whole, file, place, bits):
    original = bytearray(whole[1][file][1])
    original[round(place * (len(original) - 1))] ^= bits
    assert outcome(whole, file, bytes(original)) is None


@settings(deadline=None, max_examples=100)
@given(file=st.sampled_from(["record.json", "forecast"]), place=st.floats(0, 1), bits=st.integers(1, 255))
def test_a_changed_byte_of_a_document_is_noticed_or_means_nothing(whole, file, place, bits):
    original = whole[1][file][1]
    changed = bytearray(original)
    changed[round(place * (len(changed) - 1))] ^= bits
    found = outcome(whole, file, bytes(changed))
    assert found is None or found == outcome(whole, file, original)


def test_every_byte_of_a_small_document_counts(store):
    """A change that passes must leave the parsed document as it was; nearly none does."""
    store.commit(Record("a0", {"n": 2, "share": 2.5e-7}))
    path = store.runs / "a0" / "record.json"
    original, passed = path.read_bytes(), 0
    for place in range(len(original)):
        changed = bytearray(original)
        changed[place] ^= 1 << (place % 8)
        path.write_bytes(changed)
        with contextlib.suppress(DamagedRecord):
            store.read("a0")
            passed += 1
            assert json.loads(changed) == json.loads(original)
    assert passed < len(original) / 20


@pytest.mark.parametrize("file", [*FILES, "forecast"])
def test_a_truncated_file_is_noticed(whole, file):
    original = whole[1][file][1]
    # The last byte of a document is a line end, which means nothing.
    lengths = range(0, len(original) - (file in ("record.json", "forecast")), 23)
    assert all(outcome(whole, file, original[:length]) is None for length in lengths)


@settings(deadline=None, max_examples=50)
@given(file=st.sampled_from([*FILES, "forecast"]), more=st.binary(min_size=1, max_size=8))
def test_appended_bytes_are_noticed_or_white_space(whole, file, more):
    found = outcome(whole, file, whole[1][file][1] + more)
    assert found is None or (file in ("record.json", "forecast") and not more.strip())


@pytest.mark.parametrize(
    "text",
    [
        "", "null", "[]", "{}", '{"seal": 1, "format": 1, "body": []}', "[" * 100_000,
        '{"seal": "", "format": 1, "body": {"x": NaN}}', '{"seal": "", "format": 1, "body": {"x": "\\ud800"}}',
        '{"seal": "", "format": 1, "body": {"x": ' + "9" * 5000 + "}}",
    ],
)  # fmt: skip
def test_nonsense_in_place_of_a_document_is_damage(whole, text):
    assert outcome(whole, "record.json", text.encode()) is None
    assert outcome(whole, "forecast", text.encode()) is None
