"""An experiment is one frozen value; a study is a set of them made from values."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field, field_validator

from recombine.core.errors import InputError
from recombine.core.spec import MemberOf, canonical_json, dump
from recombine.data import Problem
from recombine.measures import exhibits, measures
from recombine.models import ModelSpec, models
from recombine.studies.fitting import check_loss
from recombine.studies.work import Resources, Tell, Work, change
from recombine.training import Outcome, Plan, Recipe, run_stack


class Experiment(Work):
    """One training run to be: problem, model, recipe, seed and what is measured. Its digest names its record.

    ``exhibits`` are arrays for figures that its record keeps, beside the error map and a few samples. With
    ``checkpoints`` it is also measured before training and so many times on the way, evenly.
    """

    problem: Problem
    model: Annotated[ModelSpec, MemberOf(models)]
    recipe: Recipe = Recipe()
    measures: tuple[str, ...]
    exhibits: tuple[str, ...] = ()
    checkpoints: int = Field(default=0, ge=0, le=100)

    @field_validator("measures")
    @classmethod
    def _known(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            measures.pick(name)
        return tuple(sorted(set(names)))

    @field_validator("exhibits")
    @classmethod
    def _exhibited(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            exhibits.pick(name)
        return tuple(sorted(set(names)))

    def model_post_init(self, context: object) -> None:
        check_loss(self.problem.task, self.recipe.loss)
        lacking = (
            "isolates none" if not self.problem.isolated else "has no others" if self.problem.examples == 0 else ""
        )
        if self.recipe.lone is not None and lacking:
            way_out = "name some, e.g. isolated = [y, x]" if not self.problem.isolated else "raise examples"
            raise InputError(
                f"lone = {self.recipe.lone:g} is the share of a batch that shows a factor alone, and this problem "
                f"{lacking}; {way_out}, or leave lone out."
            )

    def plan(self) -> Plan:
        """What the training package needs to know of it."""
        return Plan(self.problem, self.model, self.recipe, self.seed, self.measures, self.exhibits, self.checkpoints)

    def title(self) -> str:
        return f"{self.model.kind} on {self.problem.task.kind}, seed {self.seed}"

    def line(self) -> str:
        problem, recipe = self.problem, self.recipe
        extra = [
            (f"isolated {' and '.join(problem.isolated)}", problem.isolated),
            (f"{problem.examples} examples", problem.examples is not None),
            ("held-out revealed", problem.reveal),
            (f"{recipe.loss} loss", recipe.loss != "mse"),
            (f"{recipe.noise.kind} noise" if recipe.noise else "", recipe.noise is not None),
            ("penalty " + ", ".join(penalty.kind for penalty in recipe.penalties), recipe.penalties),
        ]
        words = [self.title(), problem.rule.kind, f"{recipe.steps} steps", *(word for word, said in extra if said)]
        return ", ".join(words)

    def shape(self) -> str:
        """All but seed, numbers of training, initial scale, and which examples are shown.

        Numbers of training are the rate, the decay, and the strengths of penalties and noise. Measures come later.
        """
        if not self.model.stackable:
            return self.digest()
        recipe = self.recipe
        noise = recipe.noise and change(recipe.noise, **{recipe.noise.strength_name: 0.0})
        rate = max(1.0, recipe.final)  # a schedule does not rise
        alike = change(recipe, rate=rate, decay=0.0, penalties=(), noise=noise)
        penalties = [{**dump(penalty), **dict.fromkeys(penalty.strengths(), 0)} for penalty in recipe.penalties]
        # A batch of all examples has their number.
        examples = len(self.problem.training_set(self.seed)) if recipe.batch == "all" else None
        parts = [dump(self.problem.task), self.model.shape(), alike.settings(), penalties, examples]
        return canonical_json(parts)

    @property
    def forecast_digest(self) -> str | None:
        return self.problem.digest()

    def resources(self, gpus: float = 0.0) -> Resources:
        return Resources(gpus=gpus if self.model.trainable else 0.0)

    @classmethod
    def run_together(
        cls, members: "Sequence[Experiment]", tell: Tell | None = None, device: str = "cpu"
    ) -> list[Outcome]:
        return run_stack([member.plan() for member in members], tell, device=device)
