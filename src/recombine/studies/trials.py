"""Problems drawn by chance, with a network for each, on which a forecast is tuned and scored.

The public part may be looked at and tuned on. The other has seeds of its own, which nothing but the score reads; once
scored it is spent, and joins the public part when the forecast is changed.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from recombine.core.errors import InputError
from recombine.core.seeds import chosen, stream
from recombine.data import Problem, tasks
from recombine.models import models
from recombine.splits import regions
from recombine.studies.experiment import Experiment
from recombine.studies.scene_trials import scenes
from recombine.training import Recipe

if TYPE_CHECKING:
    from recombine.splits import Region

Part = Literal["public", "score"]


class Stream(NamedTuple):
    """A sequence of trials: the version of the forecast that it was drawn for, its name, families that take turns."""

    version: int
    name: str
    families: tuple[str, ...]
    length: int | None = None  # None: as long as it is asked to be


FIRST = ("pictures", "lone stripes", "sums", "classes", "functions")
# The streams that each part is drawn from. Whoever changes a forecast after a look at its score moves what was scored
# to the public part and scores the next version; what was trained for earlier versions is kept with their scores, and
# so all of it is used. Version 6 added families, which its public stream alone has.
STREAMS: Mapping[Part, tuple[Stream, ...]] = {
    "public": (
        Stream(3, "public", FIRST, 300),
        Stream(3, "score", FIRST, 300),
        Stream(4, "score", FIRST, 300),
        Stream(5, "score", FIRST, 300),
        Stream(6, "public", ("scenes", "large pictures", "scenes")),
    ),
    "score": (Stream(6, "score", (*FIRST, "large pictures", "scenes")),),
}
ERRORS, RATES = ("id_nmse", "ood_nmse"), ("id_accuracy", "ood_accuracy")
TRIES = 1000  # draws until one is new and allowed


def trials(part: Part, count: int) -> list[Experiment]:
    """The first so many trials of every stream of a part: problems with a network and a recipe; families take turns.

    Streams of earlier versions have a length of their own. No trial is drawn twice, and none that is scored is among
    those of the public part.
    """
    taken = set(trials("public", count)) if part == "score" else set()
    found = []
    for sequence in STREAMS[part]:
        for index in range(sequence.length or count):
            rng = stream(sequence.version, "trial", sequence.name, str(index))
            draw = FAMILIES[sequence.families[index % len(sequence.families)]]
            made = next(each for _ in range(TRIES) if (each := _allowed(draw, rng)) is not None and each not in taken)
            taken.add(made)
            found.append(made)
    return found


def _allowed(draw: Callable[["np.random.Generator"], Experiment], rng: "np.random.Generator") -> Experiment | None:
    """A draw, unless no problem can be so: everything held out, or nothing."""
    try:
        return draw(rng)
    except InputError:
        return None


def pictures(rng: "np.random.Generator") -> Experiment:
    """A bump, a bump on a torus or a sum of stripes, with a hole or a few examples, drawn by a decoder."""
    return _drawn(rng, ())


def lone_stripes(rng: "np.random.Generator") -> Experiment:
    """The same, with one factor or both shown alone too."""
    return _drawn(rng, chosen(rng, ("y", "x"), ("y", "x"), ("y", "x"), ("x",)))


def large_pictures(rng: "np.random.Generator") -> Experiment:
    """The same with 16 levels of each factor, half of them with both factors shown alone too."""
    return _drawn(rng, chosen(rng, (), ("y", "x")), levels=16)


def _drawn(rng: "np.random.Generator", isolated: tuple[str, ...], levels: int | None = None) -> Experiment:
    model = chosen(
        rng,
        {"kind": "mlp-decoder", "width": 128, "depth": 1},
        {"kind": "mlp-decoder", "width": 128, "depth": 3},
        {"kind": "forced-rendering"},
        {"kind": "cnn-decoder", "width": 16},
        {"kind": "cnn-decoder", "width": 16},
    )
    slow = model["kind"] == "cnn-decoder"
    n = levels or int(rng.choice((8, 8, 12) if slow else (8, 12)))
    kind = str(rng.choice(("bump", "bump", "sum-of-stripes", "torus")))
    code = {"kind": "one-hot"} if rng.random() < 0.5 else {"kind": "bump"}
    task = tasks.parse({"kind": kind, "n": n, "sigma": float(rng.choice((0.7, 1.0, 1.5))), "encoding": code})
    problem = Problem(task, picture_split(rng, n), isolated=isolated)
    recipe = Recipe(steps=800 if slow else 1500, batch=32, rate=3e-3, decay=0.0, schedule="one-cycle")
    return Experiment(problem=problem, model=models.parse(model), recipe=recipe, measures=ERRORS)


def picture_split(rng: "np.random.Generator", n: int) -> "Region":
    """A hole, a corner, a cross of levels never shown, all but the diagonal or two axes, or a random part."""
    side = int(rng.integers(2, n - 2))
    low = int(rng.integers(0, n - side))
    aside = int(rng.integers(0, n - side))
    return chosen(
        rng,
        regions.block(x=(low, low + side), y=(aside, aside + side)),
        regions.corner(x=n - side, y=n - side),
        regions.extrapolation(of=regions.cross(x=(low, low + 2), y=(low, low + 2))),
        regions.diagonal(width=int(rng.integers(0, 3))),
        regions.orthogonal(at={"x": int(rng.integers(n)), "y": int(rng.integers(n))}),
        regions.random(fraction=float(rng.uniform(0.1, 0.9)), seed=int(rng.integers(1000))),
    )


def sums(rng: "np.random.Generator") -> Experiment:
    """Symbolic addition: few or many partners, even or uneven, read by a lazy or a learning network."""
    count = int(rng.integers(4, 10))
    values = tuple(float(value) for value in np.arange(count) - (count - 1) / 2)
    anchors = tuple(int(place) for place in rng.choice(count, int(rng.integers(1, 4)), replace=False))
    split = chosen(
        rng,
        regions.anchors(first=anchors, second=anchors),
        regions.dispersed(partners=int(rng.integers(1, 4)), seed=int(rng.integers(1000))),
        regions.random(fraction=float(rng.uniform(0.4, 0.85)), seed=int(rng.integers(1000))),
        regions.diagonal(width=1),
    )
    problem = Problem(tasks.addition(values=values), split)
    recipe = Recipe(steps=3000, batch="all", optimiser="adam", rate=1e-3, decay=0.0, stop=1e-4)
    return Experiment(problem=problem, model=_reader(rng), recipe=recipe, measures=ERRORS)


def classes(rng: "np.random.Generator") -> Experiment:
    """Context dependence, equivalence, ordering and tables of classes, by squared error or logistic loss."""
    problem = chosen(rng, _context, _equivalence, _ordering, _invariance, _threshold, _parity, _lottery)(rng)
    loss = chosen(rng, "mse", "logistic")
    recipe = Recipe(steps=2000, batch="all", optimiser="adam", rate=1e-3, decay=0.0, stop=1e-4, loss=loss)
    return Experiment(problem=problem, model=_reader(rng), recipe=recipe, measures=RATES)


def _context(rng: "np.random.Generator") -> Problem:
    """What is held out has the low half of one feature with the high half of the other, so that they disagree."""
    half = int(rng.choice((2, 3, 4)))
    first, second = (int(side) for side in rng.integers(max(1, half - 1), half + 1, 2))
    block = regions.block(feature1=(0, first), feature2=(half, half + second))
    return Problem(tasks.context(levels=2 * half), block)


def _equivalence(rng: "np.random.Generator") -> Problem:
    size = int(rng.integers(2, 6))
    anchors = int(rng.integers(1, size))
    places = (*range(anchors), *range(size, size + anchors))
    split = regions.anchors(first=places, second=places)
    return Problem(tasks.equivalence(classes=(size, size)), split if rng.random() < 0.5 else _scattered(rng))


def _ordering(rng: "np.random.Generator") -> Problem:
    split = regions.diagonal(width=1) if rng.random() < 0.3 else _scattered(rng)
    return Problem(tasks.ordering(items=int(rng.integers(5, 13))), split)


def _invariance(rng: "np.random.Generator") -> Problem:
    return Problem(
        tasks.invariance(relevant=2 * int(rng.integers(1, 5)), irrelevant=int(rng.integers(3, 9))), _scattered(rng)
    )


def _threshold(rng: "np.random.Generator") -> Problem:
    """Is the sum of two values above zero? Additive, and hard near the edge."""
    count = int(rng.integers(5, 10))
    values = np.sort(rng.normal(size=(2, count)), axis=1)
    return Problem(_table(np.add.outer(*values) > 0), _scattered(rng))


def _parity(rng: "np.random.Generator") -> Problem:
    """Do the two items belong to classes of the same sign? No sum over items can say."""
    first, second = (rng.permutation(np.arange(count) % 2) for count in rng.integers(4, 9, 2))
    return Problem(_table(np.equal.outer(first, second)), _scattered(rng))


def _lottery(rng: "np.random.Generator") -> Problem:
    """Classes drawn by chance: nothing can be composed."""
    return Problem(_table(rng.random(tuple(rng.integers(4, 9, 2))) < 0.5), _scattered(rng))


def _table(yes: np.ndarray) -> Any:
    """A task of two components whose class is 1 where it is true, else -1."""
    rows = [((str(one), str(other)), 1.0 if value else -1.0) for (one, other), value in np.ndenumerate(yes)]
    return tasks.table(components=("first", "second"), rows=rows)


def _scattered(rng: "np.random.Generator") -> "Region":
    return regions.random(fraction=float(rng.uniform(0.3, 0.85)), seed=int(rng.integers(1000)))


def functions(rng: "np.random.Generator") -> Experiment:
    """Functions side by side or of one another, over a box of which a part was never shown."""
    kind = str(rng.choice(("parallel", "parallel", "composed", "hill")))
    levels = int(rng.choice((4, 6, 8)))
    settings: dict[str, Any] = {"kind": kind, "levels": levels, "draw": int(rng.integers(1000))}
    settings |= {"parts": 2} if kind == "parallel" else {}
    side = int(rng.integers(levels // 2, levels))
    low = int(rng.integers(0, levels - side + 1))
    split = chosen(
        rng,
        regions.block(x1=(low, low + side), x2=(low, low + side)),
        regions.corner(x1=levels - side, x2=levels - side),
        regions.random(fraction=float(rng.uniform(0.4, 0.9)), seed=int(rng.integers(1000))),
        regions.diagonal(width=1),
        regions.orthogonal(at={"x1": int(rng.integers(levels)), "x2": int(rng.integers(levels))}),
    )
    examples = int(rng.choice((30, 100, 400)))
    problem = Problem(tasks.parse(settings), split, examples=examples, centres="uniform")
    modules = 2 if kind == "parallel" and rng.random() < 0.4 else 1
    model = models.feedforward(widths=(64, 64), modules=modules)
    recipe = Recipe(steps=1500, batch=50, optimiser="adam", rate=3e-3, decay=0.0, schedule="one-cycle")
    return Experiment(problem=problem, model=model, recipe=recipe, measures=ERRORS)


def _reader(rng: "np.random.Generator") -> Any:
    """A network that reads symbols: lazy or not, shallow or not."""
    return models.mlp(width=200, depth=int(rng.choice((1, 1, 3))), scale=float(rng.choice((1.0, 0.1))))


FAMILIES: Mapping[str, Callable[["np.random.Generator"], Experiment]] = {
    "pictures": pictures,
    "lone stripes": lone_stripes,
    "sums": sums,
    "classes": classes,
    "functions": functions,
    "large pictures": large_pictures,
    "scenes": scenes,
}
