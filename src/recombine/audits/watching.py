"""Somebody's own model, run and looked into: its answers, the outputs of its layers, and the same model untrained."""

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from recombine.audits.counting import row_of
from recombine.core.errors import InputError, unknown
from recombine.core.seeds import torch_seed

if TYPE_CHECKING:
    import torch
    from torch import nn

BATCH = 256
MOST_LAYERS = 12  # layers that are looked at where none is named: evenly through the model
Told = Callable[[str], None]


class Watched:
    """A module, or any function from a batch of inputs to a batch of answers; a function has no layers."""

    def __init__(self, model: Any, note: Told = lambda words: None) -> None:
        if isinstance(model, type):
            raise InputError(f"the model is the class {model.__name__}; give one of that class, {model.__name__}().")
        if not callable(model):
            raise InputError(
                f"the model is of type {type(model).__name__}, which cannot be called; give a module or a function."
            )
        self.model, self.note = model, note

    @property
    def module(self) -> "nn.Module | None":
        if not hasattr(self.model, "named_modules"):
            return None
        return self.model

    def layers(self, names: Sequence[str] | None = None, refuse: Told = lambda words: None) -> tuple[str, ...]:
        """The layers to look at: those that are named, else the ones without layers of their own, at most a dozen.

        Names that are none are left out, with a sentence about each.
        """
        if self.module is None:
            if names:
                refuse("a function has no layers to look at; give a module, or leave the layers out.")
            return ()
        every = [name for name, _ in self.module.named_modules() if name]
        if names is not None:
            for name in names:
                if name not in every:
                    refuse(str(unknown(f"layer of {type(self.module).__name__}", name, every)))
            return tuple(name for name in names if name in every)
        leaves = [name for name, each in self.module.named_modules() if name and not list(each.children())]
        if len(leaves) <= MOST_LAYERS:
            return tuple(leaves)
        return tuple(leaves[place] for place in np.linspace(0, len(leaves) - 1, MOST_LAYERS).round().astype(int))

    def answers(
        self, inputs: Any, layers: Sequence[str] = ()
    ) -> Iterator[tuple[slice, np.ndarray, dict[str, np.ndarray]]]:
        """Batch by batch: which rows, the answers to them, and what the layers put out, a flat row per example."""
        for start in range(0, len(inputs), BATCH):
            rows = slice(start, min(start + BATCH, len(inputs)))
            batch = as_floats(inputs[rows], start)
            kept: dict[str, np.ndarray] = {}
            if self.module is None:
                answer = self._only(self._called(batch), len(batch))
            else:
                import torch

                from recombine.models.activations import eval_mode

                with torch.no_grad(), eval_mode(self.module), _kept(self.module, layers, kept, len(batch)):
                    answer = self._only(self._called(torch.from_numpy(batch)), len(batch))
            found = np.asarray(answer.detach().cpu().numpy() if hasattr(answer, "detach") else answer)
            if found.ndim == 0 or len(found) != len(batch):
                raise InputError(
                    f"the model answers {len(batch)} inputs with an array of shape {found.shape}; it must give an "
                    "answer for each."
                )
            if found.dtype.kind not in "fiub":
                raise InputError(f"the model answers with {found.dtype}; it must answer with numbers.")
            yield rows, found, kept

    def untrained(self, seed: int) -> "Watched | None":
        """The same module with weights drawn anew, or None where that cannot be done."""
        if self.module is None:
            return None
        import torch

        try:
            fresh = copy.deepcopy(self.module)
        except Exception:  # whatever a stranger's module says to being copied
            return None
        reset = [each for each in fresh.modules() if hasattr(each, "reset_parameters")]
        covered = {id(weight) for each in reset for weight in each.parameters(recurse=False)}
        left = [name for name, weight in fresh.named_parameters() if id(weight) not in covered]
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(torch_seed(seed, "audit", "untrained"))
            for each in reset:
                each.reset_parameters()  # type: ignore[operator]
        if len(left) == len(list(fresh.parameters())):
            return None
        if left:
            self.note(f"The untrained model keeps {len(left)} weights that cannot be drawn anew, e.g. {left[0]}.")
        return Watched(fresh)

    def _called(self, batch: "torch.Tensor | np.ndarray") -> Any:
        try:
            return self.model(batch)
        except Exception as error:
            line = (str(error).strip().splitlines() or [""])[0].rstrip(".")
            raise InputError(
                f"the model refuses inputs of shape {tuple(batch.shape)} ({type(error).__name__}: {line}); give inputs "
                "as it takes them."
            ) from None

    def _only(self, answer: Any, count: int) -> Any:
        """The first array of several things that were returned; a list with an answer for each input is one thing."""
        if isinstance(answer, dict):
            answer = tuple(answer.values())
        several = isinstance(answer, tuple) or (isinstance(answer, list) and len(answer) != count)
        if not several or not len(answer):
            return answer
        place = next((at for at, each in enumerate(answer) if hasattr(each, "shape")), 0)
        if len(answer) > 1:
            which = "the first" if place == 0 else f"number {place + 1}, the first with numbers,"
            self.note(f"The model returns {len(answer)} things; {which} is taken as its answer.")
        return answer[place]


def in_floats(batch: Any) -> np.ndarray:
    """A batch as floats, finite or not; bytes, as pictures are kept, from 0 to 1."""
    array = batch.detach().cpu().numpy() if hasattr(batch, "detach") else np.asarray(batch)
    if not (np.issubdtype(array.dtype, np.number) or array.dtype == bool):
        raise InputError(f"inputs hold {array.dtype}; give numbers.")
    with np.errstate(over="ignore"):  # what single precision cannot hold is infinite there
        return array.astype(np.float32) / (255 if array.dtype == np.uint8 else 1)


def as_floats(batch: Any, start: int = 0) -> np.ndarray:
    """A batch as finite floats."""
    floats = in_floats(batch)
    bad = ~np.isfinite(floats.reshape(len(floats), -1)).all(axis=1)
    if bad.any():
        raise InputError(f"inputs are not finite, first in {row_of(start + int(bad.argmax()))}; leave such rows out.")
    return floats


@contextmanager
def _kept(module: "nn.Module", names: Sequence[str], kept: dict[str, np.ndarray], count: int) -> Iterator[None]:
    """Inside, the outputs of the named layers are written to ``kept``."""

    def keep(name: str) -> Callable[[Any, Any, Any], None]:
        def hook(_module: Any, _inputs: Any, output: Any) -> None:
            first = output[0] if isinstance(output, tuple | list) else output
            if hasattr(first, "detach") and first.ndim and len(first) == count:
                kept[name] = first.detach().cpu().numpy().reshape(count, -1)

        return hook

    hooks = [module.get_submodule(name).register_forward_hook(keep(name)) for name in names]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()
