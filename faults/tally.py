"""What a fault cost, counted from the store, the trace and what drivers said."""

import contextlib
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from faults.ticking import JUMPS, STORE, study, trace
from recombine.records import DamagedRecord, Store

ROOT = Path(__file__).parents[1]
PATIENCE = 300.0  # seconds without a finished run before a driver counts as hung


@dataclass
class Tally:
    """One row of the table."""

    fault: str
    injected: int = 0
    lost: int = 0
    duplicated: int = 0
    detected: int | None = None  # damage told by name; None where nothing is damaged
    note: str = ""

    @property
    def sound(self) -> bool:
        return not self.lost and not self.duplicated and self.detected in (None, self.injected) and self.injected > 0


@dataclass
class Study:
    """A store, the runs it should end up with, and what was said to be recorded."""

    store: Path
    count: int = 20
    seconds: float = 0.0
    kilobytes: int = 1
    jumps: bool = False
    said: set[str] = field(default_factory=set)

    def digests(self) -> set[str]:
        return {tick.digest() for tick in study(self.count, self.seconds, self.kilobytes)}

    def environment(self) -> dict[str, str]:
        """What drivers and workers are told by their environment."""
        path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        told = {STORE: str(self.store), "PYTHONPATH": path, "RAY_worker_niceness": "0", "RAY_USAGE_STATS_ENABLED": "0"}
        return told | ({JUMPS: "1"} if self.jumps else {})

    def drive(self, *arguments: str) -> "Driver":
        return Driver(self, arguments)

    def recorded(self) -> set[str]:
        """The runs that can be read, every byte checked."""
        return {digest for digest, found in Store(self.store).scan() if not isinstance(found, DamagedRecord)}

    def settle(self, tally: Tally) -> Tally:
        """Count what is lost and what was run again although it was recorded."""
        there = self.recorded()
        tally.lost += len(self.said - there) + len(self.digests() - there - self.said)
        lines = trace(self.store).read_text().split("\n") if trace(self.store).exists() else []
        tally.duplicated += sum(line.endswith("again") for line in lines) + len(there - self.digests())
        return tally


class Driver:
    """A driver process, with what it says read by a thread."""

    def __init__(self, of: Study, arguments: tuple[str, ...]) -> None:
        self.of = of
        sizes = (f"--count={of.count}", f"--seconds={of.seconds}", f"--kilobytes={of.kilobytes}")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "faults.drive", *sizes, *arguments],
            env={**os.environ, **of.environment()},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.errors: list[str] = []
        self.heard = 0
        self.last = time.monotonic()
        self.readers = [threading.Thread(target=each, daemon=True) for each in (self._listen, self._complaints)]
        for reader in self.readers:
            reader.start()

    def _listen(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            if len(line.strip()) == 16:
                self.of.said.add(line.strip())
                self.heard += 1
                self.last = time.monotonic()

    def _complaints(self) -> None:
        assert self.process.stderr
        self.errors.extend(self.process.stderr)

    @property
    def running(self) -> bool:
        if time.monotonic() - self.last > PATIENCE:
            raise AssertionError(f"a driver has said nothing for {PATIENCE:.0f} s: {''.join(self.errors)[-800:]}")
        return self.process.poll() is None

    def wait(self) -> int:
        """Its exit code, once it has ended and all it said is heard."""
        while self.running:
            time.sleep(0.05)
        for reader in self.readers:
            reader.join(10)
        return self.process.returncode

    def wait_for(self, more: int) -> None:
        """Until it has recorded so many runs more, or ended."""
        wanted = self.heard + more
        while self.running and self.heard < wanted:
            time.sleep(0.01)

    def below(self) -> list[int]:
        """Its children, theirs, and so on."""
        return below(self.process.pid)


def below(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError, IndexError):
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(entry.name))
    found, new = [], [pid]
    while new:
        new = [child for each in new for child in children.get(each, [])]
        found += new
    return found


def command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


@contextlib.contextmanager
def place(size: str | None = None) -> Iterator[Path]:
    """A folder for a store; with a size it is a disk of its own, of that size."""
    with tempfile.TemporaryDirectory(prefix="faults-", ignore_cleanup_errors=True) as folder:
        if size is None:
            yield Path(folder) / "store"
            trace(Path(folder) / "store").unlink(missing_ok=True)
            return
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], check=True)
        try:
            yield Path(folder) / "store"
        finally:
            subprocess.run(["umount", "-l", folder], check=False)
            trace(Path(folder) / "store").unlink(missing_ok=True)


def can_mount() -> bool:
    try:
        with place("1m"):
            return True
    except (subprocess.CalledProcessError, FileNotFoundError):
        return False


def chance(seed: int, fault: str) -> random.Random:
    return random.Random(f"{seed} {fault}")
