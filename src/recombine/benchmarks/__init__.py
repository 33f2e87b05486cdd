"""Speed as ratios: each benchmark checks that both sides agree, then alternates them in one run."""

from recombine.benchmarks.measuring import Result, benchmarks, run_benchmarks

__all__ = ["Result", "benchmarks", "run_benchmarks"]
