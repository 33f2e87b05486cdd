"""Trainings that the page started: each has a process; the server listens to it and alone writes its record."""

import math
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

import numpy as np

from recombine.core.errors import InputError
from recombine.explorer import plain
from recombine.explorer.aside import start_process
from recombine.explorer.cells import truth
from recombine.explorer.limits import JOBS, KEPT_JOBS
from recombine.explorer.planes import Plane, plane_of
from recombine.explorer.problems import labels
from recombine.explorer.refusals import TooMany
from recombine.explorer.watching import Seen, sample_places
from recombine.explorer.worker import GO, RESUME, STOP, work
from recombine.records import Store
from recombine.studies.execution import commit
from recombine.studies.experiment import Experiment

WAITING, RUNNING, PAUSED = "waiting", "running", "paused"
DONE, FAILED, STOPPED = "done", "failed", "stopped"
ENDED = (DONE, FAILED, STOPPED)
RECORDED = "it was recorded already, so nothing was trained again"
DIED = "its process died, perhaps for want of memory; make the model or the batch smaller"


class Job:
    """One training: what is known of it. Whoever changes it holds its lock and calls `changed`."""

    def __init__(self, experiment: Experiment) -> None:
        self.id = secrets.token_hex(8)
        self.experiment = experiment
        self.plane = plane_of(experiment.problem)
        self.lock = threading.RLock()
        self.version = 0
        self.state = WAITING
        self.step, self.steps = 0, experiment.recipe.steps
        self.losses: list[tuple[int, float]] = []
        self.course: dict[str, list[tuple[int, float]]] = {}
        self.seen: Seen | None = None
        self.digest: str | None = None
        self.reason: str | None = None
        self.seconds = 0.0  # of running, before the last time it began to
        self.since: float | None = None  # when it began to run, while it does
        self.process: BaseProcess | None = None
        self.pipe: Connection | None = None
        self.said: list[str] = []  # orders before there was a process to obey them

    @property
    def ended(self) -> bool:
        return self.state in ENDED

    def changed(self) -> None:
        self.version += 1

    def enter(self, state: str, reason: str | None = None) -> None:
        """Go over to a state; an ended job stays as it is."""
        with self.lock:
            if self.ended:
                return
            now = time.monotonic()
            if self.since is not None:
                self.seconds += now - self.since
            self.since = now if state == RUNNING else None
            self.state, self.reason = state, reason
            self.changed()

    def running_seconds(self) -> float:
        return self.seconds + (0.0 if self.since is None else time.monotonic() - self.since)

    def brief(self) -> dict[str, Any]:
        """A line of the list."""
        with self.lock:
            return {
                "id": self.id,
                "state": self.state,
                "title": self.experiment.title(),
                "step": self.step,
                "steps": self.steps,
                "digest": self.digest,
                "reason": self.reason,
            }

    def told(self, problem: bool = True) -> dict[str, Any]:
        """All that is known, as JSON values; what does not change only with ``problem``."""
        with self.lock:
            seconds = self.running_seconds()
            left = seconds / self.step * (self.steps - self.step) if self.step and not self.ended else None
            seen, experiment = self.seen, self.experiment
            told = {
                **self.brief(),
                "losses": [[step, plain.number(loss)] for step, loss in self.losses],
                "course": {
                    name: [[step, plain.number(value)] for step, value in points]
                    for name, points in self.course.items()
                },
                "map": seen and seen_map(experiment, self.plane, seen),
                "map_step": seen and seen.step,
                "samples": seen_samples(experiment, seen) if seen else [],
                "seconds": round(seconds, 3),
                "left": plain.number(left),
            }
        if not problem:
            return told
        return {
            **told,
            "problem": experiment.problem.settings(),
            "yaml": experiment.problem.to_yaml(),
            "model": {"kind": experiment.model.kind, **experiment.model.settings()},
            "recipe": experiment.recipe.settings(),
            "seed": experiment.seed,
            "plane": self.plane and self.plane.to_dict(),
        }


def seen_map(experiment: Experiment, plane: Plane | None, seen: Seen) -> dict[str, Any] | None:
    """The map of what was seen, over the plane or over two latents."""
    if experiment.problem.support is not None:
        axes = {"rows": f"x{experiment.problem.task.slots}", "columns": "x1"}
        return {"quantity": seen.quantity, "values": plain.rows(seen.errors), "axes": axes}
    # By combination already, whatever the number of places that were asked.
    if plane is None:
        return None
    return {"quantity": seen.quantity, "values": plain.rows(seen.errors[plane.combinations(experiment.problem.grid)])}


def seen_samples(experiment: Experiment, seen: Seen) -> list[dict[str, Any]]:
    """A few answers beside the truth."""
    problem = experiment.problem
    if seen.scenes:
        pairs = zip(seen.scenes["targets"], seen.scenes["outputs"], strict=True)
        channels = problem.task.channels
        return [
            {
                "combination": None,
                "labels": None,
                "target": plain.picture(target, channels),
                "output": plain.picture(output, channels),
            }
            for target, output in pairs
        ]
    if seen.outputs is None:
        return []
    levels = problem.grid.combinations()
    return [
        {
            "combination": levels[place].tolist(),
            "labels": labels(problem.grid.factors, levels[place]),
            "target": plain.picture(truth(problem, int(place), experiment.seed)),
            "output": plain.picture(np.atleast_2d(seen.outputs[place])),
        }
        for place in sample_places(problem)
    ]


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
