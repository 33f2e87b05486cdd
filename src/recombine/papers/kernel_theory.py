"""Lippl & Stachenfeld, *When does compositional structure yield compositional generalization?*, ICLR 2025.

A readout of a fixed representation whose similarity depends only on shared components can say no more about an unseen
combination than a sum over the conjunctions it has seen. That decides which tasks compose, and how training sets
distort them: a memorisation leak, a shortcut. The settings are in `kernel_settings`, the calculations in
`kernel_calculations`, claims of our own in `kernel_ours`.
"""

from recombine.papers.claims import Check, Range, Scale
from recombine.papers.kernel_claiming import (
    EXACT,
    IMAGE_SEEDS,
    KEY,
    LARGER,
    MORE_SEEDS,
    ROUNDING,
    SEEDS,
    SYMBOL_SEEDS,
    claim,
)
from recombine.papers.kernel_ours import OURS
from recombine.papers.kernel_settings import (
    ANCHORS,
    FAR,
    NEAR,
    cd1,
    cd2,
    cd3,
    deep_cd1,
    deep_cd3,
    deep_sum,
    depth,
    digit_classes,
    digits,
    dispersed,
    every_place,
    exposure,
    exposure_bias,
    failing,
    far,
    far_four,
    far_seen,
    large,
    lazy,
    lazy_te,
    linear_pixels,
    margin_map,
    near,
    near_seen,
    no_overlap,
    one_anchor_curve,
    one_two_four,
    overlap,
    product_kernel,
    random_codes,
    rich_te,
    sprites,
    sprites_told,
    squares_map,
    structured,
    te_kernel,
    to_kernel,
    two_anchors,
    unordered_codes,
    unstructured,
    working,
)
from recombine.papers.paper import Paper, papers
from recombine.theory import leak

RELU_SALIENCE = 0.4264  # S(1;2) after one random ReLU layer


def near_law(anchors: int) -> Range:
    """Within 0.03 of the leak formula at the salience of one ReLU layer."""
    slope = leak(RELU_SALIENCE, anchors)
    return Range(round(slope - 0.03, 4), round(slope + 0.03, 4))


LAW = "our notes: lazy networks follow Eq. 3 at S(1;2) = 0.4264; within 0.03"
SMALLER = "held-out slopes smaller than those on trained pairs"
PUBLISHED_ADDITIVITY = "published: 0.867 to 0.996 over networks and tasks; lower end"

