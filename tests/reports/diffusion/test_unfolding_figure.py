"""The unfolding of a torus is drawn from what was kept at checkpoints, and from nothing else."""

import re

import numpy as np

from recombine.core.seeds import stream
from recombine.measures import clifford_torus
from recombine.papers import Scale
from recombine.papers.diffusion_factorize import canvases
from recombine.reports.unfolding_figure import unfolding_figure


def kept(checkpoints: int, side: int) -> dict[str, np.ndarray]:
    """Noise that turns into a Clifford torus."""
    noise = stream(0, "unfolding").normal(size=(side * side, 4))
    torus = clifford_torus(side, side).reshape(-1, 4)[:, [0, 2, 1, 3]]  # rings lie in components 1, 3 and 2, 4
    mixed = [(1 - share) * noise + share * torus for share in np.linspace(0, 1, checkpoints)]
    spectra = np.repeat([[0.2] * 4 + [0.01] * 11], checkpoints, axis=0)
    return {
        "course_steps": np.linspace(0, 100, checkpoints),
        "course_spectrum_probe": spectra.astype(np.float16),
        "course_portrait_probe": np.stack(mixed).astype(np.float16),
    }


def side() -> int:
    return canvases.torus(Scale.QUICK).problem.grid.shape[0]


def test_the_caption_tells_where_it_starts_and_ends(runs_of):
    figure = str(unfolding_figure(runs_of(canvases.torus, kept(9, side()))))
    assert "step 0: 0.8 in 4 components" in figure
    last = re.search(r"step 100: 0.8 in 4 components, spread of radii (\S+) and", figure)
    assert last is not None
    assert float(last[1].replace("−", "-")) < 1e-3
    assert figure.count("step ") >= 5


def test_few_checkpoints_are_all_drawn(runs_of):
    figure = str(unfolding_figure(runs_of(canvases.torus, kept(2, side()))))
    assert "step 0:" in figure
    assert "step 100:" in figure


def test_without_checkpoints_there_is_no_figure(runs_of):
    without = {name: array for name, array in kept(3, side()).items() if name != "course_portrait_probe"}
    assert unfolding_figure(runs_of(canvases.torus, without)) is None
    assert unfolding_figure(runs_of(canvases.torus, kept(3, side() + 1))) is None
