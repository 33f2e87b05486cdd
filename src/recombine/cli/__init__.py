"""The command line: each command parses, calls one function, prints, and exits with a code a script can use."""

from recombine.cli.app import main

__all__ = ["main"]
