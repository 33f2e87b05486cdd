"""What a trained trial failed by, as `explain` names it: the name that an expected failure is scored against."""

from recombine.records import Store
from recombine.studies.experiment import Experiment
from recombine.studies.explaining import explain
from recombine.studies.training import Run

COMPOSED = "nothing to blame"
DIVERGED = "diverged"


def found_cause(digest: str, store: Store) -> str:
    """The cause that a recorded run has; in words where there is none."""
    record = store.read(digest, weights=True)
    if record.body["status"] != "done":
        return DIVERGED
    return explain(Run(Experiment.read(record.body["specification"]), record)).cause or COMPOSED
