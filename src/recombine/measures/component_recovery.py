"""Whether the components of a model are the true ones: as they are, and as far as a picture shows them.

Pictures can be right while components are not. A composition may hide a part of a component, as an opaque front hides
what is behind it, and it may let one component make up for another, as a sum does for a constant that is moved from one
term to the other. Component R² sees both. The swap error does not see what is hidden, and sees what is made up for.
"""

from recombine.measures.registry import measures
from recombine.measures.scene_error import pooled_r2, relative_error
from recombine.measures.scene_evidence import SceneEvidence


@measures.register("component_r2")
def component_r2(evidence: SceneEvidence) -> dict[str, float]:
    """R² of each component on the whole space, by sprite, front first: 1 the true one, 0 as its mean, no lower end.

        1 − Σ (φ̂_k − φ_k)² / Σ (φ_k − mean of φ_k)²   over items, pixels and channels of section "all"

    The mean is that of each channel of each pixel. Raw: nothing is fitted, so it can be far below 0 for a model whose
    pictures are right.
    """
    truths, components = evidence.need_components()
    members = evidence.section("all")
    return {
        str(slot + 1): pooled_r2(
            truths[slot, members], components[slot, members], f"true component {slot + 1} in 'all'"
        )
        for slot in range(evidence.slots)
    }


@measures.register("component_error")
def component_error(evidence: SceneEvidence) -> dict[str, float]:
    """Error of each component on the whole space, by sprite: 0 the true one, 1 as bad as its mean; 1 less component_r2.

        Σ (φ̂_k − φ_k)² / Σ (φ_k − mean of φ_k)²   over items, pixels and channels of section "all"

    There is no upper end. It differs between seeds by factors, where the R² has no lower end to average over.
    """
    return {name: 1 - score for name, score in component_r2(evidence).items()}


@measures.register("swap_error")
def swap_error(evidence: SceneEvidence) -> dict[str, float]:
    """Error when one true component is swapped for the model's, by sprite: 0 right, 1 as bad as the mean picture.

        Σ (C(φ̂_k, true others) − C(true))² / Σ (C(true) − mean of C(true))²   over section "all"

    C is the model's composition, and the mean is that of each channel of each pixel. There is no upper end. What C
    hides of a component does not count; what another component of the model makes up for does.
    """
    swapped, composed = evidence.need_swaps()
    members = evidence.section("all")
    truth = composed[members]
    return {
        str(slot + 1): relative_error(truth, swapped[slot, members], "pictures composed of true components in 'all'")
        for slot in range(evidence.slots)
    }
