"""FR1 to FR7, Figures 1 and 2: the decoder fails in the hole, and what it looks like inside."""

from recombine.papers.claims import Check, Control, Range
from recombine.papers.forced_rendering import settings as s
from recombine.papers.forced_rendering.claiming import LAPTOP, MORE_SEEDS, claim, control

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
