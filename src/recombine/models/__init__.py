"""Networks that draw a picture or read one: specifications by name here, tensors in the files they import when built.

Every kind is an attribute: ``models.cnn_decoder(width=32)``.
"""

from typing import Any

from recombine.models import diffusion_specs, feedforward_spec, readers, scene_specs  # noqa: F401
from recombine.models.catalogue import ModelSpec, models
from recombine.models.interface import Interface

__all__ = ["Interface", "ModelSpec", "models"]


def __getattr__(name: str) -> Any:
    return getattr(models, name)
