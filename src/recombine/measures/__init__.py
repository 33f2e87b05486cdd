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
from recombine.measures.course import participation_hump
from recombine.measures.cross_talk import path_cross_talk, unit_selectivity
from recombine.measures.crossing import crossing_ink, stripe_ink
from recombine.measures.decisions import sign_agreement
from recombine.measures.denoising import denoising_error
from recombine.measures.embedding import top_share
from recombine.measures.error import error_map, mse, nmse
from recombine.measures.evidence import Evidence, NotFinite
from recombine.measures.exhibit import exhibits
from recombine.measures.harmonics import circle_fit
from recombine.measures.homology_bars import (
    HomologyCost,
    LandmarkSpread,
    LongBars,
    diagram,
    furthest_points,
    homology,
    homology_cost,
    landmark_spread,
    long_bars,
)
from recombine.measures.layered import alive_units, hidden_modules
from recombine.measures.loops import parts
from recombine.measures.metric_tensor import MetricTensor, factorisation_score, pullback_metric
from recombine.measures.module_evidence import ModuleEvidence, probe_names
from recombine.measures.neighbourhoods import umap_view
from recombine.measures.network_salience import component_salience
from recombine.measures.newman import in_block_shares, modularity
from recombine.measures.participation import participation_ratio
from recombine.measures.probe import linear_probe
from recombine.measures.pruning import prune, two_mode_threshold
from recombine.measures.reading import Marks, centroid_places, find_marks, marginal_places, strict_places
from recombine.measures.registry import AnyEvidence, Measure, Measures, measures, rotation_invariant
from recombine.measures.rings import RingTest, clifford_torus, component_angles, ring_tests, ring_torus, torus_distances
from recombine.measures.robustness import answer_mse
from recombine.measures.sampling_layers import bottleneck_share, step_similarity
from recombine.measures.scene_error import pooled_r2, scene_errors, scene_mse, scene_r2
from recombine.measures.scene_evidence import SceneEvidence
from recombine.measures.scene_exhibits import mean_by_cell
from recombine.measures.similarity import factorised_kernel, radial_kernel, similarity_matrix
from recombine.measures.slope import fitted_line
from recombine.measures.spectral import spectral_score
from recombine.measures.spectrum import PrincipalComponents, principal_components
from recombine.measures.superposition import sharers
from recombine.measures.takeover import line_rmse
from recombine.measures.torus_shape import torus_orthogonality
from recombine.measures.volume import volume_map

__all__ = [
    "AdditivityFit",
    "AnyEvidence",
    "ComponentEvidence",
    "Conjunction",
    "Evidence",
    "HomologyCost",
    "LandmarkSpread",
    "LongBars",
    "Marks",
    "Measure",
    "Measures",
    "MetricTensor",
    "ModuleEvidence",
    "NotFinite",
    "PrincipalComponents",
    "RingTest",
    "SceneEvidence",
    "additivity_r2",
    "alive_units",
    "answer_mse",
    "blend_index",
    "bottleneck_share",
    "centroid_places",
    "circle_fit",
    "clifford_torus",
    "component_angles",
    "component_r2",
    "component_salience",
    "conjunction_shares",
    "crossing_ink",
    "denoising_error",
    "diagram",
    "error_map",
    "exhibits",
    "extreme_pixels",
    "factorisation_score",
    "factorised_kernel",
    "find_marks",
    "fit_additivity",
    "fitted_line",
    "furthest_points",
    "hidden_modules",
    "homology",
    "homology_cost",
    "in_block_shares",
    "landmark_spread",
    "line_rmse",
    "linear_probe",
    "long_bars",
    "marginal_places",
    "mean_by_cell",
    "measures",
    "modularity",
    "mse",
    "neighbour_order",
    "nmse",
    "participation_hump",
    "participation_ratio",
    "parts",
    "path_cross_talk",
    "places",
    "pooled_r2",
    "position_accuracy",
    "principal_components",
    "probe_names",
    "prune",
    "pullback_metric",
    "radial_kernel",
    "ring_tests",
    "ring_torus",
    "rotation_invariant",
    "scene_errors",
    "scene_mse",
    "scene_r2",
    "sharers",
    "sign_agreement",
    "similarity_matrix",
    "spectral_score",
    "step_similarity",
    "strict_places",
    "stripe_ink",
    "swap_error",
    "top_share",
    "torus_distances",
    "torus_orthogonality",
    "two_mode_threshold",
    "umap_view",
    "unit_selectivity",
    "volume_map",
]
