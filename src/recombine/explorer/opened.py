"""Recorded runs with their networks, the last few kept open. Beside the server."""

from functools import lru_cache
from pathlib import Path

from recombine.core.errors import InputError
from recombine.explorer.refusals import Unknown
from recombine.explorer.watching import Seen, see
from recombine.records import Store
from recombine.studies.experiment import Experiment
from recombine.studies.training import Run

KEPT = 3  # runs that are held in memory


@lru_cache(maxsize=KEPT)
def run_of(root: str, digest: str) -> Run:
    """A recorded run, with its weights if they were kept."""
    record = Store(Path(root)).read(digest, weights=True)
    if "kind" in record.body["specification"]:
        raise InputError(f"run {digest} is a calculation, in which nothing was trained; look at a trained run.")
    if record.body["status"] != "done":
        raise InputError(f"run {digest} failed: {record.body['reason']}; it has nothing inside.")
    return Run(Experiment.read(record.body["specification"]), record)


def with_weights(root: str, digest: str) -> Run:
    """The same; an error that says what to do where its weights were not kept."""
    run = run_of(root, digest)
    if run.experiment.model.trainable and not run.record.weights:
        raise Unknown(
            f"run {digest} was recorded without its weights, so that nothing can be asked of it; train it again from "
            "its page, and look inside that run."
        )
    return run


@lru_cache(maxsize=KEPT)
def seen_of(root: str, digest: str) -> Seen | None:
    """What the network of a run answers to every combination; None where its weights were not kept."""
    run = run_of(root, digest)
    experiment = run.experiment
    if not run.record.weights:
        return None
    return see(experiment.problem, run.network, experiment.seed, experiment.recipe.steps)
