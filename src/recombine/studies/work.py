"""A piece of work that ends in a record: an experiment that is trained, or a calculation that is only computed."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar, TypeVar

from pydantic import Field

from recombine.core.spec import Spec
from recombine.training import Outcome

S = TypeVar("S", bound=Spec)
W = TypeVar("W", bound="Work")

Tell = Callable[[int, int, float], None]  # step, steps, loss


@dataclass(frozen=True)
class Resources:
    """What one piece of work takes of a machine, for executors that share machines out: processors, accelerators."""

    cpus: float = 1.0
    gpus: float = 0.0


class Work(Spec):
    """What an executor runs. Its digest names its record."""

    exact: ClassVar[bool] = False  # whether one seed decides, because nothing is left to chance

    seed: int = Field(default=0, ge=0)

    @abstractmethod
    def title(self) -> str:
        """A few words for a progress line."""

    @abstractmethod
    def line(self) -> str:
        """What it is, for a plan."""

    def shape(self) -> str:
        """What members of one stack have in common; by default nothing, so that each goes alone."""
        return self.digest()

    def expected_seconds(self) -> float:
        """Seconds of one core it should take, where nothing better is known: a stated rough guess."""
        return 2.0

    def resources(self, gpus: float = 0.0) -> Resources:
        """What it takes of a machine while it runs, where a training may have so much of a GPU; by default no GPU.

        Where it runs is no part of what it is: the digest is the same with a GPU and without.
        """
        return Resources()

    @property
    def forecast_digest(self) -> str | None:
        """The name of the forecast to be recorded before it runs; None if there is nothing to forecast."""
        return None

    @classmethod
    @abstractmethod
    def run_together(
        cls: type[W], members: Sequence[W], tell: Tell | None = None, device: str = "cpu"
    ) -> list[Outcome]:
        """The outcome of each member of a stack; what trains does so on ``device``."""


def change(base: S, **settings: Any) -> S:
    """A copy of ``base`` with some settings changed, checked anew."""
    kept = {name: getattr(base, name) for name in type(base).model_fields}
    return type(base)(**{**kept, **settings})


def vary(base: S, **axes: Iterable[Any]) -> Iterator[S]:
    """Every copy of ``base`` with one value per axis; the first axis varies slowest."""
    for values in product(*axes.values()):
        yield change(base, **dict(zip(axes, values, strict=True)))


def distinct(works: Iterable[W]) -> list[W]:
    """Each piece of work once, in order of first appearance."""
    return list({work.digest(): work for work in works}.values())
