"""The network that draws each factor alone before it joins them, and the regulariser on its drawings.

Liang, Qian, Ziyin & Fiete, *Compositional Generalization via Forced Rendering of Disentangled Latents* (2025),
with the settings of the code they released.
"""

from collections.abc import Iterator

import torch
from torch import nn
from torch.nn import functional as F

from recombine.core.errors import InputError
from recombine.core.shapes import Float
from recombine.models.band_convolution import BandConvolution
from recombine.models.network import Network

FACTORS = ("y", "x")  # first axis of the weights, and order of the halves of the code
CHANNELS = ("x", "y")  # as released


class ForcedRenderingNetwork(Network):
    """A square picture per level of each factor, mixed by the code, then tiny convolutions.

        E_f[i] = Σ_k λ_f[i, k] l_f[i, :, k] r_f[i, k, :],   l and r rescaled to unit norm in every pass
        picture of factor f = Σ_i code_f[i] E_f[i]          (a one-hot code picks E_f[i]; no factor, no picture)
        [x picture, y picture] → [PReLU, ConvT 2→2] × hidden → PReLU → ConvT 2→1        (kernel 3)

    Note the PReLU on the pictures themselves. Layers: ``embedding`` (the two pictures), then ``prelu0``, ``conv0``,
    ``prelu1``, ``conv1``, ..., the last ``prelu``; the last convolution is the output. Every slope starts at 0.25.
    """

    def __init__(self, levels: int, hidden: int) -> None:
        super().__init__()
        each = (len(FACTORS), levels)  # every array below: factor, level, ...
        self.scales = nn.Parameter(torch.randn(*each, levels) / levels**0.5)  # λ: ..., term
        self.left = nn.Parameter(F.normalize(torch.randn(*each, levels, levels), dim=2))  # l: ..., row, term
        self.right = nn.Parameter(F.normalize(torch.randn(*each, levels, levels), dim=3))  # r: ..., term, column
        self.slopes = nn.ModuleList(nn.PReLU() for _ in range(hidden + 1))
        self.convolutions = nn.ModuleList(BandConvolution(2, out, levels) for out in [2] * hidden + [1])

    @property
    def layer_names(self) -> tuple[str, ...]:
        blocks = range(len(self.convolutions) - 1)
        names = [name for block in blocks for name in (f"prelu{block}", f"conv{block}")]
        return ("embedding", *names, f"prelu{len(blocks)}")

    def embeddings(self) -> dict[str, Float[torch.Tensor, "levels rows columns"]]:
        """The pictures E_f by factor; ``embeddings()["x"][i]`` is what level i of x looks like, rows first."""
        return dict(zip(FACTORS, self._embeddings(), strict=True))

    def stages(self, codes: Float[torch.Tensor, "batch inputs"]) -> Iterator[tuple[str, torch.Tensor]]:
        codes_by_factor = codes.unflatten(1, (len(FACTORS), -1))
        mixed = torch.einsum("bfi,firc->frbc", codes_by_factor, self._embeddings())
        # Rows first (rows, batch, channels, columns), which is what the convolutions want.
        pictures = torch.stack([mixed[FACTORS.index(channel)] for channel in CHANNELS], dim=2)
        yield "embedding", _batch_first(pictures)
        last = len(self.convolutions) - 1
        for block, (slope, convolution) in enumerate(zip(self.slopes, self.convolutions, strict=True)):
            pictures = slope(pictures)
            yield f"prelu{block}", _batch_first(pictures)
            pictures = convolution(pictures)
            if block < last:
                yield f"conv{block}", _batch_first(pictures)
        yield "output", _batch_first(pictures)[:, 0]

    def regulariser(
        self, entropy: float | torch.Tensor, variance: float | torch.Tensor, reduce: str = "sum"
    ) -> Float[torch.Tensor, ""]:
        """R = entropy · `entropy_term` + variance · `variance_term`, to be added to the loss of every batch.

        It is over all levels, not only those of the batch. The released weights are 0.1 and 0.01 with ``"sum"``.
        Sums over levels grow with their number n; under ``"mean"`` each factor's sum is divided by n, so that
        coefficients carry over to other sizes.
        """
        return entropy * self.entropy_term(reduce) + variance * self.variance_term(reduce)

    def entropy_term(self, reduce: str = "sum") -> Float[torch.Tensor, ""]:
        """Σ_f Σ_i of `entropies`: low when each picture is made of few terms. 0 (nearly): every picture has rank 1."""
        return _over_levels(entropies(self.scales), reduce)

    def variance_term(self, reduce: str = "sum") -> Float[torch.Tensor, ""]:
        """Σ_f Σ_i of `spreads`: low when the vectors are constant. 0: every picture is flat.

        It is taken on the vectors as stored, before they are rescaled, so it shrinks them too.
        """
        return _over_levels(spreads(self.left, self.right), reduce)

    def _embeddings(self) -> Float[torch.Tensor, "factors levels rows columns"]:
        norms = self.left.square().sum(2) * self.right.square().sum(3)
        # Both norms go into the scales: the same product, with n² numbers to rescale in place of n³.
        scales = self.scales * norms.clamp_min(torch.finfo(norms.dtype).tiny).rsqrt()
        return (self.left * scales[:, :, None, :]) @ self.right


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


def _over_levels(terms: Float[torch.Tensor, "factors levels"], reduce: str) -> torch.Tensor:
    if reduce not in ("sum", "mean"):
        raise InputError(f"the regulariser is reduced over levels by 'sum' or 'mean', got {reduce!r}.")
    return terms.sum() if reduce == "sum" else terms.mean(1).sum()


def _batch_first(pictures: Float[torch.Tensor, "rows batch channels columns"]) -> torch.Tensor:
    return pictures.permute(1, 2, 0, 3)
