"""What a trained trial failed by, as `explain` names it: the name that an expected failure is scored against."""

from collections import Counter
from collections.abc import Sequence

from recombine.records import Store
from recombine.studies.experiment import Experiment
from recombine.studies.explaining import explain
from recombine.studies.training import Run

COMPOSED = "nothing to blame"
DIVERGED = "diverged"


def found_cause(trial: Experiment, digests: Sequence[str], store: Store) -> str:
    """The cause that most of these runs of a trial have, the first of equals; in words where there is none.

    ``digests`` are those of the runs in order of their seeds.
    """
    causes = []
    for digest in digests:
        record = store.read(digest, weights=True)
        if record.body["status"] != "done":
            causes.append(DIVERGED)
            continue
        run = Run(Experiment.read(record.body["specification"]), record)
        assert run.experiment.problem == trial.problem
        causes.append(explain(run).cause or COMPOSED)
    return Counter(causes).most_common(1)[0][0]
