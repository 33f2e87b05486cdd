"""Signatures as their authors wrote them: read off the source, since annotations lose their words when they are run."""

import ast
import inspect
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

Defined: TypeAlias = ast.FunctionDef | ast.ClassDef
WIDEST = 100  # letters of a line


@cache
def _lines(module: str) -> list[str]:
    return Path(str(sys.modules[module].__file__)).read_text(encoding="utf-8").splitlines()


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse("\n".join(_lines(module)))


def definitions(thing: Any) -> list[Defined]:
    """The definition of a function or class in its module; of an overloaded function each of its forms; else none."""
    found: list[Defined] = []
    if not (inspect.isclass(thing) or inspect.isfunction(thing)) or not thing.__module__.startswith("recombine"):
        return found
    body: list[ast.stmt] = _tree(thing.__module__).body
    for name in thing.__qualname__.split("."):
        found = [node for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name]
        body = found[-1].body
    forms = [node for node in found if any(ast.unparse(each) == "overload" for each in node.decorator_list)]
    return forms or found[-1:]


def signature(thing: Any) -> str:
    """How a function or a class is called."""
    if inspect.isclass(thing):
        return constructor(thing)
    return "\n".join(function(node) for node in definitions(thing) if isinstance(node, ast.FunctionDef))


def function(node: ast.FunctionDef, name: str | None = None) -> str:
    """``name(parameters) -> what it returns``, a parameter to a line where one line would be too long."""
    returns = f" -> {_annotation(node.returns)}" if node.returns else ""
    return _joined(name or node.name, _parameters(node.args), returns)


def constructor(cls: type) -> str:
    """How a class is called: by its own ``__init__``, else by the fields that it and those above it declare."""
    own = [each for each in _class_body(cls) if isinstance(each, ast.FunctionDef) and each.name == "__init__"]
    if own:
        return _joined(cls.__name__, _parameters(own[0].args), "")
    fields: dict[str, str] = {}
    for each in reversed(cls.__mro__):
        for node in _class_body(each):
            if isinstance(node, ast.AnnAssign) and "ClassVar" not in ast.unparse(node.annotation):
                fields[ast.unparse(node.target)] = _field(node)
    return _joined(cls.__name__, list(fields.values()), "") if fields else cls.__name__


def members(cls: type) -> list[tuple[str, str | None]]:
    """Public methods and properties that a class itself defines, with their docstrings."""
    found: dict[str, tuple[str, str | None]] = {}
    for each in _class_body(cls):
        if isinstance(each, ast.FunctionDef) and not each.name.startswith(("_", "model_")):
            words = {ast.unparse(decorator).split(".")[-1] for decorator in each.decorator_list}
            bare = words & {"property", "cached_property"}
            call = each.name if bare else f"{each.name}({_brief(each.args)})"
            found[each.name] = (
                call,
                inspect.getdoc(getattr(cls, each.name)),
            )  # where it has none, what it overrides has
    return list(found.values())


def meanings(cls: type) -> dict[str, str]:
    """What is written behind the fields of a class and of those above it."""
    found: dict[str, str] = {}
    for each in reversed(cls.__mro__):
        for node in _class_body(each):
            if isinstance(node, ast.AnnAssign):
                line = _lines(each.__module__)[(node.end_lineno or node.lineno) - 1]
                found[ast.unparse(node.target)] = line.partition("  # ")[2]
    return {name: words for name, words in found.items() if words and words != "fmt: skip"}


def _class_body(cls: type) -> list[ast.stmt]:
    nodes = definitions(cls)
    return nodes[0].body if nodes else []


def comment(module: ModuleType, name: str) -> str:
    """What is written of a constant: behind it, below it in quotes, or above it."""
    lines, body = _lines(module.__name__), _tree(module.__name__).body
    for node, following in zip(body, [*body[1:], None], strict=True):
        targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
        if not any(isinstance(target, ast.Name) and target.id == name for target in targets):
            continue
        if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
            return str(following.value.value)
        above: list[str] = []
        for line in reversed(lines[: node.lineno - 1]):
            if not line.startswith("#"):
                break
            above.insert(0, line.lstrip("#: "))
        return lines[(node.end_lineno or node.lineno) - 1].partition("  # ")[2] or " ".join(above)
    return ""


def _parameters(args: ast.arguments) -> list[str]:
    plain = [*args.posonlyargs, *args.args]
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(args.defaults))
    written = [_parameter(each, default) for each, default in zip(plain, [*defaults, *args.defaults], strict=True)]
    if args.posonlyargs:
        written.insert(len(args.posonlyargs), "/")
    if plain and plain[0].arg in ("self", "cls"):
        written = written[1:]
    if args.vararg:
        written.append(f"*{_parameter(args.vararg, None)}")
    elif args.kwonlyargs:
        written.append("*")
    written += [_parameter(each, default) for each, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)]
    return [*written, *([f"**{_parameter(args.kwarg, None)}"] if args.kwarg else [])]


def _brief(args: ast.arguments) -> str:
    return ", ".join(each.partition(":")[0].partition(" =")[0] for each in _parameters(args) if each not in ("*", "/"))


def _parameter(node: ast.arg, default: ast.expr | None) -> str:
    kind = f": {_annotation(node.annotation)}" if node.annotation else ""
    value = "" if default is None else f" = {_source(default)}" if kind else f"={_source(default)}"
    return f"{node.arg}{kind}{value}"


def _field(node: ast.AnnAssign) -> str:
    value = "" if node.value is None else f" = {_default(node.value)}"
    return f"{ast.unparse(node.target)}: {_annotation(node.annotation)}{value}"


def _default(node: ast.expr) -> str:
    """The default of a field: of ``Field(0.1, ge=0)`` and ``Field(default=0.1)`` the value itself."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("Field", "field"):
        named = {word.arg: word.value for word in node.keywords}
        value = node.args[0] if node.args else named.get("default")
        return "..." if value is None else _source(value)
    return _source(node)


def _annotation(node: ast.expr) -> str:
    """An annotation, taken out of its quotes where it is written in them."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else _source(node)


def _source(node: ast.expr) -> str:
    written = ast.unparse(node)
    return written if '"' in written else written.replace("'", '"')


def _joined(name: str, parameters: list[str], returns: str) -> str:
    line = f"{name}({', '.join(parameters)}){returns}"
    if len(line) <= WIDEST:
        return line
    return "\n".join([f"{name}(", *(f"    {each}," for each in parameters), f"){returns}"])
