"""Claims of our own about kernels and networks: KX1 to KX4."""

from recombine.papers.claims import Check, Range
from recombine.papers.kernel_claiming import EXACT, IMAGE_SEEDS, LARGER, ROUNDING, SYMBOL_SEEDS, claim
from recombine.papers.kernel_settings import FAR, cd3, cd_network, digit_context, equal, general, lazy, near, te_network

OURS = (
    claim(
        "KX1",
        "our own",
        "The loss decides the shortcut: the same networks fail on CD-3 with logistic loss, not with squares.",
        (
            Check("ood_accuracy", Range(low=0.5), "our notes: 50 to 90%, against 0%", "squares", "logistic"),
            Check("ood_accuracy", Range(low=0.5), "our notes: 100%, 0%", "rich_squares", "rich_logistic"),
            Check("ood_accuracy", Range(high=0.5), "our notes: 0%", "logistic"),
            Check("ood_accuracy", Range(high=0.5), "our notes: 0%", "rich_logistic"),
        ),
        {
            "logistic": cd_network("logistic", 1.0),
            "squares": cd_network("mse", 1.0),
            "rich_logistic": cd_network("logistic", 0.1),
            "rich_squares": cd_network("mse", 0.1),
        },
        (
            "the two losses exchanged",
            {
                "logistic": cd_network("mse", 1.0),
                "squares": cd_network("logistic", 1.0),
                "rich_logistic": cd_network("mse", 0.1),
                "rich_squares": cd_network("logistic", 0.1),
            },
        ),
        SYMBOL_SEEDS,
    ),
    claim(
        "KX2",
        "our own",
        "The leak for unequal saliences and anchors and a ridge: m_1 = |W_2| S_1 / (|W_2| S_1 + S_12 + ridge).",
        (Check("law_error", EXACT, ROUNDING),),
        {"main": general},
        ("the published law at mean salience and mean number of anchors", {"main": equal}),
    ),
    claim(
        "KX3",
        "our own",
        "The kernels of a lazy network before training predict its slope; that of a ConvNet does not.",
        (
            Check("slope_error.initial layer0", Range(-0.05, 0.05), "the hidden layer at first", "lazy"),
            Check("slope_error.initial tangent", Range(-0.05, 0.05), "the tangent kernel at first", "lazy"),
            Check("slope_error.initial tangent", Range(low=0.1), "one pilot run: far too high", "convnet"),
        ),
        {"lazy": lazy(2), "convnet": near},
        ("a rich network; a lazy one", {"lazy": lazy(2, initial=1e-3), "convnet": lazy(2)}),
        IMAGE_SEEDS,
        LARGER,
    ),
    claim(
        "KX4",
        "our own",
        "Both losses side by side: ConvNets take the shortcut less with squares; either solves equivalence.",
        (
            Check("ood_accuracy", Range(low=0.05), "our notes: 0.611 against 0.211", "squares", "logistic"),
            Check("ood_accuracy", Range(low=0.95), "our notes: 100% from a small scale", "equivalence"),
        ),
        {
            "logistic": cd3,
            "squares": digit_context(3, FAR, "mse"),
            "equivalence": te_network(0.01, "logistic"),
        },
        (
            "the two losses exchanged; a lazy network",
            {
                "logistic": digit_context(3, FAR, "mse"),
                "squares": cd3,
                "equivalence": te_network(1.0, "logistic"),
            },
        ),
        IMAGE_SEEDS,
        LARGER,
    ),
)
