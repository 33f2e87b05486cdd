"""Make every fault, count what it costs, print the table. Exits with 1 if anything was lost, doubled or not told."""

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict

from faults import damage, disks, killing, nodes
from faults.tally import Tally, can_mount

# Name, what it does, and how often: in the short version, and in the whole.
Fault = tuple[Callable[[int, int], Tally | list[Tally]], int, int]
FAULTS: dict[str, Fault] = {
    "anyone": (killing.kill_anyone, 4, 100),
    "worker": (killing.kill_workers, 2, 20),
    "driver": (killing.kill_drivers, 2, 20),
    "two-drivers": (killing.two_drivers, 1, 10),
    "clock": (killing.jumping_clock, 1, 10),
    "ray-worker": (nodes.kill_ray_workers, 1, 20),
    "ray-driver": (nodes.kill_ray_drivers, 1, 5),
    "ray-node": (nodes.kill_nodes, 1, 10),
    "full-disk": (disks.full_disk, 1, 5),
    "read-only": (disks.read_only_store, 1, 5),
    "damage": (damage.damaged, 6, 200),
    "index": (damage.damaged_index, 4, 100),
    "draft": (damage.left_drafts, 2, 20),
    "newer": (damage.newer_record, 1, 5),
}
NEED_DISKS = ("full-disk", "read-only")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m faults", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="FAULT", help=f"Which; all if not given: {', '.join(FAULTS)}.")
    parser.add_argument("--short", action="store_true", help="A few of each, as CI does.")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args(arguments)
    if unknown := set(asked.names) - set(FAULTS):
        parser.error(f"unknown faults: {', '.join(sorted(unknown))}")
    rows: list[Tally] = []
    for name in asked.names or FAULTS:
        make, few, many = FAULTS[name]
        if name in NEED_DISKS and not can_mount():
            sys.stderr.write(f"{name}: left out, for it takes the right to mount a small disk\n")
            continue
        started = time.monotonic()
        found = make(few if asked.short else many, asked.seed)
        rows += found if isinstance(found, list) else [found]
        sys.stderr.write(f"{name}: {time.monotonic() - started:.0f} s\n")
    if asked.json:
        sys.stdout.write(json.dumps([{**asdict(row), "sound": row.sound} for row in rows], indent=2) + "\n")
    else:
        sys.stdout.write("\n".join(table(rows)) + "\n")
    return 0 if all(row.sound for row in rows) else 1


def table(rows: Sequence[Tally]) -> list[str]:
    lines = [
        "| fault | times injected | runs lost | runs duplicated | damage detected | |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        detected = "-" if row.detected is None else str(row.detected)
        lines.append(f"| {row.fault} | {row.injected} | {row.lost} | {row.duplicated} | {detected} | {row.note} |")
    return lines


if __name__ == "__main__":
    sys.exit(main())
