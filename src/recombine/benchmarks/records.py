"""What many records cost: a commit, the size on disk, the index, `recombine check` and the table."""

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from recombine.benchmarks.measuring import SECONDS, Result, benchmarks, result
from recombine.benchmarks.synthetic import experiment, outcome, simulate
from recombine.records import Store, provenance
from recombine.studies.execution import commit

SIZES = (10, 1_000, 100_000)
COMMITS = 50  # that are timed in each store
PER_SECOND = "records/s"
MILLISECONDS = "CPU ms a run"
KILOBYTES = "kB a run"


@benchmarks.register("records")
def records(rounds: int) -> list[Result]:
    """Stores of 10, 1,000 and 100,000 synthetic records: commits, size, index, `recombine check`, `table()`.

    `-commit` is the driver's own work from an outcome to its record, `-driver` how many records a second it writes by
    the clock, waiting for the disk; `-size` is what the disk gives to a run, index included and weights not. Lower is
    better, but for `-driver`. Agree: as many runs are listed as were written, and check judges as without them.
    """
    found = []
    with tempfile.TemporaryDirectory() as folder:
        _, plain = _check(Path(folder) / "none")
        for size in SIZES:
            found += measure(simulate(Path(folder) / str(size), size), size, rounds, plain)
    return found


def measure(store: Store, size: int, rounds: int, plain: str) -> list[Result]:
    """The results of one store of ``size`` records; ``plain`` is what check says without them."""
    rebuilt, numbers = _timed(store.rebuild_index, 1 if size > 10_000 else rounds)
    kilobytes = disk_usage(store.root) / size / 1000
    tables, shapes = _timed(lambda: len(store.table()), rounds)
    checks = [_check(store.root) for _ in range(rounds)]
    whole = set(numbers) == set(shapes) == {size}
    judged = {told for _, told in checks} == {plain}
    used, rates, all_there = _commits(store, size, rounds)
    return [
        result(f"records-{size}-commit", used, all_there, MILLISECONDS),
        result(f"records-{size}-driver", rates, all_there, PER_SECOND),
        result(f"records-{size}-size", [kilobytes], whole, KILOBYTES),
        result(f"records-{size}-index", rebuilt, whole, SECONDS),
        result(f"records-{size}-check", [seconds for seconds, _ in checks], judged, SECONDS),
        result(f"records-{size}-table", tables, whole, SECONDS),
    ]


def disk_usage(folder: Path) -> int:
    """Bytes that the disk gives to a folder: whole blocks, the folders themselves included."""
    entries = [folder, *folder.rglob("*")]
    return sum(entry.lstat().st_blocks for entry in entries) * 512


def _timed(work: Callable[[], int], rounds: int) -> tuple[list[float], list[int]]:
    seconds, values = [], []
    for _ in range(rounds):
        started = time.process_time()
        values.append(work())
        seconds.append(time.process_time() - started)
    return seconds, values


