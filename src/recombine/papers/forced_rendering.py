"""Liang, Qian, Ziyin & Fiete, *Compositional Generalization via Forced Rendering of Disentangled Latents*, ICML 2025.

A decoder is given x and y already disentangled and still fails on pairs it never saw: it adds up remembered
pictures. It composes once each factor is rendered alone, forced by the architecture with a regulariser or by
adding single-factor pictures to the training set. Claims whose name begins with FX are ours, about the same networks.
The networks and data sets are in `rendering_settings`, the figures over many of them in `rendering_sweeps`.
"""

from collections.abc import Mapping
from dataclasses import replace

from recombine.papers import rendering_settings as s
from recombine.papers.claims import Check, Claim, Control, Range, Scale, Setting
from recombine.papers.paper import Paper, papers
from recombine.papers.rendering_sweeps import KEY, SWEEPS
from recombine.theory import COMPOSES_BELOW

SEEDS = {Scale.QUICK: 4, Scale.LAPTOP: 5, Scale.PAPER: 5}
MORE_SEEDS = {**SEEDS, Scale.QUICK: 6, Scale.LAPTOP: 10}  # where the effect is close to its bound
FEWER_SEEDS = {**SEEDS, Scale.QUICK: 3}  # where it is far from it, and a run takes long

RIGHT_PICTURE = "what a forecast calls composing; the picture must be right, not only its place"
FAILS = 0.5  # nMSE: half as bad as drawing nothing, or worse; a failure by any reading
LAPTOP = Scale.LAPTOP


def claim(
    id: str,
    place: str,
    says: str,
    checks: tuple[Check, ...],
    settings: Setting | Mapping[str, Setting],
    control: Control,
    seeds: Mapping[Scale, int] = SEEDS,
    least: Scale = Scale.QUICK,
) -> Claim:
    named = settings if isinstance(settings, Mapping) else {"main": settings}
    # Errors differ between seeds by factors, not by summands: their geometric mean is judged.
    judged = tuple(replace(c, geometric=c.quantity.endswith("nmse") and c.minus is None) for c in checks)
    return Claim(id, KEY, place, says, judged, named, control, seeds, least)


def control(says: str, setting: Setting, *others: str) -> Control:
    """The same setting in the place of the claim's own and of its others."""
    return Control(says, dict.fromkeys(("main", *others), setting))


FAILURE = (
    claim(
        "FR1",
        "Fig. 1b",
        "A standard decoder given x and y as bump codes draws what it was trained on and fails in the hole.",
        (
            Check("ood_nmse", Range(0.6, 1.5), "released notebook: 0.78; range in our notes"),
            Check("interior_nmse", Range(low=1.0), "worse than drawing nothing, away from the hole's edge"),
            Check("interior_accuracy", Range(high=0.10), "our notes: below 10% in the interior"),
            Check("id_nmse", Range(high=0.05), "released notebook: 0.015; bound in our notes"),
            Check("error_plateau", Range(low=1.0), "Fig. 1b: the error is highest in the middle of the hole"),
        ),
        s.hole,
        control("the same network trained on the full grid", s.revealed),
        MORE_SEEDS,
    ),
    claim(
        "FR2",
        "Fig. 1c",
        "Given x and y as two plain numbers the decoder fails in the hole too, and fits its training set less well.",
        (
            Check("interior_nmse", Range(low=1.0), "released notebook: nMSE 1.2 over the hole, 2.8 at its worst"),
            Check("interior_accuracy", Range(high=0.3), "ours: places are not drawn either"),
            Check("id_nmse", Range(high=0.25), "released notebook: 0.17; so it has learned what it was shown"),
            Check("id_nmse", Range(low=0.02), "released notebook: 0.17 against 0.015", minus="bump"),
        ),
        {"main": s.ramp_hole, "bump": s.bump_beside_ramp},
        Control(
            "the same networks trained on the full grid",
            {"main": s.ramp_revealed, "bump": s.bump_beside_ramp_revealed},
        ),
        least=LAPTOP,
    ),
    claim(
        "FR3",
        "Fig. 1d",
        "Asked for an unseen pair, the network superposes remembered pictures that share x or share y.",
        (
            Check("superposition_index", Range(low=0.3), "our notes: correlations of 0.77 to 0.86 against 0"),
            Check("sharer_weight_band1", Range(low=0.5), "most of the weight; our notes: 70 to 82%, 19% by chance"),
        ),
        s.hole,
        control("a network trained with stripes, whose answers look like the truth", s.stripes),
    ),
    claim(
        "FR4",
        "Fig. 1e",
        "Answers inside and outside the hole overlap like a binary factorised kernel: bands, not a blob.",
        (
            Check(
                "similarity_advantage_band1",
                Range(low=0.1),
                "correlation clearly above a radial kernel's; our notes: 0.53 against 0.20",
            ),
        ),
        s.hole,
        control("the true pictures, whose overlap is local", s.true_pictures),
    ),
)

