"""Does an autoencoder give back anything at all? Then its answers to new combinations say nothing of composition."""

from typing import Any

import numpy as np

from recombine.audits.watching import Watched, as_floats
from recombine.core.errors import InputError
from recombine.core.seeds import stream

ROWS = 64  # inputs that are asked


def answers_to_nothing(watched: Watched, inputs: Any, seed: int) -> float | None:
    """R² with which inputs that show nothing are given back: each number is that of another row, drawn by the seed.

        1 − Σ (answer − s)² / Σ (s − m)²,   s_ij = x_π_j(i)j with a permutation π_j for each place, m the means

    What a place holds is spread as it is among the inputs, so that whatever answers place by place (a copy, or a
    darker one) does as well as on these; what knows which places go together, as it must to pass through few units,
    does not. None where nothing varies or the model refuses.
    """
    rng = stream(seed, "audit", "scrambled")
    some = np.sort(rng.choice(len(inputs), min(ROWS, len(inputs)), replace=False))
    shown = as_floats(inputs[some])
    rows = shown.reshape(len(shown), -1)
    scrambled = rng.permuted(rows, axis=0)
    spread = float(np.square(scrambled - rows.mean(axis=0), dtype=np.float64).sum())
    try:
        answers = np.concatenate([each for _, each, _ in watched.answers(scrambled.reshape(shown.shape))])
    except InputError:
        return None
    missed = float(np.square(answers.reshape(rows.shape) - scrambled, dtype=np.float64).sum())
    return 1.0 - missed / spread if spread > 0 and np.isfinite(missed) else None
