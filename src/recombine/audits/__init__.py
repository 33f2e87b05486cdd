"""The user's own models, data and activations, asked the same questions."""

from recombine.audits.factor_table import FactorTable
from recombine.audits.measuring import measure

__all__ = ["FactorTable", "measure"]
