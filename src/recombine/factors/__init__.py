"""Factors, levels, grids, and the map between a combination and its index."""

from recombine.factors.absent import ABSENT, present
from recombine.factors.factor import Factor
from recombine.factors.grid import Grid

__all__ = ["ABSENT", "Factor", "Grid", "present"]
