"""What a piece of work is, as facts in words, for people who know the library."""

from collections.abc import Mapping
from typing import Any

from recombine.core.spec import Spec
from recombine.data import Problem
from recombine.data.scenes import Sprites
from recombine.models import ModelSpec
from recombine.models.scene_specs import Compositional, SceneSpec
from recombine.reports.numbers import count
from recombine.reports.shown_words import no_combination
from recombine.splits import Support, certificate
from recombine.studies import Calculation, Experiment, Work
from recombine.training import Recipe

LOSSES = {
    "mse": "squared error",
    "logistic": "logistic loss",
    "mse-l1": "squared error and a tenth of the absolute error",
}
HALF_OPEN = ", each range without its end"


def describe_calculation(work: Work) -> dict[str, str]:
    """What is computed, with which settings, and whether chance has a part in it."""
    assert isinstance(work, Calculation)
    chosen = {name: _value(getattr(work, name), value) for name, value in work.model_dump(mode="json").items()}
    told = [f"{name.replace('_', ' ')} = {value}" for name, value in chosen.items() if name != "seed"]
    return _said(
        {
            "Calculation": work.kind,
            "Computes": first_line(work),
            "With": "; ".join(told),  # a support has commas of its own
            "Chance": "none: one computation decides" if work.exact else "drawn anew by every seed",
        }
    )


def describe_experiment(work: Work) -> dict[str, str]:
    """Problem, model and training."""
    assert isinstance(work, Experiment)
    problem = work.problem
    return _said(
        {
            **(_of_a_split(work) if problem.support is None else _of_a_support(work)),
            "Model": f"{work.model.kind}{differing(work.model)}",
            "Model composes by": _joined(work.model),
            "Training": training_words(work.recipe) if work.model.trainable else "",
        }
    )


def _of_a_split(work: Experiment) -> dict[str, str]:
    """The facts of a problem that holds out combinations of a grid."""
    problem = work.problem
    levels = ", ".join(f"{len(factor)} levels of {factor.name}" for factor in problem.grid.factors)
    drawn = "drawn by the seed" if problem.centres == "grid" else "drawn by the seed anywhere in the training cells"
    each = "every level" if problem.isolated_levels is None else f"{count(problem.isolated_levels, 'level')}"
    shown = [f"{problem.examples} examples {drawn}"] if problem.examples else []
    shown += ["no combination"] if no_combination(problem) else []
    shown += [f"centres every {problem.spacing:g} pixels"] if problem.spacing is not None else []
    shown += [f"{each} of {' and of '.join(problem.isolated)} alone"] if problem.isolated else []
    shown += ["what lies partly beyond the border"] if problem.rim else []
    return {
        "Task": f"{problem.task.kind}{differing(problem.task)}: {levels}",
        "Held out": _held_out(problem),
        "Also shown" if problem.examples is None else "Shown": "; ".join(shown),
    }


def _held_out(problem: Problem) -> str:
    if problem.reveal:
        return f"nothing: what would be held out is shown too ({held_out_words(problem)})"
    return held_out_words(problem) + (", in name only" if no_combination(problem) else "")


def _of_a_support(work: Experiment) -> dict[str, str]:
    """The facts of a problem whose training examples a support draws."""
    problem = work.problem
    task, support = problem.task, problem.support
    assert support is not None
    scenes = f"{count(task.slots, 'component')} of {count(task.latents, 'latent')}"
    asked = count(task.asked_count, "example")
    return {
        "Task": f"{task.kind}{differing(task)}: {scenes}",
        "Composed by": named(task.composition) if isinstance(task, Sprites) else "",
        "Support": support_words(support),
        "Shown": f"{count(problem.examples or 0, 'example')} drawn from the support by the seed",
        "Asked": f"{asked} of the support, and as many of the whole space",
    }


def _joined(model: ModelSpec) -> str:
    """How a model of scenes joins what it draws of each component; nothing for other models."""
    if isinstance(model, Compositional):
        return named(model.composition)
    return "nothing built in: one network draws the whole scene" if isinstance(model, SceneSpec) else ""


