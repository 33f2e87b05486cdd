"""Figures of this paper that arrange many settings: by width of a gap, by side of a square, by part of a lattice."""

from recombine.papers.diffusion_factorize import canvases as c
from recombine.papers.diffusion_factorize import data_need as d
from recombine.papers.diffusion_factorize.claiming import KEY
from recombine.papers.sweeps import Sweep

SWEEPS = (
    Sweep(
        "lesion-width",
        KEY,
        "Accuracy in the gap by its width",
        "Fig. 11",
        "darkest_accuracy.ood",
        "pixels of x that were never shown",
        {"sums of stripes": c.lesions},
        value_label="share of the gap in place",
    ),
    Sweep(
        "squares",
        KEY,
        "Accuracy in a held-out square by its side",
        "Fig. 12",
        "darkest_accuracy.ood",
        "side of the square in pixels",
        {
            f"{'bumps' if kind == 'bump' else 'sums'}, {place}": {
                side: c.squares[kind, place, side] for side in c.SQUARES
            }
            for kind in ("bump", "sum-of-stripes")
            for place in ("middle", "corner")
        },
        value_label="share of the square in place",
    ),
    Sweep(
        "lattice-accuracy",
        KEY,
        "Accuracy by the part of the lattice that is shown",
        "Fig. 6e",
        "darkest_accuracy.all",
        "part of the pixels at which a bump is shown",
        {f"sigma {sigma:g}": {part: c.lattice[sigma, part] for part in c.PARTS} for sigma in c.SIGMAS},
        value_label="share of all pictures in place",
    ),
    Sweep(
        "lattice-error",
        KEY,
        "Error of predicted noise by the part of the lattice that is shown",
        "Fig. 14c",
        "denoising_error.shown",
        "part of the pixels at which a bump is shown",
        {f"sigma {sigma:g}": {part: c.lattice[sigma, part] for part in c.PARTS} for sigma in c.SIGMAS},
        value_label="mean squared error of predicted noise",
    ),
    Sweep(
        "diffusion-need",
        KEY,
        "Training images needed for 60% of the held-out places",
        "Fig. 5c",
        "need_images",
        "side N of the picture in pixels",
        {"bumps": {0: d.bumps_alone}, "bumps and stripes": {0: d.bumps_beside_stripes}},
        kind="scaling",
        value_label="training images, stripes included",
    ),
)
