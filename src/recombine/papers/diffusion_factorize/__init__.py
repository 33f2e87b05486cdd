"""Liang, Liu, Ostrow & Fiete, *How Diffusion Models Learn to Factorize and Compose*, NeurIPS 2024.

Are the factors of what a diffusion model draws laid out apart in it, and from which pictures does it learn to combine
them? Claims whose name begins with DX are ours.
"""

from recombine.papers.diffusion_factorize.amounts import AMOUNTS
from recombine.papers.diffusion_factorize.claiming import KEY
from recombine.papers.diffusion_factorize.composing import COMPOSING
from recombine.papers.diffusion_factorize.ours import OURS
from recombine.papers.diffusion_factorize.overlapping import OVERLAPPING
from recombine.papers.diffusion_factorize.sweeps import SWEEPS
from recombine.papers.diffusion_factorize.tori import TORI
from recombine.papers.paper import Paper, papers

papers.add(
    Paper(
        key=KEY,
        prefixes=("DF", "DX"),
        title="How diffusion models learn to factorize and compose",
        citation="Liang, Liu, Ostrow & Fiete, NeurIPS 2024, arXiv:2408.13256",
        claims=tuple(
            sorted(
                (*TORI, *COMPOSING, *AMOUNTS, *OVERLAPPING, *OURS), key=lambda claim: (claim.id[:2], int(claim.id[2:]))
            )
        ),
        sweeps=SWEEPS,
    )
)
