"""When bumps overlap and hang together, with nothing trained: DF14 and DF15."""

from recombine.papers.claims import Check, Range, Scale, setting
from recombine.papers.diffusion_factorize.claiming import claim
from recombine.papers.diffusion_factorize.percolating import BumpOverlap, LatticePercolation

overlap = setting("overlap", "Overlap of drawn bumps by their distance.", lambda _: BumpOverlap())
overlap_other = setting(
    "overlap_other", "The same on pixels only, beside the formula with another exponent.",
    lambda _: BumpOverlap(phase=0.0, denominator=2.0),
)  # fmt: skip
lattice = setting("percolation", "Largest cluster of bumps on a lattice.", lambda _: LatticePercolation())
lattice_reversed = setting(
    "percolation_reversed", "The same with thresholds from large to small.",
    lambda _: LatticePercolation(thresholds=(0.5, 0.05, 0.005)),
)  # fmt: skip

OVERLAPPING = (
    claim(
        "DF14",
        "Fig. 6b, A.5",
        "The overlap of two bumps falls with their distance; between pixels narrow ones overlap by more than 1 at half "
        "a pixel; the number of overlapping neighbours along an axis grows about linearly with sigma.",
        (
            Check("deviation_wide", Range(high=0.02), "the closed form of A.5"),
            Check("rise_on_pixel", Range(high=1e-9), "Fig. 6b: decreasing"),
            Check("near_half_02", Range(low=1.0), "Fig. 6b: above 1 near 0.5; our notes: 1.55"),
            Check("line_slope", Range(0.8, 1.2), "Fig. 6b: linear"),
        ),
        {"main": overlap},
        ("bumps on pixels only, beside another formula", {"main": overlap_other}),
        least=Scale.QUICK,
    ),
    claim(
        "DF15",
        "Fig. 6c, 13, 14b",
        "The largest cluster takes over as a lattice fills: earlier for wider bumps, later for a larger threshold, and "
        "never for bumps of sigma 0.1.",
        (
            Check("share_03_02", Range(0.4, 0.95), "our notes: 0.73"),
            Check("share_02_05", Range(high=0.4), "our notes: 0.18"),
            Check("share_05_01", Range(low=0.8), "our notes: 0.96"),
            Check("share_01_09", Range(high=0.02), "Fig. 6c: never"),
            Check("width_gain", Range(low=1e-6), "Fig. 6c: in order of sigma, with no two alike"),
            Check("threshold_delay", Range(low=0.05), "Fig. 13: later for a larger threshold"),
        ),
        {"main": lattice},
        ("thresholds in reverse", {"main": lattice_reversed}),
        least=Scale.QUICK,
    ),
)
