"""Rows of inputs that are read when they are asked for: the items of a torch Dataset, or some rows of others."""

from typing import Any

import numpy as np

from recombine.audits.factor_table import as_array
from recombine.core.errors import InputError
from recombine.core.shapes import Int


class DatasetRows:
    """The inputs of a torch Dataset, whose items are inputs or tuples that begin with one; tensors stay tensors."""

    def __init__(self, dataset: Any) -> None:
        self.dataset, self.tensors = dataset, False

    def __len__(self) -> int:
        return len(self.dataset)

    def __getitem__(self, rows: Any) -> Any:
        inputs, _ = self.parts(rows)
        if not self.tensors:
            return inputs
        import torch

        return torch.from_numpy(inputs)

    def item(self, row: int) -> Any:
        """One item, or a sentence about why there is none."""
        try:
            return self.dataset[row]
        except Exception as error:
            told = f"{type(error).__name__}: {' '.join(str(error).split())}".rstrip(": .")
            raise InputError(f"the dataset has no item {row} ({told}); mend it, or give an array.") from None

    def parts(self, rows: Any) -> tuple[np.ndarray, list[Any]]:
        """The inputs of some rows, and the second parts of these items where they have some."""
        items = [self.item(int(row)) for row in np.arange(len(self))[rows]]
        several = [isinstance(item, tuple | list) for item in items]
        firsts = [item[0] if more else item for item, more in zip(items, several, strict=True)]
        self.tensors = all(hasattr(first, "detach") for first in firsts)
        arrays = [as_array(first, "an item of the dataset") for first in firsts]
        shapes = {array.shape for array in arrays}
        if len(shapes) > 1:
            raise InputError(f"items of the dataset have inputs of the shapes {sorted(shapes)[:2]}; make them alike.")
        seconds = [item[1] for item, more in zip(items, several, strict=True) if more and len(item) > 1]
        return np.stack(arrays), [_plain(second) for second in seconds]


class Chosen:
    """Some rows of inputs."""

    def __init__(self, inputs: Any, chosen: Int[np.ndarray, " some"]) -> None:
        self.inputs, self.chosen = inputs, chosen

    def __len__(self) -> int:
        return len(self.chosen)

    def __getitem__(self, rows: Any) -> Any:
        return self.inputs[self.chosen[rows]]


def _plain(second: Any) -> Any:
    return second.detach().cpu().numpy() if hasattr(second, "detach") else second
