"""A row per run, a column per measure and per setting."""

import numpy as np
import pytest

from recombine.records import Record, table
from recombine.records.table import leaves, line_of, read_line, written_line


def tabulate(bodies):
    """The table of some bodies, by the way that their lines take through the index."""
    frame = table.tabulate(map(line_of, bodies))
    assert table.tabulate(read_line(b["digest"], written_line(line_of(b))) for b in bodies).equals(frame)
    return frame


def body(digest, **parts):
    return {"digest": digest, "artifacts": {}, **parts}


def test_columns_are_digest_measures_settings_and_the_rest():
    frame = tabulate(
        [
            body(
                "a0",
                specification={"problem": {"task": {"kind": "bump", "n": 28}}, "model": {"widths": [64, 32]}},
                measures={"ood_accuracy": 0.5, "dimension": {"conv.0": 3.0, "dense": 2.0}},
                status="done", seed=3, seconds=1.5,
            ),
            body("b1", specification={"problem": {"task": {"kind": "torus"}}}, measures={}, status="failed"),
        ]
    )  # fmt: skip
    assert list(frame.columns) == [
        "digest", "dimension.conv.0", "dimension.dense", "ood_accuracy",
        "model.widths", "problem.task.kind", "problem.task.n", "status", "seed", "seconds",
    ]  # fmt: skip
    assert frame.shape == (2, 10)
    first = frame.iloc[0].to_dict()
    assert first == {
        "digest": "a0", "dimension.conv.0": 3.0, "dimension.dense": 2.0, "ood_accuracy": 0.5,
        "model.widths": (64, 32), "problem.task.kind": "bump", "problem.task.n": 28,
        "status": "done", "seed": 3, "seconds": 1.5,
    }  # fmt: skip
    second = frame.iloc[1]
    assert second["problem.task.kind"] == "torus"
    assert second.isna().sum() == 7


def test_numbers_stay_numbers_when_some_are_missing():
    rows = [body("a0", measures={"x": 1.5}), body("b1", measures={"x": None}), body("c2", measures={"x": 2})]
    frame = tabulate(rows)
    assert frame["x"].dtype == np.float64
    np.testing.assert_array_equal(frame["x"], [1.5, np.nan, 2.0])


def test_settings_can_be_grouped_by():
    widths = [[64, 32], [64, 32], [8, [1, 2]]]
    rows = [body(f"r{i}", specification={"widths": w}, measures={"x": i}) for i, w in enumerate(widths)]
    assert tabulate(rows).groupby("widths")["x"].sum().to_dict() == {(64, 32): 1, (8, (1, 2)): 2}


def test_lists_of_mappings_are_numbered():
    regions = {"regions": [{"kind": "block"}, {"kind": "cross", "at": [1, 2]}], "empty": {}, "none": []}
    assert dict(leaves(regions)) == {
        "regions.0.kind": "block", "regions.1.kind": "cross", "regions.1.at": [1, 2], "none": [],
    }  # fmt: skip


def test_a_setting_does_not_hide_a_measure_of_the_same_name():
    frame = tabulate([body("a0", specification={"loss": "mse", "digest": "z9"}, measures={"loss": 0.25})])
    assert frame.loc[0, ["digest", "loss", "specification.loss", "specification.digest"]].tolist() == [
        "a0", 0.25, "mse", "z9",
    ]  # fmt: skip


def test_seed_and_seconds_are_found_where_they_stand():
    rows = [
        body("a0", specification={"seed": 4}, cost={"seconds": 2.0}),
        body("b1", specification={"seed": 4}, seed=5, seconds=3.0, cost={"seconds": 2.0}),
    ]
    frame = tabulate(rows)
    assert frame["seed"].tolist() == [4, 5]
    assert frame["seconds"].tolist() == [2.0, 3.0]
    assert list(frame.columns) == ["digest", "status", "seed", "seconds"]


@pytest.mark.parametrize("odd", [None, [], [1.0], "text", 3])
def test_bodies_of_another_kind_have_a_row_too(odd):
    assert tabulate([body("a0", measures=odd, specification=odd)]).loc[0, "digest"] == "a0"


def test_the_table_of_a_store(store, sample):
    assert list(store.table().columns) == ["digest", "status", "seed", "seconds"]
    assert len(store.table()) == 0
    for seed, digest in enumerate(["c0", "a0", "b0"]):
        store.commit(sample(digest, seed=seed))
    store.commit(Record("d0", {}))
    (store.runs / "b0" / "record.json").write_text("")
    frame = store.table()
    assert frame["digest"].tolist() == ["a0", "c0", "d0"]
    assert frame["problem.task.n"].tolist()[:2] == [29, 28]
    assert frame["participation_ratio.conv.0"].tolist()[:2] == [3.5, 3.5]
    (damage,) = frame.attrs["damaged"]
    assert damage.startswith("run 'b0' is damaged: record.json is not valid JSON")
    store.index.path.unlink()
    assert store.table().equals(frame)  # the same from the folders as from the index
