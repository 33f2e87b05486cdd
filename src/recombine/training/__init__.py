"""One training loop, and what is read off a trained model as arrays. Importing this package does not import torch."""

from recombine.training.noise import noises
from recombine.training.penalties import penalties
from recombine.training.recipe import Recipe
from recombine.training.run import Outcome, Plan, run, run_stack

__all__ = ["Outcome", "Plan", "Recipe", "noises", "penalties", "run", "run_stack"]
