"""Noise on the activity of hidden units while a network trains, or when it is asked under noise."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import Field

from recombine.core.errors import InputError
from recombine.core.seeds import torch_seed
from recombine.core.spec import Kinds, Spec

if TYPE_CHECKING:
    import torch
    from torch import nn

noises: Kinds["Noise"] = Kinds("noise")

TINY = 1e-6  # added to |a| under a root: its slope at 0 is infinite, and units may be silent


class Noise(Spec):
    """What is done to every hidden activation, given a normal draw for each.

    Only hidden layers have noise, all of them or those named in ``layers``; never the input or the output.
    """

    layers: tuple[str, ...] = ()

    @property
    @abstractmethod
    def strength(self) -> float:
        """The number in which members of a stack may differ."""

    @property
    @abstractmethod
    def strength_name(self) -> str:
        """The name of the setting that holds it."""

    @abstractmethod
    def on(self, units: "torch.Tensor", draws: "torch.Tensor", strength: "float | torch.Tensor") -> "torch.Tensor":
        """The disturbed activations; the gradient goes through all of it (it is reparametrised)."""

    def affected(self, network: "nn.Module") -> tuple[str, ...]:
        """The layers of a network that have this noise, or an `InputError`."""
        from recombine.models.network import Network

        if not isinstance(network, Network):
            raise InputError(
                f"noise acts on hidden layers, and {type(network).__name__} does not tell its own; "
                "derive it from recombine.models.network.Network, or leave the noise out."
            )
        for name in self.layers:
            if name not in network.unit_layers:
                raise InputError(
                    f"noise names the layer {name!r}, which {type(network).__name__} has not; "
                    f"its layers of units are {', '.join(network.unit_layers)}."
                )
        return self.layers or network.unit_layers


@noises.register("activity")
class ActivityNoise(Noise):
    """Gaussian noise that grows with activity: a + level · |a|^(exponent/2) · ξ.

    ``exponent`` 0: the same for all (additive); 1: variance in proportion to activity, as of Poisson counts; 2:
    multiplicative. As released with Qian, Liang & Fiete (2025), with 1e-6 added to |a| where the power is a root.
    """

    level: float = Field(default=0.1, ge=0)
    exponent: float = Field(default=1.0, ge=0)

    @property
    def strength(self) -> float:
        return self.level

    @property
    def strength_name(self) -> str:
        return "level"

    def on(self, units: "torch.Tensor", draws: "torch.Tensor", strength: "float | torch.Tensor") -> "torch.Tensor":
        return units + strength * draws * amplitude(units, self.exponent)


@noises.register("dropout")
class DropoutNoise(Noise):
    """Each activation is set to 0 with probability ``rate``, the others are multiplied by 1 / (1 - rate)."""

    rate: float = Field(default=0.1, ge=0, lt=1)

    @property
    def strength(self) -> float:
        return self.rate

    @property
    def strength_name(self) -> str:
        return "rate"

    def on(self, units: "torch.Tensor", draws: "torch.Tensor", strength: "float | torch.Tensor") -> "torch.Tensor":
        import torch

        # The draw is normal: its distribution function is uniform.
        return units * (torch.special.ndtr(draws) >= strength) / (1 - strength)


def amplitude(units: "torch.Tensor", exponent: float) -> "torch.Tensor | float":
    """|a|^(exponent/2)."""
    if exponent == 0:
        return 1.0
    return units.abs() if exponent == 2 else (units.abs() + TINY) ** (exponent / 2)


class Draws:
    """Normal draws for every unit of a batch, step by step, for each member from its own stream.

    They are drawn on the CPU, so that they are the same on every device, and go to where the codes are.
    """

    def __init__(self, network: "nn.Module", noise: Noise, codes: "torch.Tensor", seeds: Sequence[int]) -> None:
        import torch

        from recombine.models.activations import shapes

        self.shapes = {name: shapes(network, codes[:1])[name] for name in noise.affected(network)}
        self.batch, self.device = len(codes), codes.device
        self.generators = [torch.Generator().manual_seed(torch_seed(seed, "training", "noise")) for seed in seeds]

    @property
    def total(self) -> int:
        """Draws of one member in one step."""
        return self.batch * sum(shape.numel() for shape in self.shapes.values())

    def rows(self) -> "torch.Tensor":
        """The next draws, a row for each member."""
        import torch

        rows = torch.stack([torch.randn(self.total, generator=generator) for generator in self.generators])
        return rows.to(self.device)

    def next(self) -> "dict[str, torch.Tensor]":
        """The next draws by layer, each (members, batch, *units)."""
        sizes = [self.batch * shape.numel() for shape in self.shapes.values()]
        parts = self.rows().split(sizes, dim=1)
        named = zip(self.shapes.items(), parts, strict=True)
        return {name: part.unflatten(1, (self.batch, *shape)) for (name, shape), part in named}
