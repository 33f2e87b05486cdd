"""The Ray executor on a real cluster of two nodes on this machine; lost workers and nodes are in `test_faults.py`."""

import os
import socket
import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from textwrap import indent
from typing import Any, ClassVar

import pytest
import torch

from recombine.core.errors import InputError
from recombine.data import Problem, tasks
from recombine.models import models
from recombine.records import Store
from recombine.splits import regions
from recombine.studies import Experiment, Work, change, joining, vary
from recombine.studies.execution import execute, executor
from recombine.studies.progress import Progress
from recombine.studies.ray import IN_FLIGHT, RayExecutor
from recombine.studies.stacks import Stack
from recombine.training import Recipe

ray = pytest.importorskip("ray")

PROBLEM = Problem(task=tasks.parse("bump"), split=regions.parse({"kind": "block", "x": (3, 5), "y": (2, 4)}))
PROBLEM = change(PROBLEM, task=change(PROBLEM.task, n=8))
BASE = Experiment(
    problem=PROBLEM, model=models.parse("mlp-decoder"), recipe=Recipe(steps=40), measures=("id_nmse", "ood_nmse")
)
APART = change(BASE, model=models.parse({"kind": "cnn-decoder", "width": 4}))  # not stacked: a task for each


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes of one processor each, in processes of their own."""
    from ray.cluster_utils import Cluster

    os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_worker_niceness="0")
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    made.add_node(num_cpus=1)
    yield made
    made.shutdown()


def on(cluster: Any, workers: int | None = None) -> RayExecutor:
    made = executor("ray", workers, address=cluster.address)
    assert isinstance(made, RayExecutor)
    return made


def test_records_are_those_of_the_local_executor(tmp_path: Path, cluster: Any):
    works = [*vary(BASE, seed=range(3)), *vary(APART, seed=range(2))]
    here, there = Store(tmp_path / "here"), Store(tmp_path / "there")
    heard: list[str] = []

    class Hears(Progress):
        def finished(self, stack: Stack, outcomes: Any) -> None:
            heard.extend(work.digest() for work in stack.members)

    assert execute(works, here, executor(workers=1)) == 5
    assert execute(works, there, on(cluster), Hears()) == 5
    assert execute(works, there, on(cluster)) == 0
    assert sorted(heard) == there.digests() == here.digests()
    for digest in here.digests():
        one, other = here.read(digest, weights=True), there.read(digest, weights=True)
        assert one.body["measures"] == pytest.approx(other.body["measures"], rel=1e-5)
        assert {name: array.shape for name, array in one.weights.items()} == {
            name: array.shape for name, array in other.weights.items()
        }
        assert one.body["provenance"].keys() == other.body["provenance"].keys()
    one, other = (dict(store.forecast(PROBLEM.digest()) or {}, seconds=0) for store in (here, there))
    assert one == other
    assert len(one) > 1


def test_half_here_and_half_there_is_one_study(tmp_path: Path, cluster: Any):
    works: list[Work] = list(vary(APART, seed=range(4)))
    store = Store(tmp_path)
    assert execute(works[:2], store, on(cluster)) == 2
    assert execute(works, store, executor(workers=1)) == 2
    assert execute(works, store, on(cluster)) == 0
    assert len(store.digests()) == 4


def test_few_tasks_are_in_flight_however_many_there_are(tmp_path: Path, cluster: Any, monkeypatch: pytest.MonkeyPatch):
    where, submitted, most = on(cluster), [0], [0.0]
    submit = RayExecutor._submit
    store = Store(tmp_path)

    def counts(self: RayExecutor, stack: Stack) -> Any:
        submitted[0] += 1
        # As many as are allowed for: a node that was just lost may still be counted.
        most[0] = max(most[0], (submitted[0] - len(store.digests())) / self.slots())
        return submit(self, stack)

    monkeypatch.setattr(RayExecutor, "_submit", counts)
    works = list(vary(change(APART, recipe=Recipe(steps=1)), seed=range(24)))
    assert execute(works, store, where) == 24
    assert 1 <= most[0] <= IN_FLIGHT


def test_an_error_of_one_run_lets_the_others_finish(tmp_path: Path, cluster: Any):
    bad = change(APART, model=models.parse({"kind": "diffusion", "width": 4}))  # its pictures are too small to halve
    good = change(APART, seed=3)
    store = Store(tmp_path)
    with pytest.raises(InputError):
        execute([change(bad, problem=change(PROBLEM, task=change(PROBLEM.task, n=7))), good], store, on(cluster))
    assert store.digests() == [good.digest()]


def test_what_no_node_can_give_is_refused_before_anything_is_forecast(tmp_path: Path, cluster: Any):
    store = Store(tmp_path)
    with pytest.raises(InputError, match=r"takes 0.5 GPU.*has none"):
        execute([APART], store, executor("ray", address=cluster.address, gpus=0.5))
    assert store.forecast(PROBLEM.digest()) is None


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here, and training would use it")
def test_a_task_asks_for_its_share_of_a_gpu_and_trains_on_the_one_it_is_given(tmp_path: Path, cluster: Any):
    """On a node that says it has two: tasks are given them, and torch tells each that there is nothing there."""
    extra = cluster.add_node(num_cpus=2, num_gpus=2)
    truth = change(APART, model=models.truth())  # nothing of it trains, so it goes to a processor
    where = executor("ray", address=cluster.address, gpus=1)
    errors: list[Exception] = []
    store = Store(tmp_path)
    try:
        with where.ready(lambda *news: None) as slots:
            assert slots == 2  # GPUs, of four processors
            stacks = [Stack((work,)) for work in (*vary(APART, seed=range(2)), truth)]
            done: list[Stack] = []
            where.run(iter(stacks), lambda stack, finished: done.append(stack), errors)
        assert done == stacks[2:]
        told = {str(error).partition("is not here")[0] + str(error).partition("(")[2] for error in errors}
        assert told == {f"device = 'cuda:0' CUDA_VISIBLE_DEVICES='{gpu}'); train on one of these." for gpu in "01"}
        with executor("ray", address=cluster.address, gpus=0.25).ready(lambda *news: None) as slots:
            assert slots == 4  # processors, of eight quarters
        assert execute([APART], store, on(cluster)) == 1
        assert store.read(APART.digest()).body["provenance"]["device"] == "cpu"
    finally:
        cluster.remove_node(extra)


def test_no_cluster_at_an_address_is_said(tmp_path: Path):
    with pytest.raises(InputError, match=r"no Ray cluster at '127.0.0.1:1'.*ray start --head"):
        execute([BASE], Store(tmp_path), executor("ray", address="127.0.0.1:1"))
    assert Store(tmp_path).digests() == []


def test_where_something_else_listens_is_said(tmp_path: Path):
    with socketserver.TCPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as other:
        threading.Thread(target=other.handle_request, daemon=True).start()
        address = f"127.0.0.1:{other.server_address[1]}"
        with pytest.raises(InputError, match=rf"no Ray cluster at '{address}': something else answers there"):
            execute([BASE], Store(tmp_path), executor("ray", address=address))


def frame(kind: int, flags: int, stream: bytes = bytes(4), payload: bytes = b"") -> bytes:
    """One frame of HTTP/2."""
    return len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream + payload


class Grpc(socketserver.StreamRequestHandler):
    """Speaks HTTP/2 and answers every call with a status of gRPC and words to it, or with nothing at all."""

    answer: ClassVar[tuple[bytes, bytes] | None] = None

    def handle(self) -> None:
        with suppress(OSError):  # whoever called has gone
            self.converse()

    def converse(self) -> None:
        self.wfile.write(frame(4, 0))
        self.rfile.read(24)
        while len(head := self.rfile.read(9)) == 9:
            kind, flags, stream, payload = head[3], head[4], head[5:], self.rfile.read(int.from_bytes(head[:3], "big"))
            if kind in (4, 6) and not flags & 1:  # settings and pings are acknowledged
                self.wfile.write(frame(kind, 1, payload=payload if kind == 6 else b""))
            elif kind == 1 and self.answer:
                words = [(b"content-type", b"application/grpc"), *zip(STATUS, self.answer, strict=True)]
                written = [bytes((0, len(name))) + name + bytes((len(value),)) + value for name, value in words]
                self.wfile.write(frame(1, 5, stream, b"\x88" + b"".join(written)))


STATUS = (b"grpc-status", b"grpc-message")


@contextmanager
def grpc(status: tuple[bytes, bytes] | None) -> Iterator[str]:
    """The address of such a listener; of every network, since Ray takes a machine's own address for localhost."""
    handler = type("Answering", (Grpc,), {"answer": status})
    with socketserver.ThreadingTCPServer(("", 0), handler) as other:
        other.daemon_threads, other.block_on_close = True, False
        threading.Thread(target=other.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{other.server_address[1]}"
        other.shutdown()


@pytest.mark.parametrize(
    ("status", "says"),
    [
        (None, r"no Ray cluster at '.*': what listens there is not Ray, or hangs; start one"),
        ((b"12", b"no such service"), r"no Ray cluster at '.*': what listens there is not Ray, or hangs; start one"),
        ((b"16", b"InvalidAuthToken: it is another"), r"the Ray cluster at '.*' asks for a token"),
    ],
)
def test_what_speaks_as_ray_does_and_cannot_be_joined_is_said_soon_and_in_our_words_alone(
    status: Any, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(joining, "ASKING", 5)
    started = time.monotonic()
    with grpc(status) as address, pytest.raises(InputError, match=says):
        execute([BASE], Store(tmp_path), executor("ray", address=address))
    assert time.monotonic() - started < 60  # Ray itself tries for three minutes
    assert capfd.readouterr().err == ""


def test_where_a_listener_says_nothing_is_said_soon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(joining, "PATIENCE", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(InputError, match="nothing answers there"):
            execute([BASE], Store(tmp_path), executor("ray", address=address))


def test_no_listener_keeps_a_command_waiting_for_more_than_half_a_minute():
    assert joining.PATIENCE + joining.ASKING <= 30


@pytest.mark.parametrize("address", ["é..x:6379", f"{'a' * 300}:6379", "127.0.0.1:99999"])
def test_an_address_that_no_machine_can_have_is_one_where_nothing_answers(address: str, tmp_path: Path):
    with pytest.raises(InputError, match="nothing answers there"):
        execute([BASE], Store(tmp_path), executor("ray", address=address))


@pytest.mark.parametrize("address", ["nonsense", "host:", ":6379", "host:x"])
def test_what_is_no_address_is_refused(address: str, tmp_path: Path):
    with pytest.raises(InputError, match="must read HOST:PORT"):
        execute([BASE], Store(tmp_path), executor("ray", address=address))


def test_a_cluster_that_is_gone_ends_the_driver_with_a_sentence_and_the_code_of_no_answer():
    script = """
import socket, time
from recombine.studies import ray
ray.LOOK, ray.MISSES = 0.1, 3
with socket.create_server(("127.0.0.1", 0)) as cluster, ray._watching(f"127.0.0.1:{cluster.getsockname()[1]}"):
    time.sleep(1)
    cluster.close()
    time.sleep(60)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=50)
    assert done.returncode == 2, done.stderr
    assert "is gone; finished runs are kept, start again." in done.stderr


INTERRUPTED = "recombine: interrupted; finished runs are kept, the same command goes on from here.\n"


def told_to_end(lines: str) -> subprocess.CompletedProcess[str]:
    """A command whose work is these lines, in a process of its own."""
    script = f"""
import os, signal, sys, time
import ray as library
from recombine.cli import app
from recombine.studies import ray
from recombine.studies.execution import executor
def work(**_):
{indent(lines, "    ")}
    time.sleep(60)
app.app = work
app.main([])
"""
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=50)


@pytest.mark.parametrize("later", [False, True])
def test_what_is_told_to_end_while_ray_handles_that_ends_as_if_interrupted(later: bool):
    done = told_to_end(f"""
with ray._terminated_as_before(later={later}):
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(number))  # as Ray does
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(0.1)
""")
    assert (done.returncode, done.stderr) == (143, INTERRUPTED)


def test_a_driver_that_is_told_to_end_while_it_joins_ends_as_if_interrupted(cluster: Any):
    done = told_to_end(f"""
connect = library._private.worker.connect
def connected(*given, **named):
    connect(*given, **named)  # from here on, SIGTERM is handled by Ray, which tells of it at length
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(0.1)
library._private.worker.connect = connected
with executor("ray", address={cluster.address!r}).ready(lambda *news: None):
    pass
""")
    assert (done.returncode, done.stderr) == (143, INTERRUPTED)


def test_an_address_without_ray_is_refused():
    with pytest.raises(InputError, match="say on = ray"):
        executor("local", address="127.0.0.1:6379")


def test_without_ray_the_way_out_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(InputError, match=r"recombine\[ray\]"):
        execute([BASE], Store(tmp_path), executor("ray"))


def test_a_cluster_is_started_here_and_ended(tmp_path: Path):
    started = time.monotonic()
    assert execute([BASE], Store(tmp_path), executor("ray", 1, address="local")) == 1
    assert not ray.is_initialized()
    assert time.monotonic() - started < 300
