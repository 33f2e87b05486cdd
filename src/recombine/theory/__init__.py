"""What can be said before training: kernels, the additive answer, and the forecast made of them.

Nothing here sees a network. A kernel that needs one is computed elsewhere and handed over.
"""

from recombine.theory.additive import additive_answer, additive_fit
from recombine.theory.forecast import (
    COMPOSES_BELOW,
    FAILS_ABOVE,
    Forecast,
    SectionForecast,
    forecast_images,
    tangent_kernels,
)
from recombine.theory.kernels import overlap_kernel, predict
from recombine.theory.margin import max_margin
from recombine.theory.reasons import Reason
from recombine.theory.solve import Regression, regress
from recombine.theory.tangent import relu_nngp_kernel, relu_tangent_kernel

__all__ = [
    "COMPOSES_BELOW",
    "FAILS_ABOVE",
    "Forecast",
    "Reason",
    "Regression",
    "SectionForecast",
    "additive_answer",
    "additive_fit",
    "forecast_images",
    "max_margin",
    "overlap_kernel",
    "predict",
    "regress",
    "relu_nngp_kernel",
    "relu_tangent_kernel",
    "tangent_kernels",
]
