"""Specifications: frozen values that describe what is run, read from YAML and named by their digest."""

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, ClassVar, TypeAlias, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import core_schema

from recombine.core.errors import InputError, shown, unknown
from recombine.core.plain_documents import read_document
from recombine.core.registry import Registry

S = TypeVar("S", bound="Spec")
LARGEST = 16 << 20  # bytes of a file of YAML
Loc: TypeAlias = tuple[int | str, ...]  # where pydantic found something


class Spec(BaseModel):
    """A frozen, checked description. Misspelt settings are refused, nonsense is refused when built.

    The digest covers what differs from the defaults, so that a setting added later (with a default that means
    "as before") leaves the names of earlier records alone. Changing a default is therefore a breaking change; a
    test keeps a snapshot of all defaults.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)
    kind: ClassVar[str] = ""  # set by `Kinds.register`

    def __init__(self, /, **settings: Any) -> None:
        try:
            super().__init__(**settings)
        except ValidationError as error:
            raise InputError(sentence(type(self), error)) from None

    @classmethod
    def read(cls: type[S], settings: object, where: str = "") -> S:
        """The specification that a parsed YAML or JSON document describes."""
        if not isinstance(settings, Mapping):
            raise InputError(
                f"{where or cls.__name__} must be a mapping of settings, got {type(settings).__name__}; "
                f"known settings: {', '.join(cls.model_fields)}."
            )
        for key in settings:
            if not isinstance(key, str):
                raise InputError(
                    f"{where or cls.kind or cls.__name__} has a setting named {shown(key)}; names are words."
                )
        try:
            return cls.model_validate(dict(settings))
        except (ValidationError, InputError) as error:
            text = sentence(cls, error) if isinstance(error, ValidationError) else str(error)
            raise InputError(f"{where}: {text}" if where else text) from None

    def settings(self) -> dict[str, Any]:
        """Every setting that differs from its default, as plain JSON values; `read` undoes it."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def to_yaml(self) -> str:
        """The settings as YAML, which `read_yaml` and `read` turn back into the same value."""
        import yaml

        return yaml.safe_dump(self.settings(), sort_keys=False, allow_unicode=True)

    def canonical(self) -> str:
        return canonical_json(self.settings())

    def digest(self) -> str:
        """The first 16 hexadecimal digits of the SHA-256 of the canonical JSON."""
        return self.name_of_settings

    @cached_property
    def name_of_settings(self) -> str:
        return sha256(self.canonical())[:16]


