"""What a running server holds: its stores, its list of runs, and the processes beside it."""

import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from recombine.core.errors import InputError
from recombine.data import Problem
from recombine.explorer import cells, forecasts, limits, recorded
from recombine.explorer.aside import Aside
from recombine.explorer.job import Job
from recombine.explorer.jobs import Jobs
from recombine.explorer.listing import Listing
from recombine.explorer.opened import seen_of
from recombine.explorer.presets import PRESETS
from recombine.explorer.problems import read_problem
from recombine.explorer.recorded import CommandOf
from recombine.explorer.refusals import Busy, TooSlow, Unknown
from recombine.records import Store
from recombine.records.artifacts import WEIGHTS
from recombine.studies import change
from recombine.studies.stores import reading_stores
from recombine.studies.training import standard_experiment
from recombine.training import Recipe

WARM_SECONDS = 60.0
SMALLER = (
    "use fewer levels (a smaller n) or examples, or save the problem as YAML and run `recombine forecast problem.yaml`"
)


class Session:
    """All state of one server."""

    def __init__(self, store: Path | None = None, command_of: CommandOf | None = None) -> None:
        self.command_of = command_of
        self.stores = reading_stores(store)
        self.listing = Listing(self.stores)
        self.quick = Aside(afresh=True)  # forecasts and cells, which a person waits for
        self.slow = Aside()  # looks inside and claims
        self.jobs = Jobs(self.stores[0])
        self._too_slow: set[str] = set()  # problems whose forecast took too long
        self._judging = threading.Lock()
        self._claims: dict[tuple[str, int], list[dict[str, Any]]] = {}
        self._papers: dict[str, set[str]] = {}

    @asynccontextmanager
    async def lifespan(self, app: Any) -> AsyncIterator[None]:
        """Around serving: what takes long to load is loaded once the server answers."""
        threading.Thread(target=self.warm, daemon=True).start()
        try:
            yield
        finally:
            self.close()

    def warm(self) -> None:
        """Load what the first clicks need: the forecast that the page opens with, the list of runs, torch."""
        with suppress(InputError, OSError):  # it ends already; whoever asks for something bad is told then
            self.quick.ask(forecasts.told, PRESETS[0]["problem"], seconds=WARM_SECONDS)
            threading.Thread(target=self._load_torch, daemon=True).start()
            self.listing.rows()

    def _load_torch(self) -> None:
        """By the server of processes from which trainings start."""
        with suppress(InputError, OSError):
            self.slow.start()

    def close(self) -> None:
        self.jobs.close()
        self.quick.close()
        self.slow.close()

    def job(self, name: str) -> Job:
        """The job of this name, or an error."""
        found = self.jobs.get(name)
        if found is None:
            raise Unknown(f"there is no job {name[:40]!r}; the jobs of this server are listed at /api/jobs.")
        return found

    def train(
        self, problem: object, model: Mapping[str, Any] | str, recipe: Mapping[str, Any] | None, seed: int
    ) -> Job:
        """Start what `recombine train` would: the same experiment, and so the same record."""
        how = Recipe.read(recipe or {})
        limits.check_recipe(how)
        first = standard_experiment(read_problem(problem), model, how)
        return self.jobs.start(change(first, seed=seed))

    def home(self, digest: str) -> tuple[Store, str]:
        """The store that has a run, and its name, or an error."""
        found = self.listing.home(digest)
        if found is None:
            raise Unknown(f"there is no run {digest[:40]!r} in this server's stores; the runs are listed at /api/runs.")
        return found

    def forecast(
        self,
        problem: Mapping[str, Any],
        model: Mapping[str, Any] | str | None,
        plane: dict[str, Any] | None,
        wanted: Callable[[], bool] = lambda: True,
    ) -> dict[str, Any]:
        """The forecast for a problem, as long as somebody waits for it."""
        # A model's own kernel needs torch, which the quick process need not wait for.
        ask = self.quick.ask if model is None else self.slow.ask
        of = (forecasts.told, problem, model, plane)
        try:
            found: dict[str, Any] = ask(*of, seconds=limits.FORECAST_SECONDS, wanted=wanted, way_out=SMALLER)
        except TooSlow as error:
            if model is None:
                self._note(read_problem(problem), error)
            raise
        if model is None and self._too_slow:
            self._too_slow.discard(read_problem(problem).digest())  # the machine was busy then
        return found

    def _note(self, problem: Problem, error: TooSlow) -> None:
        """That the forecast for a problem takes too long, so that its cells do not wait for it again."""
        if not isinstance(error, Busy):
            self._too_slow.add(problem.digest())

    def look(self, function: Callable[..., Any], digest: str, *arguments: Any) -> Any:
        """What a function of the root of a store and a digest finds in a run."""
        store, _ = self.home(digest)
        return self.slow.ask(function, str(store.root), digest, *arguments, seconds=limits.INSIDE_SECONDS)

    def cell(self, problem: object, combination: list[int], run: str | None, job: str | None) -> dict[str, Any]:
        """One combination with its forecast and, if one is named, the answer of a run or of a training under way.

        A forecast that takes too long is left out.
        """
        found, answer, seed = read_problem(problem), None, 0
        levels = cells.read_combination(found, combination).tolist()
        if job is not None:
            training = self.job(job)
            _same_task(found, training.experiment.problem)
            answer, seed = cells.answer_of(training.seen, found, levels), training.experiment.seed
            run = training.digest if answer is None else None
        if run is not None:
            answer, seed = self._recorded_answer(found, run, levels)
        of, seconds = (cells.told, problem, levels, seed, answer), limits.FORECAST_SECONDS
        told: dict[str, Any] | None = None
        if found.digest() not in self._too_slow:
            try:
                told = self.quick.ask(*of, seconds=seconds)
            except TooSlow as error:
                self._note(found, error)
        return self.quick.ask(*of, False, seconds=seconds) if told is None else told

    def _recorded_answer(self, problem: Problem, run: str, levels: list[int]) -> tuple[cells.Answer | None, int]:
        """What a recorded run says to a combination: by its network, else as far as its record has kept it."""
        store, _ = self.home(run)
        body = store.body(run)
        experiment = recorded.experiment_of(body)
        if experiment is None:
            raise InputError(f"run {run} trained nothing that is known here, so that it has no answers.")
        _same_task(problem, experiment.problem)
        if WEIGHTS in body["artifacts"]:
            seen = self.look(seen_of, run)
            return cells.answer_of(seen, experiment.problem, levels), experiment.seed
        return recorded.kept_answer(experiment, store.read(run).arrays, levels), experiment.seed

    def claims(self, scale: str) -> list[dict[str, Any]]:
        """The claims at a scale, judged anew once there are other records."""
        from recombine.explorer import claims

        known = (scale, len(self.listing.rows()))
        with self._judging:
            if known not in self._claims:
                found = self.slow.ask(claims.told, self.roots, scale, seconds=limits.CLAIMS_SECONDS)
                self._claims = {name: each for name, each in self._claims.items() if name[0] != scale} | {known: found}
            return self._claims[known]

    def figure(self, claim: str, scale: str, which: int) -> str:
        from recombine.explorer import claims

        found: str = self.slow.ask(claims.figure, self.roots, claim, scale, which, seconds=limits.INSIDE_SECONDS)
        return found

    def of_paper(self, paper: str) -> set[str]:
        """The digests of the runs that a paper's claims need."""
        from recombine.explorer import claims

        with self._judging:
            if paper not in self._papers:
                self._papers[paper] = self.slow.ask(claims.digests, paper, seconds=limits.INSIDE_SECONDS)
            return self._papers[paper]

    @property
    def roots(self) -> list[str]:
        return [str(store.root) for store in self.stores]


def _same_task(asked: Problem, trained: Problem) -> None:
    if asked.task.settings() != trained.task.settings() or asked.task.kind != trained.task.kind:
        raise InputError(
            f"the run was trained on another task ({trained.task.kind}) than the problem has ({asked.task.kind}), so "
            "that it has no answer to its cells; open the run's own problem."
        )
