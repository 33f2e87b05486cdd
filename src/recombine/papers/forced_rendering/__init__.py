"""Liang, Qian, Ziyin & Fiete, *Compositional Generalization via Forced Rendering of Disentangled Latents*, ICML 2025.

A decoder is given x and y already disentangled and still fails on pairs it never saw: it adds up remembered
pictures. It composes once each factor is rendered alone, forced by the architecture with a regulariser or by
adding single-factor pictures to the training set. Claims whose name begins with FX are ours, about the same networks.
The networks and data sets are in `settings`, the figures over many of them in `sweeps`.
"""

from recombine.papers.forced_rendering.claiming import KEY
from recombine.papers.forced_rendering.composing import DATA, RENDERING
from recombine.papers.forced_rendering.failure import FAILURE, INSIDE
from recombine.papers.forced_rendering.ours import OURS
from recombine.papers.forced_rendering.released import RELEASED
from recombine.papers.forced_rendering.sweeps import SWEEPS
from recombine.papers.paper import Paper, papers

papers.add(
    Paper(
        key=KEY,
        prefixes=("FR", "FX"),
        title="Compositional Generalization via Forced Rendering of Disentangled Latents",
        citation="Liang, Qian, Ziyin & Fiete, ICML 2025, PMLR 267:37370-37395",
        claims=(*FAILURE, *INSIDE, *RENDERING, *DATA, *RELEASED, *OURS),
        sweeps=SWEEPS,
    )
)