def _check(root: Path) -> tuple[float, str]:
    """CPU seconds of `recombine check --json` on a store, in a process of its own, and what it says."""
    command = [sys.executable, "-m", "recombine.cli", "check", "--json", "--store", str(root)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def _commits(store: Store, size: int, rounds: int) -> tuple[list[float], list[float], bool]:
    """CPU milliseconds a commit and commits a second by the clock, of runs that the store has not."""
    used, rates, origin = [], [], provenance()
    for turn in range(rounds):
        seeds = range(size + turn * COMMITS, size + (turn + 1) * COMMITS)
        pending = [(experiment(seed), outcome(seed)) for seed in seeds]
        for work, _ in pending:
            work.digest()  # known since the study was planned
        clock, processor = time.perf_counter(), time.process_time()
        for work, came in pending:
            commit(work, came, store, origin)
        used.append((time.process_time() - processor) / COMMITS * 1000)
        rates.append(COMMITS / (time.perf_counter() - clock))
    there = all(store.has(experiment(seed).digest()) for seed in (size, size + rounds * COMMITS - 1))
    return used, rates, there


def scale_page(document: dict[str, Any]) -> str:
    """The page of the guide about many records, made of a saved file of this benchmark."""
    where, found = document["provenance"], {each["name"]: each for each in document["results"]}

    def told(size: int, name: str, digits: int = 2) -> str:
        return f"{found[f'records-{size}-{name}']['ratio']:.{digits}g}"

    most = SIZES[-1]
    rows = {
        "commit": "driver's own work for a record, CPU ms",
        "driver": "records a second, by the clock, waiting for the disk",
        "size": "disk for a run, kB",
        "index": "index made anew, CPU s",
        "check": "`recombine check`, CPU s",
        "table": "`table()`, CPU s",
    }
    table = [f"| {words} | {' | '.join(told(size, name, 3) for size in SIZES)} |" for name, words in rows.items()]
    rate = found[f"records-{most}-driver"]["ratio"]
    busy = 1000 / found[f"records-{most}-commit"]["ratio"]
    kilobytes = found[f"records-{most}-size"]["ratio"]
    return TEXT.format(
        cpus=where["cpus"],
        platform=where["platform"],
        header=" | ".join(f"{size:,}" for size in SIZES),
        line="|".join("---" for _ in SIZES),
        table="\n".join(table),
        rate=f"{rate:,.0f}",
        busy=f"{busy:,.0f}",
        least=f"{1000 / rate:,.1f}",
        minute=f"{1000 / 60:.0f}",
        share=f"{100 * 1000 / 60 / rate:.0f}",
        dearer=f"{1000 / busy / found[f'records-{SIZES[-2]}-commit']['ratio']:.1f}",
        gigabytes=f"{kilobytes:,.1f}",
        rebuilt=told(most, "index"),
        checked=told(most, "check"),
        tabled=told(most, "table"),
    )


TEXT = """\
# A hundred thousand records

Generated by `make docs` from `reference/scale.json`, which `make scale` writes with `recombine bench records`.
Measured on {cpus} shared cores ({platform}), on which other work ran: CPU seconds are those of one core, and by the
clock everything took two to four times as long.

| records in the store | {header} |
|---|{line}|
{table}

What the bounds are: the index of 100,000 records is to be made anew in under 60 s (here {rebuilt} CPU seconds),
`recombine check` on it and `table()` are to take under 5 s (here {checked} and {tabled}). A test holds the growth:
ten times the records may take at most thirteen times as long.

## What was simulated, and what was not

The records are synthetic: body, digest and arrays have the shape of a small decoder's run (record 2 kB, arrays 10
kB), numbers are drawn, and nothing was trained. They were written without waiting for the disk and read shortly
after, so mostly from memory; a store on a cold or a network disk is slower to list, by as much as it takes to ask for
two hundred thousand file times. Commits, in contrast, are real ones: each waits until the disk has its files. Runs of
one's own have weights as well (4 bytes a parameter), which were left out here. All runs have the same settings but
for the seed; a table of many different studies has more columns and takes longer.

## What is done to keep it so

Folders are the truth and the index is a cache. Listing asks the file system for the times of each record and believes
the index only where they are the same. `check` takes from it the bodies of the runs that claims need, and no others;
`table()` takes lines that were flattened when the run was recorded. Each carries a hash, so that a spoilt one is
noticed and read again from its folder. Changed files are read again whether somebody asks for them or not, so that
damage is told by name all the same.

## A thousand GPUs

Only the driver writes records, one after the other. It managed {rate} records a second here, by the clock; its own
work would allow {busy}, the rest is waiting, for the disk and for cores that others use too. A thousand GPUs that end
a run a minute each make {minute} records a second, {share}% of what was measured; runs must be shorter than {least} s
on each of a thousand GPUs before this driver is what they wait for. A commit into the largest store is {dearer} times
the work of one into a store of a hundredth of its size, probably for the larger tree of the index; that was not
looked into. Stacks save messages and not commits: sixteen seeds come back in one piece, and are sixteen records. A
million runs take about {gigabytes} GB of disk, without weights.

What else the driver does grows with problems, not with runs: a forecast is made once for each problem, by the
driver's own machine, before the first training begins. A study of ten thousand different problems waits for ten
thousand forecasts first; that was not measured here. Nor was a cluster: no more than the two cores of this machine
stood behind any number on this page. What the workers hand back (weights and arrays) waits in Ray's object store
until the driver has written it; that the driver keeps up was not measured with Ray here.
"""
