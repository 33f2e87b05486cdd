"""The networks of the forced-rendering paper, its data sets, and those we add.

How a smaller scale differs. `quick` and `laptop` train narrower networks, and some of them on smaller pictures: at
`laptop` Figures 1b, 2 and 3 have the paper's size, Figures 1c and 4 have N = 20 and sweeps over many networks N = 8 to
24. The hole keeps its share of the plane and stays wider than the reach of a bump, which is what the failure hangs on.
The forced-rendering network has its released size at every scale. `paper` has the released settings for the figures
and wider networks for the sweeps; where the released code draws 2,000 pairs with replacement from 495, we show every
pair.
"""

from functools import cache
from typing import Any

from recombine.data import Problem, tasks
from recombine.models import ModelSpec, models
from recombine.papers.claims import Scale, Setting, setting
from recombine.papers.data_need import DataNeed
from recombine.papers.oracles import DecoderOracle
from recombine.splits import regions
from recombine.studies import Experiment, Work, change
from recombine.training import Recipe, penalties

QUICK, LAPTOP, PAPER = Scale.QUICK, Scale.LAPTOP, Scale.PAPER

PERFORMANCE = (
    "id_nmse", "ood_nmse", "interior_nmse", "rim_nmse", "error_plateau",
    "id_accuracy", "ood_accuracy", "interior_accuracy", "nmse_by_section",
)  # fmt: skip
ANSWERS = (
    "superposition_index", "superposition_correlation", "truth_correlation",
    "sharer_weight_band1", "sharer_chance_band1", "superposition_energy",
    "similarity_factorised_band1", "similarity_radial", "similarity_advantage_band1",
)  # fmt: skip
GEOMETRY = (
    "factorisation", "factorisation_input", "factorisation_fall",
    "volume_contrast", "volume_contrast_max", "volume_contrast_deepest", "probe_held_out",
)  # fmt: skip
BY_DEPTH = ("factorisation_trend", "volume_contrast_trend")
EMBEDDINGS = ("embedding_top_share", "stripe_extension")
EXACT = ("id_mse", "ood_mse", "id_exact", "ood_exact")
TUNING = ("tuning_one_factor", "tuning_additive", "stripe_channels")
PANELS = ("superposition", "similarity", "volume")

STRIPES = ("y", "x")
BUDGET = {QUICK: 7 * 16, LAPTOP: 7 * 20, PAPER: 7 * 28}  # bumps beside the stripes, in Fig. 4c
BUMPS = 50  # beside the stripes, in Fig. 4e


def square(n: int, **settings: Any) -> Problem:
    """Bumps with the square hole of Figure 1: 6 to 22 of 28, and its share of other sizes."""
    low, high = {16: (4, 13), 20: (5, 16), 28: (6, 23)}[n]
    task = {name: settings.pop(name) for name in ("encoding",) if name in settings}
    return Problem(tasks.bump(n=n, **task), regions.block(x=(low, high), y=(low, high)), **settings)


