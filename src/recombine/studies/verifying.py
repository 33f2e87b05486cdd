"""Advice put to the test: networks trained as it was, as advised, and with as many combinations drawn at random."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from recombine.core.errors import InputError, unknown
from recombine.core.seeds import stream
from recombine.core.shapes import Bool, Int
from recombine.data import Problem
from recombine.data.components import ComponentTask
from recombine.data.functions import FunctionTask
from recombine.data.picture_task import PictureTask
from recombine.measures import AnyEvidence, ComponentEvidence, measures
from recombine.models import ModelSpec, models
from recombine.records import user_store
from recombine.studies.additions import Candidate
from recombine.studies.advising import Advice
from recombine.studies.execution import execute, executor
from recombine.studies.experiment import Experiment
from recombine.studies.fitting import check_fit
from recombine.studies.progress import Progress, progress_for
from recombine.studies.training import Run
from recombine.training import Recipe

TIMES = (2, 3, 5, 10)  # random additions of so many times the advised number of examples, beside equal price
LEFT = 0.2  # at least this share of what was held out must stay so in all arms, to be asked about
CLOSE = 0.01  # a random addition that falls short by this much does as well
LEARNED = 0.8  # score on what a network was trained on from which on it has learned that
BY = ("accuracy", "error")
ACCURACY, EXPLAINED = "held-out accuracy", "1 - nMSE, held out"


@dataclass(frozen=True)
class Arm:
    """One way to add examples, trained once per seed: how many, at what price, and the score of each seed.

    Scores are from 0 to 1: of what is asked, and of the combinations that were trained on.
    """

    name: str
    added: int
    price: float
    scores: tuple[float, ...]
    trained: tuple[float, ...]

    @property
    def estimate(self) -> float:
        return float(np.mean(self.scores))

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95% interval over seeds, mean ± t(0.975; n - 1) s / √n, within 0 to 1; none of a single seed."""
        count = len(self.scores)
        if count < 2:
            return None
        from scipy.special import stdtrit

        half = float(stdtrit(count - 1, 0.975) * np.std(self.scores, ddof=1) / math.sqrt(count))
        return max(0.0, self.estimate - half), min(1.0, self.estimate + half)

    @property
    def learned(self) -> bool:
        """Whether networks have learned what they were trained on."""
        return float(np.mean(self.trained)) >= LEARNED

    def to_dict(self) -> dict[str, Any]:
        low, high = self.interval or (None, None)
        told = {"name": self.name, "examples": self.added, "price": self.price, "scores": list(self.scores)}
        return {**told, "estimate": self.estimate, "low": low, "high": high, "trained": list(self.trained)}


