"""Several processes, one store."""

import multiprocessing
import threading

import pytest

from recombine.records import AlreadyRecorded, Record, Store

fork = multiprocessing.get_context("fork")


def race(target, count: int) -> None:
    workers = [fork.Process(target=target, args=(number,)) for number in range(count)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0] * count


def test_of_many_who_commit_one_digest_exactly_one_wins(tmp_path, sample, same):
    store, barrier, results = Store(tmp_path), fork.Barrier(4), fork.SimpleQueue()
    digests = [f"run-{number}" for number in range(12)]

    def compete(number: int) -> None:
        for digest in digests:
            record = sample(digest, seed=number)
            barrier.wait(60)
            try:
                store.commit(record)
                results.put((digest, number))
            except AlreadyRecorded:
                results.put((digest, None))

    race(compete, 4)
    outcomes = [results.get() for _ in range(4 * len(digests))]
    winners = {digest: number for digest, number in outcomes if number is not None}
    assert len([number for _, number in outcomes if number is not None]) == len(digests)
    assert store.digests() == sorted(digests)
    for digest, number in winners.items():
        assert same(store.read(digest, weights=True), sample(digest, seed=number))
    assert {body["digest"]: body["seed"] for body in store.bodies()[0]} == winners
    assert store.verify() == []
    assert list(store.drafts.folder.iterdir()) == []


def test_of_many_forecasts_of_one_run_all_get_the_one_that_stands(tmp_path):
    store, barrier, results = Store(tmp_path), fork.Barrier(4), fork.SimpleQueue()

    def compete(number: int) -> None:
        for turn in range(12):
            barrier.wait(60)
            results.put((turn, store.commit_forecast(f"run-{turn}", {"by": number})["by"]))

    race(compete, 4)
    returned = [results.get() for _ in range(48)]
    standing = {(turn, store.forecast(f"run-{turn}")["by"]) for turn in range(12)}
    assert set(returned) == standing


def test_writers_and_readers_of_one_store_do_not_disturb_each_other(tmp_path):
    store = Store(tmp_path)

    def work(number: int) -> None:
        for turn in range(8):
            store.commit(Record(f"{number}-{turn}", {"number": number}))
            bodies, damaged = store.bodies()
            assert damaged == []
            assert {f"{number}-{done}" for done in range(turn + 1)} <= {body["digest"] for body in bodies}
            if turn == 4:
                store.rebuild_index()

    race(work, 3)
    assert len(store.bodies()[0]) == 24
    assert store.verify() == []


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_threads_of_one_process_do_not_share_drafts(tmp_path, sample):
    store, won, barrier = Store(tmp_path), [], threading.Barrier(4)

    def compete(number: int) -> None:
        for turn in range(6):
            barrier.wait(60)
            try:
                store.commit(sample(f"run-{turn}", seed=number))
                won.append(turn)
            except AlreadyRecorded:
                pass

    threads = [threading.Thread(target=compete, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(won) == list(range(6))
    assert store.verify() == []
