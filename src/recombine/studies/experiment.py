"""An experiment is one frozen value; a study is a set of them made from values."""

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Annotated, Any, TypeVar

from pydantic import Field, field_validator

from recombine.core.spec import MemberOf, Spec
from recombine.data import Problem
from recombine.measures import measures
from recombine.models import ModelSpec, models
from recombine.training import Plan, Recipe

S = TypeVar("S", bound=Spec)


class Experiment(Spec):
    """One training run to be: problem, model, recipe, seed and what is measured. Its digest names its record."""

    problem: Problem
    model: Annotated[ModelSpec, MemberOf(models)]
    recipe: Recipe = Recipe()
    seed: int = Field(default=0, ge=0)
    measures: tuple[str, ...]

    @field_validator("measures")
    @classmethod
    def _known(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            measures.pick(name)
        return tuple(sorted(set(names)))

    def plan(self) -> Plan:
        """What the training package needs to know of it."""
        return Plan(self.problem, self.model, self.recipe, self.seed, self.measures)

    def title(self) -> str:
        """A few words for a progress line: model, task, seed."""
        return f"{self.model.kind} on {self.problem.task.kind}, seed {self.seed}"


def change(base: S, **settings: Any) -> S:
    """A copy of ``base`` with some settings changed, checked anew."""
    kept = {name: getattr(base, name) for name in type(base).model_fields}
    return type(base)(**{**kept, **settings})


def vary(base: S, **axes: Iterable[Any]) -> Iterator[S]:
    """Every copy of ``base`` with one value per axis; the first axis varies slowest."""
    for values in product(*axes.values()):
        yield change(base, **dict(zip(axes, values, strict=True)))


def distinct(experiments: Iterable[Experiment]) -> list[Experiment]:
    """Each experiment once, in order of first appearance."""
    return list({experiment.digest(): experiment for experiment in experiments}.values())
