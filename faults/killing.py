"""Workers and drivers killed with no warning (SIGKILL), two drivers at once, and clocks that jump."""

import os
import random
import signal
import time
from collections.abc import Callable

from faults.tally import Driver, Study, Tally, chance, command, place

RUNS_A_KILL = 2  # runs in the study for every kill; about one is recorded between two of them


def kill_workers(kills: int, seed: int) -> Tally:
    with place() as store:
        return killed("worker, kill -9", Study(store, 4 + kills * RUNS_A_KILL, 0.2), kills, seed, [a_worker])


def kill_drivers(kills: int, seed: int) -> Tally:
    with place() as store:
        return killed("driver, kill -9", Study(store, 4 + kills * RUNS_A_KILL, 0.2), kills, seed, [the_driver])


def kill_anyone(kills: int, seed: int) -> Tally:
    with place() as store:
        study = Study(store, 4 + kills * RUNS_A_KILL, 0.2)
        return killed("worker or driver, at random", study, kills, seed, [a_worker, a_worker, the_driver])


Victim = Callable[[Driver, random.Random], int | None]


def the_driver(driver: Driver, chances: random.Random) -> int | None:
    return driver.process.pid


def a_worker(driver: Driver, chances: random.Random) -> int | None:
    """A process that a driver's server of workers has forked."""
    servers = [pid for pid in driver.below() if "forkserver" in command(pid)]
    workers = servers[1:]  # the server itself comes first: it is their parent
    return chances.choice(workers) if workers else None


def killed(fault: str, study: Study, kills: int, seed: int, victims: list[Victim], *arguments: str) -> Tally:
    """Kill after none to two recorded runs and a moment, again and again; what ends is started again until done."""
    tally, chances = Tally(fault), chance(seed, fault)
    arguments = arguments or ("--workers=2",)
    for starts in range(1, 3 * kills + 10):
        driver = study.drive(*arguments)
        while driver.running and tally.injected < kills:
            driver.wait_for(chances.randint(0, 2))
            time.sleep(chances.uniform(0, 0.3))
            pid = chances.choice(victims)(driver, chances)
            if driver.running and pid is not None:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    continue
                tally.injected += 1
        if driver.wait() == 0:
            tally.note = f"{study.count} runs, {starts} starts"
            return study.settle(tally)
    raise AssertionError(f"{fault}: it does not end: {''.join(driver.errors)[-800:]}")


def two_drivers(times: int, seed: int) -> Tally:
    """Both do the whole study at once; a record that is replaced would have another time."""
    tally = Tally("two drivers on one store")
    for _ in range(times):
        with place() as store:
            study = Study(store, 30, 0.05)
            drivers = [study.drive("--workers=1"), study.drive("--workers=1")]
            first: dict[str, int] = {}
            while any(driver.running for driver in drivers):
                for path in store.glob("runs/*/record.json"):
                    first.setdefault(path.parent.name, path.stat().st_mtime_ns)
                time.sleep(0.02)
            codes = [driver.wait() for driver in drivers]
            there = study.recorded()
            tally.injected += 1
            tally.lost += len(study.digests() - there) + sum(code != 0 for code in codes)
            changed = [
                name
                for name, when in first.items()
                if (store / "runs" / name / "record.json").stat().st_mtime_ns != when
            ]
            tally.duplicated += len(changed) + len(there - study.digests())
    return tally


def jumping_clock(times: int, seed: int) -> Tally:
    """Drivers and workers are told times days off, each call another; one driver in two is killed on the way."""
    tally = Tally("clock that jumps")
    for turn in range(times):
        with place() as store:
            study = Study(store, 12, 0.02, jumps=True)
            driver = study.drive("--workers=2")
            if turn % 2 == 0:
                driver.wait_for(3)
                driver.process.kill()
            driver.wait()
            code = study.drive("--workers=2").wait()
            tally.injected += 1
            tally.lost += code != 0
            study.settle(tally)
    return tally