def canonical_json(document: object) -> str:
    """The one spelling of a JSON document that digests are taken of."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def sentence(cls: type[BaseModel], error: ValidationError) -> str:
    """The first thing a validation found wrong, as one sentence."""
    found = error.errors(include_url=False)
    # A misspelt setting is both missing and unknown: say the unknown one, it has the cure.
    first = min(found, key=lambda each: each["type"] != "extra_forbidden")
    sorts = [each for each in found if each["loc"][:1] == first["loc"][:1]] if _of_sorts(cls, first["loc"]) else [first]
    # Of the sorts that a setting may be of, the one that was meant: read deepest, or refused for more than its sort.
    first = min(sorts, key=lambda each: (-len(each["loc"]), _of_another_sort(each)))
    where = _as_written(cls, first["loc"])
    name = getattr(cls, "kind", "") or cls.__name__
    if first["type"] == "extra_forbidden":
        return str(unknown(f"setting of {name}", where, cls.model_fields))
    if first["type"] == "missing" and isinstance(first["loc"][-1], int):
        whole, given = _as_written(cls, first["loc"][:-1]), first["input"]
        return f"{name}: {whole} = {shown(given)} has too few values; give the next one too."
    if first["type"] == "missing":
        return f"{name} needs the setting {where!r}; known settings: {', '.join(cls.model_fields)}."
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, InputError):
        return str(cause)
    others = [each["msg"].removeprefix("Input should be ") for each in sorts if each is not first]
    message = first["msg"].removeprefix("Value error, ")
    if _of_another_sort(first) and others:
        message = ", or ".join([message, *others])
    message = message.replace("a valid tuple", "a list")  # as YAML and the command line have it
    return f"{name}: {where} = {shown(first['input'])}: {message}." if where else f"{name}: {message}"


def _of_sorts(cls: type[BaseModel], loc: Loc) -> bool:
    """Whether the setting at a place may be of several sorts, e.g. a number or a pair of them."""
    field = cls.model_fields.get(str(loc[0])) if loc else None
    if field is None or get_origin(field.annotation) not in (Union, UnionType):
        return False
    return len([sort for sort in get_args(field.annotation) if sort is not NoneType]) > 1


def _of_another_sort(found: Any) -> bool:
    return found["type"].endswith(("_type", "_parsing")) or found["type"] == "literal_error"


def _as_written(cls: type[BaseModel], loc: Loc) -> str:
    """The setting as it was given, dotted: without the name that pydantic puts behind it for one of several sorts."""
    return ".".join(str(part) for part in (loc[:1] + loc[2:] if _of_sorts(cls, loc) else loc))


class Kinds(Registry[type[S]]):
    """A registry of specifications of one sort (tasks, regions, models, penalties).

    In YAML a member is its settings with a ``kind``: ``{kind: bump, n: 28}``, or the bare name.
    """

    def register(self, name: str):  # type: ignore[no-untyped-def]
        file = super().register(name)

        def named(cls: type[S]) -> type[S]:
            open_ = sorted(getattr(cls, "__abstractmethods__", ()))
            if open_:
                raise InputError(
                    f"{self.noun} {name!r} lacks {', '.join(map(repr, open_))}; a {self.noun} must define "
                    f"{'it' if len(open_) == 1 else 'them'}, so write {'this method' if len(open_) == 1 else 'these'}."
                )
            cls.kind = name
            return file(cls)

        return named

    def parse(self, value: object) -> S:
        """A member as it is, by its bare name, or from a mapping with a ``kind``."""
        if isinstance(value, str):
            return self.pick(value)()
        if isinstance(value, Mapping):
            settings = dict(value)
            if "kind" not in settings:
                raise InputError(f"a {self.noun} needs a 'kind'; known: {', '.join(self)}.")
            return self.pick(str(settings.pop("kind"))).read(settings)
        if isinstance(value, tuple(self.values())):
            return value  # type: ignore[return-value]
        raise InputError(
            f"{shown(value)} is no {self.noun}; give a name, a mapping with a 'kind', or a registered value. "
            f"Known: {', '.join(self)}."
        )


def dump(member: Spec) -> dict[str, Any]:
    """What `Kinds.parse` reads back: the kind and every setting that differs from its default."""
    return {"kind": member.kind, **member.settings()}


class MemberOf:
    """Marks a field that holds one member of ``kinds``: ``task: Annotated[Task, MemberOf(tasks)]``."""

    def __init__(self, kinds: Kinds[Any]) -> None:
        self.kinds = kinds

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        writing = core_schema.plain_serializer_function_ser_schema(dump)
        return core_schema.no_info_plain_validator_function(self.kinds.parse, serialization=writing)


def read_yaml(path: Path) -> object:
    """The document in a YAML (or JSON) file, read with the safe loader."""
    what = shown(str(path))
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)  # not all of it: it may be a device that never ends
    except OSError as error:
        raise InputError(f"cannot read {what}: {error.strerror}.") from None
    except ValueError as error:  # a name that no file can have
        raise InputError(f"cannot read {what}: {error}.") from None
    if len(content) > LARGEST:
        raise InputError(f"{what} is larger than {LARGEST >> 20} MB; give a specification, or a table as CSV.")
    try:
        return read_document(content.decode(), what)
    except UnicodeDecodeError as error:
        raise InputError(f"{what} is not valid YAML: {error}.") from None
