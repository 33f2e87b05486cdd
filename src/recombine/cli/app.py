"""The application: the list of commands, and what becomes of errors."""

import gc
import os
import signal
import sys
import threading
from types import FrameType

import typer
from typer.exceptions import TyperException

from recombine.cli import (
    advising,
    auditing,
    benching,
    calibrating,
    collecting,
    explaining,
    exploring,
    exporting,
    forecasting,
    health,
    listing,
    reporting,
    reproducing,
    training,
)
from recombine.cli.output import say
from recombine.core.errors import InputError, unknown

NO_MEMORY = "this does not fit in memory; make the problem, the model or the stack smaller."
NO_MEMORY_OF_TORCH = "can't allocate memory"  # in a RuntimeError
LONGEST = 2_000  # letters of a complaint

app = typer.Typer(
    name="recombine",
    help="Will it compose, and why? By theory before training, by training, and by looking inside.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for command in (
    listing.list_things,
    forecasting.forecast,
    training.train,
    explaining.explain,
    advising.advise,
    auditing.audit,
    exporting.export,
    reproducing.plan,
    reproducing.reproduce,
    reproducing.check,
    collecting.collect,
    reporting.report,
    exploring.explore,
    calibrating.calibrate,
    benching.bench,
    health.doctor,
):
    app.command(command.__name__.removesuffix("_things"))(command)


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context, version: bool = typer.Option(False, "--version", help="Print the version and exit.")
) -> None:
    if version:
        from recombine import __version__

        say(f"recombine {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        say(context.get_help())


def main(arguments: list[str] | None = None) -> None:
    """Run a command. 0: done; 1: a negative answer; 2: bad input, in a sentence; 130: interrupted, 143: terminated."""
    terminated: list[int] = []

    def terminate(number: int, frame: FrameType | None) -> None:
        """As an interrupt: Slurm and Kubernetes end a job so."""
        terminated.append(number)
        raise KeyboardInterrupt

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, terminate)
    # Loading the papers makes many objects that stay; looking for cycles among them is a tenth of the time of `list`.
    gc.set_threshold(100_000)
    try:
        code = app(args=arguments, standalone_mode=False)
        if code == 130:
            raise KeyboardInterrupt
    except InputError as error:
        code = complain(str(error))
    except TyperException as error:
        code = complain(usage(error))
    except (KeyboardInterrupt, typer.Abort):
        say("recombine: interrupted; finished runs are kept, the same command goes on from here.", err=True)
        code = 143 if terminated else 130
    except BrokenPipeError:
        sys.stderr.close()
        code = 0
    except MemoryError:
        code = complain(NO_MEMORY)
    except RecursionError:
        code = complain("the specification is nested too deeply to be read; write it flatter.")
    except OSError as error:
        code = complain(f"{error.filename or 'the file system'}: {error.strerror}; finished runs are kept.")
    except Exception as error:
        if NO_MEMORY_OF_TORCH in str(error):
            sys.exit(complain(NO_MEMORY))
        if os.environ.get("RECOMBINE_DEBUG"):
            raise
        code = complain(
            f"internal error, {type(error).__name__}: {error}; see where with RECOMBINE_DEBUG=1, and please report it."
        )
    sys.exit(code)


def usage(error: TyperException) -> str:
    """A usage error in one sentence, with the nearest names and where help is."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "recombine"
    option = getattr(error, "option_name", None)
    if option and context:
        known = [name for parameter in context.command.params for name in parameter.opts if name.startswith("-")]
        return str(unknown(f"option of {path}", option, known))
    message = getattr(error, "format_message", lambda: str(error))()
    if message.startswith("No such command") and context:
        return str(unknown("command", message.split("'")[1], context.command.commands))
    return f"{message.rstrip('.')}; see `{path} --help`."


def complain(message: str) -> int:
    """Say what is wrong in one line, the middle of a very long one left out."""
    line = " ".join(message.split())
    half = LONGEST // 2
    say(f"recombine: {line if len(line) <= LONGEST else f'{line[:half]} ... {line[-half:]}'}", err=True)
    return 2
