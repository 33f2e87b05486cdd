"""`recombine doctor`: versions, devices, threads, and whether the records are whole."""

import os

import typer

from recombine.cli.output import Json, StorePath, print_json, print_table


def doctor(store: StorePath = None, json: Json = False) -> None:
    """Print versions, devices and threads, and verify every record. Exits with 2 if one is damaged.

    Example: recombine doctor --json
    """
    import torch

    from recombine.records import provenance
    from recombine.studies.stores import reading_stores
    from recombine.training.devices import gpus, name_of

    stores = reading_stores(store)
    damaged = [str(broken) for home in stores for broken in home.verify()]
    facts = {
        **provenance(),
        "cores": os.cpu_count(),
        "torch_threads": torch.get_num_threads(),
        "devices": ["cpu", *(f"{each} ({name_of(torch.device(each))})" for each in gpus())],
        "stores": {str(home.root): len(home.digests()) for home in stores},
        "damaged": damaged,
    }
    if json:
        print_json(facts)
    else:
        print_table(("", ""), [(name, str(value)) for name, value in facts.items()])
    if damaged:
        raise typer.Exit(2)
