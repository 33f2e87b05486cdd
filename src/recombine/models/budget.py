"""A network is refused before its weights fill the memory, whatever the settings that make it so large."""

import math
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from recombine.core.errors import InputError

MOST = 1 << 28  # numbers that a network may hold, a gigabyte
MAKERS: frozenset[Any] = frozenset({torch.empty, torch.zeros, torch.ones, torch.rand, torch.randn, torch.randperm})


class Budget(TorchFunctionMode):
    """Counts the numbers of all tensors that are made inside it, and raises an `InputError` before there are too many.

    Layers make their weights by `torch.empty` and the like, which are asked here first and told how many are wanted.
    """

    def __init__(self, what: str) -> None:
        super().__init__()
        self.what, self.made = what, 0

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        named = kwargs or {}
        if func in MAKERS:
            self.made += _wanted(named.get("size", args))
            if self.made > MOST:
                raise InputError(
                    f"model {self.what!r} would hold more than {MOST:,} numbers with these settings; make it narrower "
                    "or shallower, or the pictures smaller."
                )
        return func(*args, **named)


def _wanted(size: Any) -> int:
    """The product of sizes, given one by one or as a list."""
    return math.prod(_wanted(each) if isinstance(each, Iterable) else int(each) for each in size)
