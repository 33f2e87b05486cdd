"""PM0 and PM7 to PM13: what modules need, and what they are good for."""

from recombine.papers.claims import Average, Check, Range
from recombine.papers.poisson_modularity import amounts as a
from recombine.papers.poisson_modularity import conditions as c
from recombine.papers.poisson_modularity.claiming import FEWER_SEEDS, MORE_SEEDS, claim
from recombine.papers.poisson_modularity.shapes import CHAINS, JOINED

MEDIAN = Average.MEDIAN
hill, composed = JOINED["hill"], JOINED["composed"]

CONTEXT = (
    claim(
        "PM0",
        "abstract, context",
        "A modular network forgets less: when one function is replaced the others stay as they were.",
        (
            Check("after", Range(high=1e-3), "our notes: 3.7e-5 before and after"),
            Check("before", Range(high=0.01), "ours: the functions were learned", of="dense"),
            Check("after", Range(high=0.01), "our notes: 0.27 in a dense network", over="dense"),
            Check("learned", Range(high=0.05), "ours: the new function is learned"),
        ),
        {"main": a.forgets_masked, "dense": a.forgets_l2},
        ("dense networks trained with noise, and with the penalty", {"main": a.forgets_noisy, "dense": a.forgets_wa1}),
        FEWER_SEEDS,
    ),
)

