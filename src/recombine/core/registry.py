"""Names to things. Registering is one decorator; what is registered shows up everywhere by itself."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from recombine.core.errors import InputError, unknown

T = TypeVar("T")


class Registry(Mapping[str, T]):
    """Things of one sort by name, e.g. measures.

    The first line of a thing's docstring is what ``recombine list`` prints for it. Attribute access works too
    (``tasks.sum_of_stripes`` is ``tasks["sum-of-stripes"]``), so that a registry reads like a module.
    """

    def __init__(self, noun: str) -> None:
        self.noun = noun
        self._things: dict[str, T] = {}

    def register(self, name: str) -> Callable[[Any], Any]:
        """Decorator that files a class or function under ``name``; a name is given once."""

        def file(thing: Any) -> Any:
            if name in self._things:
                raise InputError(f"{self.noun} {name!r} is registered already; choose another name.")
            if not (thing.__doc__ or "").strip():
                raise InputError(f"{self.noun} {name!r} has no docstring; its first line is its listing.")
            self._things[name] = thing
            return thing

        return file

    def pick(self, name: str) -> T:
        """The thing called ``name``, or an `InputError` with the nearest names."""
        if name not in self._things:
            raise unknown(self.noun, name, self._things)
        return self._things[name]

    def summaries(self) -> dict[str, str]:
        """First docstring line by name, in order of registration."""
        return {name: (thing.__doc__ or "").strip().splitlines()[0] for name, thing in self.items()}

    def __getitem__(self, name: str) -> T:
        return self._things[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._things)

    def __len__(self) -> int:
        return len(self._things)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        dashed = name.replace("_", "-")
        if dashed not in self._things:
            raise AttributeError(str(unknown(self.noun, dashed, self._things)))
        return self._things[dashed]
