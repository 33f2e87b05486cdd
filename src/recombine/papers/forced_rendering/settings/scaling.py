"""Released code beyond the figures: depth, size of the picture and of the hole, width of the codes."""

from recombine.data import Problem, tasks
from recombine.models import models
from recombine.papers.claims import Scale, Setting, setting
from recombine.papers.forced_rendering.settings.building import PAPER, PERFORMANCE, SMALL, decoder, square
from recombine.splits import regions
from recombine.studies import Experiment, Work
from recombine.training import Recipe


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
