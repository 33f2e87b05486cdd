"""The device that a network trains on: a processor, or a GPU whose numbers agree with a processor's to rounding."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import torch
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode

from recombine.core.errors import InputError, shown

CPU = torch.device("cpu")


def gpus() -> list[str]:
    """The GPUs that torch finds on this machine, by the names it has for them: ``cuda:0``, ``cuda:1``, ..."""
    return [f"cuda:{index}" for index in range(torch.cuda.device_count())]


def device_named(name: str) -> torch.device:
    """The device of this name, or an `InputError` where there is none."""
    try:
        device = torch.device(name)
        there = device.type == "cpu" or (device.index or 0) < torch.get_device_module(device).device_count()
    except (RuntimeError, AttributeError):  # no such word, or a word for what does not compute
        there = False
    if not there:
        seen, found = os.environ.get("CUDA_VISIBLE_DEVICES"), ", ".join(["cpu", *gpus()])
        raise InputError(
            f"device = {shown(name)} is not here: torch {torch.__version__} finds {found} on this machine"
            f"{f' (CUDA_VISIBLE_DEVICES={shown(seen)})' if seen else ''}; train on one of these."
        )
    return device


def name_of(device: torch.device) -> str:
    """What a record says of a device: ``cpu``, or the GPU's own name."""
    return "cpu" if device.type == "cpu" else str(torch.get_device_module(device).get_device_name(device))


def settle(device: torch.device) -> None:
    """Wait for what a GPU still has to do, so that a clock read next to it is right."""
    if device.type != "cpu":
        torch.get_device_module(device).synchronize(device)


def forget_peak(device: torch.device) -> None:
    """Give back what a GPU holds in store from earlier work, and measure its peak from now on."""
    if device.type != "cpu":
        module = torch.get_device_module(device)
        module.empty_cache()
        module.reset_peak_memory_stats(device)


def peak_mb(device: torch.device) -> dict[str, float]:
    """The most memory that tensors took on a GPU since it was forgotten, as a cost; of a processor nothing."""
    if device.type == "cpu":
        return {}
    return {"peak_gpu_mb": torch.get_device_module(device).max_memory_allocated(device) / 2**20}


def full_precision(device: torch.device) -> AbstractContextManager[None]:
    """Inside, convolutions on a GPU keep the digits of float32; by default torch lets them drop over half (TF32)."""
    return nullcontext() if device.type == "cpu" else torch.backends.cudnn.flags(enabled=True, allow_tf32=False)


@contextmanager
def seeded(device: torch.device, seed: int) -> Iterator[None]:
    """Inside, what is drawn from the global generators, a processor's and the device's, is this seed's business.

    Outside they are as before. What recombine draws it draws on the processor, so that it is the same on every device.
    Layers of others that draw where their numbers are get a seed there too.
    """
    elsewhere = [] if device.type == "cpu" else [device]
    with torch.random.fork_rng(elsewhere, device_type=device.type if elsewhere else "cuda"):
        # Not torch.manual_seed: that one also reseeds the generators of every other device, which are not put back.
        torch.default_generator.manual_seed(seed)
        if not elsewhere:
            yield
            return
        torch.get_device_module(device).manual_seed(seed)
        with DroppedAlike():
            yield


class DroppedAlike(TorchFunctionMode):
    """Dropout drops on a GPU what it would drop on a processor: it draws there, in the order of the numbers."""

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        return (dropout if func is F.dropout else func)(*args, **(kwargs or {}))


def dropout(input: torch.Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> torch.Tensor:
    """`F.dropout` with draws of the processor's generator. Its arguments have the names that they have there."""
    if not training or p in (0, 1):
        return F.dropout(input, p, training, inplace)
    # As torch does it on a processor: draws go by the place in memory, so the same strides are asked for.
    kept = torch.empty_like(input, device=CPU, requires_grad=False).bernoulli_(1 - p).div_(1 - p).to(input.device)
    return input.mul_(kept) if inplace else input * kept
