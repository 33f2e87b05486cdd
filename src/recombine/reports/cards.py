"""Cards: what somebody should know of a data set or a model before using it, in one small table each.

All of it is read off the records, the specifications in them, and the verdicts; what they do not say is left out.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from recombine.audits import Audit
from recombine.audits.telling import level_words
from recombine.core.spec import Spec
from recombine.data import Problem
from recombine.data.components import ComponentTask
from recombine.data.locating import Locate
from recombine.data.pictures import Picture
from recombine.data.rotation import RotatedDigit
from recombine.data.scenes import CHANNELS, Sprites
from recombine.data.tables import Table
from recombine.data.task import Task
from recombine.papers import Judgement, Verdict
from recombine.records.provenance import version
from recombine.reports.croissant import MIT, image_set_of, licences
from recombine.reports.descriptions import first_line, held_out_words, named, support_words, training_words
from recombine.reports.markup import Markup, prose, tag
from recombine.reports.numbers import count, interval, short
from recombine.reports.settings import SettingRuns
from recombine.studies import Experiment

# Measures called by a section and one of these, e.g. ood_nmse, then measures with a part for every section.
SCORES = {"accuracy": "accuracy", "exact": "exact accuracy", "nmse": "nMSE", "mse": "MSE", "r2": "R²"}
BY_SECTION = {
    "nmse_by_section": "nMSE",
    "darkest_accuracy": "accuracy of the extreme pixel",
    "strict_accuracy": "strict accuracy",
}
LATENTS = {"fourier": "with sines and cosines of it", "unit": "from -1 to 1", "physical": "as it is drawn"}
SOFTWARE = {"recombine": "recombine", "python": "Python", "numpy": "NumPy", "torch": "PyTorch"}
USE = "to study whether, and why, networks compose"


Fact: TypeAlias = str | Sequence[str]  # in one line, or in several


def card(title: str, rows: Mapping[str, Fact]) -> Markup:
    """A folded table of a row per fact; empty facts are left out."""
    lines = [tag("tr", tag("th", name, scope="row"), tag("td", _cell(fact))) for name, fact in rows.items() if fact]
    return tag("details", tag("summary", title), tag("div", tag("table", tag("tbody", lines)), class_="scroll"))


def _cell(fact: Fact) -> Markup | list[Markup]:
    return _set(fact) if isinstance(fact, str) else [tag("div", _set(line)) for line in fact]


def _set(fact: str) -> Markup:
    """Words with the names in them set as code, as docstrings write them."""
    return prose(fact.replace("``", "`"))


def data_card(setting: SettingRuns) -> Markup | None:
    """What a setting is trained on and asked; None for calculations, and before anything is recorded."""
    work = setting.work
    if not isinstance(work, Experiment) or not _bodies(setting):
        return None
    problem = work.problem
    return card(
        "Data card",
        {
            "Task": f"{named(problem.task)}: {first_line(problem.task)}",
            "Factors": _factors(problem),
            "Trained on": _trained(problem),
            "Never shown": _never_shown(problem),
            "Asked": _asked(problem),
            "Resolution": _resolution(problem.task),
            "Inputs": _inputs(problem.task),
            "Seeds": _seeds([run.work.seed for run in setting.runs if run.body is not None]),
            "Licence": " and ".join(licences(problem.task)).replace(MIT, "MIT"),
            "Known limits": _limits(problem.task),
        },
    )


def model_card(setting: SettingRuns, judgements: Mapping[str, Judgement]) -> Markup | None:
    """What is trained, how, on what, and how right it is; None for calculations, and before anything is recorded."""
    work, bodies = setting.work, _bodies(setting)
    if not isinstance(work, Experiment) or not bodies:
        return None
    origins = [body.get("provenance") or {} for body in bodies]
    layers = next((run.layers for run in setting.runs if run.layers), ())
    failed = [str(body.get("reason") or "no reason was recorded") for body in bodies if body["status"] == "failed"]
    return card(
        "Model card",
        {
            "Model": f"{work.model.kind}: {first_line(work.model)}",
            "Settings": _settings(work.model),
            "Parameters": _each(f"{body['parameters']:,}" for body in bodies if "parameters" in body),
            "Layers looked at": ", ".join(layers),
            "Training": training_words(work.recipe) if work.model.trainable else "none: nothing is trained",
            "Machine": _each(f"{it['platform']}, {count(it['cpus'], 'core')}" for it in origins if it.get("cpus")),
            "Software": _each(_versions({name: it.get(name) for name in SOFTWARE}) for it in origins),
            "Intended use": USE,
            **{f"Measured on {section}": words for section, words in _measured(setting, work.problem).items()},
            "Verdicts": tuple(dict.fromkeys(_verdicts(setting, judgements))),
            "Failed runs": f"{len(failed)} of {len(bodies)}: {_each(failed)}" if failed else "",
        },
    )


def audited_data_card(found: Audit) -> Markup | None:
    """What an audit was given and what a mask holds out of it; None where no mask was given."""
    held = found.held_out
    if held is None:
        return None
    unseen = [f"{name}: {level_words(levels)}" for name, levels in held.unseen.items()]
    sections = [f"{name} {int(mask.sum()):,}" for name, mask in held.sections.items()]
    return card(
        "Data card",
        {
            "Data": found.source,
            "Inputs": found.inputs,
            "Factors looked at": ", ".join(found.factors),
            "Combinations": f"{held.trained_combinations:,} of {held.combinations:,} are trained on",
            "Trained on": count(held.trained, "row")
            + f" ({held.alone:,} of them show a factor alone)" * bool(held.alone),
            "Held out": "; ".join([count(held.held_out, "row"), *sections]),
            "Levels never shown": "; ".join(unseen),
            "Known limits": f"{held.repeated} held-out rows repeat a trained input" if held.repeated else "",
        },
    )


def audited_model_card(found: Audit) -> Markup | None:
    """How right a model was in an audit, by section, and why; None where no answer was scored."""
    if found.performance.empty:
        return None
    layers = dict.fromkeys(map(str, found.measures["layer"]))
    scored = {
        f"Measured on {line['section']}": f"{found.quantity} {short(line['score'])} [{short(line['low'])}, "
        f"{short(line['high'])}], {count(line['rows'], 'row')}"
        for line in found.scores
    }
    return card(
        "Model card",
        {
            "Model": found.model,
            "Parameters": "" if found.parameters is None else f"{found.parameters:,}",
            "Layers looked at": ", ".join(layers),
            **scored,
            "Verdict": found.verdict,
            "Known failures": [f"{reason.name}: {reason.text}" for reason in found.diagnosis],
            "Audited with": _versions({name: version(name) for name in SOFTWARE if name != "python"}),
        },
    )


def _bodies(setting: SettingRuns) -> list[Mapping[str, Any]]:
    return [run.body for run in setting.runs if run.body is not None]


def _each(words: Iterable[str]) -> str:
    """What was said, each once."""
    return "; ".join(dict.fromkeys(words))


def _seeds(seeds: Sequence[int]) -> str:
    """0 to 9 where none is left out, else all of them."""
    first, last = min(seeds), max(seeds)
    if len(seeds) > 2 and sorted(seeds) == list(range(first, last + 1)):
        return f"{first} to {last}"
    return ", ".join(map(str, seeds))


def _settings(spec: Spec) -> str:
    """All settings, those that were left as they are too."""
    written = {name: getattr(spec, name) for name in type(spec).model_fields}
    return ", ".join(f"{name.replace('_', ' ')} {_word(value)}" for name, value in written.items() if value is not None)


def _word(value: object) -> str:
    if isinstance(value, Spec):
        return named(value)
    if isinstance(value, tuple):
        return f"({', '.join(map(_word, value))})"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _versions(found: Mapping[str, object]) -> str:
    return ", ".join(f"{SOFTWARE[name]} {number}" for name, number in found.items() if number)


def _factors(problem: Problem) -> str:
    task = problem.task
    if task.continuous:
        return f"{count(task.slots, 'component')} of {count(task.latents, 'latent')} each, without levels"
    listed = ", ".join(f"{factor.name} with {count(len(factor), 'level')}" for factor in problem.grid.factors)
    return f"{len(problem.grid.factors)}: {listed}"


def _trained(problem: Problem) -> str:
    """How many examples a seed is trained on, counted without drawing them."""
    task = problem.task
    if problem.support is not None:
        return f"{count(problem.examples or 0, 'example')}, drawn from the support by the seed"
    if isinstance(task, ComponentTask) and task.images is not None:
        of = count(int(problem.trained.sum()), "combination")
        return f"{count(task.images.total, 'tuple')} of images, spread over {of}"
    together = count(problem.most_examples if problem.examples is None else problem.examples, "example")
    if not problem.isolated:
        return together
    levels = problem.isolated_levels
    alone = len(task.alone(problem.isolated, problem.spacing, problem.rim))
    lone = alone if levels is None else levels * len(problem.isolated)
    return f"{together} and {lone:,} with a factor alone"


def _never_shown(problem: Problem) -> str:
    if problem.support is not None:
        return f"all but {support_words(problem.support)}"
    if problem.reveal:
        return f"nothing: what would be held out is shown too ({held_out_words(problem)})"
    return held_out_words(problem)


def _sections(problem: Problem) -> Mapping[str, Any]:
    return problem.parts.sections if problem.support is None else problem.asked_sections


def _asked(problem: Problem) -> str:
    """Scenes by section; how many combinations a split has in its sections is said with what is never shown."""
    if problem.support is None:
        return ""
    return "; ".join(f"{name}: {count(int(mask.sum()), 'scene')}" for name, mask in _sections(problem).items())


def _resolution(task: Task) -> str:
    if isinstance(task, Sprites):
        return f"{task.size} x {task.size} pixels of {CHANNELS} channels"
    if isinstance(task, Picture | Locate):
        rows, columns = (task.n, task.n) if isinstance(task, Locate) else task.image
        return f"{rows} x {columns} pixels"
    # Without loading any image set.
    size = task.images.size if isinstance(task, ComponentTask) and task.images is not None else None
    return f"{size} x {size} pixels an image" if size is not None else ""


def _inputs(task: Task) -> str:
    encoding = getattr(task, "encoding", None)
    if encoding is not None:
        return f"{named(encoding)}: {first_line(encoding)}"
    if isinstance(task, Sprites):
        return f"every latent of every sprite, {LATENTS[task.inputs]}"
    if isinstance(task, ComponentTask):
        return (
            "one unit for every level of every component"
            if task.images is None
            else "a picture of every component, each in channels of its own"
        )
    if isinstance(task, Locate):
        return "the picture itself"
    return (
        "cosine and sine of the angle, after the digit if there are several" if isinstance(task, RotatedDigit) else ""
    )


def _limits(task: Task) -> str:
    pictures = image_set_of(task)
    if pictures is not None:
        return f"pictures of the image set {pictures}, combined by a program"
    return "as good as its table" if isinstance(task, Table) else "synthetic: made by formulas, nothing was measured"


def _measured(setting: SettingRuns, problem: Problem) -> dict[str, Sequence[str]]:
    """Scores by section, each with its interval over seeds; sections without any are left out."""
    found = {section: _scores(setting, section) for section in _sections(problem)}
    return {section: words for section, words in found.items() if words}


def _scores(setting: SettingRuns, section: str) -> Sequence[str]:
    names = {f"{section}_{score}": words for score, words in SCORES.items()}
    names |= {f"{name}.{section}": words for name, words in BY_SECTION.items()}
    found: dict[str, str] = {}
    for name, words in names.items():
        measured = setting.interval(name)
        if measured is not None:
            found.setdefault(words, f"{words} {interval(measured)}")  # the same number may have two names
    return tuple(found.values())


def _verdicts(setting: SettingRuns, judgements: Mapping[str, Judgement]) -> Iterable[str]:
    """What the claims it serves say and how they came out; of its controls how they came out."""
    controls: dict[Verdict, dict[str, None]] = {}
    for use in setting.uses:
        judged = judgements.get(use.claim.id)
        if judged is not None and not use.control:
            yield f"{use.claim.id} {judged.verdict}: {use.claim.says}"
        elif judged is not None:
            controls.setdefault(judged.control_verdict, {})[use.claim.id] = None
    for verdict, claims in controls.items():
        meant = ", as a control should be" if verdict is Verdict.CONTRADICTED else ""
        yield f"Control of {', '.join(claims)}: {verdict}{meant}."
