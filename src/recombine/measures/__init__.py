"""Functions from what a model showed to numbers: error, similarity, probes, geometry, additivity, salience, modularity.

A measure is registered under a name in `measures` and takes an `Evidence` (pictures over two factors), a
`ComponentEvidence` (a number per combination of components), a `ModuleEvidence` (a network for a task of modules) or a
`SceneEvidence` (pictures composed of sprites). The plain functions exported beside it take arrays.
"""

from recombine.measures.accuracy import extreme_pixels, places, position_accuracy
from recombine.measures.additivity import AdditivityFit, additivity_r2, fit_additivity
from recombine.measures.blending import blend_index, neighbour_order
from recombine.measures.component_evidence import ComponentEvidence, Conjunction
from recombine.measures.component_recovery import component_r2, swap_error
from recombine.measures.conjunctions import conjunction_shares
from recombine.measures.cross_talk import path_cross_talk, unit_selectivity
from recombine.measures.decisions import sign_agreement
from recombine.measures.embedding import top_share
from recombine.measures.error import error_map, mse, nmse
from recombine.measures.evidence import Evidence, NotFinite
from recombine.measures.exhibit import exhibits
from recombine.measures.layered import alive_units, hidden_modules
from recombine.measures.metric_tensor import MetricTensor, factorisation_score, pullback_metric
from recombine.measures.module_evidence import ModuleEvidence, probe_names
from recombine.measures.network_salience import component_salience
from recombine.measures.newman import in_block_shares, modularity
from recombine.measures.participation import participation_ratio
from recombine.measures.probe import linear_probe
from recombine.measures.pruning import prune, two_mode_threshold
from recombine.measures.registry import AnyEvidence, Measure, Measures, measures, rotation_invariant
from recombine.measures.robustness import answer_mse
from recombine.measures.scene_error import pooled_r2, scene_errors, scene_mse, scene_r2
from recombine.measures.scene_evidence import SceneEvidence
from recombine.measures.scene_exhibits import mean_by_cell
from recombine.measures.similarity import factorised_kernel, radial_kernel, similarity_matrix
from recombine.measures.slope import fitted_line
from recombine.measures.spectral import spectral_score
from recombine.measures.superposition import sharers
from recombine.measures.takeover import line_rmse
from recombine.measures.volume import volume_map

__all__ = [
    "AdditivityFit",
    "AnyEvidence",
    "ComponentEvidence",
    "Conjunction",
    "Evidence",
    "Measure",
    "Measures",
    "MetricTensor",
    "ModuleEvidence",
    "NotFinite",
    "SceneEvidence",
    "additivity_r2",
    "alive_units",
    "answer_mse",
    "blend_index",
    "component_r2",
    "component_salience",
    "conjunction_shares",
    "error_map",
    "exhibits",
    "extreme_pixels",
    "factorisation_score",
    "factorised_kernel",
    "fit_additivity",
    "fitted_line",
    "hidden_modules",
    "in_block_shares",
    "line_rmse",
    "linear_probe",
    "mean_by_cell",
    "measures",
    "modularity",
    "mse",
    "neighbour_order",
    "nmse",
    "participation_ratio",
    "path_cross_talk",
    "places",
    "pooled_r2",
    "position_accuracy",
    "probe_names",
    "prune",
    "pullback_metric",
    "radial_kernel",
    "rotation_invariant",
    "scene_errors",
    "scene_mse",
    "scene_r2",
    "sharers",
    "sign_agreement",
    "similarity_matrix",
    "spectral_score",
    "swap_error",
    "top_share",
    "two_mode_threshold",
    "unit_selectivity",
    "volume_map",
]
