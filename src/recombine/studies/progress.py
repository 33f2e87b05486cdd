"""What a person sees while stacks are going: a live display on a terminal, plain lines in a log."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from recombine.studies.stacks import Stack
from recombine.training import Outcome

EVERY = 5.0  # seconds between lines that tell of estimates and figures


class Progress:
    """Told by an executor what is going on; this one shows nothing."""

    def foretold(self, done: int, total: int) -> None:
        """So many problems have been forecast, of all that are trained on and had no forecast."""

    def timed(self, done: int, total: int) -> None:
        """So many stacks have had their cost estimated, of all that are planned; none at the start."""

    def drawn(self, done: int, total: int) -> None:
        """The figures of so many settings have been drawn, of all that a report shows; of none at the start."""

    @contextmanager
    def showing(self, stacks: Sequence[Stack]) -> Iterator[None]:
        """Around the work on these stacks."""
        yield

    def moved(self, name: str, fraction: float, loss: float) -> None:
        """The stack of this name has done this share of its steps."""

    def finished(self, stack: Stack, outcomes: Sequence[Outcome]) -> None:
        """The stack is done, with these outcomes."""

    def again(self, stack: Stack) -> None:
        """Part of a stack that did not end well is about to be tried again as a stack of its own."""


def tell(line: str, end: str = "\n") -> None:
    """A line on standard error, at once."""
    print(line, file=sys.stderr, flush=True, end=end)  # noqa: T201


class Lines(Progress):
    """A line on standard error for each stack that ends: how many runs are done and roughly how long is left."""

    def __init__(self) -> None:
        self.told = time.monotonic()

    def foretold(self, done: int, total: int) -> None:
        if done % 10 == 0 or (done == total and total > 10):
            tell(f"[forecast {done}/{total}]")

    def timed(self, done: int, total: int) -> None:
        self._now_and_then(done, f"[cost of {done} stacks of {total} estimated]")

    def drawn(self, done: int, total: int) -> None:
        self._now_and_then(done, f"[figures of {done} settings of {total} drawn]")

    def _now_and_then(self, done: int, line: str) -> None:
        now = time.monotonic()
        if done == 0 or now - self.told > EVERY:
            tell(line)
            self.told = now

    @contextmanager
    def showing(self, stacks: Sequence[Stack]) -> Iterator[None]:
        self.total, self.done, self.started = sum(map(len, stacks)), 0, time.monotonic()
        yield

    def finished(self, stack: Stack, outcomes: Sequence[Outcome]) -> None:
        self.done += len(stack)
        spent = time.monotonic() - self.started
        left = spent / self.done * (self.total - self.done)
        line = f"[{self.done}/{self.total}] {stack.name} {stack.title()}{failures(outcomes)}"
        tell(f"{line} ({spent:.0f} s so far, about {left:.0f} s left)")


class Live(Progress):
    """Bars on a terminal: one for the study, with its rate and the time left, and one for each stack in flight."""

    def foretold(self, done: int, total: int) -> None:
        tell(f"\r{done} of {total} forecasts", end="\n" if done == total else "")

    def timed(self, done: int, total: int) -> None:
        tell(f"\rcost of {done} of {total} stacks estimated", end="\n" if done == total else "")

    def drawn(self, done: int, total: int) -> None:
        tell(f"\rfigures of {done} of {total} settings drawn", end="\n" if done == total else "")

    @contextmanager
    def showing(self, stacks: Sequence[Stack]) -> Iterator[None]:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Display

        self.stacks = {stack.name: stack for stack in stacks}
        self.bars: dict[str, Any] = {}
        self.flying: dict[str, float] = {}
        self.total, self.ended = sum(map(len, stacks)), 0
        self.started = time.monotonic()
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[note]}"),
            TimeRemainingColumn(),
        )
        with Display(*columns, console=Console(stderr=True), transient=True) as display:
            self.display = display
            self.whole = display.add_task(f"{len(stacks)} stacks", total=self.total, note="")
            yield

    def moved(self, name: str, fraction: float, loss: float) -> None:
        if name not in self.stacks:  # said before the stack ended, heard after
            return
        if name not in self.bars:
            self.bars[name] = self.display.add_task(self.stacks[name].title(), total=1.0, note="")
        self.flying[name] = fraction * len(self.stacks[name])
        self.display.update(self.bars[name], completed=fraction, note=f"loss {loss:.2g}")
        self._advance()

    def finished(self, stack: Stack, outcomes: Sequence[Outcome]) -> None:
        self._forget(stack.name)
        self.ended += len(stack)
        if words := failures(outcomes):
            self.display.print(f"{stack.title()}{words}")
        self._advance()

    def again(self, stack: Stack) -> None:
        self._forget(stack.name)  # the first member has the name of the stack it was in
        self.stacks[stack.name] = stack
        self.display.print(f"{stack.title()}: tried again, alone")

    def _forget(self, name: str) -> None:
        self.stacks.pop(name, None)
        self.flying.pop(name, None)
        if name in self.bars:
            self.display.remove_task(self.bars.pop(name))

    def _advance(self) -> None:
        done = self.ended + sum(self.flying.values())
        rate = done / max(time.monotonic() - self.started, 1e-9) * 60
        self.display.update(self.whole, completed=done, note=f"{self.ended}/{self.total} runs, {rate:.1f} a minute")


def failures(outcomes: Sequence[Outcome]) -> str:
    """What went wrong, in a few words; nothing if nothing did."""
    failed = [each.reason for each in outcomes if each.reason]
    return f" FAILED ({len(failed)} of {len(outcomes)}): {failed[0]}" if failed else ""


def progress_for(stream: Any = None) -> Progress:
    """Bars if standard error is a terminal, lines otherwise."""
    return Live() if (stream or sys.stderr).isatty() else Lines()
