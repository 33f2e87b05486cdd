"""The network that draws each factor alone before it joins them, and the regulariser on its drawings.

Liang, Qian, Ziyin & Fiete, *Compositional Generalization via Forced Rendering of Disentangled Latents* (2025),
with the settings of the code they released.
"""

import torch
from torch import nn
from torch.nn import functional as F

from recombine.core.errors import InputError
from recombine.core.shapes import Float
from recombine.models.rendering_network import FACTORS, RenderingNetwork


class ForcedRenderingNetwork(RenderingNetwork):
    """A rendering network whose pictures are sums of products of free vectors, as many as the picture has rows.

        E_f[i] = Σ_k λ_f[i, k] l_f[i, :, k] r_f[i, k, :],   l and r rescaled to unit norm in every pass

    Such a sum can be any picture: that it becomes a stripe is the regulariser's work.
    """

    def __init__(self, levels: int, hidden: int) -> None:
        super().__init__()
        each = (len(FACTORS), levels)  # every array below: factor, level, ...
        self.scales = nn.Parameter(torch.randn(*each, levels) / levels**0.5)  # λ: ..., term
        self.left = nn.Parameter(F.normalize(torch.randn(*each, levels, levels), dim=2))  # l: ..., row, term
        self.right = nn.Parameter(F.normalize(torch.randn(*each, levels, levels), dim=3))  # r: ..., term, column
        self.add_convolutions(levels, hidden)

    def pictures(self) -> Float[torch.Tensor, "factors levels rows columns"]:
        norms = self.left.square().sum(2) * self.right.square().sum(3)
        # Both norms go into the scales: the same product, with n² numbers to rescale in place of n³.
        scales = self.scales * norms.clamp_min(torch.finfo(norms.dtype).tiny).rsqrt()
        return (self.left * scales[:, :, None, :]) @ self.right

    def regulariser(
        self,
        entropy: float | torch.Tensor,
        variance: float | torch.Tensor,
        reduce: str = "sum",
        total_variation: float | torch.Tensor | None = None,
    ) -> Float[torch.Tensor, ""]:
        """R = entropy · `entropy_term` + variance · `variance_term` + total_variation · `total_variation_term`.

        To be added to the loss of every batch. It is over all levels, not only those of the batch. The released
        weights are 0.1 and 0.01 with ``"sum"``, and no total variation, which is computed only if it has a weight.
        Sums over levels grow with their number n; under ``"mean"`` each factor's sum is divided by n, so that
        coefficients carry over to other sizes.
        """
        total = entropy * self.entropy_term(reduce) + variance * self.variance_term(reduce)
        return total if total_variation is None else total + total_variation * self.total_variation_term(reduce)

    def entropy_term(self, reduce: str = "sum") -> Float[torch.Tensor, ""]:
        """Σ_f Σ_i of `entropies`: low when each picture is made of few terms. 0 (nearly): every picture has rank 1."""
        return _over_levels(entropies(self.scales), reduce)

    def variance_term(self, reduce: str = "sum") -> Float[torch.Tensor, ""]:
        """Σ_f Σ_i of `spreads`: low when the vectors are constant. 0: every picture is flat.

        It is taken on the vectors as stored, before they are rescaled, so it shrinks them too.
        """
        return _over_levels(spreads(self.left, self.right), reduce)

    def total_variation_term(self, reduce: str = "sum") -> Float[torch.Tensor, ""]:
        """Σ_f Σ_i of `variations`: low when the vectors change seldom or little. 0: every picture is flat.

        Like the variance it is taken on the vectors as stored.
        """
        return _over_levels(variations(self.left, self.right), reduce)


def entropies(scales: Float[torch.Tensor, "*stack terms"]) -> Float[torch.Tensor, "*stack"]:
    """Entropy in nats of the shares p_k = λ_k² / Σ λ², each clamped at 1e-8:  H = −Σ_k p_k log p_k.

    0 (to 1e-6 or so): a single term; log n: n equal terms. Rescaling λ changes nothing.
    """
    squares = scales.square()
    total = squares.sum(-1, keepdim=True).clamp_min(torch.finfo(squares.dtype).tiny)
    shares = (squares / total).clamp_min(1e-8)
    return -(shares * shares.log()).sum(-1)


def spreads(
    left: Float[torch.Tensor, "*stack rows terms"], right: Float[torch.Tensor, "*stack terms columns"]
) -> Float[torch.Tensor, "*stack"]:
    """Σ_k Var_r left[r, k] + Var_c right[k, c], with unbiased variances. 0: every vector is constant."""
    # Written out: the library's own variance is many times slower on arrays of this shape.
    total = (left - left.mean(-2, keepdim=True)).square().sum((-2, -1)) / (left.shape[-2] - 1)
    return total + (right - right.mean(-1, keepdim=True)).square().sum((-2, -1)) / (right.shape[-1] - 1)


def variations(
    left: Float[torch.Tensor, "*stack rows terms"], right: Float[torch.Tensor, "*stack terms columns"]
) -> Float[torch.Tensor, "*stack"]:
    """Σ_k of the mean step between neighbours, Σ_r |left[r+1, k] − left[r, k]| / (rows − 1), and so for the right.

    0: every vector is constant. A vector that only rises, or only falls, counts its two ends and not its way.
    """
    total = left.diff(dim=-2).abs().sum((-2, -1)) / (left.shape[-2] - 1)
    return total + right.diff(dim=-1).abs().sum((-2, -1)) / (right.shape[-1] - 1)


def _over_levels(terms: Float[torch.Tensor, "factors levels"], reduce: str) -> torch.Tensor:
    if reduce not in ("sum", "mean"):
        raise InputError(f"the regulariser is reduced over levels by 'sum' or 'mean', got {reduce!r}.")
    return terms.sum() if reduce == "sum" else terms.mean(1).sum()
