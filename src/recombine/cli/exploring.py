"""`recombine explore`: the explorer in a browser."""

from typing import Annotated

import typer

from recombine.cli.output import Json, StorePath, print_json, say

PORT = 8765


def explore(
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Where to listen; 0 takes any free port.")
    ] = PORT,
    host: Annotated[
        str, typer.Option("--host", help="The address to listen on; others than loopback let the network in.")
    ] = "127.0.0.1",
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")] = False,
    store: StorePath = None,
    json: Json = False,
) -> None:
    """Open the explorer: a page on this machine that forecasts, trains, looks inside and shows every claim.

    Example: recombine explore --port 8765 --no-browser
    """
    from recombine.cli.explaining import train_command
    from recombine.explorer.serving import is_loopback, serve
    from recombine.records import user_store

    user_store(store)  # refuses a place that cannot be one

    def tell(address: str) -> None:
        if json:
            print_json({"address": address})
            return
        if not is_loopback(host):
            say(f"Whoever reaches {host} can use this page and train here; stop it when you are done.", err=True)
        say(f"The explorer is at {address} (stop it with Ctrl-C)")

    serve(store, host, port, not no_browser, tell, train_command)