INSIDE = (
    claim(
        "FR5",
        "Fig. 2a-b",
        "What fails is not the linear decodability of x and y, which stays high; that of unseen pairs is lost.",
        (
            Check("probe_held_out.layer3", Range(high=0.8), "our notes: 0.44 to 0.51 for bump codes, from 0.7 to 0.8"),
            *(Check(f"probe_in_sample.layer{n}", Range(low=0.95), "our notes: 0.987 or more") for n in range(4)),
            *(
                Check(f"probe_in_sample.layer{n}", Range(low=0.95), "our notes: 1.000 for plain numbers", of="ramp")
                for n in range(4)
            ),
        ),
        {"main": s.perceptron_converged, "ramp": s.perceptron_ramp},
        Control(
            "the same MLPs trained on the full grid, which read unseen pairs",
            {"main": s.perceptron_revealed, "ramp": s.perceptron_ramp_revealed},
        ),
        least=LAPTOP,
    ),
    claim(
        "FR6",
        "Fig. 2c-d",
        "The factorisation score is 1 at the input and falls with depth.",
        (
            Check("factorisation_fall", Range(low=0.01), "our notes: 0.04 or more; truth scores 0.00005"),
            Check("factorisation_trend", Range(high=0.0), "falls over the hidden layers"),
            Check("factorisation_input", Range(1 - 1e-6, 1 + 1e-6), "exact for separate codes"),
            Check("id_nmse", Range(high=0.1), "our notes, section 8: to convergence"),
            Check("factorisation_fall", Range(low=0.01), "as above", of="released"),
            Check("factorisation_trend", Range(high=0.0), "as above", of="released"),
            Check(
                "factorisation_fall", Range(low=0.1), "our notes: 1 to 0.76 for plain numbers", of="ramp", least=LAPTOP
            ),
        ),
        {"main": s.perceptron_converged, "released": s.perceptron_as_released, "ramp": s.perceptron_ramp},
        control("the true pictures, which are factorised", s.true_pictures, "released", "ramp"),
    ),
    claim(
        "FR7",
        "Fig. 2e-f",
        "Depth warps the representation: the hole stands out more and more in the volume of its cells.",
        (
            Check("volume_contrast_deepest", Range(low=0.2), "our notes: 0.47 and 0.71 in the last hidden layer"),
            Check("volume_contrast_trend", Range(low=0.7), "growing with the layer; our notes: in every step"),
        ),
        s.hole,
        control("a network trained with stripes, whose volume stays flat", s.stripes),
    ),
)

