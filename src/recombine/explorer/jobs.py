"""Trainings that the page started: each has a process; the server listens to it and alone writes its record."""

import math
import threading
from collections.abc import Callable, Mapping
from multiprocessing import Pipe
from typing import Any

from recombine.core.errors import InputError
from recombine.explorer.aside import start_process
from recombine.explorer.job import DONE, FAILED, PAUSED, RUNNING, STOPPED, Job
from recombine.explorer.limits import JOBS, KEPT_JOBS
from recombine.explorer.refusals import TooMany
from recombine.explorer.watching import Seen
from recombine.explorer.worker import GO, RESUME, STOP, work
from recombine.records import Store
from recombine.studies.execution import commit
from recombine.studies.experiment import Experiment

RECORDED = "it was recorded already, so nothing was trained again"
DIED = "its process died, perhaps for want of memory; make the model or the batch smaller"


class Jobs:
    """All trainings of a server; so many at once, the last ones kept."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def start(self, experiment: Experiment) -> Job:
        """Train an experiment; where it is being trained or has a record already, the job of that."""
        with self._lock:
            digest = experiment.digest()
            for other in self._jobs.values():
                if not other.ended and other.experiment.digest() == digest:
                    return other
            job = Job(experiment)
            recorded = self.store.has(digest)
            if not recorded and sum(not each.ended for each in self._jobs.values()) >= JOBS:
                raise TooMany(
                    f"{JOBS} trainings are under way, which is all that are allowed; discard one of them, or wait."
                )
            self._jobs[job.id] = job
            self._forget()
        if recorded:
            job.digest, job.step = digest, job.steps
            job.enter(DONE, RECORDED)
        else:
            threading.Thread(target=self._drive, args=(job,), daemon=True).start()
        return job

    def _forget(self) -> None:
        """Drop the oldest ended jobs beyond those that are kept; their records stay."""
        ended = [job.id for job in self._jobs.values() if job.ended]
        for name in ended[: max(0, len(self._jobs) - KEPT_JOBS)]:
            del self._jobs[name]

    def get(self, name: str) -> Job | None:
        with self._lock:
            return self._jobs.get(name)

    def all(self) -> list[Job]:
        """The newest first."""
        with self._lock:
            return list(self._jobs.values())[::-1]

    def stop(self, job: Job) -> None:
        """Ask a job to halt; it does at its next glance, and nothing is lost."""
        self._order(job, STOP)

    def resume(self, job: Job) -> None:
        self._order(job, RESUME)

    def discard(self, job: Job) -> None:
        """End a job for good; what it has trained is lost."""
        with job.lock:
            job.enter(STOPPED, "it was discarded")
            if job.process is not None:
                job.process.kill()

    def close(self) -> None:
        """End all that are under way."""
        for job in self.all():
            if not job.ended:
                self.discard(job)

    def _order(self, job: Job, order: str) -> None:
        with job.lock:
            if job.ended:
                raise InputError(f"job {job.id} is {job.state}, so it can be neither stopped nor resumed.")
            if job.pipe is None:
                job.said.append(order)
            else:
                job.pipe.send(order)

    def _drive(self, job: Job) -> None:
        """Start the process of a job, and listen to it until it ends."""
        pipe, theirs = Pipe()
        experiment, wanted = job.experiment, job.experiment.forecast_digest
        try:
            process = start_process(work, theirs)
            theirs.close()
            with job.lock:
                job.process, job.pipe = process, pipe
                if job.ended:  # discarded in the meantime
                    process.kill()
                pipe.send((experiment.settings(), wanted is not None and self.store.forecast(wanted) is None))
                for order in job.said:
                    pipe.send(order)
            while not job.ended:
                name, content = pipe.recv()
                self._heard(job, name, content)
        except (EOFError, OSError):
            job.enter(FAILED, DIED)
        except InputError as error:  # of the store
            job.enter(FAILED, str(error))
        except Exception as error:
            job.enter(FAILED, f"internal error, {type(error).__name__}: {error}")
            raise
        finally:
            with job.lock:
                job.pipe = None
                pipe.close()
                if job.process is not None:
                    job.process.kill()
                    job.process.join()

    def _heard(self, job: Job, name: str, content: Any) -> None:
        """One message of a worker."""
        listeners: Mapping[str, Callable[[Job, Any], None]] = {
            "forecast": self._foretold,
            "running": lambda job, _: job.enter(RUNNING),
            "moved": _moved,
            "seen": _seen,
            "paused": lambda job, _: job.enter(PAUSED),
            "finished": self._finished,
            "failed": lambda job, reason: job.enter(FAILED, reason),
        }
        listeners[name](job, content)

    def _foretold(self, job: Job, told: dict[str, Any] | None) -> None:
        """Write the forecast down, and let training begin."""
        if told is not None:
            self.store.commit_forecast(str(job.experiment.forecast_digest), told)
        with job.lock:  # two threads must not send at once
            if job.pipe is not None:
                job.pipe.send(GO)

    def _finished(self, job: Job, finished: Any) -> None:
        """Write the record, by the code that every executor's outcomes go through."""
        (outcome,) = finished.outcomes
        commit(job.experiment, outcome, self.store, finished.origin)
        with job.lock:
            job.digest = job.experiment.digest()
            job.step = job.losses[-1][0] if job.losses else job.steps
            job.enter(DONE if outcome.status == "done" else FAILED, outcome.reason)


def _moved(job: Job, told: tuple[int, int, float]) -> None:
    step, _, loss = told
    with job.lock:
        job.step = step
        if math.isfinite(loss):
            job.losses.append((step, loss))
        job.changed()


def _seen(job: Job, seen: Seen) -> None:
    with job.lock:
        job.seen = seen
        for name, value in seen.course.items():
            job.course.setdefault(name, []).append((seen.step, value))
        job.changed()