@dataclass(frozen=True)
class Verification:
    """What training made of advice, beside random additions, on combinations that no arm of a seed was shown."""

    quantity: str
    model: str
    asked: tuple[int, ...]  # combinations asked about, by seed
    before: Arm
    advised: Arm
    random: tuple[Arm, ...]  # by number of examples

    @property
    def needed(self) -> int | None:
        """Random examples that do as well as the advised ones, the fewest that were tried; None: none did."""
        enough = self.advised.estimate - CLOSE
        return next((arm.added for arm in self.random if arm.estimate >= enough), None)

    @property
    def times(self) -> float | None:
        """How many times as many examples random additions need; None: more than were tried."""
        return None if self.needed is None else self.needed / self.advised.added

    def __str__(self) -> str:
        rows = [("training set", "added", "price", self.quantity, "95% over seeds")]
        for arm in (self.before, self.advised, *self.random):
            spread = "one seed: no interval" if arm.interval is None else "{:.3f} to {:.3f}".format(*arm.interval)
            rows.append((arm.name, str(arm.added), f"{arm.price:g}", f"{arm.estimate:.3f}", spread))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        return "\n".join([*lines, self.sentence()])

    @property
    def helps(self) -> bool:
        """Whether networks do better with the advised additions than without any."""
        return self.advised.estimate >= self.before.estimate + CLOSE

    def sentence(self) -> str:
        """The comparison in words."""
        if not self.helps and not (self.before.learned and self.advised.learned):
            return f"{self.model} has not learned what it was trained on; train longer with --recipe steps=..."
        if not self.helps:
            return f"{self.model} does no better with the advised additions than without."
        if self.times is not None:
            return (
                f"Random additions do as well from {self.needed} examples on, {self.times:.3g} times the "
                f"{self.advised.added} advised."
            )
        most = self.random[-1].added
        return (
            f"No random addition that was tried does as well, up to {most} examples, {most / self.advised.added:.3g} "
            f"times the {self.advised.added} advised."
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON values."""
        return {
            "quantity": self.quantity,
            "model": self.model,
            "asked": list(self.asked),
            "before": self.before.to_dict(),
            "advised": self.advised.to_dict(),
            "random": [arm.to_dict() for arm in self.random],
            "needed": self.needed,
            "times": self.times,
            "sentence": self.sentence(),
        }


def verify(
    advice: Advice,
    model: str | Mapping[str, Any] | ModelSpec,
    seeds: int = 3,
    recipe: Recipe | None = None,
    store: str | Path | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    times: Sequence[int] = TIMES,
    by: str = "accuracy",
) -> Verification:
    """Train a model as it was, as advised, and with random additions; record every run, and compare them.

    Random additions are combinations that were held out, drawn by each seed: as many as the price of the advice buys,
    and ``times`` its number of examples while they exist. A larger one contains a smaller one. All arms of a seed are
    asked about the same combinations: those that none of them was shown. Networks are compared ``by`` accuracy, or by
    error, 1 - nMSE, as they are where nothing is right or wrong.
    """
    if seeds < 1:
        raise InputError(f"seeds = {seeds} must be at least 1.")
    if by not in BY:
        raise unknown("comparison", by, BY)
    if not advice.additions:
        raise InputError("this advice adds nothing, so there is nothing to verify; raise its target.")
    if advice.original.examples is not None:
        raise InputError(
            f"examples = {advice.original.examples} draws the training combinations by the seed, so random ones cannot "
            "be added beside them; leave `examples` out to verify."
        )
    spec = models.parse(model)
    check_fit(advice.problem, spec)
    draws = [_drawn(advice.original, seed) for seed in range(seeds)]
    sizes = _sizes(advice, draws, times)
    problems = [
        [advice.original, advice.problem, *(_with(advice.original, draw[:size]) for size in sizes)] for draw in draws
    ]
    experiments = [
        [
            Experiment(
                problem=problem, model=spec, recipe=recipe or Recipe(), seed=seed, measures=_measured(problem.task)
            )
            for problem in arms
        ]
        for seed, arms in enumerate(problems)
    ]
    home = user_store(Path(store) if store else None)
    works = [each for arms in experiments for each in arms]
    execute(works, home, executor(workers=workers), progress or progress_for())
    asked = [np.logical_and.reduce([problem.parts.held_out for problem in arms]) for arms in problems]
    scores: list[list[float]] = []
    trained: list[list[float]] = []
    for arms, members in zip(experiments, asked, strict=True):
        scores.append([])
        trained.append([])
        for each in arms:
            record = home.read(each.digest(), weights=True)
            if record.body["status"] != "done":
                raise InputError(
                    f"run {record.digest} failed: {record.body['reason']}; change the recipe and verify again."
                )
            evidence = Run(each, record).evidence
            scores[-1].append(score(evidence, advice.original, members, by))
            trained[-1].append(score(evidence, advice.original, each.problem.trained, by))
    each_price = advice.prices["combination"]
    counted = [(0, 0.0), (advice.count, advice.price), *((size, size * each_price) for size in sizes)]
    names = ["as it was", "advised", *("random" for _ in sizes)]
    before, advised, *random = (
        Arm(name, added, price, *(tuple(of_seed[index] for of_seed in known) for known in (scores, trained)))
        for index, (name, (added, price)) in enumerate(zip(names, counted, strict=True))
    )
    quantity = ACCURACY if by == "accuracy" and _right_or_wrong(advice.original) else EXPLAINED
    return Verification(quantity, spec.kind, tuple(int(each.sum()) for each in asked), before, advised, tuple(random))


def _drawn(problem: Problem, seed: int) -> Int[np.ndarray, "rows factors"]:
    """What was held out, in the order in which a seed adds it."""
    held = problem.grid.combinations()[problem.parts.held_out]
    return held[stream(seed, "advise", "random").permutation(len(held))]


def _with(problem: Problem, rows: Int[np.ndarray, "rows factors"]) -> Problem:
    """The problem with these combinations shown."""
    return Candidate("combination", "drawn at random", tuple(tuple(map(int, row)) for row in rows)).added_to(problem)


def _sizes(advice: Advice, draws: Sequence[np.ndarray], times: Sequence[int]) -> list[int]:
    """How many random combinations are added, as long as enough stays held out in all arms of every seed."""
    equal = max(1, int(advice.price / advice.prices["combination"] + 1e-9))
    held = len(draws[0])

    def fits(size: int) -> bool:
        still = advice.problem.parts.held_out
        left = [int(still[advice.original.grid.index(draw[size:])].sum()) for draw in draws]
        return min(left) >= max(1, LEFT * held)

    sizes = [size for size in sorted({equal, *(k * advice.count for k in times)}) if fits(size)]
    if not sizes:
        raise InputError(
            f"random additions of the same price are {equal} of the {held} combinations that were held out, which "
            "leaves too few to ask about; the advice stands, and to verify it hold out more, or lower the target, "
            "so that less is advised."
        )
    return sizes


def _right_or_wrong(problem: Problem) -> bool:
    """Whether an answer is right or wrong, and not near or far: classes and places."""
    task = problem.task
    return task.binary if isinstance(task, ComponentTask) else isinstance(task, PictureTask) and bool(task.places)


def _measured(task: object) -> tuple[str, ...]:
    """What the records keep beside what is compared."""
    if isinstance(task, ComponentTask):
        return ("id_accuracy", "ood_accuracy") if task.binary else ("id_mse", "ood_mse", "slope")
    return ("id_nmse", "ood_nmse", "id_accuracy", "ood_accuracy") if isinstance(task, PictureTask) else ("ood_nmse",)


def score(
    evidence: AnyEvidence, original: Problem, members: Bool[np.ndarray, " combinations"], by: str = "accuracy"
) -> float:
    """How right a network is on these combinations: the share of right ones, or 1 - min(1, nMSE).

    Sums are compared with always answering the mean of what ``original`` trains on, which is the same for all arms.
    """
    each = original.task.asked_each if isinstance(original.task, FunctionTask) else 1
    sections = {"id": np.repeat(~members, each), "ood": np.repeat(members, each)}
    asked = replace(evidence, sections=sections)
    if by == "accuracy" and _right_or_wrong(original):
        return float(cast("float", measures.pick("ood_accuracy")(asked)))
    if isinstance(asked, ComponentEvidence):
        plain = asked.targets[original.trained].mean()
        missed, spent = (np.square(each - asked.targets)[members].mean() for each in (asked.mean, plain))
        lost = missed / spent if spent else float(missed > 0)
    else:
        lost = cast("float", measures.pick("ood_nmse")(asked))
    return 1 - min(1.0, float(lost))
