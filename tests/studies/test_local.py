"""The local executor: real worker processes, real kills, real records."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from multiprocessing import active_children, connection, get_context
from pathlib import Path
from typing import Any

import pytest
import torch

from recombine.core.errors import InputError
from recombine.data import Problem, tasks
from recombine.models import models
from recombine.records import Store
from recombine.splits import regions
from recombine.studies import Experiment, change, local, vary
from recombine.studies.execution import Executor, Finished, execute, executor, missing
from recombine.studies.progress import Progress
from recombine.studies.stacks import Stack
from recombine.training import Outcome, Recipe, penalties, run

SQUARE = Problem(tasks.bump(n=8), regions.block(x=(3, 6), y=(2, 5)))

BASE = Experiment(
    problem=Problem(tasks.bump(n=(6, 8)), regions.block(x=(2, 5), y=(2, 4))),
    model=models.mlp_decoder(width=8, depth=1),
    recipe=Recipe(steps=30),
    measures=("ood_nmse",),
)


def test_runs_are_recorded_once_with_their_forecast_and_match_running_alone(tmp_path: Path):
    store = Store(tmp_path)
    experiments = list(vary(BASE, seed=range(3)))
    assert execute(experiments, store, executor(workers=2)) == 3
    assert execute(experiments, store, executor(workers=2)) == 0
    for experiment in experiments:
        record = store.read(experiment.digest(), weights=True)
        alone = run(experiment.plan())
        assert record.body["measures"] == pytest.approx(alone.measures, rel=1e-4)
        assert Experiment.read(record.body["specification"]) == experiment
        assert record.body["seed"] == experiment.seed
    forecast = store.forecast(BASE.problem.digest())
    assert forecast is not None
    assert {"verdict", "sections"} <= set(forecast)
    assert len(store.table()) == 3


def test_a_diverged_run_is_recorded_as_failed_and_stops_nothing(tmp_path: Path):
    store = Store(tmp_path)
    wild = Recipe(steps=400, optimiser="sgd", rate=1e6)
    experiments = list(vary(BASE, recipe=(wild, BASE.recipe)))
    execute(experiments, store, executor(workers=1))
    failed, fine = (store.read(experiment.digest()).body for experiment in experiments)
    assert failed["status"] == "failed"
    assert "the loss became" in failed["reason"]
    assert fine["status"] == "done"
    assert missing(experiments, store) == []


def test_bad_input_in_one_stack_is_raised_after_the_others_are_done(tmp_path: Path):
    store = Store(tmp_path)
    misfit = Recipe(steps=30, penalties=(penalties.rendering(),))  # an MLP has no such penalty
    bad = Experiment.read({**BASE.settings(), "recipe": misfit.settings()})
    with pytest.raises(InputError, match="needs a forced-rendering network"):
        execute([bad, BASE], store, executor(workers=1))
    assert store.has(BASE.digest())
    assert not store.has(bad.digest())


def test_a_measure_that_is_undefined_does_not_cost_the_run(tmp_path: Path):
    store = Store(tmp_path)
    asked = Experiment.read({**BASE.settings(), "measures": ["ood_nmse", "stripe_extension"]})
    execute([asked], store, executor(workers=1))
    body = store.read(asked.digest()).body
    assert body["status"] == "done"
    assert list(body["measures"]) == ["ood_nmse"]
    assert "embeddings" in body["undefined"]["stripe_extension"]


class KillsWorkers(Progress):
    """Kills every worker while the driver is busy with the first stack that ends, as a machine out of memory would."""

    killed = False

    def finished(self, stack: Stack, outcomes: Sequence[Outcome]) -> None:
        if not self.killed:
            self.killed = True
            for worker in active_children():
                os.kill(worker.pid, signal.SIGKILL)
            time.sleep(1)


def test_workers_that_die_while_a_record_is_written_cost_no_run(tmp_path: Path):
    store = Store(tmp_path)
    experiments = list(vary(change(BASE, model=models.cnn_decoder(width=2), problem=SQUARE), seed=range(5)))
    assert execute(experiments, store, executor(workers=2), progress=KillsWorkers()) == 5
    assert missing(experiments, store) == []


def test_one_bad_member_does_not_cost_its_stack(tmp_path: Path):
    """One member's encoding cannot code an absent factor, which shows only when its examples are made."""
    store = Store(tmp_path)
    ramp = Problem(tasks.bump(n=8, encoding="ramp"), regions.block(x=(3, 6), y=(2, 5)))
    fine, bad = change(BASE, problem=ramp), change(BASE, problem=change(ramp, isolated=("x",)))
    assert fine.shape() == bad.shape()
    with pytest.raises(InputError, match="absent"):
        execute([fine, bad], store, executor(workers=1))
    assert missing([fine, bad], store) == [bad]