RENDERING = (
    claim(
        "FR8",
        "Fig. 3a-c",
        "Rendering each factor as a picture by architecture is not enough; with the regulariser it composes.",
        (
            Check("ood_accuracy", Range(low=0.9), "released weights: 100% within a pixel, 3.8% without"),
            Check("ood_nmse", Range(high=0.05), "released weights: 0.022 after 20,000 steps", least=LAPTOP),
            Check("id_nmse", Range(high=0.05), "released weights: 0.007"),
            Check("ood_nmse", Range(low=1.0), "released weights: 4.2", of="none"),
            Check("ood_accuracy", Range(high=0.3), "released weights: 3.8%", of="none"),
        ),
        {"main": s.rendering, "none": s.unregularised},
        Control("each is the other's control", {"main": s.unregularised, "none": s.rendering}),
        FEWER_SEEDS,
    ),
    claim(
        "FR9",
        "Fig. 3b, d",
        "With the regulariser the embeddings are clean stripes and the volume map is flat.",
        (
            Check("volume_contrast_max", Range(high=0.1), "released weights: at most 0.07 in any layer"),
            Check("embedding_top_share", Range(low=0.99), "released weights: rank one to three digits"),
            Check("stripe_extension", Range(low=0.8), "Fig. 3b: stripes run through the hole"),
        ),
        s.rendering,
        Control("the same network without the regulariser", {"main": s.unregularised}, most_seeds=5),
        FEWER_SEEDS,
    ),
    claim(
        "FR10",
        "Fig. 3e",
        "Of these decoders only regularised rendering is right both on what it was shown and in the hole.",
        (
            Check("ood_nmse", Range(high=COMPOSES_BELOW), RIGHT_PICTURE),
            Check("id_nmse", Range(high=COMPOSES_BELOW), RIGHT_PICTURE),
            Check("ood_nmse", Range(low=FAILS), "released weights: 4.2 without the regulariser", of="none"),
            Check("ood_nmse", Range(low=FAILS), "our notes: 1.0 to 1.5 with the entropy term alone", of="entropy"),
            Check("ood_nmse", Range(low=FAILS), "a plain CNN; released notebook: 0.78", of="cnn"),
            Check("ood_nmse", Range(low=FAILS), "an MLP; our notes: 1.4", of="mlp"),
        ),
        {
            "main": s.rendering,
            "none": s.unregularised,
            "entropy": s.entropy_only,
            "cnn": s.hole,
            "mlp": s.perceptron_converged,
        },
        Control(
            "rendering without the regulariser",
            dict.fromkeys(("main", "none", "entropy", "cnn", "mlp"), s.unregularised),
            most_seeds=5,
        ),
        least=LAPTOP,
    ),
)

DATA = (
    claim(
        "FR11",
        "Fig. 4a-b",
        "Adding single-factor stripes to fifty bumps outside the hole makes a plain CNN compose.",
        (
            Check("ood_accuracy", Range(low=0.95), "our notes: 100%; Fig. 4c counts from 90%; for the picture see FX2"),
            Check(
                "ood_accuracy", Range(high=0.3), "our notes: 25% even with every bump, the share of the rim", of="none"
            ),
            Check("interior_accuracy", Range(high=0.0), "our notes: never, away from the edge", of="none"),
        ),
        {"main": s.stripes, "none": s.few_bumps},
        Control("the same bumps without stripes, and with them", {"main": s.few_bumps, "none": s.stripes}),
    ),
    claim(
        "FR12",
        "Fig. 4c",
        "With stripes the data needed grows like N, with bumps alone like N^3, so the gap widens.",
        (
            Check("slope", Range(low=0.5), "the caption: 3 against 1", of="bumps", minus="stripes"),
            Check("need_24", Range(low=0.0), "bumps alone need more at N = 24", of="bumps", minus="stripes"),
            Check("reached", Range(high=0.0), "our notes: in the hole bumps alone may never reach 90%", of="hole"),
            Check("slope", Range(0.7, 1.3), "the caption: like N", of="stripes"),
            Check("slope", Range(0.7, 1.3), "as above, for places outside the hole", of="outside"),
            Check("slope", Range(2.5, 3.5), "the caption: like N^3", of="bumps"),
        ),
        {
            "bumps": s.need_bumps,
            "stripes": s.need_stripes,
            "outside": s.need_stripes_outside,
            "hole": s.need_in_hole,
        },
        Control(
            "bumps at random places in the place of the stripes",
            {"bumps": s.need_bumps, "stripes": s.need_in_hole, "outside": s.need_bumps, "hole": s.need_in_hole},
        ),
        least=LAPTOP,
    ),
    claim(
        "FR13",
        "Fig. 4d",
        "In the network trained with stripes the volume stays flat through the layers.",
        (Check("volume_contrast_max", Range(high=0.1), "our notes: at most 0.06 in any layer"),),
        s.stripes,
        control("the network that fails in the hole", s.hole),
        {**MORE_SEEDS, Scale.QUICK: SEEDS[Scale.QUICK]},
    ),
    claim(
        "FR14",
        "Fig. 4e-f",
        "With stripes, layer-0 channels are stripe-like and units of layers 0 and 3 have interpretable tuning.",
        (
            Check("tuning_additive.layer3", Range(low=0.9), "ours: curves against x and against y say nearly all"),
            Check("tuning_additive.layer0", Range(low=0.9), "ours: as above"),
            Check("stripe_channels", Range(low=0.5), "ours: most of what channels draw lies in stripes"),
        ),
        s.stripes,
        Control("the network trained on every bump and no stripe", {"main": s.quarter}, most_seeds=5),
        least=LAPTOP,
    ),
)

