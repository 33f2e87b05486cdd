"""A device beside the CPU that really computes: its tensors hold others of the CPU, and no operation mixes the two.

A machine with a GPU refuses what mixes tensors of both, and tensors of the GPU that are read as arrays. So does this
one, in the place that torch keeps for devices of others. It has what is asked of a device here: a clock to wait for, a
peak of memory, a name, and a generator of its own, which nothing should draw from. Import it before anything is
differentiated: torch counts devices once.
"""

from typing import Any

import torch
from torch.utils._pytree import tree_map
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

NAME = "standin"  # no attribute of a network: torch gives every module a method of this name
aten = torch.ops.aten
# What may take tensors of both: copies from one to the other, and places looked up by numbers of the CPU.
ACROSS = {aten.copy_.default, aten._to_copy.default, aten.index.Tensor, aten.index_put_.default}


class Module:
    """What ``torch.standin`` is: the functions that torch, and recombine, ask of a device by name."""

    waited = 0  # how often somebody waited for the device
    peak = 0  # bytes of the largest tensor since it was last forgotten
    seeds: list[int] = []  # noqa: RUF012

    def is_initialized(self) -> bool:
        return True

    def is_available(self) -> bool:
        return True

    def current_device(self) -> int:
        return 0

    def device_count(self) -> int:
        return 1

    def _is_in_bad_fork(self) -> bool:
        return False

    def manual_seed(self, seed: int) -> None:
        self.seeds.append(seed)

    manual_seed_all = manual_seed

    def get_rng_state(self, device: Any) -> torch.Tensor:
        return torch.zeros(1, dtype=torch.uint8)

    def set_rng_state(self, state: torch.Tensor, device: Any) -> None:
        assert torch.equal(state, torch.zeros(1, dtype=torch.uint8))

    def synchronize(self, device: Any) -> None:
        self.waited += 1

    def empty_cache(self) -> None:
        return

    def reset_peak_memory_stats(self, device: Any) -> None:
        self.peak = 0

    def max_memory_allocated(self, device: Any) -> int:
        return self.peak

    def get_device_name(self, device: Any) -> str:
        return "a second device"


module = Module()


class There(torch.Tensor):
    """A tensor of the second device. What it does is done by the one of the CPU that it holds."""

    held: torch.Tensor
    __module__ = "torch"  # where compositions look for tanh and the like
    __torch_function__ = torch._C._disabled_torch_function_impl

    @staticmethod
    def __new__(cls, held: torch.Tensor) -> "There":
        module.peak = max(module.peak, held.numel() * held.element_size())
        made = torch.Tensor._make_wrapper_subclass(
            cls,
            held.shape,
            strides=held.stride(),
            storage_offset=held.storage_offset(),
            dtype=held.dtype,
            device=f"{NAME}:0",
        )
        made.held = held
        return made

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return operate(func, *args, **(kwargs or {}))

    @property
    def data(self) -> torch.Tensor:
        return torch.Tensor.data.__get__(self)

    @data.setter
    def data(self, value: "There") -> None:
        torch.Tensor.data.__set__(self, value)
        self.held = value.held

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return f"There({self.held!r})"


def operate(func: Any, *args: Any, **kwargs: Any) -> Any:
    """The operation on what the tensors hold; results are on the device of its arguments, or on the one it names."""
    known: dict[int, There] = {}
    others: list[torch.Tensor] = []

    def held(value: Any) -> Any:
        if isinstance(value, There):
            known[id(value.held)] = value
            return value.held
        if isinstance(value, torch.Tensor) and value.ndim:  # a single number may come from anywhere
            others.append(value)
        return value

    args, kwargs = tree_map(held, (args, kwargs))
    if known and others and func not in ACROSS:
        raise RuntimeError(
            f"Expected all tensors to be on the same device, but {func} was given some of {NAME} and cpu"
        )
    drawing = torch.Tag.nondeterministic_seeded in func.tags
    there = bool(known)
    if kwargs.get("device") is not None:
        there = torch.device(kwargs["device"]).type == NAME
        kwargs["device"] = torch.device("cpu")
    if there and drawing:
        raise RuntimeError(f"{func} draws on the device, where its numbers would be others than on the CPU")

    def wrapped(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        if id(value) in known:  # changed in place: the same tensor as before
            return known[id(value)]
        return There(value) if there and func is not aten.copy_.default else value

    return tree_map(wrapped, func(*args, **kwargs))


_setup_privateuseone_for_python_backend(NAME, backend_module=module)
# What is registered lasts as long as these do. Tensors made of lists are copied by an operation of their own.
libraries = torch.library.Library("_", "IMPL"), torch.library.Library("aten", "IMPL")
libraries[0].fallback(operate, "PrivateUse1")
libraries[1].impl("_copy_from", lambda given, taken, _=False: operate(aten.copy_.default, taken, given), "PrivateUse1")
