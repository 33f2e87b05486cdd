"""Functions from what a model showed to numbers: error, accuracy, similarity, probes, geometry, additivity, salience.

A measure is registered under a name in `measures` and takes an `Evidence` (pictures over two factors) or a
`ComponentEvidence` (a number per combination of components). The plain functions exported beside it take arrays.
"""

from recombine.measures.accuracy import extreme_pixels, places, position_accuracy
from recombine.measures.additivity import AdditivityFit, additivity_r2, fit_additivity
from recombine.measures.blending import blend_index, neighbour_order
from recombine.measures.component_evidence import ComponentEvidence, Conjunction
from recombine.measures.conjunctions import conjunction_shares
from recombine.measures.decisions import sign_agreement
from recombine.measures.embedding import top_share
from recombine.measures.error import error_map, mse, nmse
from recombine.measures.evidence import Evidence, NotFinite
from recombine.measures.exhibit import exhibits
from recombine.measures.metric_tensor import MetricTensor, factorisation_score, pullback_metric
from recombine.measures.network_salience import component_salience
from recombine.measures.participation import participation_ratio
from recombine.measures.probe import linear_probe
from recombine.measures.registry import Measure, Measures, measures, rotation_invariant
from recombine.measures.similarity import factorised_kernel, radial_kernel, similarity_matrix
from recombine.measures.slope import fitted_line
from recombine.measures.superposition import sharers
from recombine.measures.volume import volume_map

__all__ = [
    "AdditivityFit",
    "ComponentEvidence",
    "Conjunction",
    "Evidence",
    "Measure",
    "Measures",
    "MetricTensor",
    "NotFinite",
    "additivity_r2",
    "blend_index",
    "component_salience",
    "conjunction_shares",
    "error_map",
    "exhibits",
    "extreme_pixels",
    "factorisation_score",
    "factorised_kernel",
    "fit_additivity",
    "fitted_line",
    "linear_probe",
    "measures",
    "mse",
    "neighbour_order",
    "nmse",
    "participation_ratio",
    "places",
    "position_accuracy",
    "pullback_metric",
    "radial_kernel",
    "rotation_invariant",
    "sharers",
    "sign_agreement",
    "similarity_matrix",
    "top_share",
    "volume_map",
]
