"""From the command to a running server: where it listens, and the browser that opens it."""

import ipaddress
import logging
import socket
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from recombine.core.errors import InputError
from recombine.explorer.safety import LOOPBACK, is_address

if TYPE_CHECKING:
    from recombine.explorer.recorded import CommandOf


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens there, or an `InputError` with the reason; port 0 takes any free one."""
    listening = None
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(128)
    except (OSError, OverflowError) as error:
        if listening is not None:
            listening.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot listen on {host} port {port}: {reason}; choose another --port or --host.") from None
    return listening


def is_loopback(host: str) -> bool:
    """Whether an address can be reached from this machine alone."""
    return host.lower() in LOOPBACK or (is_address(host) and ipaddress.ip_address(host).is_loopback)


def serve(
    store: Path | None,
    host: str,
    port: int,
    browser: bool,
    tell: Callable[[str], None],
    command_of: "CommandOf | None" = None,
) -> None:
    """Serve until interrupted. ``tell`` is called with the address once the server listens."""
    listening = bind(host, port)
    bound = listening.getsockname()[1]
    address = f"http://{f'[{host}]' if ':' in host else host}:{bound}/"
    tell(address)
    # After listening: what opens the page now waits for the answer and not for the imports.
    if browser:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    import uvicorn

    from recombine.explorer.app import create_app

    hosts = {*LOOPBACK, host.lower()}
    config = uvicorn.Config(
        create_app(store, hosts=hosts, command_of=command_of),
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=2,
        limit_concurrency=200,
        ws="none",
    )
    server = uvicorn.Server(config)
    logging.getLogger("uvicorn.error").addFilter(lambda _: not server.should_exit)  # requests cut off at its end
    server.run(sockets=[listening])
