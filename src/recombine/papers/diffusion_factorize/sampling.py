"""One trained network, drawn from in several ways: DDIM steps, DDPM, fresh noise and guidance."""

from typing import Any, ClassVar, Literal, get_args

from pydantic import Field

from recombine.papers.claims import Scale, Setting, setting
from recombine.papers.diffusion_factorize import canvases as c
from recombine.studies import Calculation, Computed, Experiment, calculations, change, seconds_together

Count = Literal[1, 2, 3, 5, 10, 20, 50]  # DDIM steps
COUNTS: tuple[Count, ...] = get_args(Count)
GUIDANCE = (0.0, 3.0)
PLACED = "darkest_accuracy"


@calculations.register("sampling-ways")
class SamplingWays(Calculation):
    """How accurate samples of one network are, by the way they are drawn.

    The network is trained on sums of stripes outside the cross, with ``reveal`` in it too; a tenth of its examples come
    without their code, so that guidance has something to lean on. ``few`` steps of DDIM are compared with fifty, and
    with all steps of DDPM unless ``full`` is false. ``published`` trains the paper's UNet on its pictures, not the
    light one on smaller ones.
    """

    exact: ClassVar[bool] = False
    quantities: ClassVar = {
        **{f"right_{count}": f"share of trained places that are right with {count} DDIM steps" for count in COUNTS},
        "right_few": "share of trained places that are right with few DDIM steps",
        "loss_few": "accuracy with 50 DDIM steps less that with few, on trained places",
        "fresh": "accuracy with 50 steps that draw all noise anew, on trained places",
        "ddpm": "accuracy with all steps of DDPM, on trained places",
        "loss_ddpm": "accuracy with DDPM less that with few DDIM steps, on trained places",
        **{f"guided_{weight:.0f}": f"accuracy with guidance {weight:g} on trained places" for weight in GUIDANCE},
        "guided_vertical_x": "accuracy of the never-shown x with guidance 3",
        "plain_vertical_x": "accuracy of the never-shown x without guidance",
        "guided_vertical_y": "accuracy of y where x was never shown, with guidance 3",
        "plain_vertical_y": "accuracy of y where x was never shown, without guidance",
        "guidance_gain": "accuracy of the never-shown x with guidance 3 less that without",
        "guidance_change": "accuracy of y where x was never shown, with guidance 3 less that without",
    }

    steps: int = Field(default=4000, ge=1)
    batch: int = Field(default=64, ge=1)
    few: Count = 10
    reveal: bool = False
    full: bool = True
    published: bool = False

    def compute(self) -> Computed:
        from recombine.models.diffusion_network import DiffusionNetwork, Sampler
        from recombine.training.loop import fit
        from recombine.training.run import build, measure_network
        from recombine.training.steppers import Member

        plan = self.training().plan()
        network = build(plan.problem, plan.model, plan.seed)
        assert isinstance(network, DiffusionNetwork)
        fit([Member.of(network, plan.problem, plan.recipe, plan.seed)])

        def placed(sampler: Sampler) -> dict[str, float]:
            network.sampler = sampler
            return measure_network(plan, network)[1][PLACED]

        found = {f"right_{count}": placed(Sampler(steps=count))["id"] for count in COUNTS}
        found |= {"fresh": placed(Sampler(steps=50, eta=1.0))["id"]}
        found["right_few"] = found[f"right_{self.few}"]
        found["loss_few"] = found["right_50"] - found["right_few"]
        if self.full:
            found["ddpm"] = placed(Sampler(kind="ddpm"))["id"]
            found["loss_ddpm"] = found["ddpm"] - found["right_few"]
        plain, *by_weight = (placed(Sampler(guidance=weight)) for weight in (1.0, *GUIDANCE))
        found |= {f"guided_{weight:.0f}": each["id"] for weight, each in zip(GUIDANCE, by_weight, strict=True)}
        guided = by_weight[-1]
        for factor in ("x", "y"):
            found |= {f"guided_vertical_{factor}": guided[f"vertical-{factor}"]}
            found |= {f"plain_vertical_{factor}": plain[f"vertical-{factor}"]}
        found["guidance_gain"] = found["guided_vertical_x"] - found["plain_vertical_x"]
        found["guidance_change"] = found["guided_vertical_y"] - found["plain_vertical_y"]
        return Computed(found)

    def training(self) -> Experiment:
        """The training that is drawn from."""
        scale = Scale.PAPER if self.published else Scale.LAPTOP
        usual = c.crossed(scale, reveal=self.reveal, model={"drop": 0.1}, measures=(PLACED,))
        return change(usual, seed=self.seed, recipe=change(usual.recipe, steps=self.steps, batch=self.batch))

    def trainings(self) -> list[Experiment]:
        return [self.training()]

    def expected_seconds(self) -> float:
        # By passes of the network, of which a step of training takes three: DDPM's thousand, some two hundred others.
        return (1.4 if self.full else 1.1) * seconds_together(self.training())


def ways(name: str, says: str, **settings: Any) -> Setting:
    """The ways to draw from a network that was trained for the usual steps; at quick as on a laptop."""

    def made(scale: Scale) -> SamplingWays:
        size = c.SIZES[scale if scale is Scale.PAPER else Scale.LAPTOP]
        return SamplingWays(steps=size.steps, batch=size.batch, published=scale is Scale.PAPER, **settings)

    return setting(name, says, made)


trained = ways("sampling", "Ways to draw from one trained network.")
too_few = ways("sampling_two_steps", "The same, two steps of DDIM beside the others.", few=2)
revealed = ways(
    "sampling_revealed", "Ways to draw from a network that was shown the cross too.", reveal=True, full=False
)
