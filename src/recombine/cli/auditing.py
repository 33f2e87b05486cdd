"""`recombine audit`: the user's own data and model."""

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from recombine.cli.output import Json, print_json, say


def audit(
    data: Annotated[Path, typer.Argument(help="npz, npy, h5, csv or parquet file, or a folder of pictures.")],
    table: Annotated[
        Path | None,
        typer.Option("--table", help="CSV or Parquet with what the data lack: factors, targets, the mask `train`."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", help="module:function that gives the model, or module:name of the model itself."),
    ] = None,
    layers: Annotated[
        str | None, typer.Option("--layers", help="Layers to look at, with commas; a dozen if not given.")
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write a page for people here.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 unless the model composes.")] = False,
    seed: Annotated[int, typer.Option("--seed", min=0, help="For samples and shuffles.")] = 0,
    json: Json = False,
) -> None:
    """Say of your own data and model whether it composes, and why: what is held out, answers, and layers.

    Parts that bad input leaves undone are told first, a sentence each; the others are done, and the exit code is 2.

    Example: recombine audit faces.npz --model my_model:load -o audit.html
    """
    from recombine.audits import read_data
    from recombine.audits.audit import look
    from recombine.audits.given import check
    from recombine.core.errors import InputError
    from recombine.reports.audit_page import write_audit
    from recombine.reports.writing import check_place

    if output is not None:
        check_place(output, ".html", [data, *([table] if table else []), *source_files(model)])
    read = read_data(data, table)
    # Before a model is loaded, which may take long.
    given = check(read.inputs, read.targets, read.factors, read.train_mask, read.refused)
    loaded, refused = None, []
    try:
        loaded = None if model is None else load(model)
    except InputError as error:
        refused.append(str(error))
    found = look(
        given,
        model=loaded,
        layers=None if layers is None else [name.strip() for name in layers.split(",")],
        seed=seed,
        source=read.source,
        refused=refused,
        loader=model or "",
    )
    if output is not None:
        write_audit(output, found)
    if json:
        print_json(found.to_dict())
        for words in found.refused:
            say(words, err=True)
    else:
        say(str(found))
        if output is not None:
            say(f"The page is in {output}.")
    if found.refused:
        raise typer.Exit(2)
    if strict and not found.verdict.startswith("It composes:"):
        raise typer.Exit(1)


def source_files(model: str | None) -> list[Path]:
    """The files of the module that ``--model`` names, where it lies in the folder one is in; nothing is imported."""
    if model is None:
        return []
    home = Path(*model.partition(":")[0].removesuffix(".py").split("."))
    return [home.with_name(f"{home.name}.py"), home / "__init__.py"] if home.name else []


def load(name: str) -> Any:
    """The model called ``module:name``; a function that takes nothing is called to give it."""
    import inspect

    from recombine.core.errors import InputError

    home, colon, what = name.partition(":")
    if not colon or not home or not what:
        raise InputError(f"--model {name} names no model; write module:function, e.g. my_model:load.")
    if home.endswith(".py"):
        stem = ".".join(Path(home).with_suffix("").parts)
        raise InputError(f"--model {name} names a file; name its module, without .py: {stem}:{what}.")
    sys.path.insert(0, str(Path.cwd()))
    try:
        module = importlib.import_module(home)
    except ImportError as error:
        told = " ".join(str(error).split())
        raise InputError(f"--model {name}: module {home!r} cannot be imported ({told}); run where it lies.") from None
    except (Exception, SystemExit) as error:
        raise InputError(
            f"--model {name}: module {home!r} fails when imported ({type(error).__name__}); mend it, then audit again."
        ) from None
    finally:
        sys.path.remove(str(Path.cwd()))
    if not hasattr(module, what):
        raise InputError(f"--model {name}: module {home!r} has no {what!r}; name a function or a model in it.")
    thing = getattr(module, what)
    needed = _needed(thing) if inspect.isroutine(thing) else []
    if len(needed) > 1:
        raise InputError(
            f"--model {name} takes {' and '.join(needed)}; name a function without arguments that returns the model."
        )
    gives = inspect.isroutine(thing) and not needed
    if not (gives or isinstance(thing, type)):
        return thing
    try:
        given = thing()
    except (Exception, SystemExit) as error:
        told = f"{type(error).__name__}: {' '.join(str(error).split())}".rstrip(": ")
        raise InputError(f"--model {name} raised {told}; mend it, then audit again.") from None
    if given is None:
        raise InputError(f"--model {name} returns None; let it return the model.")
    return given


def _needed(function: Callable[..., Any]) -> list[str]:
    """The arguments that a function cannot be called without; any number of them counts as one."""
    from inspect import Parameter, signature

    parameters = signature(function).parameters.values()
    return [str(each) for each in parameters if each.default is Parameter.empty and each.kind is not each.VAR_KEYWORD]
