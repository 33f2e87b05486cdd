"""The user's own models, data and activations, asked the same questions."""

from recombine.audits.audit import Audit, audit
from recombine.audits.factor_table import FactorTable
from recombine.audits.measuring import measure
from recombine.audits.reading import UserData, read_data

__all__ = ["Audit", "FactorTable", "UserData", "audit", "measure", "read_data"]
