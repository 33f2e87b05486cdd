"""One training: what is known of it, and how the page is told."""

import secrets
import threading
import time
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

import numpy as np

from recombine.core.spec import dump
from recombine.explorer import plain
from recombine.explorer.cells import truth
from recombine.explorer.naming import details
from recombine.explorer.planes import Plane, plane_of
from recombine.explorer.problems import labels
from recombine.explorer.watching import Seen, sample_places
from recombine.studies.experiment import Experiment

WAITING, RUNNING, PAUSED = "waiting", "running", "paused"
DONE, FAILED, STOPPED = "done", "failed", "stopped"
ENDED = (DONE, FAILED, STOPPED)


class Job:
    """One training: what is known of it. Whoever changes it holds its lock and calls `changed`."""

    def __init__(self, experiment: Experiment) -> None:
        self.id = secrets.token_hex(8)
        self.experiment = experiment
        self.plane = plane_of(experiment.problem)
        self.lock = threading.RLock()
        self.version = 0
        self.when = datetime.now(UTC).isoformat(timespec="seconds")
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
                "details": details(self.experiment.problem.settings(), self.steps),
                "when": self.when,
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
            "model": dump(experiment.model),
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
