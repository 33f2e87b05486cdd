"""``python -m recombine.cli``: the same as the command ``recombine``."""

from recombine.cli.app import main

main()
