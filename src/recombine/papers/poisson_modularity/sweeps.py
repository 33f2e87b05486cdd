"""Figures of this paper that arrange many settings: along a strength, over a plane, or as a cloud of runs."""

from recombine.papers.poisson_modularity import amounts as a
from recombine.papers.poisson_modularity import conditions as c
from recombine.papers.poisson_modularity.claiming import KEY
from recombine.papers.poisson_modularity.shapes import CHAINS
from recombine.papers.sweeps import Sweep

SWEEPS = (
    Sweep(
        "modularity-and-strength",
        KEY,
        "Modularity against the strength of noise and penalties",
        "ours",
        "path_modularity",
        "size of the noise, or strength of the penalty",
        {name: dict(doses) for name, doses in a.DOSES.items()},
        log_across=True,
    ),
    Sweep(
        "noise-and-examples",
        KEY,
        "Where noise makes modules: its size and the number of examples",
        "ours",
        "path_modularity",
        "examples shown",
        {f"{level:g}": dict(row) for level, row in a.PHASES.items()},
        kind="plane",
        series_label="size of the noise",
    ),
    Sweep(
        "robust-and-modular",
        KEY,
        "Mixed or modular, and how noise in the units is borne",
        "ours",
        "noise_robustness.0.1",
        "path cross-talk (0: modular)",
        {
            "nothing": {0: c.none},
            "L2": {0: c.l2},
            "additive noise": {0: c.additive},
            "Poisson-like noise": {0: c.noisy},
            "weighted activity 1": {0: c.wa1},
            "weighted activity 2": {0: c.wa2},
            "activity": {0: c.activity},
            "L1": {0: c.l1},
        },
        kind="scatter",
        against="cross_talk",
    ),
    Sweep(
        "module-need",
        KEY,
        "Examples needed before modules appear, against the number of functions",
        "abstract",
        "need",
        "functions side by side, K",
        {"weighted activity": {0: a.module_need}, "modules built in": {0: a.module_need_masked}},
        kind="exponential",
        value_label="examples at which modules appear",
    ),
    Sweep(
        "chain",
        KEY,
        "What the modules of a chain leave to the dense network",
        "code: chain",
        "linear_takeover",
        "hidden layers of each module",
        {"chain": dict(CHAINS)},
        log_value=True,
    ),
)
