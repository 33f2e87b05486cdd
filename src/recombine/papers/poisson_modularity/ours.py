"""PX: claims of our own about the same networks, and about the noise and the penalty in others."""

from itertools import pairwise

from recombine.papers.claims import Check, Range
from recombine.papers.poisson_modularity import amounts as a
from recombine.papers.poisson_modularity import conditions as c
from recombine.papers.poisson_modularity import shapes as s
from recombine.papers.poisson_modularity import transplants as t
from recombine.papers.poisson_modularity.claiming import FEWER_SEEDS, claim

FAILS = 0.5  # nMSE: half as bad as drawing nothing, or worse
PENALTIES = ("wa1", "wa2", "activity", "l1")
DOSED = {
    f"{kind} {strength:g}": made
    for kind, doses in zip(("noise", "additive", *PENALTIES, "l2"), a.DOSES.values(), strict=True)
    for strength, made in doses.items()
}

OURS = (
    claim(
        "PX1",
        "ours, on PM6",
        "Blocks are not the difference: noise and weighted activity keep all units in use and bear noise; L1 and "
        "activity do not.",
        (
            Check("alive_share", Range(low=0.9), "our notes: 31 of 32 in each layer", of="wa1"),
            Check("alive_share", Range(low=0.9), "our notes: 31 of 32", of="noise"),
            Check("alive_share", Range(high=0.5), "our notes: 9, 6 and 5 of 32", of="l1"),
            Check("alive_share", Range(high=0.8), "our notes: 21, 14 and 18 of 32", of="activity"),
            Check("noise_robustness.0.1", Range(high=0.5), "our notes: 3.1e-3 over 1.3e-2", of="noise", over="l2"),
            Check("noise_robustness.0.1", Range(high=1.0), "our notes: 7.6e-3 over 1.3e-2", of="wa1", over="l2"),
            Check("noise_robustness.0.1", Range(low=1.0), "our notes: 2.2e-2 over 1.3e-2", of="activity", over="l2"),
            Check("noise_robustness.0.1", Range(low=1.0), "our notes: 2.3e-2 over 1.3e-2", of="l1", over="l2"),
        ),
        {"wa1": c.wa1, "noise": c.noisy, "l1": c.l1, "activity": c.activity, "l2": c.l2},
        (
            "L1 and weighted activity exchanged, activity and noise exchanged",
            {"wa1": c.l1, "noise": c.activity, "l1": c.wa1, "activity": c.noisy, "l2": c.l2},
        ),
    ),
    claim(
        "PX2",
        "ours, on PM6",
        "L2 separates by depth: its first layer is modular and its last is not; weighted activity separates them all.",
        (
            Check("spectral_score.layer0", Range(low=0.6), "our notes: 0.89", of="l2"),
            Check("spectral_score.layer2", Range(high=0.4), "our notes: 0.07", of="l2"),
            Check("spectral_score.layer2", Range(low=0.5), "our notes: 0.78", of="wa1"),
        ),
        {"l2": c.l2, "wa1": c.wa1},
        ("the two exchanged", {"l2": c.wa1, "wa1": c.l2}),
    ),
    claim(
        "PX3",
        "ours, on PM4 and PM6",
        "Without the weight penalty, activity alone does nothing and activity times weights still works.",
        (
            Check("path_modularity", Range(low=0.4), "our notes: 0.63", of="wa1"),
            Check("path_modularity", Range(high=0.2), "our notes: 0.07", of="activity"),
        ),
        {"wa1": c.wa1_alone, "activity": c.activity_alone},
        ("the two exchanged", {"wa1": c.activity_alone, "activity": c.wa1_alone}),
    ),
    claim(
        "PX4",
        "ours, on PM9",
        "With combinations missing, modules that emerge do not halve the error of weight decay; modules built in do.",
        (
            Check("ood_mse", Range(low=0.5), "our notes: 2.3e-3 over 1.6e-3", of="wa1", over="l2"),
            Check("ood_mse", Range(low=0.5), "our notes: 7.5e-3 over 1.6e-3", of="noise", over="l2"),
            Check("ood_mse", Range(high=0.3), "our notes: 1.6e-4 over 1.6e-3", of="masked", over="l2"),
        ),
        {"wa1": s.corners_wa1, "noise": s.corners_noisy, "masked": s.corners_masked, "l2": s.corners_l2},
        (
            "built-in and emergent modules exchanged",
            {"wa1": s.corners_masked, "noise": s.corners_masked, "masked": s.corners_wa1, "l2": s.corners_l2},
        ),
    ),
    claim(
        "PX5",
        "ours, on PM8",
        "A mask by itself does not help against noise inside the units; training with noise does, masked or not.",
        (
            Check("noise_robustness.0.1", Range(0.6, 1.5), "our notes: 9.7e-3 over 1.0e-2", of="masked", over="l2"),
            Check("noise_robustness.0.1", Range(high=0.6), "our notes: 2.7e-3 over 9.7e-3", of="both", over="masked"),
            Check("noise_robustness.0.1", Range(high=0.6), "our notes: 3.1e-3 over 1.3e-2", of="noise", over="l2"),
        ),
        {"masked": c.modular, "l2": c.l2, "both": c.modular_noisy, "noise": c.noisy},
        (
            "noise in the place of the mask, no noise in the place of noise",
            {"masked": c.noisy, "l2": c.l2, "both": c.l2, "noise": c.none},
        ),
    ),
    claim(
        "PX6",
        "ours, on PM0",
        "Modules that emerge do not protect from forgetting as a mask does.",
        (
            Check("after", Range(low=0.01), "our notes: 0.29", of="wa1"),
            Check("after", Range(low=0.01), "our notes: 0.16", of="noise"),
            Check("before", Range(high=0.01), "ours: the functions were learned", of="wa1"),
            Check("before", Range(high=0.01), "as above", of="noise"),
        ),
        {"wa1": a.forgets_wa1, "noise": a.forgets_noisy},
        ("a mask", {"wa1": a.forgets_masked, "noise": a.forgets_masked}),
        FEWER_SEEDS,
    ),
    claim(
        "PX7",
        "ours, on PM2 and PM4",
        "More noise is not better: beyond a size it mixes again. Weighted activity works over a decade, L1 at any "
        "strength, L2 at none.",
        (
            Check("cross_talk", Range(low=0.03), "our notes: 0.42 at 0.3, 0.21 at 0.05", "noise 0.4", "noise 0.05"),
            Check("cross_talk", Range(low=0.0), "ours: as above", of="noise 0.2", minus="noise 0.05"),
            Check("cross_talk", Range(low=0.0), "ours: too little does less", of="noise 0.01", minus="noise 0.05"),
            *(
                Check("path_modularity", Range(low=0.6), "our notes: 0.82 to 0.88", of=f"{kind} {strength:g}")
                for kind in ("wa1", "wa2")
                for strength in (1e-3, 1e-2)
            ),
            *(
                Check("cross_talk", Range(low=0.0), "ours: weaker does less", f"{kind} {strength:g}", f"{kind} 0.001")
                for kind in ("wa1", "wa2", "activity")
                for strength in (1e-5, 1e-4)
            ),
            Check("path_modularity", Range(low=0.6), "our notes: 0.92", of="activity 0.001"),
            *(
                Check("path_modularity", Range(low=0.8), "our notes: 0.98 at 1e-5", of=f"l1 {strength:g}")
                for strength in (1e-5, 1e-4, 1e-3)
            ),
            *(
                Check("path_modularity", Range(high=0.6), "our notes: 0.37 at 1e-4", of=f"l2 {strength:g}")
                for strength in a.STRENGTHS
            ),
        ),
        DOSED,
        (
            "strong and weak exchanged, L1 and L2 exchanged",
            {
                **DOSED,
                **{f"noise {one:g}": DOSED[f"noise {other:g}"] for one, other in ((0.4, 0.05), (0.05, 0.4))},
                **{f"{kind} {strength:g}": DOSED["l2 0.0001"] for kind in PENALTIES for strength in a.STRENGTHS},
                **{
                    f"{kind} {weak:g}": DOSED[f"{kind} 0.001"]
                    for kind in ("wa1", "wa2", "activity")
                    for weak in (1e-5, 1e-4)
                },
                **{f"l2 {strength:g}": DOSED["l1 0.001"] for strength in a.STRENGTHS},
            },
        ),
        FEWER_SEEDS,
    ),
    claim(
        "PX8",
        "ours, on PM2b",
        "At every size of noise the additive one mixes more than that which grows with activity.",
        tuple(
            Check(
                "cross_talk", Range(low=0.0), "our notes: 0.40 against 0.21 at 0.05", f"additive {c:g}", f"noise {c:g}"
            )
            for c in a.LEVELS
        ),
        DOSED,
        (
            "the two exchanged",
            {
                **{f"additive {size:g}": DOSED[f"noise {size:g}"] for size in a.LEVELS},
                **{f"noise {size:g}": DOSED[f"additive {size:g}"] for size in a.LEVELS},
            },
        ),
        FEWER_SEEDS,
    ),
    claim(
        "PX9",
        "ours, on forced rendering's Fig. 1",
        "As strong as they can be, neither penalty nor noise makes a CNN decoder draw combinations it never saw.",
        (
            Check("interior_nmse", Range(low=0.7), "ours: of the order of a blank picture", of="penalty"),
            Check("interior_nmse", Range(low=0.7), "as above", of="noise"),
            Check("id_nmse", Range(high=0.3), "ours: it has learned what it was shown", of="penalty"),
            Check("id_nmse", Range(high=0.3), "as above", of="noise"),
        ),
        {"penalty": t.cnn_penalty, "noise": t.cnn_noise},
        ("the same networks shown the hole", {"penalty": t.cnn_penalty_revealed, "noise": t.cnn_noise_revealed}),
        FEWER_SEEDS,
    ),
    claim(
        "PX10",
        "ours, on forced rendering's Fig. 3",
        "Neither takes the place of forced rendering's regulariser: without it the rendering network fails.",
        (
            Check("ood_nmse", Range(low=FAILS), "half as bad as drawing nothing, or worse", of="penalty"),
            Check("ood_nmse", Range(low=FAILS), "as above", of="noise"),
            Check("id_nmse", Range(high=0.3), "ours: it has learned what it was shown", of="penalty"),
            Check("id_nmse", Range(high=0.3), "as above", of="noise"),
        ),
        {"penalty": t.rendering_penalty, "noise": t.rendering_noise},
        ("forced rendering's variance term", {"penalty": t.rendering_variance, "noise": t.rendering_variance}),
        FEWER_SEEDS,
    ),
    claim(
        "PX11",
        "ours, on CD-3 of kernel theory",
        "Neither removes the shortcut: on CD-3 networks still answer by the context.",
        (
            Check("ood_accuracy", Range(high=0.1), "kernel theory: 0% without them", of="penalty"),
            Check("ood_accuracy", Range(high=0.1), "as above", of="noise"),
            Check("id_accuracy", Range(low=0.95), "ours: what was shown is learned", of="penalty"),
            Check("id_accuracy", Range(low=0.95), "as above", of="noise"),
        ),
        {"penalty": t.context_penalty, "noise": t.context_noise},
        ("CD-1, which has no such shortcut", {"penalty": t.easy_penalty, "noise": t.easy_noise}),
        FEWER_SEEDS,
    ),
    claim(
        "PX12",
        "ours, on PM7",
        "Noise makes modules only with enough examples: not with 64 at any size, and never less with more of them.",
        (
            *(
                Check("path_modularity", Range(high=0.5), "ours: not half modular", of=f"{size:g} 64")
                for size in a.PHASES
            ),
            *(
                Check(
                    "path_modularity",
                    Range(low=-0.05),
                    "ours: not less",
                    of=f"{size:g} {more}",
                    minus=f"{size:g} {less}",
                )
                for size in a.PHASES
                for less, more in pairwise(a.AMOUNTS)
            ),
            Check("path_modularity", Range(low=0.2), "ours", of="0.05 1000", minus="0.05 64"),
        ),
        {f"{size:g} {n}": made for size, row in a.PHASES.items() for n, made in row.items()},
        (
            "many and few examples exchanged",
            {
                f"{size:g} {n}": row[other]
                for size, row in a.PHASES.items()
                for n, other in zip(a.AMOUNTS, reversed(a.AMOUNTS), strict=True)
            },
        ),
        FEWER_SEEDS,
    ),
    claim(
        "PX13",
        "ours, on PM5",
        "The task must be nonlinear too: a nonlinear network that repeats its inputs stays mixed under both.",
        (
            Check("path_modularity", Range(high=0.2), "our notes: cross-talk 0.642 of 0.667", of="wa1"),
            Check("path_modularity", Range(high=0.2), "our notes: 0.662 of 0.667", of="noise"),
            Check("id_nmse", Range(high=0.1), "ours: it has learned to repeat its inputs", of="wa1"),
            Check("id_nmse", Range(high=0.1), "as above", of="noise"),
        ),
        {"wa1": s.identity_wa1, "noise": s.identity_noisy},
        ("the sines", {"wa1": c.wa1, "noise": c.noisy}),
    ),
    claim(
        "PX14",
        "ours, on PM1, PM2 and PM4",
        "Five conditions have five ranges of cross-talk that do not overlap: nothing, weight penalty, additive noise, "
        "Poisson-like noise, weighted activity.",
        (
            Check("cross_talk", Range(0.65, 0.76), "our notes: 0.73 of 0.75", of="none"),
            Check("cross_talk", Range(0.45, 0.65), "our notes: 0.54", of="l2"),
            Check("cross_talk", Range(0.3, 0.45), "our notes: 0.40", of="additive"),
            Check("cross_talk", Range(0.15, 0.3), "our notes: 0.21", of="poisson"),
            Check("cross_talk", Range(0.0, 0.15), "our notes: 0.11", of="wa1"),
        ),
        {"none": c.none, "l2": c.l2, "additive": c.additive, "poisson": c.noisy, "wa1": c.wa1},
        (
            "each moved on to the next",
            {"none": c.l2, "l2": c.additive, "additive": c.noisy, "poisson": c.wa1, "wa1": c.none},
        ),
    ),
)
