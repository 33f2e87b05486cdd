"""Functions from what a model showed to numbers: error, accuracy, superposition, similarity, probes, geometry.

A measure is registered under a name in `measures` and takes an `Evidence`. The plain functions exported beside it
take arrays.
"""

from recombine.measures.accuracy import extreme_pixels, position_accuracy
from recombine.measures.embedding import top_share
from recombine.measures.error import error_map, mse, nmse
from recombine.measures.evidence import Evidence
from recombine.measures.metric_tensor import MetricTensor, factorisation_score, pullback_metric
from recombine.measures.participation import participation_ratio
from recombine.measures.probe import linear_probe
from recombine.measures.registry import Measure, measures, rotation_invariant
from recombine.measures.similarity import factorised_kernel, radial_kernel, similarity_matrix
from recombine.measures.superposition import sharers
from recombine.measures.volume import volume_map

__all__ = [
    "Evidence",
    "Measure",
    "MetricTensor",
    "error_map",
    "extreme_pixels",
    "factorisation_score",
    "factorised_kernel",
    "linear_probe",
    "measures",
    "mse",
    "nmse",
    "participation_ratio",
    "position_accuracy",
    "pullback_metric",
    "radial_kernel",
    "rotation_invariant",
    "sharers",
    "similarity_matrix",
    "top_share",
    "volume_map",
]
