"""Penalties: terms added to the training loss that see the network and its hidden units, not the answers."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from recombine.core.errors import InputError
from recombine.core.spec import Kinds, Spec

if TYPE_CHECKING:
    import torch
    from torch import nn

    from recombine.models.network import Network

    Stages = Mapping[str, torch.Tensor]

penalties: Kinds["Penalty"] = Kinds("penalty")


class Penalty(Spec):
    """A term of the training loss computed from the network's parameters and, if it asks, its hidden units."""

    looks_inside: ClassVar[bool] = False  # whether it needs the activations of a batch

    def strengths(self) -> dict[str, float]:
        """The numbers in which members of a stack may differ, by name; one that is left out counts as 0."""
        raise NotImplementedError

    def term(self, network: "nn.Module", stages: "Stages", **strengths: "float | torch.Tensor") -> "torch.Tensor":
        """The term at these strengths, which are the penalty's own or those of one member of a stack.

        ``stages`` are the network's on the batch, by name; empty unless some penalty `looks_inside`.
        """
        raise NotImplementedError


@penalties.register("rendering")
class Rendering(Penalty):
    """Forced rendering's regulariser: entropy of the singular values and variance along the stripe.

    a sum_f sum_i H(p_f[i]) + b sum_f sum_i sum_k (Var L_f[i][:, k] + Var R_f[i][k, :]), with a = ``entropy`` and
    b = ``variance``; defaults as released with Liang et al. (2025). ``reduce: mean`` averages over the levels i, so
    that coefficients carry over when the number of levels changes. ``total_variation`` is the weight of a third term,
    as the second but with the mean of |v[r+1] - v[r]| in place of each variance.
    """

    entropy: float = Field(default=0.1, ge=0)
    variance: float = Field(default=0.01, ge=0)
    reduce: Literal["sum", "mean"] = "sum"
    total_variation: float = Field(default=0.0, ge=0)

    def strengths(self) -> dict[str, float]:
        # Total variation has a strength only where it is asked for: then, and only then, it is computed.
        optional = {"total_variation": self.total_variation} if self.total_variation else {}
        return {"entropy": self.entropy, "variance": self.variance, **optional}

    def term(self, network: "nn.Module", stages: "Stages", **strengths: "float | torch.Tensor") -> "torch.Tensor":
        if not hasattr(network, "regulariser"):
            raise InputError(
                f"the penalty 'rendering' needs a forced-rendering network with vectors to regularise, got "
                f"{type(network).__name__}; use model forced-rendering with share = none, or drop the penalty."
            )
        return network.regulariser(**strengths, reduce=self.reduce)  # type: ignore[operator]


class Single(Penalty):
    """A penalty with one strength."""

    strength: float = Field(default=1e-3, ge=0)

    def strengths(self) -> dict[str, float]:
        return {"strength": self.strength}

    def term(self, network: "nn.Module", stages: "Stages", **strengths: "float | torch.Tensor") -> "torch.Tensor":
        return strengths["strength"] * self.size(network, stages)

    def size(self, network: "nn.Module", stages: "Stages") -> "torch.Tensor":
        """The term at strength 1."""
        raise NotImplementedError


@penalties.register("weights")
class WeightSize(Single):
    """Size of the weights: strength · Σ |W|^power over all weights, biases left out. 1: L1, 2: L2."""

    strength: float = Field(default=1e-4, ge=0)
    power: Literal[1, 2] = 2

    def size(self, network: "nn.Module", stages: "Stages") -> "torch.Tensor":
        import torch

        from recombine.models.network import matrices_of

        found = matrices_of(network) or [parameter for parameter in network.parameters() if parameter.ndim > 1]
        return torch.stack([(each.square() if self.power == 2 else each.abs()).sum() for each in found]).sum()


@penalties.register("activity")
class ActivitySize(Single):
    """Size of the activity: strength · Σ_l E_x Σ_i |a_i|^power over all hidden layers l and units i."""

    looks_inside: ClassVar[bool] = True
    power: float = Field(default=2.0, ge=1)

    def size(self, network: "nn.Module", stages: "Stages") -> "torch.Tensor":
        import torch

        units = [stages[name] for name in layers_of(network)]
        return torch.stack([powered(each, self.power).sum() / len(each) for each in units]).sum()


@penalties.register("weighted-activity")
class WeightedActivity(Single):
    """Activity times the weights that read it: strength · Σ_l E_x Σ_ij |a_i|^power W_ji² over all hidden layers l.

    What noise of variance |a_i|^power on every unit i adds, to second order, to the squared error, where each layer is
    seen only through the next weights; for the last hidden layer it is exact (docs/theory/noise.md). ``power`` 1 is
    the penalty of Poisson-like noise, 2 of multiplicative noise and the default of the code released with Qian, Liang &
    Fiete (2025).
    """

    looks_inside: ClassVar[bool] = True
    power: float = Field(default=2.0, ge=1)

    def size(self, network: "nn.Module", stages: "Stages") -> "torch.Tensor":
        import torch

        names = layers_of(network)
        reaches = [
            network.squared_reach(name, powered(stages[name], self.power)) / len(stages[name])  # type: ignore[operator]
            for name in names
        ]
        return torch.stack(reaches).sum()


def powered(units: "torch.Tensor", power: float) -> "torch.Tensor":
    """|a|^power."""
    return units.abs() if power == 1 else units.square() if power == 2 else units.abs() ** power


def layers_of(network: "nn.Module | Network") -> tuple[str, ...]:
    """The layers of units of a network, or an `InputError`."""
    from recombine.models.network import Network

    if not isinstance(network, Network) or not network.unit_layers:
        raise InputError(
            f"noise and penalties on activity need hidden layers, and {type(network).__name__} has none to show; "
            "use a network with hidden layers, or leave them out."
        )
    return network.unit_layers
