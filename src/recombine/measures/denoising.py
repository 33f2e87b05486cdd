"""How well a diffusion model does what it is trained for."""

from recombine.core.errors import InputError
from recombine.measures.evidence import Evidence
from recombine.measures.registry import measures


@measures.register("denoising_error")
def denoising_error(evidence: Evidence) -> dict[str, float]:
    """Mean squared error of predicted noise, on pictures that were "shown" and on "new" ones: 0 right, 1 blind.

    mean over pictures, times and noise of (ε − ε̂)²
    """
    if not evidence.denoising:
        raise InputError("denoising_error is undefined: this model predicts no noise; use a diffusion model.")
    return dict(evidence.denoising)
