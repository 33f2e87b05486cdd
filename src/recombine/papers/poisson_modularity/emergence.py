"""PM1 to PM6: where modules come from."""

from recombine.papers.claims import Check, Range, Scale
from recombine.papers.poisson_modularity import conditions as c
from recombine.papers.poisson_modularity.claiming import LAPTOP, claim
from recombine.papers.poisson_modularity.shapes import LINEAR

QUICK = Scale.QUICK

EMERGENCE = (
    claim(
        "PM1",
        "abstract",
        "An ordinary network learns several functions side by side and mixes them all.",
        (
            Check("path_modularity", Range(high=0.1), "our notes: 0.03 for K = 4; 0 is fully mixed"),
            Check("id_mse", Range(high=1e-3), "ours: it has learned them"),
            Check("id_mse", Range(high=1e-4), "our notes: 5e-5", least=LAPTOP),
        ),
        {"main": c.none},
        ("weighted activity in the place of nothing", {"main": c.wa1}),
        least=QUICK,
    ),
    claim(
        "PM2",
        "abstract",
        "Noise that grows with activity drives nonlinear units into modules, in every hidden layer.",
        (
            Check("cross_talk", Range(high=-0.1), "our notes: 0.21 against 0.54", of="noise", minus="l2"),
            *(
                Check(f"spectral_score.layer{n}", Range(low=0.4), "our notes: 0.85, 0.72, 0.62", of="noise")
                for n in range(3)
            ),
        ),
        {"noise": c.noisy, "l2": c.l2},
        ("no noise: nothing in its place, and then the weight penalty", {"noise": c.none, "l2": c.l2}),
        least=QUICK,
    ),
    claim(
        "PM2b",
        "abstract, by contrast",
        "It is the dependence on activity that matters: additive noise of the same size mixes more.",
        (
            Check("cross_talk", Range(low=0.05), "our notes: 0.40 against 0.21", of="additive", minus="poisson"),
            Check("cross_talk", Range(-0.1, 0.1), "our notes: 0.20 against 0.21", of="multiplicative", minus="poisson"),
        ),
        {"additive": c.additive, "poisson": c.noisy, "multiplicative": c.multiplicative},
        (
            "additive and multiplicative noise exchanged",
            {"additive": c.multiplicative, "poisson": c.noisy, "multiplicative": c.additive},
        ),
    ),
    claim(
        "PM3",
        "abstract",
        "The modular solution is a better model of the task: other outputs react less when an input leaves its range.",
        (
            Check("scale_leak.4", Range(high=0.5), "our notes: 2.5e-4 over 2.5e-3", of="wa1", over="l2"),
            Check("scale_leak.4", Range(high=0.7), "our notes: 9e-4 over 2.5e-3", of="noise", over="l2"),
        ),
        {"wa1": c.wa1, "noise": c.noisy, "l2": c.l2},
        ("nothing in the place of penalty and noise", {"wa1": c.none, "noise": c.none, "l2": c.l2}),
    ),
    claim(
        "PM4",
        "abstract",
        "A penalty that multiplies weights and activity does what the noise does, at no more cost in fit.",
        (
            Check("cross_talk", Range(high=0.0), "our notes: 0.11 against 0.21", of="wa1", minus="noise"),
            Check("cross_talk", Range(high=0.0), "our notes: 0.12 against 0.21", of="wa2", minus="noise"),
            Check("id_mse", Range(high=1.0), "our notes: 1.6e-4, over 3.9e-4 with more noise", of="wa1", over="noise"),
            Check("path_modularity", Range(low=0.6), "our notes: 0.85", of="wa1"),
        ),
        {"wa1": c.wa1, "wa2": c.wa2, "noise": c.noisy},
        ("the weight penalty alone", {"wa1": c.l2, "wa2": c.l2, "noise": c.noisy}),
        least=QUICK,
    ),
    claim(
        "PM5",
        "abstract",
        "Linear networks do not show it: noise and penalty leave them mixed.",
        tuple(
            Check(quantity, expected, source, of=name)
            for quantity, expected, source in (
                ("path_modularity", Range(high=0.05), "our notes: cross-talk 0.748 to 0.750 of 0.75"),
                ("id_nmse", Range(high=0.1), "ours: it has learned to repeat its inputs"),
            )
            for name in LINEAR["dense"]
        ),
        LINEAR["dense"],
        ("one input at a time, where even a linear network gains by modules", LINEAR["sparse"]),
    ),
    claim(
        "PM6",
        "abstract",
        "Standard regularisers do not capture it, as the paper says: none of them makes the network half modular.",
        (
            Check("path_modularity", Range(high=0.5), "our notes: 0.28", of="l2"),
            Check(
                "path_modularity", Range(high=0.5), "our notes: 0.07 without the weight penalty", of="activity alone"
            ),
            Check("path_modularity", Range(high=0.5), "our notes: 0.47", of="additive"),
            Check("path_modularity", Range(high=0.5), "our notes: 0.59, against the claim", of="dropout"),
            Check("path_modularity", Range(high=0.5), "our notes: 0.90, against the claim", of="activity"),
            Check("path_modularity", Range(high=0.5), "our notes: 0.99, against the claim", of="l1"),
        ),
        {
            "l2": c.l2,
            "activity alone": c.activity_alone,
            "additive": c.additive,
            "dropout": c.dropout,
            "activity": c.activity,
            "l1": c.l1,
        },
        (
            "weighted activity in the place of each",
            dict.fromkeys(("l2", "activity alone", "additive", "dropout", "activity", "l1"), c.wa1),
        ),
    ),
)
