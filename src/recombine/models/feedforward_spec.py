"""The network of the modularity studies: layers of units, dense or cut into modules."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from recombine.core.errors import InputError
from recombine.models.catalogue import DEEPEST, ModelSpec, models
from recombine.models.interface import Interface

if TYPE_CHECKING:
    import torch


@models.register("feedforward")
class Feedforward(ModelSpec):
    """Layers of units of any widths and nonlinearity, all joined or cut into modules by a hard or soft mask.

    ``modules`` cuts inputs, units and outputs into that many equal runs; weights between two of them are multiplied by
    ``crossing``: 0 is a hard mask, 1 none at all. ``modular_layers`` says how many weight matrices, from the first, are
    cut; None: all. The default is the dense network of Qian, Liang & Fiete (2025).
    """

    widths: Annotated[tuple[Annotated[int, Field(ge=1)], ...], Field(min_length=1, max_length=DEEPEST)] = (32, 32, 32)
    nonlinearity: Literal["leaky-relu", "relu", "tanh", "sigmoid", "linear"] = "leaky-relu"
    bias: bool = True
    modules: int = Field(default=1, ge=1)
    modular_layers: int | None = Field(default=None, ge=0)
    crossing: float = Field(default=0.0, ge=0, le=1)

    def model_post_init(self, context: Any) -> None:
        if self.modular_layers is not None and self.modular_layers > len(self.widths) + 1:
            raise InputError(
                f"modular_layers = {self.modular_layers} is more than the {len(self.widths) + 1} weight matrices of "
                f"widths {self.widths}; lower it, or leave it out to cut them all."
            )

    @property
    def cut(self) -> int:
        """How many weight matrices have a mask."""
        if self.modules == 1:
            return 0
        return len(self.widths) + 1 if self.modular_layers is None else self.modular_layers

    def check(self, interface: Interface) -> None:
        sizes = (interface.inputs, *self.widths, interface.image[0] * interface.image[1])
        for size in sizes[: self.cut + 1] if self.cut else ():
            if size % self.modules:
                raise InputError(
                    f"feedforward cuts every layer into modules = {self.modules} equal parts, and one has {size} "
                    "units; use widths, inputs and outputs that are multiples of it, or cut fewer with modular_layers."
                )

    def network(self, interface: Interface) -> "torch.nn.Module":
        from recombine.models.feedforward_network import FeedforwardNetwork

        return FeedforwardNetwork(
            interface.inputs,
            self.widths,
            interface.image,
            self.nonlinearity,
            self.bias,
            self.modules,
            self.cut,
            self.crossing,
        )
