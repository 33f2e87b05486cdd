"""Claims of our own about diffusion and composition: DX1 to DX9. Ranges are guesses, written before any run.

Where one was written after the records that it is asked of, its source says so.
"""

from collections.abc import Mapping
from typing import Any

from recombine.data import Problem
from recombine.papers.claims import Check, Range, Scale, Setting, setting
from recombine.papers.diffusion_factorize import canvases as c
from recombine.papers.diffusion_factorize import forecasting as f
from recombine.papers.diffusion_factorize import sampling as s
from recombine.papers.diffusion_factorize.claiming import claim
from recombine.splits import regions
from recombine.studies import Experiment

PLACED = "darkest_accuracy"
ON_Y = "x-on-y-components-nearer"  # by how much nearer the angles of principal components are to the Clifford torus


def middle(scale: Scale, stripes: bool, model: Mapping[str, Any] | None = None, reveal: bool = False) -> Experiment:
    """Bumps without half of each side in the middle, with or without stripes, drawn by diffusion or by a decoder."""
    size = c.SIZES[scale]
    low, high = size.n // 4, 3 * size.n // 4
    problem = Problem(
        c.canvas(scale, "bump"),
        regions.block(x=(low, high), y=(low, high)),
        isolated=("y", "x") if stripes else (),
        spacing=size.spacing,
        reveal=reveal,
    )
    made = c.drawn(scale, problem, **size.squares)
    if model is None:
        return made
    decoder = {**model}
    measures = tuple(name for name in made.measures if name not in ("denoising_error",))
    return Experiment(problem=problem, model=decoder, recipe=made.recipe, measures=measures)


def in_the_middle(name: str, says: str, **settings: Any) -> Setting:
    return setting(name, says, lambda scale: middle(scale, **settings))


DECODER = {"kind": "cnn-decoder", "width": 32}
diffusion = in_the_middle("middle_diffusion", "Bumps around a square, diffusion.", stripes=False)
diffusion_stripes = in_the_middle("middle_diffusion_stripes", "The same and lone stripes, diffusion.", stripes=True)
decoder = in_the_middle("middle_decoder", "Bumps around a square, a decoder.", stripes=False, model=DECODER)
decoder_stripes = in_the_middle("middle_decoder_stripes", "The same and lone stripes, a decoder.", stripes=True,
                                model=DECODER)  # fmt: skip
diffusion_all = in_the_middle("middle_diffusion_all", "All bumps, diffusion.", stripes=False, reveal=True)
decoder_all = in_the_middle("middle_decoder_all", "All bumps, a decoder.", stripes=False, model=DECODER, reveal=True)

BUMP_CODE: Mapping[str, Any] = {"encoding": {"kind": "bump", "sigma": 1.0}}
ONE_HOT: Mapping[str, Any] = {"encoding": "one-hot", "pad": 0}
bump_code = c.named("sums_bump_code", "Sums outside the cross, centres told by bump codes.", task=BUMP_CODE)
bump_code_revealed = c.named("sums_bump_code_all", "The same, the cross shown too.", task=BUMP_CODE, reveal=True)
one_hot = c.named("sums_one_hot", "Sums outside the cross, centres on pixels, told by one-hot codes.", task=ONE_HOT,
                  spacing=1.0)  # fmt: skip
one_hot_start = c.named("sums_one_hot_start", "The same after a hundredth of the steps.", task=ONE_HOT, spacing=1.0,
                        share=0.01)  # fmt: skip

