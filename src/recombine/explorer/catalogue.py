"""What there is to choose from: tasks, models, regions and measures with their settings, read off the registries."""

import types
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MultipleOf
from pydantic import BaseModel

from recombine.core.errors import InputError
from recombine.core.spec import MemberOf, Spec, dump
from recombine.data import tasks
from recombine.explorer.presets import PRESETS
from recombine.explorer.problems import COMPONENTS, FUNCTIONS, PICTURES, SCENES, family_of
from recombine.measures import measures
from recombine.models import Interface, ModelSpec, models
from recombine.splits import regions, supports
from recombine.studies.fitting import ONE_CHANNEL
from recombine.training import Recipe, noises, penalties

# The two ends of networks for a few tasks of each family: what a model fits says where it is of use.
ENDS = {
    PICTURES: [
        Interface(inputs=32, levels=(16, 16), image=(16, 16)),
        Interface(inputs=784, levels=(28, 28), image=(2, 28), picture=(1, 28, 28)),
    ],
    COMPONENTS: [
        Interface(inputs=18, levels=(9, 9), image=(1, 1)),
        Interface(inputs=1568, levels=(4, 4), image=(1, 1), picture=(2, 28, 28)),
        Interface(inputs=6144, levels=(4, 4), image=(1, 1), picture=(6, 32, 32)),
    ],
    FUNCTIONS: [Interface(inputs=3, levels=(6, 6, 6), image=(1, 3))],
    SCENES: [Interface(inputs=10, levels=(3, 3), image=(16, 48), slots=2, channels=3)],
}
SCALARS = {int: "integer", float: "number", bool: "boolean", str: "word"}


@lru_cache(maxsize=1)
def catalogue() -> dict[str, Any]:
    """Everything that can be chosen, with settings and defaults, and problems to begin with."""
    return {
        "tasks": [
            {
                "name": name,
                "says": says,
                "family": family_of(tasks[name]),
                "settings": settings_of(tasks[name]),
                "drawable": not tasks[name].continuous and not _needs(tasks[name]),
                "isolates": tasks[name].isolates and family_of(tasks[name]) == PICTURES,
            }
            for name, says in tasks.summaries().items()
        ],
        "models": [
            {"name": name, "says": says, "families": families(models[name]), "settings": settings_of(models[name])}
            for name, says in models.summaries().items()
            if models[name].trainable
        ],
        "regions": _listed(regions),
        "supports": _listed(supports),
        "penalties": _listed(penalties),
        "noises": _listed(noises),
        "recipe": settings_of(Recipe),
        "measures": [{"name": name, "says": says} for name, says in measures.summaries().items()],
        "presets": PRESETS,
    }


def _listed(registry: Any) -> list[dict[str, Any]]:
    return [
        {"name": name, "says": says, "settings": settings_of(registry[name])}
        for name, says in registry.summaries().items()
    ]


def _needs(kind: type[Spec]) -> bool:
    """Whether a kind cannot be made from its defaults, as a menu would."""
    return any(field.is_required() for field in kind.model_fields.values())


def families(kind: type[ModelSpec]) -> list[str]:
    """The families of tasks whose answers a model of this kind can give."""
    return [name for name, ends in ENDS.items() if any(_fits(kind(), each) for each in ends)]


def _fits(model: ModelSpec, interface: Interface) -> bool:
    if interface.channels > 1 and isinstance(model, ONE_CHANNEL):
        return False
    try:
        model.check(interface)
    except InputError:
        return False
    return True


def settings_of(kind: type[Spec]) -> dict[str, dict[str, Any]]:
    """The settings of a kind by name: their type, default, choices and bounds."""
    return {name: _setting(field) for name, field in kind.model_fields.items()}


def _setting(field: Any) -> dict[str, Any]:
    required = field.is_required()
    default = None if required else _plain(field.get_default(call_default_factory=True))
    told: dict[str, Any] = {"default": default, "required": required}
    annotation, metadata = field.annotation, list(field.metadata)
    told |= _type(annotation, metadata)
    return told


def _type(annotation: Any, metadata: list[Any]) -> dict[str, Any]:
    """The type of an annotation in a word, with its choices and bounds; of several sorts, the first."""
    for each in metadata:
        if isinstance(each, MemberOf):
            return {"type": "member", "choices": list(each.kinds)}
    origin = get_origin(annotation)
    if origin is Annotated:
        inner, *more = get_args(annotation)
        more = [part for each in more for part in (each.metadata if hasattr(each, "metadata") else [each])]
        return _type(inner, [*more, *metadata])
    if origin in (Union, types.UnionType):
        sorts = [_type(sort, list(metadata)) for sort in get_args(annotation) if sort is not types.NoneType]
        words = [choice for sort in sorts for choice in sort.get("choices", ())]
        return {**sorts[0], **({"choices": words} if words and sorts[0]["type"] != "member" else {})}
    if origin is Literal:
        return {"type": "choice", "choices": list(get_args(annotation))}
    if annotation in SCALARS:
        return {"type": SCALARS[annotation], **_bounds(metadata)}
    if origin in (tuple, list):
        return {"type": "list"}
    return {"type": "mapping"}


def _bounds(metadata: list[Any]) -> dict[str, float]:
    found: dict[str, float] = {}
    for each in metadata:
        if isinstance(each, Ge | Gt):
            found["minimum"] = each.ge if isinstance(each, Ge) else each.gt  # type: ignore[assignment]
        elif isinstance(each, Le | Lt):
            found["maximum"] = each.le if isinstance(each, Le) else each.lt  # type: ignore[assignment]
        elif isinstance(each, MultipleOf):
            found["multiple"] = each.multiple_of  # type: ignore[assignment]
    return found


def _plain(value: Any) -> Any:
    """A default as JSON has it."""
    if isinstance(value, Spec) and value.kind:
        return dump(value)
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_defaults=True)
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value
