"""A driver to be harmed: runs a study into $FAULTS_STORE and says each run that is recorded, a line each."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from faults.ticking import STORE, study
from recombine.core.errors import InputError
from recombine.records import Store
from recombine.studies.execution import execute, executor
from recombine.studies.progress import Progress
from recombine.studies.stacks import Stack
from recombine.training import Outcome


class Says(Progress):
    def finished(self, stack: Stack, outcomes: Sequence[Outcome]) -> None:
        if outcomes:
            sys.stdout.write("".join(f"{work.digest()}\n" for work in stack.members))
            sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=0.0)
    parser.add_argument("--kilobytes", type=int, default=1)
    parser.add_argument("--on", default="local")
    parser.add_argument("--address")
    parser.add_argument("--workers", type=int)
    asked = parser.parse_args()
    try:
        where = executor(asked.on, asked.workers, asked.address)
        works = study(asked.count, asked.seconds, asked.kilobytes)
        execute(works, Store(Path(os.environ[STORE])), where, Says())
    except InputError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
