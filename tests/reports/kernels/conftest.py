from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from recombine.data import Problem, tasks
from recombine.models import models
from recombine.papers import Check, Paper, Range, Scale
from recombine.papers import kernel_calculations as computed
from recombine.papers import kernel_representations as representations
from recombine.papers.claims import Setting
from recombine.records import Store
from recombine.reports.findings import gather
from recombine.reports.settings import SettingRuns
from recombine.splits import regions
from recombine.studies import Calculation, Experiment, Work
from recombine.training import Recipe

SUMS = (
    "slope", "offset", "id_slope", "leak", "id_mse", "ood_mse", "additivity_test",
    "salience", "predicted_slope", "slope_error",
)  # fmt: skip
CLASSES = ("id_accuracy", "ood_accuracy", "additivity_test", "conjunction_shares")


def component(problem: Problem, measures: tuple[str, ...], loss: str = "mse", scale: float = 1.0) -> Experiment:
    """A small perceptron on symbols, trained for a moment."""
    recipe = Recipe(steps=40, batch="all", optimiser="sgd", rate=0.01, decay=0.0, loss=loss)
    model = models.mlp(width=32, scale=scale)
    return Experiment(problem=problem, model=model, recipe=recipe, measures=measures)


@cache
def sums(scale: Scale, **changes: Any) -> Experiment:
    """Sums of four and five values, one anchor in each component."""
    task = tasks.addition(values=(-2.0, -1.0, 0.0, 5.0), second=(-4.0, -1.0, 0.0, 1.0, 4.0))
    return component(Problem(task, regions.anchors(first=2, second=2), **changes), SUMS)


@cache
def told_sums(scale: Scale) -> Experiment:
    """The same with the held-out sums shown."""
    return sums(scale, reveal=True)


@cache
def rich_sums(scale: Scale) -> Experiment:
    """The same from a smaller start."""
    return component(sums(scale).problem, SUMS, scale=0.1)


@cache
def contexts(scale: Scale) -> Experiment:
    """Context dependence with logistic loss, CD-2."""
    return component(computed.context(2), CLASSES, "logistic")


@cache
def pairs(scale: Scale) -> Experiment:
    """Transitive equivalence of a class of two and one of three."""
    return component(computed.equivalence((2, 3)), CLASSES)


def calculated(name: str, work: Calculation) -> Setting:
    """A calculation as a setting of this name."""

    def setting(scale: Scale) -> Work:
        return work

    setting.__name__, setting.__doc__ = name, f"What {name} says."
    return setting


SMALL = {
    "layers": representations.SalienceByDepth(components=3, depth=4),
    "many layers": representations.SalienceByDepth(components=2, depth=120),
    "leak": computed.Leak(anchors=((0.0,), (-4.0, 4.0), (-2.0, 2.0))),
    "products": computed.Leak(anchors=((0.0,), (-4.0, 4.0)), answer="product"),
    "dispersed": computed.DispersedAddition(repeats=2),
    "map": computed.ContextMap(points=4),
    "shares": computed.ContextConjunctions(),
    "spread": representations.RandomNetworks(levels=3, widths=(20, 80), draws=2),
    "law": computed.GeneralLeak(cases=2),
}


@pytest.fixture(scope="session")
def kernel_paper(make: Any) -> Paper:
    """Claims about components and about calculations, with differences, exact values and parts of measures."""
    named = {name: calculated(name, work) for name, work in SMALL.items()}
    return make.paper(
        make.claim(
            "Y1",
            {"main": sums, "rich": rich_sums},
            {"main": told_sums, "rich": told_sums},
            Check("slope", Range(-9.0, 9.0), "anything", "main", "rich"),
            Check("slope_error.initial tangent", Range(-9.0, 9.0), "anything"),
            Check("slope", Range(-9.0, 9.0), "at a larger scale", "rich", least=Scale.LAPTOP),
        ),
        make.claim(
            "Y2", {"main": contexts}, {"main": pairs}, Check("conjunction_shares.right", Range(0.0, 1.0), "a share")
        ),
        make.claim(
            "Y3",
            named,
            {**named, "leak": named["products"]},
            Check("formula_error", Range(high=1e-10), "an identity", "leak"),
            Check("last", Range(low=0.0), "deeper", "layers", "many layers"),
            *(Check(next(iter(work.quantities)), Range(), "anything", name) for name, work in SMALL.items()),
        ),
    )


@pytest.fixture(scope="session")
def kernel_store(
    tmp_path_factory: pytest.TempPathFactory, kernel_paper: Paper, run_all: Callable[[Paper, Store], None]
) -> Store:
    """All work of that paper, really trained or computed."""
    store = Store(tmp_path_factory.mktemp("kernels") / "runs")
    run_all(kernel_paper, store)
    return store


@pytest.fixture(scope="session")
def kernel_settings(kernel_paper: Paper, kernel_store: Store) -> dict[str, SettingRuns]:
    """The settings of that paper by label, with their runs."""
    found = gather([kernel_paper], Scale.QUICK, [kernel_store])
    return {setting.label: setting for setting in found.settings.values()}


@pytest.fixture(scope="session")
def symbols() -> Any:
    """Settings whose answers are numbers."""

    class Pieces:
        sums, told_sums, contexts, pairs = map(staticmethod, (sums, told_sums, contexts, pairs))

    return Pieces
