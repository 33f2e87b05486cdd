"""Networks that draw: specifications by name here, tensors in the files they import when built."""

from recombine.models.catalogue import ModelSpec, models
from recombine.models.interface import Interface

__all__ = ["Interface", "ModelSpec", "models"]