def corner(n: int, **settings: Any) -> Problem:
    """Bumps with the upper quarter of the plane held out, as in Figure 4."""
    return Problem(tasks.bump(n=n), regions.corner(x=n // 2, y=n // 2), **settings)


def decoder(problem: Problem, scale: Scale, steps: int, width: int = 16, depth: int = 4, **changes: Any) -> Experiment:
    """A plain CNN; at `paper` it has the released width and steps."""
    if scale is PAPER:
        width, steps = max(width, 64), max(steps, 3150)
    experiment = Experiment(
        problem=problem,
        model=models.cnn_decoder(width=width, depth=depth),
        recipe=Recipe(steps=steps),
        measures=PERFORMANCE,
    )
    return change(experiment, **changes)


# Figure 1: the hole


@cache
def hole(scale: Scale, **changes: Any) -> Experiment:
    """A plain CNN given bump codes, with a square hole in the middle of the plane."""
    n, steps = (20, 1000) if scale is QUICK else (28, 2000)
    looked_at = (*PERFORMANCE, *ANSWERS, *GEOMETRY, *BY_DEPTH, *TUNING)
    shown = () if changes else (*PANELS, "activations", "tuning")
    return decoder(square(n, **changes), scale, steps, measures=looked_at, exhibits=shown)


@cache
def revealed(scale: Scale) -> Experiment:
    """The control of Figure 1: the same network trained on the full grid."""
    return hole(scale, reveal=True)


@cache
def true_pictures(scale: Scale) -> Experiment:
    """The true pictures in place of a network's."""
    # No error anywhere has no shape, and one hidden layer is no depth to follow a trend over.
    looked_at = ("id_nmse", "ood_nmse", *ANSWERS, *GEOMETRY, "probe_in_sample")
    return Experiment(problem=hole(scale).problem, model="truth", measures=looked_at)


@cache
def ramp_hole(scale: Scale, **changes: Any) -> Experiment:
    """A CNN given x and y as two plain numbers, with the same hole."""
    n, depth, steps = {QUICK: (16, 6, 1500), LAPTOP: (20, 6, 2000), PAPER: (28, 10, 3200)}[scale]
    made = decoder(square(n, encoding="ramp", **changes), scale, steps, depth=depth)
    return change(made, model=models.cnn_decoder(width=128, depth=depth)) if scale is PAPER else made


@cache
def bump_beside_ramp(scale: Scale, **changes: Any) -> Experiment:
    """The network and training of the plain numbers, given bump codes."""
    return change(ramp_hole(scale, **changes), problem=square(ramp_hole(scale).problem.grid.shape[0], **changes))


@cache
def bump_beside_ramp_revealed(scale: Scale) -> Experiment:
    """The same, trained on the full grid."""
    return bump_beside_ramp(scale, reveal=True)


@cache
def ramp_revealed(scale: Scale) -> Experiment:
    """The same network given two plain numbers, trained on the full grid."""
    return ramp_hole(scale, reveal=True)


# Figure 2: multilayer perceptrons


@cache
def perceptron(scale: Scale, steps: int, code: str = "bump", depth: int = 4, **changes: Any) -> Experiment:
    """An MLP on the hole; 256 units a layer for bump codes, 128 for plain numbers, as released."""
    return Experiment(
        problem=square(16 if scale is QUICK else 28, encoding=code, **changes),
        model=models.mlp_decoder(width=256 if code == "bump" else 128, depth=depth),
        recipe=Recipe(steps=steps),
        measures=(*PERFORMANCE, *GEOMETRY, *BY_DEPTH, "probe_in_sample"),
        exhibits=("volume",) if depth == 4 else (),
    )


@cache
def perceptron_as_released(scale: Scale) -> Experiment:
    """1,260 steps, as in the released scripts: too few to learn the training set at full size."""
    return perceptron(scale, 1260)


@cache
def perceptron_converged(scale: Scale) -> Experiment:
    """Trained until the training set is learned."""
    return perceptron(scale, 6000 if scale is QUICK else 25000)


@cache
def perceptron_revealed(scale: Scale) -> Experiment:
    """The same MLP trained on the full grid."""
    return perceptron(scale, 6000 if scale is QUICK else 25000, reveal=True)


@cache
def perceptron_ramp(scale: Scale, **changes: Any) -> Experiment:
    """An MLP given x and y as two plain numbers, trained as long."""
    return perceptron(scale, 6000 if scale is QUICK else 25000, code="ramp", **changes)


@cache
def perceptron_ramp_revealed(scale: Scale) -> Experiment:
    """The same, trained on the full grid."""
    return perceptron_ramp(scale, reveal=True)


# Figure 3: forced rendering


@cache
def rendering(scale: Scale, steps: int = 20000, share: str = "none", **regulariser: float) -> Experiment:
    """The forced-rendering network at its released size, with the released regulariser."""
    terms = regulariser or {"entropy": 0.1, "variance": 0.01}
    return Experiment(
        problem=Problem(tasks.bump(n=32, sigma=1.5, dark=False, encoding="one-hot"), regions.corner(x=12, y=12)),
        model=models.forced_rendering(share=share),
        recipe=Recipe(
            steps=5000 if scale is QUICK else steps,
            decay=1e-4,
            penalties=(penalties.rendering(**terms),) if any(terms.values()) else (),
        ),
        measures=(*PERFORMANCE, *GEOMETRY, *BY_DEPTH, *EMBEDDINGS, *EXACT),
        exhibits=("embeddings", "volume"),
    )


@cache
def unregularised(scale: Scale) -> Experiment:
    """The same network and training without the regulariser."""
    return rendering(scale, entropy=0.0, variance=0.0)


ABLATED = 3000  # steps of the ablations, of the 20,000 released; the variance term needs 2,400 (our notes)


def ablation(name: str, says: str, **settings: Any) -> Setting:
    return setting(name, says, lambda scale: rendering(scale, steps=ABLATED, **settings))


both_terms = ablation("both_terms", "Both terms of the regulariser, for the time the ablations get.")
no_terms = ablation("no_terms", "No regulariser, for the time the ablations get.", entropy=0.0, variance=0.0)
variance_only = ablation("variance_only", "Only the variance term.", entropy=0.0, variance=0.01)
entropy_only = ablation("entropy_only", "Only the entropy term.", entropy=0.1, variance=0.0)
# At first this strength weighs about as much as the released variance term.
total_variation = ablation(
    "total_variation", "Total variation in place of the variance.", entropy=0.0, variance=0.0, total_variation=0.002
)
shared_stripes = ablation(
    "shared_stripes", "Pictures constant along their stripe by construction, nothing regularised.", share="stripe",
    entropy=0.0, variance=0.0,
)  # fmt: skip


# Figure 4: stripes


@cache
def quarter(scale: Scale, **changes: Any) -> Experiment:
    """The same CNN with the upper corner held out; every other bump is shown, and no stripe."""
    n, steps = {QUICK: (16, 1500), LAPTOP: (20, 2000), PAPER: (28, 3150)}[scale]
    looked_at = (*PERFORMANCE, *ANSWERS, *GEOMETRY, *BY_DEPTH, *TUNING)
    return decoder(corner(n, **changes), scale, steps, measures=looked_at, exhibits=("activations", "tuning", "volume"))


@cache
def stripes(scale: Scale) -> Experiment:
    """2N lone stripes and 50 bumps outside the corner."""
    return quarter(scale, isolated=STRIPES, examples=BUMPS)


@cache
def few_bumps(scale: Scale) -> Experiment:
    """The same 50 bumps without stripes."""
    return quarter(scale, examples=BUMPS)


@cache
def many_bumps(scale: Scale) -> Experiment:
    """2N lone stripes and 7N bumps, the budget of Fig. 4c."""
    return quarter(scale, isolated=STRIPES, examples=BUDGET[scale])


@cache
def many_bumps_alone(scale: Scale) -> Experiment:
    """7N bumps without stripes."""
    return quarter(scale, examples=BUDGET[scale])


SMALL = 16  # pixels a side, in sweeps over many networks


def amount(levels: int, bumps: int, factors: tuple[str, ...] = STRIPES) -> Setting:
    """A corner of small pictures with stripes of some levels of these factors and some bumps."""
    alone = {"isolated": factors, "isolated_levels": levels} if levels else {}
    of = "each factor" if factors == STRIPES else f"{factors[0]} only"
    return setting(
        f"stripes_{levels}_{''.join(factors)}_bumps_{bumps}",
        f"{levels} stripes of {of} and {bumps} bumps.",
        lambda scale: decoder(corner(SMALL, examples=bumps, **alone), scale, 1000),
    )


STRIPE_COUNTS, BUMP_COUNTS = (0, 4, 8, 16), (10, 50, 150)
PLANE: dict[int, dict[int, Setting]] = {
    levels: {bumps: amount(levels, bumps) for bumps in BUMP_COUNTS} for levels in STRIPE_COUNTS
}
only_x = amount(SMALL, BUMPS, ("x",))


def need(name: str, says: str, **settings: Any) -> Setting:
    """How much data is needed, by size of picture."""

    def made(scale: Scale) -> Work:
        sizes, rest = {
            QUICK: ((8, 12), {"steps": 300}),
            LAPTOP: ((8, 12, 16, 20, 24), {}),
            PAPER: ((12, 16, 20, 24, 28, 32), {"width": 64, "steps": 3150}),
        }[scale]
        return DataNeed(**{"sizes": sizes, **rest, **settings})

    return setting(name, says, made)


need_bumps = need("need_bumps", "Bumps alone, until new places outside the corner are drawn right.")
need_stripes = need("need_stripes", "Stripes and bumps, until places in the corner are.", stripes=True, where="hole")
need_stripes_outside = need("need_stripes_outside", "Stripes and bumps, until new places outside are.", stripes=True)
need_bumps_picture = need("need_bumps_picture", "Bumps alone, until new pictures outside are right.", goal="picture")
need_stripes_picture = need(
    "need_stripes_picture", "Stripes and bumps, until pictures in the corner are right.",
    stripes=True, where="hole", goal="picture",
)  # fmt: skip
need_in_hole = need("need_in_hole", "Bumps alone, until places in the corner are drawn right.", where="hole")
need_in_hole_picture = need(
    "need_in_hole_picture", "Bumps alone, until pictures in the corner are right.", where="hole", goal="picture"
)


# Released code beyond the figures


def deep_cnn(depth: int) -> Setting:
    return setting(
        f"cnn_depth_{depth}",
        f"The hole, a CNN with {depth} hidden layers.",
        lambda scale: decoder(square(SMALL if scale is not PAPER else 28), scale, 1000, depth=depth),
    )


def deep_mlp(depth: int) -> Setting:
    return setting(
        f"mlp_depth_{depth}",
        f"The hole, an MLP with {depth} hidden layers.",
        lambda scale: Experiment(
            problem=square(SMALL if scale is not PAPER else 28),
            model=models.mlp_decoder(depth=depth),
            recipe=Recipe(steps=4000),
            measures=PERFORMANCE,
        ),
    )


def attention(depth: int) -> Setting:
    def made(scale: Scale) -> Work:
        if scale is PAPER:
            problem, model, steps = square(28), models.pixel_transformer(depth=depth), 1260
        else:
            problem, model = attending(12), models.pixel_transformer(width=32, depth=depth, feedforward=64, dropout=0.0)
            steps = 1200
        return Experiment(problem=problem, model=model, recipe=Recipe(steps=steps), measures=PERFORMANCE)

    return setting(f"attention_depth_{depth}", f"The hole, {depth} layers of attention between pixels.", made)


def attending(n: int) -> Problem:
    """A hole of half the side, for networks that look from every pixel at every other."""
    return Problem(tasks.bump(n=n), regions.block(x=(n // 4, n // 4 * 3), y=(n // 4, n // 4 * 3)))


DEPTHS: dict[str, dict[int, Setting]] = {
    "CNN": {depth: deep_cnn(depth) for depth in (2, 4, 6, 8)},
    "MLP": {depth: deep_mlp(depth) for depth in (3, 5, 7)},
    "attention": {depth: attention(depth) for depth in (2,)},
}

revealed_small = setting(
    "revealed_small",
    "A CNN with 8 hidden layers trained on the full grid.",
    lambda scale: decoder(square(SMALL if scale is not PAPER else 28, reveal=True), scale, 1000, depth=8),
)


def sized(n: int, share: float, rule: str = "area", reveal: bool = False) -> Setting:
    """A hole of this share of the side, with one real-valued centre per pixel of trained area, or the released rule."""

    def made(scale: Scale) -> Work:
        wide = int(share * n)
        low = (n - wide) // 2
        area = n * n if reveal else n * n - wide * wide
        examples = area if rule == "area" else int(1000 * (n - wide) ** 2 / n**2)
        block = regions.block(x=(low, low + wide), y=(low, low + wide))
        problem = Problem(tasks.bump(n=n), block, examples=examples, centres="uniform", reveal=reveal)
        return decoder(problem, scale, 1000)

    words = "one bump per pixel of trained area" if rule == "area" else "as many bumps as the released rule gives"
    return setting(
        f"size_{n}_hole_{share:g}_{rule}{'_revealed' if reveal else ''}",
        f"N = {n}, a hole of {share:g} of the side{' that is shown too' if reveal else ''}, {words}.",
        made,
    )


SIZES, SHARES = (12, 16, 20), (0.3, 0.45, 0.6)
SIZED = {n: {share: sized(n, share) for share in SHARES} for n in SIZES}


def wide_code(width: float, reveal: bool = False) -> Setting:
    """Input bumps whose variance is multiplied."""
    encoding = {"kind": "bump", "width": width}
    return setting(
        f"code_width_{width:g}{'_revealed' if reveal else ''}",
        f"The hole, input bumps of {width:g} times the variance{', all shown' if reveal else ''}.",
        lambda scale: decoder(square(20 if scale is not PAPER else 28, encoding=encoding, reveal=reveal), scale, 1200),
    )


CODE_WIDTHS = {width: wide_code(width) for width in (1.0, 5.0, 11.0)}


@cache
def clipped(scale: Scale, **changes: Any) -> Experiment:
    """Bumps that may lie up to 6 pixels outside the canvas, so that some are cut off and some are not there at all."""
    n, low, high, steps = {QUICK: (16, 4, 13, 1000), LAPTOP: (16, 4, 13, 1500), PAPER: (28, 6, 23, 1260)}[scale]
    block = regions.block(x=(low + 6, high + 6), y=(low + 6, high + 6))
    problem = Problem(tasks.bump(n=n, margin=6), block, **changes)
    quantities = tuple(name for name in PERFORMANCE if name not in ("id_accuracy", "nmse_by_section"))
    return decoder(problem, scale, steps, measures=quantities)


@cache
def clipped_revealed(scale: Scale) -> Experiment:
    """The same canvas with the hole shown."""
    return clipped(scale, reveal=True)


@cache
def rotation(scale: Scale, **changes: Any) -> Experiment:
    """A handwritten 4 at every degree but 160 to 200; the released schedule of the rate is left out."""
    width, steps = {QUICK: (16, 600), LAPTOP: (32, 2000), PAPER: (128, 5000)}[scale]
    return Experiment(
        problem=Problem(tasks.rotated_digit(), regions.block(angle=(160, 201)), **changes),
        model=models.rotation_decoder(width=width),
        recipe=Recipe(steps=steps, decay=1e-4, loss="mse-l1", clip=1.0),
        measures=("id_nmse", "ood_nmse", "interior_nmse", "blend_index", "neighbour_order"),
    )


@cache
def rotation_revealed(scale: Scale) -> Experiment:
    """The same digit at every degree."""
    return rotation(scale, reveal=True)


@cache
def encoder(scale: Scale, answer: str = "units", **changes: Any) -> Experiment:
    """The inverse task: a CNN reads the picture and answers with the code of x and y."""
    n, low, high = (20, 5, 16) if scale is QUICK else (28, 6, 23)
    steps = {QUICK: 1260, LAPTOP: 1260 if answer == "units" else 2000, PAPER: 1260 if answer == "units" else 3150}[
        scale
    ]
    return Experiment(
        problem=Problem(tasks.locate(n=n, answer=answer), regions.block(x=(low, high), y=(low, high)), **changes),
        model=models.encoder(),
        recipe=Recipe(steps=steps, optimiser="adam", decay=0.0),
        measures=("id_nmse", "ood_nmse", "id_accuracy", "ood_accuracy", "interior_accuracy", "id_exact", "ood_exact"),
    )


@cache
def encoder_numbers(scale: Scale) -> Experiment:
    """The same, answering with x and y as two numbers."""
    return encoder(scale, answer="numbers")


@cache
def encoder_revealed(scale: Scale) -> Experiment:
    """The inverse task with the full grid shown."""
    return encoder(scale, reveal=True)


@cache
def encoder_numbers_revealed(scale: Scale) -> Experiment:
    """The same, answering with two numbers."""
    return encoder(scale, answer="numbers", reveal=True)


@cache
def per_pixel(scale: Scale, depth: int = 2, width: int | None = None, steps: int = 10000, **changes: Any) -> Experiment:
    """One small network shared by all pixels, told the one-hot code and where the pixel is."""
    n = 28 if scale is PAPER else SMALL
    steps = {QUICK: 4000, LAPTOP: steps, PAPER: 38000}[scale]
    task = tasks.bump(n=n, dark=False, encoding="one-hot")
    return Experiment(
        problem=Problem(task, regions.corner(x=n // 2, y=n // 2), **changes),
        model=models.per_pixel(width=width or (256 if scale is PAPER else 64), depth=depth),
        recipe=Recipe(steps=steps, decay=1e-4),
        measures=PERFORMANCE,
    )


per_pixel_deep = setting(
    "per_pixel_deep", "The same with four hidden layers.", lambda scale: per_pixel(scale, depth=4, steps=3000)
)
per_pixel_few = setting(
    "per_pixel_few",
    "The same per-pixel network shown 50 bumps.",
    lambda scale: per_pixel(scale, steps=5000, examples=BUMPS),
)
per_pixel_narrow = setting(
    "per_pixel_narrow",
    "The same per-pixel network with 16 units a layer, and so fewer waves to tell places by.",
    lambda scale: per_pixel(scale, width=16),
)
one_hot_cnn = setting(
    "one_hot_cnn",
    "A plain CNN with the same codes, pictures and corner as the per-pixel network.",
    lambda scale: change(
        per_pixel(scale),
        model=models.cnn_decoder(width=64 if scale is PAPER else 16),
        recipe=Recipe(steps=3150 if scale is PAPER else 1500),
    ),
)


def oracle(name: str, says: str, model: ModelSpec, steps: int, **problem: Any) -> Setting:
    """A decoder whose pictures are forecast before it is trained."""
    return setting(
        name,
        says,
        lambda scale: DecoderOracle(problem=square(SMALL, **problem), model=model, recipe=Recipe(steps=steps)),
    )


oracle_cnn = oracle("oracle_cnn", "A CNN on the hole, bump codes.", models.cnn_decoder(width=16), 1000)
oracle_mlp = oracle("oracle_mlp", "An MLP on the hole, one-hot codes.", models.mlp_decoder(), 4000, encoding="one-hot")
oracle_stripes = oracle(
    "oracle_stripes", "The same CNN with stripes.",
    models.cnn_decoder(width=16), 1000, isolated=STRIPES,
)  # fmt: skip
