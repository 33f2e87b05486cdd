"""recombine: will it compose, and why?"""

__version__ = "0.1.0"
