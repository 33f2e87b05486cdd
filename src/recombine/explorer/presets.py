"""Problems to begin with: the first is what the page opens with."""

from typing import Any

HOLE = {"kind": "block", "y": [5, 16], "x": [5, 16]}
BUMPS = {"kind": "bump", "n": 20}
CNN = {"kind": "cnn-decoder", "width": 16}

PRESETS: list[dict[str, Any]] = [
    {
        "id": "hole",
        "title": "A bump with a hole",
        "says": "A decoder is given x and y, separately and cleanly, and must draw a bump at pairs it never saw.",
        "problem": {"task": BUMPS, "split": HOLE},
        "model": CNN,
        "recipe": {"steps": 1000},
    },
    {
        "id": "stripes",
        "title": "The same with lone stripes",
        "says": "Every x and every y is also shown alone, as a stripe: the remedy of Liang et al. (2025).",
        "problem": {"task": BUMPS, "split": HOLE, "isolated": ["y", "x"]},
        "model": CNN,
        "recipe": {"steps": 1000},
    },
    {
        "id": "sum-of-stripes",
        "title": "Crossings of stripes",
        "says": "Two stripes that cross: a task that adds up, so that it composes.",
        "problem": {"task": {"kind": "sum-of-stripes", "n": 20, "stripe_ink": 0.5}, "split": HOLE},
        "model": {"kind": "mlp-decoder", "depth": 2},
        "recipe": {"steps": 1500},
    },
    {
        "id": "torus",
        "title": "Diffusion on a torus",
        "says": "A light diffusion model draws bumps on a periodic canvas; a square of places is never shown.",
        "problem": {
            "task": {
                "kind": "torus",
                "n": 16,
                "sigma": 1.4,
                "encoding": {"kind": "sinusoidal", "pairs": 16, "raw": True},
            },
            "split": {"kind": "block", "y": [6, 10], "x": [6, 10]},
        },
        "model": {"kind": "diffusion"},
        "recipe": {"steps": 1000, "batch": 64, "rate": 8e-3, "schedule": "one-cycle"},
    },
    {
        "id": "addition",
        "title": "Sums of two symbols",
        "says": "Trained with one anchor a side, networks shrink every sum they never saw (Lippl & Stachenfeld 2025).",
        "problem": {"task": {"kind": "addition"}, "split": {"kind": "anchors", "first": [4], "second": [4]}},
        "model": {"kind": "mlp"},
        "recipe": {"steps": 4000, "batch": "all", "optimiser": "sgd", "decay": 0.0, "stop": 1e-4},
    },
    {
        "id": "context",
        "title": "Which feature counts",
        "says": "The context says which of two features to answer to; whether it is learned hangs on what is shown.",
        "problem": {
            "task": {"kind": "context"},
            "split": {"kind": "block", "feature1": [0, 3], "feature2": [3, 6]},
        },
        "model": {"kind": "mlp", "scale": 0.1},
        "recipe": {"steps": 3000, "batch": "all", "optimiser": "sgd", "rate": 0.02, "decay": 0.0, "loss": "logistic"},
    },
    {
        "id": "sines",
        "title": "Three functions in one network",
        "says": "Noise that grows with activity drives a network into modules (Qian, Liang & Fiete 2025).",
        "problem": {
            "task": {"kind": "parallel", "parts": 3},
            "split": {"kind": "several", "count": 2, "low": 3},
            "examples": 1000,
            "centres": "uniform",
        },
        "model": {"kind": "feedforward", "widths": [24, 24, 24]},
        "recipe": {
            "steps": 20000,
            "batch": 50,
            "optimiser": "adam",
            "rate": 3e-3,
            "decay": 0.0,
            "noise": {"kind": "activity", "level": 0.05, "exponent": 1.0},
            "penalties": [{"kind": "weights", "strength": 1e-4}],
        },
    },
    {
        "id": "sprites",
        "title": "Two sprites",
        "says": "One sprite varies at a time; a model made of components draws scenes of both (Wiedemer et al. 2023).",
        "problem": {"task": {"kind": "sprites", "tests": 500}, "support": {"kind": "planes"}, "examples": 20000},
        "model": {"kind": "compositional"},
        "recipe": {"steps": 300, "batch": 64, "rate": 4e-3, "decay": 1e-5, "schedule": "cosine"},
    },
]
