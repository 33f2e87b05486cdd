"""What a person sees while runs are going: a live display on a terminal, plain lines in a log."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from recombine.studies.experiment import Experiment
from recombine.training import Outcome


class Progress:
    """Told by an executor what is going on; this one shows nothing."""

    @contextmanager
    def showing(self, experiments: Sequence[Experiment]) -> Iterator[None]:
        yield

    def moved(self, digest: str, fraction: float, loss: float) -> None:
        pass

    def finished(self, experiment: Experiment, outcome: Outcome) -> None:
        pass


class Lines(Progress):
    """A line on standard error for each run that ends: how many are done and roughly how long is left."""

    @contextmanager
    def showing(self, experiments: Sequence[Experiment]) -> Iterator[None]:
        self.total, self.done, self.started = len(experiments), 0, time.monotonic()
        yield

    def finished(self, experiment: Experiment, outcome: Outcome) -> None:
        self.done += 1
        spent = time.monotonic() - self.started
        left = spent / self.done * (self.total - self.done)
        note = "" if outcome.status == "done" else f" FAILED: {outcome.reason}"
        line = f"[{self.done}/{self.total}] {experiment.digest()} {experiment.title()}{note}"
        print(f"{line} ({spent:.0f} s so far, about {left:.0f} s left)", file=sys.stderr, flush=True)  # noqa: T201


class Live(Progress):
    """Bars on a terminal: one for the study, one for each run in flight."""

    @contextmanager
    def showing(self, experiments: Sequence[Experiment]) -> Iterator[None]:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Display

        self.titles = {experiment.digest(): experiment.title() for experiment in experiments}
        self.bars: dict[str, Any] = {}
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[note]}"),
            TimeRemainingColumn(),
        )
        with Display(*columns, console=Console(stderr=True), transient=True) as display:
            self.display = display
            self.whole = display.add_task("all runs", total=len(experiments), note=f"0/{len(experiments)} done")
            self.ended = 0.0
            self.flying: dict[str, float] = {}
            self.over: set[str] = set()
            yield

    def moved(self, digest: str, fraction: float, loss: float) -> None:
        if digest in self.over:  # said before the run ended, heard after
            return
        if digest not in self.bars:
            self.bars[digest] = self.display.add_task(self.titles[digest], total=1.0, note="")
        self.flying[digest] = fraction
        self.display.update(self.bars[digest], completed=fraction, note=f"loss {loss:.2g}")
        self._advance()

    def finished(self, experiment: Experiment, outcome: Outcome) -> None:
        digest = experiment.digest()
        self.over.add(digest)
        if digest in self.bars:
            self.display.remove_task(self.bars.pop(digest))
        self.flying.pop(digest, None)
        self.ended += 1
        if outcome.status != "done":
            self.display.print(f"{experiment.title()}: failed, {outcome.reason}")
        self._advance()

    def _advance(self) -> None:
        done = self.ended + sum(self.flying.values())
        self.display.update(self.whole, completed=done, note=f"{self.ended:.0f}/{len(self.titles)} done")


def progress_for(stream: Any = None) -> Progress:
    """Bars if standard error is a terminal, lines otherwise."""
    return Live() if (stream or sys.stderr).isatty() else Lines()
