"""The pages of public Python names: what `import recombine as rc` gives, package by package, and what is pinned."""

import inspect
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

import recombine
from recombine.cli.listing import default
from recombine.cli.reference import signatures, wording
from recombine.core.registry import Registry

# What others call by these names: they and their parameters stay (the contract's section on pinned functions).
PINNED = (
    "recombine.theory.kernels.overlap_kernel",
    "recombine.theory.kernels.predict",
    "recombine.theory.kernels.salience",
    "recombine.theory.kernels.random_layers",
    "recombine.theory.additivity.certificate",
    "recombine.theory.percolation.largest_share",
    "recombine.theory.support.check",
    "recombine.measures.participation_ratio",
    "recombine.measures.factorisation_score",
    "recombine.measures.volume_map",
    "recombine.measures.homology",
    "recombine.measures.ring_tests",
    "recombine.measures.modularity",
)
# What the functions of `recombine` itself return, where no package exports it.
RETURNED = (
    "recombine.studies.training.Runs",
    "recombine.studies.training.Run",
    "recombine.studies.explaining.Explanations",
    "recombine.measures.explanation.Explanation",
    "recombine.measures.explanation_general.GeneralExplanation",
    "recombine.studies.advising.Advice",
    "recombine.theory.outlook.Outlook",
)
LISTED = {
    "tasks": "tasks.md",
    "encodings": "tasks.md",
    "splits": "splits.md",
    "supports": "splits.md",
    "compositions": "splits.md",
    "models": "models.md",
    "penalties": "models.md",
    "noises": "models.md",
    "measures": "measures.md",
    "calculations": "calculations.md",
}


def pages() -> dict[str, str]:
    """A page for `recombine` itself, one for each of its packages, and one for pinned functions."""
    packages = [name for name in recombine.__all__ if inspect.ismodule(getattr(recombine, name))]
    found = {f"python/{name}.md": _package(getattr(recombine, name)) for name in packages}
    return {"python/recombine.md": _front(packages), **found, "python/pinned.md": _pinned()}


def _front(packages: list[str]) -> str:
    own = [name for name in recombine.__all__ if name not in packages]
    parts = [line for name in own for line in _thing(f"rc.{name}", getattr(recombine, name), name)]
    parts += ["## Packages", ""]
    rows = [(f"[`rc.{name}`]({name}.md)", wording.paragraph(getattr(recombine, name).__doc__)) for name in packages]
    parts += wording.table(("package", "what it holds"), rows)
    parts += ["## What they return", ""]
    parts += [line for dotted in RETURNED for line in _thing(dotted, found(dotted), dotted.rsplit(".")[-1], "###")]
    parts += wording.contents([*packages, "Pinned functions <pinned>"])
    return wording.page("recombine", "`import recombine as rc`; names are loaded when they are first used.", parts)


def _package(package: ModuleType) -> str:
    parts = [wording.paragraph(package.__doc__), ""]
    for name in package.__all__:
        parts += _thing(name, getattr(package, name), name, home=package)
    return wording.page(package.__name__, "", parts)


def _pinned() -> str:
    words = "Functions that tests and programs of others call by these names; they and their parameters stay."
    return wording.page(
        "Pinned functions", words, [line for name in PINNED for line in _thing(name, found(name), name)]
    )


def found(dotted: str) -> Any:
    """The thing of a dotted name."""
    module, _, name = dotted.rpartition(".")
    return getattr(import_module(module), name)


def _thing(shown: str, thing: Any, name: str, heading: str = "##", home: ModuleType | None = None) -> Iterator[str]:
    yield from (f"{heading} `{shown}`", "")
    if isinstance(thing, Registry):
        where = f" They are listed in [{LISTED[name]}](../{LISTED[name]})." if name in LISTED else ""
        yield from (f"A registry: every {thing.noun} by name, each an attribute too.{where}", "")
    elif inspect.ismodule(thing):
        yield from (wording.paragraph(thing.__doc__), "")
    elif signatures.definitions(thing):
        yield from ("```python", signatures.signature(thing), "```", "", wording.described(thing.__doc__), "")
        yield from _members(thing) if inspect.isclass(thing) else ()
    else:
        words = signatures.comment(_defining(home, name), name) if home else ""
        yield from (words or f"A value of type `{type(thing).__name__}`.", "")


def _members(cls: type) -> Iterator[str]:
    if "**settings" in signatures.signature(cls):
        settings = {name: default(field) for name, field in getattr(cls, "model_fields", {}).items()}
        yield from wording.settings(settings, signatures.meanings(cls))
    rows = [(f"`{call}`", wording.paragraph(doc)) for call, doc in signatures.members(cls)]
    yield from wording.table(("member", "what it is"), rows)


def _defining(package: ModuleType, name: str) -> ModuleType:
    """The module of a package that a constant was imported from; the package itself where it is its own."""
    for module in vars(package).values():
        if (
            inspect.ismodule(module)
            and module.__name__.startswith(package.__name__)
            and signatures.comment(module, name)
        ):
            return module
    return package
