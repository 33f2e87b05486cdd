"""Claims of our own (FPX): what the paper leaves open, each with what must be seen and where we got it from."""

from recombine.papers.claims import Check, Range
from recombine.papers.first_principles import checking as k
from recombine.papers.first_principles import scenes as s
from recombine.papers.first_principles.claiming import LAPTOP, claim

FIVE = "ours, before any run"

OURS = (
    claim(
        "FPX1",
        "ours: wrong composition",
        "A wrong composition hardly shows in whole pictures, and shows where sprites overlap.",
        (
            Check("all_overlap_mse", Range(low=2.0), "our notes: 136 over 26", of="added", over="soft"),
            Check("all_r2", Range(-0.1, 0.1), "our notes: 0.005", of="added", minus="soft"),
        ),
        {"added": s.added, "soft": s.planes},
        ("the whole space in the place of addition", {"added": s.whole, "soft": s.planes}),
    ),
    claim(
        "FPX2",
        "ours: unknown composition",
        "A composition that must be learned fits the planes and is wrong where sprites overlap.",
        (
            Check("all_overlap_mse", Range(low=2.0), FIVE, of="learned", over="known"),
            Check("id_r2", Range(low=-0.03), FIVE, of="learned", minus="known"),
            Check("all_overlap_mse", Range(low=2.0), FIVE, of="learned", over="learned, whole"),
        ),
        {"learned": s.learned, "known": s.planes, "learned, whole": s.learned_whole},
        (
            "known compositions in all places",
            {"learned": s.normal, "known": s.planes, "learned, whole": s.whole},
        ),
    ),
    claim(
        "FPX3",
        "ours: imperfect fit",
        "An imperfect fit costs in proportion: on the whole space the error stays within a few times that on the "
        "planes, however short the training, where a monolithic model's ratio grows as it fits.",
        (
            *(
                Check("generalisation_ratio", Range(high=4.0), "Table 1: 1.8; our notes: 2.4", of=f"{share:g}")
                for share in (0.1, 0.3, 1.0)
            ),
            Check("generalisation_ratio", Range(0.5, 2.0), FIVE, of="0.1", over="1"),
            Check("id_mse", Range(low=1.5), "ours: the fit improves meanwhile", of="0.1", over="1"),
            Check("generalisation_ratio", Range(low=1.5), FIVE, of="monolithic 1", over="monolithic 0.1"),
        ),
        {
            **{f"{share:g}": made for share, made in s.shorter.items()},
            "1": s.planes,
            "monolithic 0.1": s.shorter_mono[0.1],
            "monolithic 1": s.planes_mono,
        },
        (
            "monolithic models in the place of compositional ones",
            {
                **{f"{share:g}": made for share, made in s.shorter_mono.items()},
                "1": s.planes_mono,
                "monolithic 0.1": s.shorter[0.1],
                "monolithic 1": s.planes,
            },
        ),
    ),
    claim(
        "FPX4",
        "ours: a gap and shifts",
        "A decoder that draws relative to the sprite's place bridges a gap in that place; others do not.",
        (
            Check("unseen_ratio", Range(high=1.5), FIVE, of="relative"),
            Check("all_r2", Range(low=0.75), FIVE, of="relative"),
            Check("unseen_ratio", Range(low=1.5), "heat map of the paper", of="upsampling"),
            Check("unseen_ratio", Range(low=1.5), "heat map of the paper", of="units"),
            Check("all_r2", Range(-0.05, 0.05), FIVE, of="relative", minus="relative, no gap"),
        ),
        {"relative": s.gap_shift, "upsampling": s.gap, "units": s.gap_mlp, "relative, no gap": s.planes_shift},
        (
            "decoders exchanged",
            {"relative": s.gap_mlp, "upsampling": s.gap_shift, "units": s.gap_shift, "relative, no gap": s.planes},
        ),
    ),
    claim(
        "FPX5",
        "ours: one decoder for all sprites",
        "Sharing one decoder is what lets models with opacity compose from planes, and it harms the soft composition.",
        (
            Check("all_r2", Range(low=0.3), "our notes: 0.80", of="opacity, shared", minus="opacity, separate"),
            Check("all_r2", Range(high=-0.1), "our notes: -0.37", of="soft, shared", minus="soft, separate"),
            Check("all_r2", Range(low=0.85), "our notes: 0.964", of="opacity, shared"),
            Check("all_r2", Range(high=0.5), "our notes: 0.16", of="opacity, separate"),
        ),
        {
            "opacity, shared": s.rgba_shared,
            "opacity, separate": s.rgba,
            "soft, shared": s.soft_shared,
            "soft, separate": s.planes,
        },
        (
            "soft compositions with a decoder each in all places",
            {
                "opacity, shared": s.planes,
                "opacity, separate": s.normal,
                "soft, shared": s.broad,
                "soft, separate": s.whole,
            },
        ),
    ),
    claim(
        "FPX6",
        "ours: which condition predicts",
        "For hard occlusion, what training must show relative to the test tells supports that compose from those that "
        "do not, where the published rank says no to all.",
        (
            Check("relative_hard", Range(low=0.8), FIVE),
            Check("advantage_hard", Range(low=0.2), FIVE),
            Check("relative_accuracy", Range(low=0.7), FIVE),
        ),
        {"main": k.predictors},
        ("networks that were not trained", {"main": k.predictors_untrained}),
    ),
    claim(
        "FPX7",
        "ours: component recovery",
        "Right pictures do not make right components: with a composition that is not that of the data, a learned front "
        "before a true back gives wrong pictures; with theirs and one decoder it does not.",
        (
            Check("swap_error.1", Range(low=0.5), FIVE, of="soft"),
            Check("all_r2", Range(low=0.85), FIVE, of="soft"),
            Check("swap_error.1", Range(high=0.2), FIVE, of="opacity"),
        ),
        {"soft": s.planes, "opacity": s.rgba_shared},
        ("a monolithic model, and one that adds", {"soft": s.planes_mono, "opacity": s.added}),
        least=LAPTOP,
    ),
    claim(
        "FPX8",
        "ours: a gap in all there is",
        "A gap in the values of one component is not bridged even where all other combinations are shown.",
        (
            Check("unseen_ratio", Range(low=1.5), FIVE, of="gap"),
            Check("all_r2", Range(high=-0.02), FIVE, of="gap", minus="whole"),
            Check("seen_mse", Range(high=1.3), FIVE, of="gap", over="whole"),
        ),
        {"gap": s.whole_gap, "whole": s.whole},
        ("another composition in the place of the gap", {"gap": s.matched_whole, "whole": s.whole}),
    ),
    claim(
        "FPX9",
        "ours: what opacity needs",
        "Whether models with opacity and a decoder for each sprite compose from planes hangs on the decoder: those "
        "with convolutions do, those of units do not, however opacity is bounded.",
        (
            Check("all_r2", Range(low=0.85), "FPX5, where it was seen first", of="convolutions, clamp"),
            Check("all_r2", Range(high=0.5), "our notes: 0.16", of="units, clamp"),
            Check("all_r2", Range(high=0.5), "our notes: 0.16, with a clamp", of="units, sigmoid"),
        ),
        {"convolutions, clamp": s.rgba_clamp, "units, clamp": s.rgba_units_clamp, "units, sigmoid": s.rgba_units},
        (
            "one decoder of units for all sprites",
            {
                "convolutions, clamp": s.rgba_units_shared,
                "units, clamp": s.rgba_units_shared,
                "units, sigmoid": s.rgba_units_shared,
            },
        ),
    ),
    claim(
        "FPX10",
        "ours: which condition predicts",
        "What training must show relative to the test also tells what happens for supports that were not looked at "
        "when FPX6 was written: planes of normal density, and everything but a gap.",
        (Check("relative_accuracy", Range(low=0.7), "the range of FPX6"),),
        {"main": k.predictors_others},
        ("networks that were not trained", {"main": k.predictors_others_untrained}),
    ),
)