RELEASED = (
    claim(
        "FR15",
        "code: depth sweeps",
        "Depth does not rescue: CNNs, MLPs and attention between pixels fail in the hole at the depths tried.",
        tuple(
            Check(quantity, expected, source, of=f"{kind} {depth}")
            for quantity, expected, source in (
                ("interior_nmse", Range(low=0.7), "ours: of the order of a blank picture"),
                ("id_nmse", Range(high=0.3), "ours: it has learned what it was shown"),
            )
            for kind, depths in s.DEPTHS.items()
            for depth in depths
        ),
        {f"{kind} {depth}": made for kind, depths in s.DEPTHS.items() for depth, made in depths.items()},
        Control(
            "the deepest CNN trained on the full grid, in the place of all",
            {f"{kind} {depth}": s.revealed_small for kind, depths in s.DEPTHS.items() for depth in depths},
        ),
        least=LAPTOP,
    ),
    claim(
        "FR16",
        "code: scaling_exps",
        "The error in the hole grows with its share of the plane and with the size of the picture.",
        (
            *(
                Check("ood_nmse", Range(low=0.05), "ours; the notes give no direction", of=f"{n} 0.6", minus=f"{n} 0.3")
                for n in s.SIZES
            ),
            Check("ood_nmse", Range(low=0.05), "ours, as above", of="20 0.45", minus="12 0.45"),
            Check("ood_nmse", Range(low=0.05), "the released rule, less data too", of="rule 0.6", minus="rule 0.3"),
        ),
        {
            **{f"{n} {share}": made for n, shares in s.SIZED.items() for share, made in shares.items()},
            **{f"rule {share}": s.sized(20, share, rule="released") for share in (0.3, 0.6)},
        },
        Control(
            "the networks of N = 20 shown the hole as well, in the place of all",
            {
                **{f"{n} 0.6": s.sized(20, 0.6, reveal=True) for n in (*s.SIZES, "rule")},
                **{f"{n} 0.3": s.sized(20, 0.3, reveal=True) for n in (*s.SIZES, "rule")},
                "20 0.45": s.sized(20, 0.6, reveal=True),
                "12 0.45": s.sized(20, 0.3, reveal=True),
            },
        ),
        least=LAPTOP,
    ),
    claim(
        "FR17",
        "code: wider codes",
        "A wider input bump helps a little, never enough.",
        (
            Check("ood_nmse", Range(low=FAILS), "released notebook: 0.57 at the widest", of="11"),
            Check("ood_nmse", Range(low=0.0), "released notebook: 0.84 falls to 0.57", of="1", minus="11"),
            Check("ood_nmse", Range(low=FAILS), "released notebook: 0.68", of="5"),
        ),
        {f"{width:g}": made for width, made in s.CODE_WIDTHS.items()},
        Control("the same codes with the hole shown", {f"{w:g}": s.wide_code(w, reveal=True) for w in s.CODE_WIDTHS}),
        least=LAPTOP,
    ),
    claim(
        "FR18",
        "code: rotation_exps",
        "One factor with a gap: a rotated digit is blended there, not rotated, though its last layer keeps the ring.",
        (
            Check("blend_index", Range(low=0.0), "nearer to the average of the two ends than to the true picture"),
            Check("neighbour_order", Range(low=0.9), "ours: the last hidden layer keeps the angles in order"),
            Check("id_nmse", Range(high=0.05), "ours: the other angles are learned"),
        ),
        s.rotation,
        control("no gap", s.rotation_revealed),
    ),
    claim(
        "FR19",
        "code: encoder_exps",
        "The inverse task, from picture to code, also fails in the hole; to two plain numbers it fails much less.",
        (
            Check("interior_accuracy", Range(high=0.3), "our notes: 9% within a pixel"),
            Check("ood_exact", Range(high=0.3), "our notes: 9% exactly"),
            Check("id_exact", Range(low=0.95), "our notes: 100% exactly"),
            Check("interior_accuracy", Range(low=0.2), "our notes: 67% against 9%", of="numbers", minus="main"),
        ),
        {"main": s.encoder, "numbers": s.encoder_numbers},
        Control("the full grid", {"main": s.encoder_revealed, "numbers": s.encoder_numbers_revealed}),
        least=LAPTOP,
    ),
    claim(
        "FR20",
        "code: spatial_aware_mlp",
        "A network shared by all pixels and told its place composes with no regulariser.",
        (
            Check("ood_nmse", Range(high=COMPOSES_BELOW), "released weights: 0.010 with two hidden layers"),
            Check("ood_nmse", Range(high=COMPOSES_BELOW), "released weights: 0.009 with four", of="deep"),
            Check("id_nmse", Range(high=0.05), "released weights: 0.0001"),
        ),
        {"main": s.per_pixel, "deep": s.per_pixel_deep},
        control("a plain CNN with the same codes and corner", s.one_hot_cnn, "deep"),
        least=LAPTOP,
    ),
)

