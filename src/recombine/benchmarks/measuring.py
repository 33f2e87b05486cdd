"""How a benchmark is measured: the two sides alternate, so that whatever else the machine does slows both."""

import math
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

from recombine.core.registry import Registry

Work = Callable[[], Any]


@dataclass(frozen=True)
class Result:
    """A ratio (how many times faster, unless the name says otherwise) with the least and the largest over rounds."""

    name: str
    ratio: float
    low: float
    high: float
    agrees: bool

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


# A benchmark is a function of the number of rounds; its docstring says what is compared with what.
benchmarks: Registry[Callable[[int], list[Result]]] = Registry("benchmark")


def run_benchmarks(names: Iterable[str] = (), rounds: int = 5) -> list[Result]:
    """The results of the named benchmarks, or of all."""
    import recombine.benchmarks.preparing
    import recombine.benchmarks.training  # noqa: F401  (both register)

    chosen = list(names) or list(benchmarks)
    return [result for name in chosen for result in benchmarks.pick(name)(rounds)]


def ratios(slow: Work, fast: Work, rounds: int, clock: Callable[[], float] = time.process_time) -> list[float]:
    """time(slow) / time(fast) in each round; the two alternate, and which goes first does too."""

    def seconds(work: Work) -> float:
        started = clock()
        work()
        return clock() - started

    found = []
    for index in range(rounds):
        order = (slow, fast) if index % 2 else (fast, slow)
        taken = {id(work): seconds(work) for work in order}
        found.append(taken[id(slow)] / taken[id(fast)])
    return found


def result(name: str, found: list[float], agrees: bool) -> Result:
    if not all(math.isfinite(value) for value in found):
        raise ValueError(f"benchmark {name}: {found} has a side that took no time; give it more work.")
    return Result(name, statistics.median(found), min(found), max(found), agrees)
