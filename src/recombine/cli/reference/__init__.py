"""The pages that are generated, from the registries, the commands, the claims, the records and the benchmarks."""

import json

from recombine.cli.reference import claimed, commands, names, registered


def reference() -> dict[str, str]:
    """The pages of the reference by file name: every command, everything registered, every claim, every public name."""
    found = {
        "commands.md": commands.page(),
        **registered.pages(),
        **claimed.pages(),
        **names.pages(),
    }
    return {f"reference/{name}": text for name, text in found.items()}


def pages() -> dict[str, str]:
    """Every generated page by file name."""
    from recombine.benchmarks import page
    from recombine.benchmarks.records import scale_page
    from recombine.studies import calibration_file
    from recombine.studies.stores import REFERENCE
    from recombine.theory.calibration import document

    measured = json.loads((REFERENCE / "benchmarks.json").read_text(encoding="utf-8"))
    many = json.loads((REFERENCE / "scale.json").read_text(encoding="utf-8"))
    saved = document()
    scores = {} if saved is None else {"calibration.md": calibration_file.page(saved)}
    return {**reference(), "performance.md": page(measured), "guide/scale.md": scale_page(many), **scores}
