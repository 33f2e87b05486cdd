"""Figures of this paper that arrange many settings: by width, by the number of planes, and as a cloud of runs."""

from recombine.papers.first_principles import scenes as s
from recombine.papers.first_principles.claiming import KEY
from recombine.papers.sweeps import Sweep

SWEEPS = (
    Sweep(
        "fit-and-whole",
        KEY,
        "Fit on the support and rightness on the whole space, a point for every seed",
        "Table 1",
        "all_r2",
        "R2 on scenes drawn like the training set",
        {
            "whole space": {0: s.whole},
            "whole space, monolithic": {0: s.whole_mono},
            "planes": {0: s.planes, 1: s.broad, 2: s.normal},
            "planes, monolithic": {0: s.planes_mono},
            "planes with a gap": {0: s.gap},
            "diagonals": {0: s.narrow, 1: s.middle, 2: s.wide},
            "opacity, one decoder": {0: s.rgba_shared},
        },
        kind="scatter",
        against="id_r2",
        value_label="R2 on the whole space",
    ),
    Sweep(
        "diagonal-width",
        KEY,
        "Diagonals by their width",
        "Table 1, rows 6, 8, 10",
        "all_r2",
        "width as released (twice as wide beside the canvas at laptop)",
        {"compositional": {0.05: s.narrow, 0.1: s.middle, 0.2: s.wide}},
        log_across=True,
        value_label="R2 on the whole space",
    ),
    Sweep(
        "planes",
        KEY,
        "Planes by their number",
        "Table 1, rows 4, 7; released",
        "all_r2",
        "planes in the training set",
        {"compositional": {2: s.single, 3: s.planes, 4: s.broad}},
        value_label="R2 on the whole space",
    ),
    Sweep(
        "error-and-fit",
        KEY,
        "Error on the whole space against error on the planes, by length of training",
        "ours",
        "all_mse",
        "mean squared error on scenes drawn like the training set",
        {
            "compositional": {0: s.shorter[0.1], 1: s.shorter[0.3], 2: s.planes},
            "monolithic": {0: s.shorter_mono[0.1], 1: s.shorter_mono[0.3], 2: s.planes_mono},
        },
        kind="scatter",
        against="id_mse",
        value_label="mean squared error on the whole space",
    ),
)
