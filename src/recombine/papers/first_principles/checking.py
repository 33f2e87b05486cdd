"""What is computed rather than trained: the conditions of the theorem for a support, and the definition itself."""

from collections.abc import Callable
from functools import partial
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from recombine.core.compositions import Addition, AlphaOver, Composition, HardOcclusion, SoftOcclusion, compositions
from recombine.core.seeds import stream
from recombine.core.spec import MemberOf
from recombine.data import Problem, tasks
from recombine.data.scenes import Sprites
from recombine.papers.claims import Maker, Setting, setting
from recombine.papers.first_principles.predictors import SupportPredictors
from recombine.splits import Support, supports
from recombine.splits.designs import (
    GAP,
    DiagonalSupport,
    PlanesSupport,
    RandomSupport,
    orthogonal,
    orthogonal_single,
)
from recombine.studies import Calculation, Computed, calculations

# Definition 1 for each composition, written out: of a sprite on black and of what is behind it. Sprites have full
# colour, so that their largest channel is what they cover of a pixel.
FORMULAS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "addition": lambda front, behind: front + behind,
    "hard": lambda front, behind: np.where(front.sum(axis=-1, keepdims=True) > 0.5, front, behind),
    "soft": lambda front, behind: (
        (front + np.exp(-front.sum(-1, keepdims=True)) * behind) / (1 + np.exp(-front.sum(-1, keepdims=True)))
    ),
    "over": lambda front, behind: front + (1 - front.max(axis=-1, keepdims=True)) * behind,
}
SPRITES = (1, 2)  # slots with quantities of their own


@calculations.register("support-check")
class SupportCheckup(Calculation):
    """Whether a support fulfils the conditions for a composition, at component values drawn from the whole space.

    Conditions are 1 where they hold and 0 where they fail. Scenes are those of 16 x 16 pixels.
    """

    exact: ClassVar[bool] = False
    quantities: ClassVar = {
        "compositional": "1: every component value that was asked about is shown",
        "sufficient": "1: the published rank condition holds at every value",
        "stacked": "1: the rank that the proof needs is full at every value",
        "relative": "1: training shows every change of a component that the whole space shows",
        "margin": "smallest singular value over the largest: 1 all changes are seen alike, 0 one is not seen",
        "free_share": "share of the pixels of unseen combinations that training leaves free, to first order",
        "free_overlap_share": "the same of the pixels in which sprites overlap",
        "null_dims": "changes of all components of a pixel that training does not see, on average",
        **{f"full_rank_{k}": f"share of values of sprite {k} with full published rank" for k in SPRITES},
        **{f"lacking_{k}": f"share of pixels of sprite {k} where training lacks what a test shows" for k in SPRITES},
    }

    composition: Annotated[Composition, MemberOf(compositions)] = SoftOcclusion()
    support: Annotated[Support, MemberOf(supports)] = PlanesSupport()
    anchors: int = Field(default=40, ge=1)
    completions: int = Field(default=256, ge=1)

    def compute(self) -> Computed:
        from recombine.studies.supporting import check_support, freedom, relative

        problem = Problem(self.task, support=self.support, examples=1)
        found = check_support(problem, anchors=self.anchors, completions=self.completions, seed=self.seed)
        free = freedom(problem, seed=self.seed)
        measures = {
            "compositional": found.compositional,
            "sufficient": found.sufficient,
            "stacked": found.stacked,
            "relative": relative(found),
            "margin": found.margin,
            "free_share": free.share,
            "null_dims": free.found.null_dims,
            **({} if free.overlap_share is None else {"free_overlap_share": free.overlap_share}),
        }
        arrays: dict[str, np.ndarray] = {}
        side = (self.task.size, self.task.size)
        for number, slot in zip(SPRITES, found.slots, strict=True):
            measures |= {f"full_rank_{number}": slot.summed, f"lacking_{number}": slot.lacking or 0.0}
            arrays |= {
                f"deficient_{number}": slot.maps["summed"].reshape(side).astype(np.float32),
                f"lacking_{number}": slot.maps["relative"].reshape(side).astype(np.float32),
            }
        return Computed({name: float(value) for name, value in measures.items()}, arrays)

    @property
    def task(self) -> Sprites:
        """Hard occlusion goes with hard edges: between them it has no derivative."""
        raster = "hard" if isinstance(self.composition, HardOcclusion) else "soft"
        return tasks.sprites(composition=self.composition, raster=raster)

    def expected_seconds(self) -> float:
        return 8.0


