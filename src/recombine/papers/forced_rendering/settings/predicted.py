"""Ours, on Figure 1: decoders whose pictures are forecast before they are trained."""

from functools import partial
from typing import Any

from recombine.models import ModelSpec, models
from recombine.papers.claims import Maker, Setting, setting
from recombine.papers.forced_rendering.oracles import DecoderOracle
from recombine.papers.forced_rendering.settings.building import SMALL, STRIPES, square
from recombine.training import Recipe


def oracle(name: str, says: str, model: Maker[ModelSpec], steps: int, **problem: Any) -> Setting:
    """A decoder whose pictures are forecast before it is trained."""
    return setting(
        name,
        says,
        lambda scale: DecoderOracle(problem=square(SMALL, **problem), model=model(), recipe=Recipe(steps=steps)),
    )


oracle_cnn = oracle("oracle_cnn", "A CNN on the hole, bump codes.", partial(models.cnn_decoder, width=16), 1000)
oracle_mlp = oracle("oracle_mlp", "An MLP on the hole, one-hot codes.", models.mlp_decoder, 4000, encoding="one-hot")
oracle_stripes = oracle(
    "oracle_stripes", "The same CNN with stripes.",
    partial(models.cnn_decoder, width=16), 1000, isolated=STRIPES,
)  # fmt: skip