PAYOFF = (
    claim(
        "PM7",
        "abstract",
        "The examples needed before modules appear grow exponentially with the number of functions.",
        (
            Check("base", Range(low=1.2), "our notes: a factor of 1.63 with each function"),
            Check("misfit_advantage", Range(low=0.0), "our notes: 0.059 for a power law against 0.014"),
            Check("exponent", Range(low=1.0), "the competing power law; our notes: N* 55 to 237 is K^1.6"),
        ),
        {"main": a.module_need},
        ("modules built in, which need no examples by construction", {"main": a.module_need_masked}),
        FEWER_SEEDS,
        control_seeds=3,
    ),
    claim(
        "PM8",
        "abstract",
        "Networks cut into modules bear a disturbed input better: it does not reach the other outputs.",
        (
            Check("scale_leak.8", Range(high=0.1), "our notes: 4.7e-5 over 5.2e-2", over="dense"),
            Check("scale_leak.8", Range(high=1e-3), "our notes: 4.7e-5"),
        ),
        {"main": c.modular, "dense": c.l2},
        ("a dense network without penalty", {"main": c.none, "dense": c.l2}),
    ),
    claim(
        "PM9",
        "code: 2-D Gaussian and composed functions",
        "Networks cut into modules generalise to combinations of inputs that were never shown.",
        (
            Check("ood_mse", Range(high=0.2), "released: 1e-6 over 8.1e-4", of="modular", over="full", average=MEDIAN),
            Check("ood_mse", Range(high=1e-4), "released: 1e-6; our notes: 5e-6 to 1e-4", "modular", average=MEDIAN),
            Check(
                "ood_mse", Range(high=0.2), "released: 1e-6 over 2.8e-3", "modular", over="bottleneck", average=MEDIAN
            ),
            Check(
                "ood_mse", Range(high=1.0), "our notes: 2.6e-4 over 8.6e-4", "c modular", over="c full", average=MEDIAN
            ),
            Check(
                "ood_mse",
                Range(high=1.0),
                "our notes: 2.6e-4 over 6.2e-3",
                "c modular",
                over="c bottleneck",
                average=MEDIAN,
            ),
        ),
        {**hill, **{f"c {name}": made for name, made in composed.items()}},
        (
            "the bottleneck in the place of the modules, the full network in that of the bottleneck",
            {
                "modular": hill["bottleneck"],
                "full": hill["full"],
                "bottleneck": hill["full"],
                "c modular": composed["bottleneck"],
                "c full": composed["full"],
                "c bottleneck": composed["full"],
            },
        ),
        MORE_SEEDS,
        control_seeds=10,
    ),
    claim(
        "PM10",
        "abstract; shifts as in the code",
        "Modular networks extrapolate: with an input far out of range the other outputs stay right, in networks cut by "
        "a mask and in those with the penalty once their small weights are pruned.",
        (
            Check("pruned_shift_leak.1000", Range(high=0.01), "our notes: 1e-3", of="wa2", average=MEDIAN),
            Check("pruned_shift_leak.100", Range(high=0.1), "our notes: 1e-3 over 2", "wa2", over="l2", average=MEDIAN),
            Check("shift_leak.1000", Range(high=1e-3), "exact for a mask; our notes: 4.7e-5", of="masked"),
        ),
        {"wa2": c.wa2, "l2": c.l2, "masked": c.modular},
        ("nothing in the place of penalty and mask", {"wa2": c.none, "l2": c.l2, "masked": c.none}),
        control_seeds=6,
    ),
    claim(
        "PM11",
        "abstract",
        "Both ways lead there: modules that emerge, by penalty or noise, and modules that are built in.",
        (
            Check("path_modularity", Range(low=0.5), "our notes: 0.85", of="wa1"),
            Check("path_modularity", Range(low=0.5), "our notes: 0.71", of="noise"),
            Check("path_modularity", Range(low=0.99), "exact", of="masked"),
            Check("scale_leak.8", Range(high=0.2), "our notes: 6.7e-4 over 8.8e-2", of="wa1", over="none"),
            Check("scale_leak.8", Range(high=0.2), "our notes: 6.5e-3 over 8.8e-2", of="noise", over="none"),
            Check("scale_leak.8", Range(high=0.2), "our notes: 4.7e-5 over 8.8e-2", of="masked", over="none"),
        ),
        {"wa1": c.wa1, "noise": c.noisy, "masked": c.modular, "none": c.none},
        ("the weight penalty in the place of each", {"wa1": c.l2, "noise": c.l2, "masked": c.l2, "none": c.none}),
    ),
    claim(
        "PM12",
        "code: chain",
        "In a chain of modules and a dense network the modules take over the nonlinear part if they are deep enough.",
        (
            Check("linear_takeover", Range(high=0.1), "released, as we read it: 0.018 at depth 5", of="5"),
            Check("linear_takeover", Range(high=0.1), "released, as we read it: 0.020 at depth 3", of="3"),
            Check("linear_takeover", Range(high=0.1), "released, as we read it: 0.031 at depth 4", of="4"),
            Check("linear_takeover", Range(low=0.2), "released: 0.72 at depth 1", of="1", minus="5"),
            Check("linear_takeover", Range(low=0.05), "released: 0.17 at depth 2", of="2", minus="5"),
            *(Check("id_mse", Range(high=1e-3), "released: 1.9e-4 at depth 1, then 2e-5", of=str(n)) for n in CHAINS),
        ),
        {str(depth): made for depth, made in CHAINS.items()},
        (
            "deep modules in the place of shallow ones",
            {str(depth): CHAINS[6 - depth] for depth in CHAINS if depth != 3} | {"3": CHAINS[1]},
        ),
        FEWER_SEEDS,
    ),
    claim(
        "PM13",
        "code: image head; a small version",
        "The penalty splits the head of a classifier of several pictures, later and less the more there are.",
        (
            Check("rise_slope", Range(low=0.0), "released: half-rise epochs 5 to 48 for 2 to 7 pictures"),
            Check("gap_slope", Range(high=0.0), "released: 0.71 for 2 pictures, 0.25 for 8"),
            Check("gap_5", Range(low=0.05), "ours: the penalty is what splits it", minus="plain"),
            Check("least_accuracy", Range(low=0.9), "ours: the head reads its digits"),
        ),
        {"main": a.heads, "plain": a.heads_plain},
        ("heads with and without the penalty exchanged", {"main": a.heads_plain, "plain": a.heads}),
        FEWER_SEEDS,
    ),
)