papers.add(
    Paper(
        key=KEY,
        prefixes=("KT", "KX"),
        title="When does compositional structure yield compositional generalization? A kernel theory",
        citation="Lippl & Stachenfeld, ICLR 2025, arXiv 2405.16391",
        claims=(
            claim(
                "KT1",
                "Prop. 4.1, Fig. 1c",
                "Random networks keep compositional structure: similarity depends on the number of shared components.",
                (
                    Check("salience_error", Range(high=0.02), "exact at infinite width; our notes: 0.003 at 5,000"),
                    Check("spread_exponent", Range(-0.65, -0.35), "spread within an overlap falls as 1/sqrt(width)"),
                ),
                {"main": structured},
                ("a random vector per combination in place of a code of components", {"main": unstructured}),
                {**SEEDS, Scale.QUICK: 5},
            ),
            claim(
                "KT2",
                "Thm 4.2, Eq. 2",
                "Whatever labels and training set, a kernel's answers are sums over the conjunctions it has seen.",
                (Check("residual", EXACT, ROUNDING),),
                {"main": overlap},
                ("a kernel that knows no components", {"main": no_overlap}),
                {**SEEDS, Scale.QUICK: 5, Scale.LAPTOP: 20},
            ),
            claim(
                "KT3",
                "Sec. 4.3, Fig. 2d",
                "Transitive ordering is within reach of a kernel; transitive equivalence is not: every answer is zero.",
                (
                    Check("largest_answer", EXACT, ROUNDING, "equivalence"),
                    Check("accuracy", Range(0.5, 0.5), "no decision at all is chance", "equivalence"),
                    Check("accuracy", Range(1.0, 1.0), "our notes: 100%", "ordering"),
                    Check("distance_gain", Range(low=1e-6), "the margin grows with symbolic distance", "ordering"),
                ),
                {"equivalence": te_kernel, "ordering": to_kernel},
                ("the two tasks exchanged", {"equivalence": to_kernel, "ordering": te_kernel}),
            ),
            claim(
                "KT4",
                "Sec. 5.1, Fig. 3",
                "Depth moves salience from single components to conjunctions, fastest for the step function.",
                (
                    Check("first_rise", Range(high=-1e-9), "S(1;3) falls at every layer", "relu"),
                    Check("last_rise", Range(low=1e-9), "S(3;3) rises at every layer", "relu"),
                    Check(
                        "second_peak", Range(5.0, 6.0), "S(2;3) rises, then falls; our notes: peak at 5 to 6", "relu"
                    ),
                    Check("last", Range(low=0.02), "step before rectified quadratic", "step", "quadratic"),
                    Check("last", Range(low=0.02), "rectified quadratic before ReLU", "quadratic", "relu5"),
                    Check("last", Range(low=0.005), "ReLU before leaky ReLU", "relu5", "leaky"),
                ),
                {
                    "relu": depth("relu", 3, 20),
                    "step": depth("step", 3, 5),
                    "quadratic": depth("rectified-quadratic", 3, 5),
                    "relu5": depth("relu", 3, 5),
                    "leaky": depth("leaky", 3, 5),
                },
                (
                    "Gaussian units, whose salience comes to rest; the others in the reverse order",
                    {
                        "relu": depth("gaussian", 3, 300),
                        "step": depth("leaky", 3, 5),
                        "quadratic": depth("relu", 3, 5),
                        "relu5": depth("rectified-quadratic", 3, 5),
                        "leaky": depth("step", 3, 5),
                    },
                ),
            ),
            claim(
                "KT5",
                "Prop. B.2",
                "Deep random ReLU networks end as lookup tables: S(C;C) goes to 1, as one over the depth.",
                (
                    Check("last", Range(low=0.99), "our notes: 0.992 at 1,000 layers"),
                    Check("decay", Range(3.9, 4.3), "our notes: depth times S(1;2) goes to about 4.1"),
                ),
                {"main": depth("relu", 2, 1000)},
                ("Gaussian units, which stop at 0.875", {"main": depth("gaussian", 2, 1000)}),
            ),
            claim(
                "KT6",
                "Prop. 5.1, Eq. 3, Fig. 4a,b",
                "Memorisation leak: kernels and lazy networks shrink unseen sums by m = p S / (1 + (p - 2) S).",
                (
                    Check("formula_error", EXACT, ROUNDING, "kernels"),
                    Check("formula_error", EXACT, "margins k/(1-k) and 2k^2/(1-2k^2); " + ROUNDING, "exposure"),
                    Check("curve_error", Range(high=0.15), "released figure, read to about 0.1", "dispersed"),
                    *(Check("slope", near_law(p), LAW, f"lazy{p}") for p in ANCHORS),
                ),
                {
                    "kernels": every_place,
                    "exposure": exposure,
                    "dispersed": dispersed,
                    **{f"lazy{p}": lazy(p) for p in ANCHORS},
                },
                (
                    "products in place of sums, a free intercept, one anchor item, held-out pairs revealed",
                    {
                        "kernels": product_kernel,
                        "exposure": exposure_bias,
                        "dispersed": one_anchor_curve,
                        **{f"lazy{p}": lazy(p, reveal=True) for p in ANCHORS},
                    },
                ),
                MORE_SEEDS,
            ),
            claim(
                "KT7",
                "Fig. 4b, 5d",
                "Where the anchors lie does not matter to the leak, only how many there are.",
                (
                    Check("place_difference", EXACT, ROUNDING, "kernels"),
                    Check("slope", Range(-0.05, 0.05), "our notes: 0.861 and 0.874 in lazy networks", "ends", "middle"),
                ),
                {"kernels": two_anchors, "ends": lazy(2), "middle": lazy(2, at=(-2.0, 2.0))},
                (
                    "different numbers of anchors; rich networks, which learn features",
                    {
                        "kernels": one_two_four,
                        "ends": lazy(2, initial=1e-3),
                        "middle": lazy(2, initial=1e-3, at=(-2.0, 2.0)),
                    },
                ),
                MORE_SEEDS,
            ),
            claim(
                "KT8",
                "Fig. 4c",
                "Shortcut bias: on context dependence a kernel composes all or nothing, and CD-3 is the hardest.",
                (
                    Check("every", Range(327.0, 327.0), "cells of the authors' figure"),
                    Check("only_1_2", Range(239.0, 239.0), "cells of the authors' figure"),
                    Check("only_1", Range(34.0, 34.0), "cells of the authors' figure"),
                    Check("none", Range(50.0, 50.0), "cells of the authors' figure"),
                    Check("partial", Range(0.0, 0.0), "test accuracies are 0 or 1"),
                ),
                {"main": margin_map},
                ("least squares in place of the widest margin", {"main": squares_map}),
            ),
            claim(
                "KT9",
                "Fig. 4d",
                "A kernel that fails on CD-3 uses context and memorisation; one that succeeds, context and feature.",
                (
                    Check("accuracy", Range(0.0, 0.0), "our notes: 0% for three ReLU layers", "failing"),
                    Check("context_minus_right", Range(low=0.05), "Fig. 4d: context leads where it fails", "failing"),
                    Check("accuracy", Range(1.0, 1.0), "our notes: 100% for rectified quadratic", "working"),
                    Check("context_minus_right", Range(high=-0.05), "Fig. 4d: the right one leads", "working"),
                    Check("share_memorization", Range(low=0.02), "Fig. 4d: memorisation too", "failing", "working"),
                ),
                {"failing": failing, "working": working},
                ("the two representations exchanged", {"failing": working, "working": failing}),
            ),
            claim(
                "KT10",
                "Sec. 6, App. D.3",
                "Deep networks answer these tasks conjunction-wise additively.",
                (
                    Check("additivity_test", Range(low=0.867), PUBLISHED_ADDITIVITY, "convnet"),
                    Check("additivity_test", Range(low=0.867), PUBLISHED_ADDITIVITY, "convnet_context"),
                    Check("additivity_test", Range(low=0.867), PUBLISHED_ADDITIVITY, "deep_mlp"),
                    Check("additivity_test", Range(low=0.867), PUBLISHED_ADDITIVITY, "resnet", least=LARGER),
                    Check("additivity_test", Range(low=0.867), PUBLISHED_ADDITIVITY, "vit", least=LARGER),
                ),
                {
                    "convnet": near,
                    "convnet_context": cd3,
                    "deep_mlp": deep_sum(3),
                    "resnet": large("resnet", "addition"),
                    "vit": large("vit", "addition"),
                },
                (
                    "rich networks that solve transitive equivalence, which no additive answer does",
                    dict.fromkeys(("convnet", "convnet_context", "deep_mlp", "resnet", "vit"), rich_te),
                ),
                IMAGE_SEEDS,
                LARGER,
            ),
            claim(
                "KT11",
                "Fig. 5a-d",
                "Deep networks show the leak; less of it with images further apart and with more anchors.",
                (
                    Check(
                        "leak", Range(high=-0.02), "published slopes: 0.554 at distance 0, 0.776 at 20", "far", "near"
                    ),
                    Check("leak", Range(low=0.05), SMALLER, "near"),
                    Check("leak", Range(low=0.05), SMALLER, "far"),
                    Check("leak", Range(high=-0.02), "Fig. 5d: slopes rise with the number of anchors", "four", "far"),
                    Check("leak", Range(low=0.05), "published slope: 0.396", "resnet", least=LARGER),
                    Check("leak", Range(low=0.05), "published slope: 0.259", "vit", least=LARGER),
                ),
                {
                    "near": near,
                    "far": far,
                    "four": far_four,
                    "resnet": large("resnet", "addition"),
                    "vit": large("vit", "addition"),
                },
                (
                    "held-out pairs revealed in training",
                    {
                        "near": near_seen,
                        "far": far_seen,
                        "four": digits(FAR, 4, reveal=True),
                        "resnet": large("resnet", "addition", reveal=True),
                        "vit": large("vit", "addition", reveal=True),
                    },
                ),
                IMAGE_SEEDS,
                LARGER,
            ),
            claim(
                "KT12",
                "Fig. 5e",
                "Deep networks show the shortcut: CD-3 at or below chance, CD-2 and CD-1 above.",
                (
                    Check("ood_accuracy", Range(high=0.5), "published: 0.229 at the largest distance", "cd3"),
                    Check("ood_accuracy", Range(low=0.55), "published: 0.944 at the largest distance", "cd2"),
                    Check("ood_accuracy", Range(low=0.55), "published: 0.963 at the largest distance", "cd1"),
                    Check("ood_accuracy", Range(high=0.5), "deep MLPs: the context alone wins", "mlp3"),
                    Check("ood_accuracy", Range(low=0.55), "deep MLPs: the right conjunction wins", "mlp1"),
                    Check("ood_accuracy", Range(high=0.5), "published: 0.468", "resnet3", least=LARGER),
                    Check("ood_accuracy", Range(high=0.5), "published: 0.461", "vit3", least=LARGER),
                ),
                {
                    "cd3": cd3,
                    "cd2": cd2,
                    "cd1": cd1,
                    "mlp3": deep_cd3,
                    "mlp1": deep_cd1,
                    "resnet3": large("resnet", "CD 3"),
                    "vit3": large("vit", "CD 3"),
                },
                (
                    "CD-3 and CD-1 exchanged",
                    {
                        "cd3": cd1,
                        "cd2": cd3,
                        "cd1": cd3,
                        "mlp3": deep_cd1,
                        "mlp1": deep_cd3,
                        "resnet3": large("resnet", "CD 1"),
                        "vit3": large("vit", "CD 1"),
                    },
                ),
                IMAGE_SEEDS,
                LARGER,
            ),
            claim(
                "KT13",
                "App.",
                "With distance the error on unseen pairs falls, and hardly that on trained ones.",
                (
                    Check("compositional_gap", Range(high=-0.5), "published: 3.54 to 1.37", "far", "near"),
                    Check("id_mse", Range(low=-0.6), "published: 1.94 to 1.73", "far", "near"),
                ),
                {"near": near, "far": far},
                ("held-out pairs revealed in training", {"near": near_seen, "far": far_seen}),
                IMAGE_SEEDS,
                LARGER,
            ),
            claim(
                "KT14",
                "v1 Fig. 4a-c, App. F",
                "Learned features escape the limit: networks of small initial scale solve transitive equivalence.",
                (
                    Check("ood_accuracy", Range(low=0.95), "published: 1.0", "rich"),
                    Check("ood_accuracy", Range(high=0.75), "published: 0.42; at best 0.75 if additive", "lazy"),
                ),
                {"rich": rich_te, "lazy": lazy_te},
                ("the two initial scales exchanged", {"rich": lazy_te, "lazy": rich_te}),
                SYMBOL_SEEDS,
            ),
            claim(
                "KT15",
                "released fig-4d",
                "On images a ConvNet solves transitive equivalence above chance, more so with distance.",
                (
                    Check("ood_accuracy", Range(low=0.55), "published: 0.529 to 0.891 with four anchors", "far"),
                    Check("ood_accuracy", Range(low=0.02), "published: rises with distance", "far", "near"),
                ),
                {"near": digit_classes(NEAR), "far": digit_classes(FAR)},
                (
                    "a linear readout of the pixels, additive by construction",
                    {"near": linear_pixels(NEAR), "far": linear_pixels(FAR)},
                ),
                IMAGE_SEEDS,
                LARGER,
            ),
            claim(
                "KT16",
                "App. A.5, App. C",
                "The limits hold in expectation for random representations, and for a disentangled code of sprites.",
                (
                    Check("residual_ratio", Range(high=0.1), "chance alone gives 1/sqrt(400) = 0.05", "random"),
                    Check("equivalence_accuracy", Range(high=0.75), "the best an additive answer can do", "sprites"),
                    Check("addition_slope", Range(high=0.95), "the leak", "sprites"),
                ),
                {"random": random_codes, "sprites": sprites},
                (
                    "inputs without components; a code that holds the answer",
                    {"random": unordered_codes, "sprites": sprites_told},
                ),
            ),
            *OURS,
        ),
    )
)