def test_the_environment_is_left_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_", raising=False)
    execute([BASE], Store(tmp_path), executor(workers=1))
    assert os.environ["OMP_NUM_THREADS"] == "7"
    assert "MALLOC_TRIM_THRESHOLD_" not in os.environ


DEADLY = """
import os, signal
from pathlib import Path
import recombine as rc
from recombine.models.catalogue import MlpDecoder
from recombine.records import Store
from recombine.studies import Experiment, vary
from recombine.studies import local
from recombine.studies.execution import execute, executor

@rc.models.models.register("deadly")
class Deadly(MlpDecoder):
    "An MLP that kills the process which builds it, where it is told to."
    fatal: bool = False

    def network(self, interface):
        if self.fatal and os.environ.get("FATAL"):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().network(interface)

if __name__ == "__main__":
    base = Experiment.read(SETTINGS)
    kinds = [Deadly(width=8, depth=1, fatal=fatal) for fatal in (False, True)]
    experiments = list(vary(base, model=kinds, seed=range(2)))
    print(*[e.digest() for e in experiments], flush=True)
    print(execute(experiments, Store(Path("store")), executor(workers=2)))
"""


def test_a_worker_that_dies_twice_is_given_up_and_its_neighbours_finish(tmp_path: Path):
    """The runs that kill their worker are given up, the others are recorded, and later they are tried again."""
    path = tmp_path / "deadly.py"
    path.write_text(DEADLY.replace("SETTINGS", repr(BASE.settings())))

    def script(**environment: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, path],
            capture_output=True,
            text=True,
            timeout=120,
            cwd=tmp_path,
            env=os.environ | environment,
        )

    done = script(FATAL="1")
    digests = done.stdout.split()
    assert [Store(tmp_path / "store").has(digest) for digest in digests] == [True, True, False, False]
    assert f"run {digests[2]}" in done.stderr
    assert "its worker process died twice" in done.stderr
    notes = sorted(note.name.split("-")[0] for note in (tmp_path / "store" / "failures").iterdir())
    assert notes == sorted(digests[2:])
    assert script().stdout.split()[-1] == "2"  # they are not results: the same command tries them again
    assert all(Store(tmp_path / "store").has(digest) for digest in digests)