OURS = (
    claim(
        "DX1",
        "ours; FR8 and DF11 side by side",
        "Lone stripes help diffusion as they help a decoder, on the same pictures for the same number of steps.",
        (
            Check("strict_accuracy.ood", Range(low=0.1), "ours", of="diffusion and stripes", minus="diffusion"),
            Check("strict_accuracy.ood", Range(low=0.1), "ours", of="decoder and stripes", minus="decoder"),
            Check("strict_accuracy.id", Range(low=0.8), "ours: both are trained", of="diffusion"),
            Check("strict_accuracy.id", Range(low=0.8), "ours: both are trained", of="decoder"),
        ),
        {
            "diffusion": diffusion,
            "diffusion and stripes": diffusion_stripes,
            "decoder": decoder,
            "decoder and stripes": decoder_stripes,
        },
        (
            "no stripes: models without them stand in for those with, beside models that were shown the square",
            {
                "diffusion": diffusion_all,
                "diffusion and stripes": diffusion,
                "decoder": decoder_all,
                "decoder and stripes": decoder,
            },
        ),
    ),
    claim(
        "DX2",
        "ours",
        "What kernels forecast for decoders says where diffusion fails: parts of the cross with a larger forecast "
        "error come out worse.",
        (
            Check("rank", Range(low=0.5), "ours"),
            Check("agreement", Range(low=0.7), "ours"),
        ),
        {"main": f.trained},
        ("networks after twenty steps", {"main": f.untrained}),
    ),
    claim(
        "DX3",
        "ours; our notes",
        "Ten steps of DDIM draw as accurately as fifty, and as a thousand of DDPM.",
        (
            Check("loss_few", Range(-0.02, 0.02), "our notes: 5 steps score like 50", of="main"),
            Check("loss_ddpm", Range(-0.02, 0.02), "ours: within two points", of="main"),
            Check("right_few", Range(low=0.9), "our notes: 0.96 to 0.99", of="main"),
        ),
        {"main": s.trained},
        ("two steps in the place of ten", {"main": s.too_few}),
    ),
    claim(
        "DX4",
        "ours",
        "Guidance does not bring interpolation: a never-shown x is as wrong with it, and y stays right.",
        (
            Check("guidance_gain", Range(-0.2, 0.2), "ours", of="main"),
            Check("guided_vertical_y", Range(low=0.7), "ours", of="main"),
            Check("guided_vertical_x", Range(high=0.4), "ours: as DF8", of="main"),
        ),
        {"main": s.trained},
        ("networks that were shown the cross too", {"main": s.revealed}),
    ),
    claim(
        "DX5",
        "ours; our notes on DF10",
        "Judged by the darkest pixel alone, a model of lone stripes seems to compose: places are mostly right, also in "
        "the cross.",
        (
            Check(f"{PLACED}.all", Range(low=0.5), "our notes: 0.76 of the places outside the cross", of="main"),
            Check(f"{PLACED}.ood", Range(low=0.5), "ours, written after these records: as outside", of="main"),
            Check("stripe_ink.all", Range(0.15, 0.4), "our notes: 0.26 to 0.28, half of a stripe's 0.5", of="main"),
        ),
        {"main": c.stripes},
        ("sums outside the cross and no stripes", {"main": c.sums}),
    ),
    claim(
        "DX6",
        "ours; our notes",
        "Orthogonal planes of x and y, planes of different x that are not parallel, an effective dimension "
        "between 4 and 12 and circles are there before training, in the network; the planes also in the pictures.",
        (
            Check(f"ring_distances.untrained-{ON_Y}", Range(low=5.0), "our notes: 7.7 beside 18.6", of="main"),
            Check("ring_angle.untrained-x-on-x", Range(low=35.0), "our notes: as after training", of="main"),
            Check(f"ring_distances.pixels-{ON_Y}", Range(low=0.0), "our notes: 10.8 beside 16.6", of="main"),
            Check("ring_angle.pixels-x-on-x", Range(low=35.0), "our notes: 90 degrees at 32 x 32", of="main"),
            Check("participation.untrained", Range(4.0, 12.0), "our notes: 8.3", of="main"),
            Check("two_circles.untrained", Range(low=0.6), "ours", of="main"),
        ),
        {"main": c.torus},
        ("sums of stripes, whose pictures are parallel", {"main": c.sums_shape}),
    ),
    claim(
        "DX7",
        "ours; our notes",
        "The closed torus is in the pictures, not in the network before training that is shown them, and again in the "
        "trained one: training brings back what is there to be seen, and adds the gap after four components.",
        (
            Check("holes.untrained-h2-ratio", Range(high=2.0), "our notes: no cavity before training", of="main"),
            Check("holes.probe-h2-ratio", Range(low=2.0), "our notes: 4.3 to 5.8", of="main"),
            Check("spectral_gap.untrained", Range(high=1.5), "our notes: a clearer gap after training", of="main"),
            Check("holes.pixels-h2-ratio", Range(low=2.0), "written after these pictures: 8.0 at 16 x 16", of="main"),
            Check("spectral_gap.pixels", Range(high=1.5), "written after these pictures: 1.4 at 16 x 16", of="main"),
        ),
        {"main": c.torus},
        ("the same network after a hundredth of the steps", {"main": c.torus_start}),
    ),
    claim(
        "DX8",
        "ours",
        "Other codes of centres change little: with bump codes the model composes as well and interpolates as little; "
        "with one-hot codes, which cannot tell of a new value, and centres on pixels it composes too.",
        (
            Check(f"{PLACED}.vertical-y", Range(low=0.7), "ours", of="bump"),
            Check(f"{PLACED}.vertical-x", Range(high=0.4), "ours", of="bump"),
            Check(f"{PLACED}.vertical-y", Range(low=0.7), "ours", of="one-hot"),
            Check(f"{PLACED}.vertical-y", Range(low=-0.2), "ours", of="bump", minus="sinusoidal"),
        ),
        {"bump": bump_code, "one-hot": one_hot, "sinusoidal": c.sums},
        (
            "the cross shown too, and one-hot codes after a hundredth of the steps",
            {"bump": bump_code_revealed, "one-hot": one_hot_start, "sinusoidal": c.sums_revealed},
        ),
    ),
    claim(
        "DX9",
        "ours; our notes on accuracy",
        "The paper's rule for failed pictures, the middle of their ink, flatters: it counts the intersection of a "
        "cross in the middle as right where the darkest pixel is wrong.",
        (
            Check("centroid_accuracy.intersection", Range(low=0.3), "our notes: 0.69", of="main"),
            Check(f"{PLACED}.intersection", Range(high=0.3), "our notes: 0.00", of="main"),
        ),
        {"main": c.sums},
        ("a cross away from the middle", {"main": c.sums_aside}),
    ),
)
