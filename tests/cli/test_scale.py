"""Ten times the records take about ten times as long: nothing grows faster."""

import os
import tempfile
from itertools import count
from pathlib import Path
from statistics import median

import pytest

from recombine.benchmarks.measuring import ratios
from recombine.benchmarks.synthetic import experiment, outcome, records, simulate
from recombine.records import Store
from recombine.studies.collecting import collect
from recombine.studies.execution import commit

FEW, MANY = 200, 2_000
MOST = 13  # times as long for ten times as many


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    home = tmp_path_factory.mktemp("scale")
    made = [simulate(home / str(size), size) for size in (FEW, MANY)]
    for store in made:
        store.table()  # its index is made, pandas is loaded
    return made


def test_synthetic_records_are_those_of_real_experiments():
    made = list(records(3))
    assert [record.digest for record in made] == [experiment(seed).digest() for seed in range(3)]
    assert [record.body["specification"] for record in made] == [experiment(seed).settings() for seed in range(3)]
    assert len({record.body["measures"]["ood_nmse"] for record in made}) == 3


def test_a_simulated_store_is_what_commits_leave(tmp_path):
    simulated, committed = simulate(tmp_path / "a", 3), Store(tmp_path / "b")
    for record in records(3):
        committed.commit(record)
    assert simulated.verify() == []
    for path in committed.runs.rglob("*.*"):
        assert (simulated.root / path.relative_to(committed.root)).read_bytes() == path.read_bytes()


def copied(store: Store) -> None:
    """Collect a store into a new one."""
    collect([store], Store(Path(tempfile.mkdtemp(dir=store.root.parent))))


@pytest.mark.alone
@pytest.mark.parametrize(
    ("look", "rounds"),
    [(Store.rebuild_index, 3), (Store.table, 5), (Store.bodies, 5), (Store.digests, 5), (Store.verify, 1), (copied, 1)],
)
def test_time_grows_no_faster_than_the_number_of_records(stores, look, rounds, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda _: None)  # what is compared is our own work
    few, many = stores
    assert median(ratios(lambda: look(many), lambda: look(few), rounds)) < MOST


@pytest.mark.alone
def test_asking_for_a_few_runs_costs_less_than_asking_for_all(stores):
    _, many = stores
    few = many.digests()[:10]
    assert median(ratios(many.bodies, lambda: many.bodies(few), 5)) > 1.5


@pytest.mark.alone
def test_a_commit_into_a_large_store_takes_no_longer_than_into_a_small_one(stores, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda _: None)
    seeds = count(MANY)

    def write(store: Store) -> None:
        for seed in [next(seeds) for _ in range(20)]:
            commit(experiment(seed), outcome(seed), store, {})

    few, many = stores
    assert median(ratios(lambda: write(many), lambda: write(few), 5)) < 1.5