def test_a_plain_script_needs_no_guard(tmp_path: Path):
    script = tmp_path / "plain.py"
    script.write_text(
        "import recombine as rc\n"
        "problem = rc.Problem(rc.tasks.bump(n=8), rc.splits.block(x=(3, 6), y=(2, 5)))\n"
        "model = rc.models.mlp_decoder(width=8, depth=2)\n"
        f"runs = rc.train(problem, model, seeds=2, recipe=rc.Recipe(steps=5), store={str(tmp_path / 'store')!r})\n"
        "print(len(runs.measure('ood_nmse')), __file__.endswith('plain.py'))\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ["2", "True"], done.stderr


@pytest.mark.parametrize("seconds", [0.2, 6.0], ids=["while workers start", "in the middle of training"])
def test_an_interrupt_ends_soon_says_so_and_leaves_no_worker(tmp_path: Path, seconds: float):
    """Sent to all of the session, as a terminal does."""
    arguments = ["train", "bump", "--set", "n=8", "--hold-out", "block:x=3..5,y=2..4", "--recipe", "steps=2000000"]
    arguments += ["--model", "mlp-decoder:width=8,depth=1", "--workers", "1", "--store", str(tmp_path / "store")]
    driver = subprocess.Popen(
        [sys.executable, "-m", "recombine.cli", *arguments], stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    deadline = time.monotonic() + 90
    while not any(tmp_path.glob("store/forecasts/*.json")) and time.monotonic() < deadline:
        time.sleep(0.1)  # forecasts are written before training begins
    time.sleep(seconds)
    os.killpg(driver.pid, signal.SIGINT)
    try:
        _, said = driver.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        os.killpg(driver.pid, signal.SIGKILL)
        driver.communicate()
        raise
    assert driver.returncode == 130
    assert said.startswith("recombine: interrupted")
    assert said.count("\n") == 1
    assert_no_process_of_session(driver.pid)


class Shared(Executor):
    """Runs four stacks at once on one machine, which a member with seed 3 takes down with all that is there."""

    def __init__(self) -> None:
        super().__init__(4)
        self.together: list[int] = []  # how many stacks ran at once

    @contextmanager
    def ready(self, moved: Any) -> Iterator[int]:
        yield 1

    def run(self, stacks: Iterator[Stack], finish: Any, errors: list[Exception]) -> list[Stack]:
        lost: list[Stack] = []
        while beside := list(islice(stacks, 4)):
            self.together.append(len(beside))
            if any(work.seed == 3 for stack in beside for work in stack.members):
                lost += beside
            else:
                for stack in beside:
                    finish(stack, Finished([Outcome("done", None, {}, {}) for _ in stack.members], {}))
        return lost


def test_suspects_are_tried_at_once_and_only_one_that_falls_alone_is_given_up(tmp_path: Path):
    store, shared = Store(tmp_path), Shared()
    experiments = list(vary(BASE, seed=range(14)))
    with pytest.raises(InputError, match=rf"run {experiments[3].digest()} .* was given up: .*tries it again\.$"):
        execute(experiments, store, shared)
    assert missing(experiments, store) == [experiments[3]]
    # One stack; its members, four at a time; each of the four that fell with the guilty one.
    assert shared.together == [1, 4, 4, 4, 2, 1, 1, 1, 1]


def test_told_to_end_while_workers_start_it_waits_for_them_and_they_can_still_be_ended():
    script = """
import os, signal, sys, subprocess
from recombine.studies.processes import interrupts_held
def told(number, frame):
    print("told", child.poll(), flush=True)
signal.signal(signal.SIGTERM, told)
with interrupts_held():
    os.kill(os.getpid(), signal.SIGTERM)
    child = subprocess.Popen(["sleep", "60"])
    print("started", flush=True)
child.terminate()
print("ended by", -child.wait(20))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=50)
    assert done.stdout.splitlines() == ["started", "told None", f"ended by {signal.SIGTERM:d}"], done.stderr


def start(store: Path) -> subprocess.Popen:
    """The command that trains twelve seeds, in a session of its own; `reproduce` runs through the same executor."""
    problem = ["bump", "--set", "n=8", "--hold-out", "block:x=3..5,y=2..4", "--seeds", "12"]
    model = ["--model", "cnn-decoder:width=2,depth=2", "--recipe", "steps=30"]  # not stacked: a record at a time
    command = [sys.executable, "-m", "recombine.cli", "train", *problem, *model, "--store", str(store)]
    return subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def test_killing_the_driver_loses_and_repeats_nothing_and_leaves_no_orphan(tmp_path: Path):
    root = tmp_path / "store"
    store = Store(root)
    seen: dict[str, int] = {}
    for wanted in (1, 4):
        driver = start(root)
        deadline = time.monotonic() + 90
        while len(store.digests()) < wanted and time.monotonic() < deadline and driver.poll() is None:
            time.sleep(0.02)
        os.kill(driver.pid, signal.SIGKILL)
        driver.wait()
        assert not store.verify()
        finished = {digest: (root / "runs" / digest / "record.json").stat().st_mtime_ns for digest in store.digests()}
        assert seen.items() <= finished.items()  # nothing lost, nothing written again
        seen = finished
        assert_no_process_of_session(driver.pid)
    assert start(root).wait(timeout=120) == 0
    assert len(store.digests()) == 12
    assert not store.verify()
    for digest, written in seen.items():
        assert (root / "runs" / digest / "record.json").stat().st_mtime_ns == written


def assert_no_process_of_session(session: int) -> None:
    """Workers notice that their driver is gone and leave."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        listed = subprocess.run(["ps", "-o", "pid=", "-s", str(session)], capture_output=True, text=True)
        if not listed.stdout.strip():
            return
        time.sleep(0.2)
    pytest.fail(f"processes left behind: {listed.stdout}")


def test_workers_killed_while_they_speak_silence_nobody():
    """Twenty writers are killed in the middle of a flood of messages; the last one's words still arrive."""

    class Hears(Progress):
        heard = ""

        def moved(self, name: str, share: float, loss: float) -> None:
            self.heard = name

    def flood(messages: connection.Connection) -> None:
        while True:
            messages.send(("flood", 0.5, 0.0))

    hears = Hears()
    with local.messages(hears.moved) as messages:
        for _ in range(20):
            writer = get_context("fork").Process(target=flood, args=(messages,), daemon=True)
            writer.start()
            time.sleep(0.05)
            writer.kill()
            writer.join()
        messages.send(("last words", 1.0, 0.0))
    assert hears.heard == "last words"


OWN = """
from pathlib import Path
import recombine as rc
from recombine.core.compositions import Composition, compositions

@compositions.register("screen")
class Screen(Composition):
    "Light on light."

    def over(self, front, behind):
        return 1 - (1 - front) * (1 - behind)

if __name__ == "__main__":
    problems = [
        rc.Problem(rc.tasks.sprites(size=8, tests=10, composition="screen"), support="planes", examples=count)
        for count in (20, 30)
    ]
    model = rc.models.compositional(family="mlp", width=8, depth=1, composition="screen")
    for problem in problems:
        runs = rc.train(problem, model, seeds=2, recipe=rc.Recipe(steps=2), store="store", workers=2)
        print(len(runs.measure("all_mse")))
"""


def test_a_composition_of_the_users_own_reaches_the_workers(tmp_path: Path):
    path = tmp_path / "own.py"
    path.write_text(OWN)
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=200, cwd=tmp_path)
    assert done.stdout.split() == ["2", "2"], done.stderr


class Counts(Progress):
    """Keeps what it is told of forecasts."""

    def __init__(self) -> None:
        self.heard: list[tuple[int, int]] = []

    def foretold(self, done: int, total: int) -> None:
        self.heard.append((done, total))


def test_forecasts_by_several_workers_are_those_of_one_and_are_told(tmp_path: Path):
    problems = [change(BASE.problem, examples=count) for count in (20, 30, 40)]
    experiments = [change(BASE, problem=problem) for problem in problems]
    counts = Counts()
    several, one = Store(tmp_path / "several"), Store(tmp_path / "one")
    execute(experiments, several, executor(workers=2), progress=counts)
    execute(experiments, one, executor(workers=1))
    assert counts.heard == [(1, 3), (2, 3), (3, 3)]
    for problem in problems:
        found = [store.forecast(problem.digest()) for store in (several, one)]
        assert all(forecast is not None for forecast in found)
        apart = [{name: value for name, value in each.items() if name != "seconds"} for each in found]
        assert apart[0] == apart[1]


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here, and training would use it")
def test_workers_sit_on_gpus_in_turn_and_what_does_not_train_stays_on_a_processor(monkeypatch: pytest.MonkeyPatch):
    """This process is told of two GPUs; its workers ask torch, which knows better, and say which one they had.

    Which of them is quick enough to get work is chance, so what they had is any of the seats, each given out once.
    """
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    assert local.gpu_seats(0.3) == ["cuda:0", "cuda:1"] * 3
    assert local.LocalExecutor(2, 0.3).seats == ["cuda:0", "cuda:1"]
    where = local.LocalExecutor(None, 0.5)
    assert where.seats == ["cuda:0", "cuda:1", "cuda:0"]  # four would fit, but there is a core for three
    free = where._free_seats()
    assert free is not None
    assert [free.get() for _ in where.seats] == where.seats
    assert free.empty()
    works = [*vary(BASE, seed=range(6)), change(BASE, model=models.truth())]
    errors: list[Exception] = []
    done: list[Stack] = []
    with where.ready(lambda *news: None) as slots:
        assert slots == 3
        stacks = [Stack((work,)) for work in works]
        assert where.run(iter(stacks), lambda stack, finished: done.append(stack), errors) == []
    assert done == stacks[6:]
    assert {str(error).partition(" is not here")[0] for error in errors} <= {"device = 'cuda:0'", "device = 'cuda:1'"}
    assert len(errors) == 6


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_gpus_that_are_not_there_and_shares_of_none_are_refused():
    with pytest.raises(InputError, match=r"gpus = 0.5 .* torch finds no GPU on this machine; leave it out"):
        executor(gpus=0.5)
    for share in (-0.5, 0.001, 2.0, float("nan")):
        with pytest.raises(InputError, match=r"must be 0, none, or from 0.01 to 1"):
            executor("ray", gpus=share)


def test_a_forecast_that_is_refused_costs_its_own_runs_alone(tmp_path: Path):
    ramp = Problem(tasks.bump(n=8, encoding="ramp"), regions.block(x=(3, 6), y=(2, 5)))
    fine, bad = change(BASE, problem=ramp), change(BASE, problem=change(ramp, isolated=("x",)))
    with pytest.raises(InputError, match="absent"):
        execute([bad, fine], Store(tmp_path), executor(workers=2))
    assert missing([fine, bad], Store(tmp_path)) == [bad]
