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
    from recombine.studies.collecting import misnamed
    from recombine.studies.stores import reading_stores
    from recombine.training.devices import gpus, name_of

    stores = reading_stores(store)
    damaged = [str(broken) for home in stores for broken in (*home.verify(), *misnamed(home))]
    lacking = {str(home.root): found for home in stores if (found := home.without_forecast())}
    facts = {
        **provenance(),
        "cores": os.cpu_count(),
        "torch_threads": torch.get_num_threads(),
        "devices": ["cpu", *(f"{each} ({name_of(torch.device(each))})" for each in gpus())],
        "stores": {str(home.root): len(home.digests()) for home in stores},
        "without_forecast": lacking,
        "damaged": damaged,
    }
    if json:
        print_json(facts)
    else:
        rows = [(name, str(value)) for name, value in facts.items() if name not in ("without_forecast", "damaged")]
        for root, found in lacking.items():
            some = ", ".join(found[:3]) + (", ..." if len(found) > 3 else "")
            rows.append(("note", f"{len(found)} runs in {root} name a forecast that is not there: {some}"))
        print_table(("", ""), [*rows, *(("damaged", each) for each in damaged or ["none"])])
    if damaged:
        raise typer.Exit(2)
