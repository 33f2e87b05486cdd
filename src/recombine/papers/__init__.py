"""The five papers: every claim an object that is run, judged with intervals, and can come out contradicted."""

from recombine.papers import diffusion_factorize, first_principles, forced_rendering, kernel_theory, poisson_modularity
from recombine.papers.claims import Average, Check, Claim, Control, Interval, Range, Scale, Verdict
from recombine.papers.judging import CheckResult, Judgement, judge
from recombine.papers.paper import Paper, papers

__all__ = [
    "Average",
    "Check",
    "CheckResult",
    "Claim",
    "Control",
    "Interval",
    "Judgement",
    "Paper",
    "Range",
    "Scale",
    "Verdict",
    "diffusion_factorize",
    "first_principles",
    "forced_rendering",
    "judge",
    "kernel_theory",
    "papers",
    "poisson_modularity",
]
