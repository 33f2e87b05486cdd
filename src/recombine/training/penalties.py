"""Penalties: terms added to the training loss that see the network, not the batch."""

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from recombine.core.errors import InputError
from recombine.core.spec import Kinds, Spec

if TYPE_CHECKING:
    import torch
    from torch import nn

penalties: Kinds["Penalty"] = Kinds("penalty")


class Penalty(Spec):
    """A term of the training loss computed from the network's parameters."""

    def strengths(self) -> dict[str, float]:
        """The numbers in which members of a stack may differ, by name; one that is left out counts as 0."""
        raise NotImplementedError

    def term(self, network: "nn.Module", **strengths: "float | torch.Tensor") -> "torch.Tensor":
        """The term at these strengths, which are the penalty's own or those of one member of a stack."""
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

    def term(self, network: "nn.Module", **strengths: "float | torch.Tensor") -> "torch.Tensor":
        if not hasattr(network, "regulariser"):
            raise InputError(
                f"the penalty 'rendering' needs a forced-rendering network with vectors to regularise, got "
                f"{type(network).__name__}; use model forced-rendering with share = none, or drop the penalty."
            )
        return network.regulariser(**strengths, reduce=self.reduce)  # type: ignore[operator]
