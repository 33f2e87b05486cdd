"""Replace one of several functions, and see what becomes of the others."""

from typing import Annotated, ClassVar

from pydantic import Field

from recombine.core.errors import InputError
from recombine.core.spec import MemberOf
from recombine.data import Problem
from recombine.data.functions import FunctionTask
from recombine.models import ModelSpec, models
from recombine.studies import Calculation, Computed, Experiment, calculations, change, seconds_together
from recombine.training import Recipe


@calculations.register("forgetting")
class Forgetting(Calculation):
    """A network learns several functions; then its first output alone is trained on another function.

    The second training has the error of that output only, ``again`` steps of Adam on the same inputs. What is measured
    is the mean squared error of all other outputs, before it and after it.
    """

    exact: ClassVar[bool] = False
    quantities: ClassVar = {
        "before": "mean squared error of the other outputs before the first function is replaced",
        "after": "the same after it was replaced: as before where nothing is forgotten",
        "learned": "mean squared error of the replaced function at the end: 0 where it is learned",
    }

    problem: Problem
    model: Annotated[ModelSpec, MemberOf(models)]
    recipe: Recipe = Recipe()
    again: int = Field(default=500, ge=1)
    rate: float = Field(default=1e-3, gt=0)

    def model_post_init(self, context: object) -> None:
        task = self.problem.task
        if not isinstance(task, FunctionTask) or len(task.modules_out) < 2:
            raise InputError(f"forgetting needs a task of several functions, such as parallel; got {task.kind!r}.")
        if getattr(task, "functions", "sine") == "identity":
            raise InputError(
                "forgetting replaces a function by another, and functions = 'identity' has only one; use sine."
            )

    def compute(self) -> Computed:
        import torch

        from recombine.training.loop import Member, batches, fit
        from recombine.training.run import build

        task = self.problem.task
        assert isinstance(task, FunctionTask)
        shown, asked = self.problem.training_set(self.seed), task.asked(self.seed)
        network = build(self.problem, self.model, self.seed)
        fit([Member(network, shown, self.recipe, self.seed)])
        # Functions that no seed of a study has.
        other = change(task, draw=1_000_000 + self.seed)
        codes, replaced = torch.from_numpy(shown.codes), torch.from_numpy(other.at(shown.positions).targets[:, 0, 0])
        questions = torch.from_numpy(asked.codes)

        @torch.no_grad()
        def errors() -> tuple[float, float]:
            """Mean squared error of the first output, on its new function, and of the others."""
            answers = network(questions)[:, 0]
            first = answers[:, 0] - torch.from_numpy(other.at(asked.positions).targets[:, 0, 0])
            rest = answers[:, 1:] - torch.from_numpy(asked.targets[:, 0, 1:])
            return float(first.square().mean()), float(rest.square().mean())

        _, before = errors()
        descent = torch.optim.Adam(network.parameters(), lr=self.rate)
        for rows in batches(len(shown), 50, self.again, self.seed):
            descent.zero_grad()
            (network(codes[rows])[:, 0, 0] - replaced[rows]).square().mean().backward()
            descent.step()
        learned, after = errors()
        return Computed({"before": before, "after": after, "learned": learned})

    def expected_seconds(self) -> float:
        return seconds_together(
            Experiment(problem=self.problem, model=self.model, recipe=self.recipe, measures=("id_mse",))
        )
