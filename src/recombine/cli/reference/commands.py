"""The page of commands, from the command line itself."""

from typing import Any

import typer

from recombine.cli.reference import wording


def page() -> str:
    """Every command with its words, its example and its options."""
    from recombine.cli.app import app

    group: Any = typer.main.get_command(app)
    parts: list[str] = []
    for name, command in group.commands.items():
        words = [line.strip() for line in (command.help or "").strip().splitlines() if line.strip()]
        example = next(line.removeprefix("Example: ") for line in words if line.startswith("Example: "))
        text = " ".join(line for line in words if not line.startswith("Example: "))
        rows = [(_label(each), getattr(each, "help", "") or "") for each in command.params]
        parts += [
            f"## `recombine {name}`",
            "",
            text,
            "",
            f"    {example}",
            "",
            *wording.table(("option", "meaning"), rows),
        ]
    return wording.page("Commands", "", parts)


def _label(parameter: Any) -> str:
    if parameter.param_type_name != "option":
        return f"`{parameter.name}`"
    return ", ".join(f"`{word}`" for word in parameter.opts)
