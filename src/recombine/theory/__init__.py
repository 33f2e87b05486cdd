"""What can be said before training: kernels, the additive answer, and the forecast made of them.

Nothing here sees a network. A kernel that needs one is computed elsewhere and handed over.
"""

from recombine.theory.additive import additive_answer, additive_fit
from recombine.theory.additivity import Certificate, certificate
from recombine.theory.component_forecast import ComponentKernel, forecast_components, relu_kernels
from recombine.theory.conjunctions import additivity_residual, decompose
from recombine.theory.forecast import (
    COMPOSES_BELOW,
    FAILS_ABOVE,
    Forecast,
    SectionForecast,
    forecast_images,
    tangent_kernels,
)
from recombine.theory.kernels import overlap_kernel, predict, random_layers, readout, salience
from recombine.theory.leak import leak, leak_general
from recombine.theory.margin import max_margin
from recombine.theory.percolation import clusters, critical, curve, largest_share, overlap, reach
from recombine.theory.random_layers import salience_by_depth
from recombine.theory.reasons import Reason
from recombine.theory.solve import Regression, regress
from recombine.theory.tangent import relu_nngp_kernel, relu_tangent_kernel

__all__ = [
    "COMPOSES_BELOW",
    "FAILS_ABOVE",
    "Certificate",
    "ComponentKernel",
    "Forecast",
    "Reason",
    "Regression",
    "SectionForecast",
    "additive_answer",
    "additive_fit",
    "additivity_residual",
    "certificate",
    "clusters",
    "critical",
    "curve",
    "decompose",
    "forecast_components",
    "forecast_images",
    "largest_share",
    "leak",
    "leak_general",
    "max_margin",
    "overlap",
    "overlap_kernel",
    "predict",
    "random_layers",
    "reach",
    "readout",
    "regress",
    "relu_kernels",
    "relu_nngp_kernel",
    "relu_tangent_kernel",
    "salience",
    "salience_by_depth",
    "tangent_kernels",
]
