"""Somebody's own model, run and looked into: its answers, the outputs of its layers, and the same model untrained."""

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from recombine.audits.counting import row_of
from recombine.core.arrays import as_array
from recombine.core.errors import InputError, unknown
from recombine.core.seeds import torch_seed

if TYPE_CHECKING:
    import torch
    from torch import nn

BATCH = 256
MOST_LAYERS = 12  # layers that are looked at where none is named: evenly through the model
Told = Callable[[str], None]


class Watched:
    """A module, or any function from a batch of inputs to a batch of answers; a function has no layers.

    A batch is shown in the first of several forms (`forms`) that the model does not refuse, and so are all after it.
    """

    def __init__(self, model: Any, note: Told = lambda words: None) -> None:
        if isinstance(model, type):
            raise InputError(f"the model is the class {model.__name__}; give one of that class, {model.__name__}().")
        if not callable(model):
            raise InputError(
                f"the model is of type {type(model).__name__}, which cannot be called; give a module or a function."
            )
        self.model, self.note = model, note
        self.form: str | None = None  # the one that it took

    @property
    def module(self) -> "nn.Module | None":
        if not hasattr(self.model, "named_modules"):
            return None
        return self.model

    @property
    def name(self) -> str:
        """The class of a module, or the name of a function."""
        return str(getattr(self.model, "__qualname__", type(self.model).__name__))

    @property
    def parameters(self) -> int | None:
        """How many numbers a module has learned; None of a function."""
        return None if self.module is None else sum(each.numel() for each in self.module.parameters())

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
            batch = inputs[rows]
            as_floats(batch, start)  # refuses what is not finite
            kept: dict[str, np.ndarray] = {}
            answer = self._only(self._called(batch, layers, kept), len(batch))
            if callable(answer):
                raise InputError(
                    f"the model answers inputs with another model ({type(answer).__name__}); give that one, or name a "
                    "function without arguments that returns it."
                )
            found = np.asarray(_in_numpy(answer) if hasattr(answer, "detach") else answer)
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

    def _called(self, batch: Any, layers: Sequence[str], kept: dict[str, np.ndarray]) -> Any:
        """What the model answers to the first form of a batch that it takes."""
        import torch

        from recombine.models.activations import eval_mode

        shown, refused = forms(batch, self.module), dict[str, str]()
        if self.form in shown:
            shown = {self.form: shown[self.form]}
        for form, copied in shown.items():
            kept.clear()
            try:
                with torch.no_grad(), ExitStack() as stack:
                    if self.module is not None:
                        stack.enter_context(eval_mode(self.module))
                        stack.enter_context(_kept(self.module, layers, kept, len(batch)))
                    answer = self.model(copied)
                self.form = form
                return answer
            except (Exception, SystemExit) as error:
                line = (str(error).strip().splitlines() or [""])[0].rstrip(".")
                refused.setdefault(f"{type(error).__name__}: {line}", form)
        told = "; ".join(f"{words} (as {form})" if len(refused) > 1 else words for words, form in refused.items())
        raise InputError(
            f"the model refuses inputs of shape {tuple(batch.shape)} ({told}); give inputs as it takes them."
        )

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


def forms(batch: Any, module: "nn.Module | None") -> dict[str, "torch.Tensor | np.ndarray"]:
    """Copies of a batch as a model may take it, by name, in the order in which they are tried.

    Whole numbers stay whole before they become floats; bytes are pictures, from 0 to 1. A module gets tensors, floats
    as precise as its weights; a function gets arrays and then tensors, or tensors first where these were given.
    """
    import torch

    array = as_array(batch, "inputs")
    weights = [] if module is None else [each.dtype for each in module.parameters() if each.is_floating_point()]
    precise = array.dtype == np.float64 if module is None else torch.float64 in weights[:1]
    numbers = {"whole numbers": array.astype(np.int64)} if _whole(array) else {}
    if module is None or not precise:
        numbers["floats"] = in_floats(array)
    if precise:
        numbers["doubles"] = in_floats(array, np.float64)
    arrays = {f"an array of {name}": each for name, each in numbers.items()}
    tensors = {f"a tensor of {name}": torch.from_numpy(each.copy()) for name, each in numbers.items()}
    if module is not None:
        wanted = weights[0] if weights else torch.float32
        return {name: each.to(wanted) if each.is_floating_point() else each for name, each in tensors.items()}
    return {**tensors, **arrays} if hasattr(batch, "detach") else {**arrays, **tensors}


def _whole(array: np.ndarray) -> bool:
    return array.dtype.kind in "iu" and array.dtype != np.uint8


def _in_numpy(tensor: "torch.Tensor") -> np.ndarray:
    plain = tensor.detach().cpu()
    return (plain.float() if str(plain.dtype) == "torch.bfloat16" else plain).numpy()  # which NumPy does not have


def in_floats(batch: Any, precision: type = np.float32) -> np.ndarray:
    """A batch as floats, finite or not; bytes, as pictures are kept, from 0 to 1."""
    array = batch.detach().cpu().numpy() if hasattr(batch, "detach") else np.asarray(batch)
    if array.dtype.kind not in "fiub":
        raise InputError(f"inputs hold {array.dtype}; give numbers, real ones.")
    with np.errstate(over="ignore"):  # what single precision cannot hold is infinite there
        return array.astype(precision) / (255 if array.dtype == np.uint8 else 1)


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
                kept[name] = _in_numpy(first).reshape(count, -1)

        return hook

    hooks = [module.get_submodule(name).register_forward_hook(keep(name)) for name in names]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()
