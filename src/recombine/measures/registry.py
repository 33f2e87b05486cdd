"""Where measures are filed: a measure turns what a model showed into a number, or into numbers by name."""

from collections.abc import Callable
from inspect import signature
from typing import Any, TypeAlias

from recombine.core.errors import InputError
from recombine.core.registry import Registry
from recombine.measures.component_evidence import ComponentEvidence
from recombine.measures.evidence import Evidence
from recombine.measures.module_evidence import ModuleEvidence
from recombine.measures.scene_evidence import SceneEvidence

AnyEvidence: TypeAlias = Evidence | ComponentEvidence | ModuleEvidence | SceneEvidence

# The kinds of evidence: what a measure of that kind looks at, and what the evidence comes from.
KINDS: dict[type, tuple[str, str]] = {
    Evidence: ("pictures", "a task of pictures"),
    ComponentEvidence: ("the answers to a component task", "a component task"),
    ModuleEvidence: ("a network for a task of modules", "a task of modules"),
    SceneEvidence: ("scenes of components", "a task of scenes"),
}


class Measure:
    """One quantity by its name, with a function for each kind of evidence it can be read off.

    Call it with evidence. Its docstring is that of the first function, followed by what the others say of theirs.
    """

    def __init__(self, name: str, kind: type, function: Callable[..., Any]) -> None:
        self.name = name
        self.__doc__ = function.__doc__
        self.functions: dict[type, Callable[..., Any]] = {}
        self.add(kind, function)

    def add(self, kind: type, function: Callable[..., Any]) -> None:
        """Read the quantity off evidence of this kind by ``function``; a kind is given once."""
        if kind in self.functions:
            raise InputError(
                f"measure {self.name!r} is registered already for {kind.__name__}; choose another name, "
                "or annotate its first parameter with another kind of evidence."
            )
        self.functions[kind] = function
        firsts = dict.fromkeys((each.__doc__ or "").strip().splitlines()[0] for each in self.functions.values())
        _, *rest = (self.__doc__ or "").strip().splitlines()
        self.__doc__ = "\n".join([" Or: ".join(firsts), *rest])
        # Workers import a script that registers a measure of its own, and know it by this.
        self.__module__ = function.__module__

    def __call__(self, evidence: AnyEvidence) -> float | dict[str, float]:
        kind = next(kind for kind in KINDS if isinstance(evidence, kind))
        if kind not in self.functions:
            looks_at = " or ".join(KINDS[known][0] for known in self.functions)
            raise InputError(
                f"measure {self.name!r} looks at {looks_at}; this is {KINDS[kind][1]}, so leave it out "
                f"or use one of measures.for_kind({kind.__name__})."
            )
        return self.functions[kind](evidence)


class Measures(Registry[Measure]):
    """Measures by name. A name means one quantity, and may be registered once for each kind of evidence."""

    def register(self, name: str) -> Callable[[Any], Any]:
        """Decorator that files a function; the annotation of its first parameter is the kind of evidence it reads."""
        file_new = super().register(name)

        def file(function: Any) -> Any:
            kind = kind_of(f"measure {name!r}", function)
            if name in self:
                self[name].add(kind, function)
            else:
                file_new(Measure(name, kind, function))
            return function

        return file

    def meanings(self, kind: type) -> dict[str, str]:
        """What each measure is, read off this kind of evidence: the first line of that function's docstring."""
        found = {name: self[name].functions[kind].__doc__ or "" for name in self.for_kind(kind)}
        return {name: text.strip().splitlines()[0] for name, text in found.items()}

    def for_kind(self, kind: type) -> tuple[str, ...]:
        """The names of the measures that can be read off evidence of this kind, in order of registration."""
        return tuple(name for name, measure in self.items() if kind in measure.functions)


def kind_of(what: str, function: Callable[..., Any]) -> type:
    """The kind of evidence that the first parameter of a function is annotated with."""
    first = next(iter(signature(function).parameters.values()), None)
    # An annotation may be a string: quoted, or in a module that postpones them all.
    annotation = getattr(first, "annotation", None)
    for kind in KINDS:
        if annotation is kind or (isinstance(annotation, str) and annotation.split(".")[-1] == kind.__name__):
            return kind
    raise InputError(
        f"{what} does not say what it looks at; "
        f"annotate its first parameter with {' or '.join(kind.__name__ for kind in KINDS)}."
    )


#: Every measure by name. One that returns a mapping gives a value per layer, section, representation or type.
measures: Measures = Measures("measure")

#: Functions of an array (y, x, features) that no rotation of feature space may change.
rotation_invariant: Registry[Callable[..., Any]] = Registry("rotation-invariant function")
