"""Speed as ratios: each benchmark checks that both sides agree, then alternates them in one run."""

from recombine.benchmarks.measuring import Result, benchmarks, check_place, page, run_benchmarks, save

__all__ = ["Result", "benchmarks", "check_place", "page", "run_benchmarks", "save"]
