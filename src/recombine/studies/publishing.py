"""Reference records: those of a store without their weights, small enough to be committed.

python -m recombine.studies.publishing STORE REFERENCE
"""

import sys
from pathlib import Path

from recombine.records import DamagedRecord, Record, Store


def publish(source: Store, destination: Store) -> int:
    """Copy what ``destination`` lacks, forecasts too; returns how many runs were copied. Weights stay behind."""
    copied = 0
    for digest, found in source.scan():
        if isinstance(found, DamagedRecord):
            raise found
        if destination.has(digest):
            continue
        forecast = found.body.get("forecast")
        if forecast and (told := source.forecast(forecast)) is not None:
            destination.commit_forecast(forecast, told)
        destination.commit(Record(digest, found.body, found.arrays))
        copied += 1
    return copied


if __name__ == "__main__":
    count = publish(Store(Path(sys.argv[1])), Store(Path(sys.argv[2])))
    sys.stdout.write(f"{count} runs copied\n")
