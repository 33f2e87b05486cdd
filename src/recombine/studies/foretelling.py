"""Forecasts are written down before the first training of their problem begins, so that they can be scored."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from typing import Any

from recombine.core.errors import InputError
from recombine.data import Problem
from recombine.records import Store
from recombine.studies.experiment import Experiment
from recombine.studies.forecasting import told_of
from recombine.studies.processes import main_left_alone, processes, start, worker_environment
from recombine.studies.progress import Progress
from recombine.studies.work import Work

Told = dict[str, Any] | InputError | None


def record_forecasts(
    pending: Sequence[Work], store: Store, workers: int, progress: Progress, errors: list[Exception]
) -> list[Work]:
    """Record every forecast that is not there yet; returns what can be trained: what is refused here cannot be."""
    problems = {item.forecast_digest: item.problem for item in pending if isinstance(item, Experiment)}
    problems = {digest: problem for digest, problem in problems.items() if store.forecast(str(digest)) is None}
    bad: set[str | None] = set()
    for done, (digest, told) in enumerate(_foretell(problems, min(workers, len(problems))), start=1):
        progress.foretold(done, len(problems))
        if isinstance(told, InputError):
            errors.append(told)
            bad.add(digest)
        elif told is not None:
            store.commit_forecast(str(digest), told)
    return [item for item in pending if item.forecast_digest is None or item.forecast_digest not in bad]


def _foretell(problems: Mapping[str | None, Problem], workers: int) -> Iterator[tuple[str | None, Told]]:
    """The forecast of each problem as it is made, by processes where there are several; a refusal in its place."""
    left = dict(problems)
    if workers > 1:
        with (
            suppress(BrokenProcessPool),  # whoever is left is forecast here
            worker_environment(),
            ProcessPoolExecutor(workers, processes(), start) as pool,
        ):
            try:
                with main_left_alone():
                    futures = {pool.submit(_told, problem.settings()): digest for digest, problem in left.items()}
                for future in as_completed(futures):
                    told = future.result()
                    del left[futures[future]]
                    yield futures[future], told
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    for digest, problem in left.items():
        yield digest, _told(problem)


def _told(problem: Problem | dict[str, Any]) -> Told:
    try:
        return told_of(problem if isinstance(problem, Problem) else Problem.read(problem))
    except InputError as error:
        return error