OURS = (
    claim(
        "FX1",
        "ours, on Fig. 3",
        "The variance term is what forced rendering needs; low rank alone fails.",
        (
            Check("ood_nmse", Range(high=COMPOSES_BELOW), "our notes: 0.02 to 0.08 in three runs", of="variance"),
            Check("ood_nmse", Range(low=FAILS), "our notes: 1.0 to 1.5", of="entropy"),
            Check("embedding_top_share", Range(low=0.99), "our notes: every embedding has rank one", of="entropy"),
            Check("ood_nmse", Range(high=0.0), "ours: both terms are no better", of="variance", minus="both"),
        ),
        {"variance": s.variance_only, "entropy": s.entropy_only, "both": s.both_terms},
        Control(
            "each is the other's control, and no term stands for both",
            {"variance": s.entropy_only, "entropy": s.variance_only, "both": s.no_terms},
        ),
        least=LAPTOP,
    ),
    claim(
        "FX2",
        "ours, on Fig. 4",
        "With stripes the whole picture is right on unseen pairs, not only its darkest pixel, with 7N and 50 bumps.",
        (
            Check("ood_nmse", Range(high=COMPOSES_BELOW), RIGHT_PICTURE),
            Check("ood_nmse", Range(high=COMPOSES_BELOW), "our notes: 0.055 in one run", of="fifty"),
        ),
        {"main": s.many_bumps, "fifty": s.stripes},
        Control("the same bumps without stripes", {"main": s.many_bumps_alone, "fifty": s.few_bumps}),
        MORE_SEEDS,
        LAPTOP,
    ),
    claim(
        "FX3",
        "ours, on Fig. 3",
        "Weaker priors do as well: total variation, or pictures that are constant along their stripe by construction.",
        (
            Check("ood_nmse", Range(high=COMPOSES_BELOW), RIGHT_PICTURE, of="shared"),
            Check("ood_nmse", Range(high=COMPOSES_BELOW), RIGHT_PICTURE, of="variation"),
        ),
        {"shared": s.shared_stripes, "variation": s.total_variation},
        Control("no prior", {"shared": s.no_terms, "variation": s.no_terms}),
        least=LAPTOP,
    ),
    claim(
        "FX4",
        "ours, on FR20",
        "Per-pixel networks stop composing with fifty bumps, and with 16 units a layer although they learn.",
        (
            Check("ood_nmse", Range(low=FAILS), "as bad as half a blank picture, or worse", of="few"),
            Check("ood_nmse", Range(low=FAILS), "as above", of="narrow"),
            Check("id_nmse", Range(high=0.1), "it has learned what it was shown", of="narrow"),
        ),
        {"few": s.per_pixel_few, "narrow": s.per_pixel_narrow},
        Control("the per-pixel network of FR20", {"few": s.per_pixel, "narrow": s.per_pixel}),
        least=LAPTOP,
    ),
    claim(
        "FX5",
        "ours, on Fig. 4",
        "Half of the stripes are not enough, nor are those of one factor; bumps do not replace them, and ten suffice.",
        (
            *(Check("ood_accuracy", Range(low=0.9), "all stripes", of=f"16 + {bumps}") for bumps in s.BUMP_COUNTS),
            *(Check("ood_accuracy", Range(high=0.9), "half of them", of=f"8 + {bumps}") for bumps in s.BUMP_COUNTS),
            *(Check("ood_accuracy", Range(high=0.5), "a quarter", of=f"4 + {bumps}") for bumps in s.BUMP_COUNTS),
            *(Check("ood_accuracy", Range(high=0.5), "none", of=f"0 + {bumps}") for bumps in s.BUMP_COUNTS),
            Check("ood_accuracy", Range(high=0.5), "stripes of x alone", of="only x"),
        ),
        {
            **{f"{levels} + {bumps}": made for levels, row in s.PLANE.items() for bumps, made in row.items()},
            "only x": s.only_x,
        },
        Control(
            "all stripes and fifty bumps in every case",
            {
                **{f"{levels} + {bumps}": s.PLANE[16][50] for levels in s.PLANE for bumps in s.BUMP_COUNTS},
                "only x": s.PLANE[16][50],
            },
        ),
        least=LAPTOP,
    ),
    claim(
        "FX6",
        "ours, on Fig. 1",
        "The wrong pictures of failing decoders resemble what theory says before they are trained, not the truth.",
        (
            Check("additive_agreement", Range(low=0.4), "ours, from networks no verdict uses: 0.5 to 0.7", of="mlp"),
            Check("additive_agreement", Range(low=0.4), "as above", of="cnn"),
            Check("tangent_agreement", Range(low=0.4), "as above", of="cnn"),
            Check("truth_agreement", Range(high=0.3), "while the truth is not what is drawn", of="cnn"),
            Check("truth_agreement", Range(high=0.3), "as above", of="mlp"),
            Check("own_agreement", Range(low=0.3), "ours, as above: 0.4 to 0.6 for the network's own kernel", of="cnn"),
        ),
        {"mlp": s.oracle_mlp, "cnn": s.oracle_cnn},
        Control("a CNN trained with stripes, which composes", {"mlp": s.oracle_stripes, "cnn": s.oracle_stripes}),
        least=LAPTOP,
    ),
    claim(
        "FX7",
        "ours, on code: canvas",
        "With bumps that are cut off by the border, or lie outside it, a CNN still fails in the hole.",
        (
            Check("interior_nmse", Range(low=0.7), "ours: of the order of a blank picture"),
            Check("id_nmse", Range(high=0.1), "ours: the canvas is learned"),
        ),
        s.clipped,
        control("the same canvas with the hole shown", s.clipped_revealed),
        least=LAPTOP,
    ),
    claim(
        "FX8",
        "ours, on Fig. 4c",
        "Judged by the picture and not only by its darkest pixel, stripes still make fewer images suffice.",
        (
            Check(
                "reached", Range(low=1.0), "with stripes the picture in the hole gets right at every size", of="stripes"
            ),
            Check("need_24", Range(low=0.0), "and bumps alone need more outside it", of="bumps", minus="stripes"),
            Check("slope", Range(low=0.5), "as FR12 asks of places", of="bumps", minus="stripes"),
        ),
        {"stripes": s.need_stripes_picture, "bumps": s.need_bumps_picture},
        Control("bumps alone, asked in the hole", {"stripes": s.need_in_hole_picture, "bumps": s.need_bumps_picture}),
        least=LAPTOP,
    ),
)

papers.add(
    Paper(
        key=KEY,
        prefixes=("FR", "FX"),
        title="Compositional Generalization via Forced Rendering of Disentangled Latents",
        citation="Liang, Qian, Ziyin & Fiete, ICML 2025, PMLR 267:37370-37395",
        claims=(*FAILURE, *INSIDE, *RENDERING, *DATA, *RELEASED, *OURS),
        sweeps=SWEEPS,
    )
)
