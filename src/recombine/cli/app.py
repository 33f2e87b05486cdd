"""The application: the list of commands, and what becomes of errors."""

import sys

import click
import typer

from recombine.cli import forecasting, health, listing, reporting, reproducing, training
from recombine.core.errors import InputError, unknown

app = typer.Typer(
    name="recombine",
    help="Will it compose, and why? By theory before training, by training, and by looking inside.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for command in (
    listing.list_things,
    forecasting.forecast,
    training.train,
    reproducing.plan,
    reproducing.reproduce,
    reproducing.check,
    reporting.report,
    health.doctor,
):
    app.command(command.__name__.removesuffix("_things"))(command)


@app.callback(invoke_without_command=True)
def start(version: bool = typer.Option(False, "--version", help="Print the version and exit.")) -> None:
    if version:
        from recombine import __version__

        typer.echo(f"recombine {__version__}")
        raise typer.Exit


def main(arguments: list[str] | None = None) -> None:
    """Run a command. 0: done; 1: a negative answer; 2: bad input, said in one sentence; 130: interrupted."""
    try:
        code = app(args=arguments, standalone_mode=False)
    except InputError as error:
        code = complain(str(error))
    except click.exceptions.NoArgsIsHelpError as error:
        typer.echo(error.ctx.get_help() if error.ctx else "")
        code = 0
    except click.UsageError as error:
        code = complain(usage(error))
    except click.ClickException as error:
        code = complain(error.format_message())
    except (KeyboardInterrupt, click.exceptions.Abort):
        typer.echo("recombine: interrupted; finished runs are kept, the same command goes on from here.", err=True)
        code = 130
    except BrokenPipeError:
        sys.stderr.close()
        code = 0
    except OSError as error:
        code = complain(f"{error.filename or 'the file system'}: {error.strerror}; finished runs are kept.")
    sys.exit(code)


def usage(error: click.UsageError) -> str:
    """A usage error in one sentence, with the nearest names and where help is."""
    path = error.ctx.command_path if error.ctx else "recombine"
    if isinstance(error, click.NoSuchOption) and error.ctx:
        options = [name for parameter in error.ctx.command.params for name in parameter.opts]
        return str(unknown(f"option of {path}", error.option_name, options))
    message = error.format_message().rstrip(".")
    words = message.split("'")
    if message.startswith("No such command") and isinstance(error.ctx and error.ctx.command, click.Group):
        return str(unknown("command", words[1], error.ctx.command.commands))  # type: ignore[union-attr]
    return f"{message}; see `{path} --help`."


def complain(message: str) -> int:
    typer.echo(f"recombine: {' '.join(message.split())}", err=True)
    return 2