@calculations.register("scene-definition")
class SceneDefinition(Calculation):
    """Whether drawn scenes are, by `FORMULAS`, the composition of their sprites drawn by themselves.

    With ``exchanged`` the last component of each scene is that of another scene.
    """

    exact: ClassVar[bool] = False
    quantities: ClassVar = {
        "largest_difference": "largest difference between a drawn scene and the composition of its components",
        "cases": "numbers of sprites times compositions that were compared",
    }

    exchanged: bool = False
    items: int = Field(default=50, ge=2)

    def compute(self) -> Computed:
        largest, cases = 0.0, 0
        for count in (2, 3, 4):
            for name in FORMULAS:
                task, alone = (
                    tasks.sprites(count=count, composition=name),
                    tasks.sprites(count=1, composition="addition"),
                )
                places = stream(self.seed, "data", "definition").random((self.items, count, task.latents))
                sprites = [alone.at(places[:, slot]).targets.reshape(self.items, -1, 3) for slot in range(count)]
                if self.exchanged:
                    sprites[-1] = np.roll(sprites[-1], 1, axis=0)
                scenes = task.at(places.reshape(self.items, -1)).targets.reshape(self.items, -1, 3)
                *front, composed = (sprite.astype(np.float64) for sprite in sprites)
                for sprite in front[::-1]:
                    composed = FORMULAS[name](sprite, composed)
                largest = max(largest, float(np.abs(composed - scenes).max()))
                cases += 1
        return Computed({"largest_difference": largest, "cases": float(cases)})


def checked(name: str, composition: Maker[Composition], support: Maker[Support], says: str) -> Setting:
    """The conditions for a composition and a support."""
    return setting(name, says, lambda scale: SupportCheckup(composition=composition(), support=support()))


soft_planes = checked("check_soft_planes", SoftOcclusion, orthogonal, "Conditions: soft, three planes.")
soft_single = checked("check_soft_single", SoftOcclusion, orthogonal_single, "Conditions: soft, two planes.")
soft_gap = checked("check_soft_gap", SoftOcclusion, partial(orthogonal, without=GAP), "Conditions: soft, a gap.")
soft_narrow = checked(
    "check_soft_narrow", SoftOcclusion, partial(DiagonalSupport, width=0.1), "Conditions: soft, diagonal 0.1."
)
hard_planes = checked("check_hard_planes", HardOcclusion, orthogonal, "Conditions: hard, three planes.")
hard_single = checked("check_hard_single", HardOcclusion, orthogonal_single, "Conditions: hard, two planes.")
hard_narrow = checked(
    "check_hard_narrow", HardOcclusion, partial(DiagonalSupport, width=0.1), "Conditions: hard, diagonal 0.1."
)
hard_wide = checked(
    "check_hard_wide", HardOcclusion, partial(DiagonalSupport, width=0.4), "Conditions: hard, diagonal 0.4."
)
over_planes = checked("check_over_planes", AlphaOver, orthogonal, "Conditions: opacity, three planes.")
over_single = checked("check_over_single", AlphaOver, orthogonal_single, "Conditions: opacity, two planes.")
over_gap = checked("check_over_gap", AlphaOver, partial(orthogonal, without=GAP), "Conditions: opacity, a gap.")
over_whole = checked("check_over_whole", AlphaOver, RandomSupport, "Conditions: opacity, the whole space.")
addition_planes = checked("check_addition_planes", Addition, orthogonal, "Conditions: addition, three planes.")

definition = setting("definition", "Scenes beside the composition of their components.", lambda _: SceneDefinition())
definition_broken = setting(
    "definition_exchanged", "The same with one component of another scene.", lambda _: SceneDefinition(exchanged=True)
)


predictors = setting(
    "predictors", "Conditions beside outcomes, by support and composition.", lambda _: SupportPredictors()
)
predictors_untrained = setting(
    "predictors_untrained", "The same of networks after a single step.", lambda _: SupportPredictors(steps=1)
)
predictors_others = setting(
    "predictors_others",
    "The same of the supports that the others leave out: normal planes, and all but a gap.",
    lambda _: SupportPredictors(others=True),
)
predictors_others_untrained = setting(
    "predictors_others_untrained",
    "These of networks after a single step.",
    lambda _: SupportPredictors(others=True, steps=1),
)