def named(spec: Any) -> str:
    """A specification by its kind, with the settings that differ from its defaults."""
    return f"{spec.kind}{differing(spec)}"


def _value(value: Any, written: Any) -> str:
    """A setting in words: a support or another specification by all that it is, else as it is written."""
    if isinstance(value, Support):
        return support_words(value)
    return named(value) if isinstance(value, Spec) and value.kind else _plain(written)


def support_words(support: Support) -> str:
    """A support in words: what it draws, by which density, and what is cut out of it."""
    return _drawn_by(support) + (f", without {cut_words(support)}" if support.without else "")


def cut_words(support: Support) -> str:
    """The cut of a support: every range that a scene must lie in to be cut out."""
    return " and ".join(f"{name} from {low:g} to {high:g}" for name, (low, high) in support.without.items())


def _drawn_by(support: Support) -> str:
    own = support.model_dump(exclude={"without"})
    if support.kind == "diagonal":
        return f"diagonal band of width {own['width']:g}, all sprites nearly alike"
    if support.kind != "planes":
        return f"{named(support.model_copy(update={'without': {}}))}: {first_line(support).rstrip('.')}"
    free = [plane["free"] for plane in own["planes"]]
    moved = [f"{free.count(slot)} in which sprite {slot + 1} varies" for slot in sorted(set(free))]
    density = "uniform" if own["spread"] is None else f"normal with spread {own['spread']:g}"
    density = density if own["skew"] is None else "Beta({:g}, {:g})".format(*own["skew"])
    return f"{count(len(free), 'plane')} of {density} density, {' and '.join(moved)}"


def _said(facts: Mapping[str, str]) -> dict[str, str]:
    return {name: fact for name, fact in facts.items() if fact}


def held_out_words(problem: Problem) -> str:
    """The region, how many combinations it holds out, and its sections."""
    region, held = problem.rule, certificate(problem.parts)
    sections = [f"{name} {size}" for name, size in held.sections.items() if name not in ("id", "ood")]
    ranges = HALF_OPEN if region.kind in ("block", "cross") else ""
    share = f"{held.share:.{0 if held.share >= 0.01 else 1}%}"
    of = f"{held.held_out} of {held.seen + held.held_out} combinations ({'; '.join([share, *sections])})"
    return f"{region.kind}{differing(region)}{ranges}: {of}"


def training_words(recipe: Recipe) -> str:
    """How a network is trained, in one line."""
    batch = "on all examples at once" if recipe.batch == "all" else f"of {recipe.batch}"
    parts = [f"{count(recipe.steps, 'step')} {batch}", recipe.optimiser, f"rate {recipe.rate:g}"]
    parts += [f"lone factors {recipe.lone:.0%} of a batch"] if recipe.lone is not None else []
    parts += [f"{recipe.schedule} schedule"] if recipe.schedule != "constant" else []
    parts += [f"running mean of weights {recipe.ema:g}"] if recipe.ema is not None else []
    parts += [f"momentum {recipe.momentum:g}"] if recipe.momentum else []
    parts += [f"decay {recipe.decay:g}", LOSSES[recipe.loss]]
    parts += [f"gradients clipped at norm {recipe.clip:g}"] if recipe.clip is not None else []
    parts += [f"penalty {penalty.kind}{differing(penalty)}" for penalty in recipe.penalties]
    parts += [f"stopped once the loss is at most {recipe.stop:g}"] if recipe.stop is not None else []
    return ", ".join(parts)


def first_line(thing: object) -> str:
    """The first line of a docstring."""
    return ((thing.__doc__ or "").strip().splitlines() or [""])[0]


def differing(spec: Any) -> str:
    """The settings of a specification that differ from its defaults, in brackets."""
    listed = ", ".join(f"{name} = {_plain(value)}" for name, value in spec.settings().items())
    return f" ({listed})" if listed else ""


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        more = ", ".join(f"{key} {_plain(item)}" for key, item in value.items() if key != "kind")
        return " with ".join(part for part in (str(value.get("kind", "")), more) if part)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    return f"({', '.join(_plain(item) for item in value)})" if isinstance(value, list) else str(value)
