"""Work that leaves a trace: each run says when it begins, and whether its record was there already."""

import os
import tempfile
import time
from pathlib import Path
from typing import ClassVar

import numpy as np
from pydantic import Field

from recombine.core.seeds import stream
from recombine.studies.calculation import Calculation, Computed, calculations

STORE = "FAULTS_STORE"  # the store of the study
JUMPS = "FAULTS_JUMPS"  # set where the clock is to jump


@calculations.register("tick")
class Tick(Calculation):
    """Waits, and answers with numbers of its seed."""

    exact: ClassVar[bool] = False

    seconds: float = Field(default=0.0, ge=0)
    kilobytes: int = Field(default=1, ge=1)

    def compute(self) -> Computed:
        store = Path(os.environ[STORE])
        again = (store / "runs" / self.digest()).exists()
        with trace(store).open("a") as file:  # one short line: whole, whoever else writes
            file.write(f"{self.digest()} {'again' if again else 'first'}\n")
        time.sleep(self.seconds)
        noise = stream(self.seed, "tick").normal(size=128 * self.kilobytes)
        return Computed({"value": float(noise[0])}, {"noise": noise})


def trace(store: Path) -> Path:
    """Not on the store's own disk, which may be full or read-only."""
    return Path(tempfile.gettempdir()) / f"{store.parent.name}.trace"


def study(count: int, seconds: float, kilobytes: int) -> list[Tick]:
    return [Tick(seed=seed, seconds=seconds, kilobytes=kilobytes) for seed in range(count)]


def let_the_clock_jump() -> None:
    """From now on this process is told times up to ten days off, forwards and backwards."""
    real, real_ns, draws = time.time, time.time_ns, np.random.default_rng(os.getpid())
    time.time = lambda: real() + draws.uniform(-864_000, 864_000)
    time.time_ns = lambda: real_ns() + int(draws.integers(-864_000, 864_000)) * 10**9


if os.environ.get(JUMPS):
    let_the_clock_jump()
