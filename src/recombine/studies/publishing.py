"""Reference records: those of a store without their weights, small enough to be committed.

python -m recombine.studies.publishing STORE REFERENCE
"""

import sys
from pathlib import Path

from recombine.core.errors import InputError
from recombine.records import Store
from recombine.studies.collecting import collect


def publish(source: Store, destination: Store) -> int:
    """Copy what ``destination`` lacks, forecasts too; returns how many runs were copied. Weights stay behind.

    What is damaged, or told differently by the two, is raised when everything else has been copied.
    """
    found = collect([source], destination, light=True)
    for problem in (*found.damaged, *found.conflicting):
        raise InputError(f"{problem} ({found.counts()}).")
    return len(found.copied)


if __name__ == "__main__":
    try:
        count = publish(Store(Path(sys.argv[1])), Store(Path(sys.argv[2])))
    except InputError as error:
        sys.exit(str(error))
    sys.stdout.write(f"{count} runs copied\n")
