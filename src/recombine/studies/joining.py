"""Whether a Ray cluster can be joined, found out before Ray itself tries, which takes minutes and says much."""

import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from recombine.core.errors import InputError, shown

PATIENCE = 10.0  # seconds for something to answer
ASKING = 20  # ... and for a cluster to tell its name
STARTING = 120.0  # ... with the start of the Python that asks for it, which may wait for a disk far away
# How HTTP/2 begins, which Ray speaks: these letters and a frame of settings, to which frames of settings answer.
GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
START = "start one with `ray start --head`, give its address, or leave the address out to start one here"
# A Python of its own asks, since Ray's calls return late and its words cannot be kept back. It ends with this code
# where Ray refuses, and by an alarm where it is not told in time; any other failure is its own.
REFUSED = 3
TRIAL = f"""
import signal, sys
from ray._private.services import canonicalize_bootstrap_address_or_die
from ray._raylet import GcsClient
signal.alarm(int(sys.argv[2]))
try:
    GcsClient(address=canonicalize_bootstrap_address_or_die(sys.argv[1]))
except Exception as error:
    print(error)
    sys.exit({REFUSED})
"""


def running(ray: Any) -> str:
    """The address of the cluster that runs on this machine, as Ray has noted it; the cluster may be gone."""
    found = None
    with suppress(ConnectionError):
        found = ray._private.services.get_ray_address_from_environment("auto", None)
    if not found:
        raise InputError(f"there is no Ray cluster on this machine; {START}.")
    return str(found)


def look(address: str) -> None:
    """Refuse what is no address, or where no Ray answers, or one that refuses; other forms of addresses are Ray's."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if "://" in address.removeprefix("ray://"):
        return
    if not host or not (port.isascii() and port.isdigit()):
        raise InputError(
            f"address = {shown(address)} must read HOST:PORT, e.g. localhost:6379, or auto for a Ray cluster that runs "
            "on this machine; leave it out to start one here."
        )
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=PATIENCE) as line:
            found = ""
            if os.environ.get("RAY_USE_TLS", "0").lower() not in ("1", "true"):
                line.sendall(GREETING)
                found = "" if line.recv(9)[3:4] == b"\x04" else "something else answers there"
    except (OSError, UnicodeError, OverflowError):  # the last two of names and ports that no machine has
        found = "nothing answers there"
    if found:
        raise InputError(f"there is no Ray cluster at {shown(address)}: {found}; {START}.")
    if not address.startswith("ray://"):
        _try(address)


def _try(address: str) -> None:
    """Ask for the name of the cluster as Ray does when it joins; its own words about that are not shown."""
    environment = dict(os.environ)
    if has_token():
        environment.setdefault("RAY_AUTH_MODE", "token")
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", TRIAL, address, str(ASKING)],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=STARTING,
        )
    except subprocess.TimeoutExpired:
        refused = True
    else:
        refused = done.returncode in (REFUSED, -signal.SIGALRM)
        if refused and _about_tokens(done.stdout):
            raise InputError(_no_token(address))
    if refused:
        raise InputError(
            f"there is no Ray cluster at {shown(address)}: what listens there is not Ray, or hangs; {START}."
        )


def has_token() -> bool:
    """Whether this user has a token, where Ray looks for one."""
    named = any(os.environ.get(name) for name in ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"))
    return named or Path("~/.ray/auth_token").expanduser().is_file()


def refusal(address: str, error: BaseException) -> str:
    """Why a cluster cannot be joined, with the cure that fits."""
    reasons, cause = [str(error)], error.__cause__ or error.__context__
    while cause is not None:
        reasons.append(str(cause))
        cause = cause.__cause__ or cause.__context__
    if any(map(_about_tokens, reasons)):
        return _no_token(address)
    why = reasons[0].strip().splitlines()[0].rstrip(".") if reasons[0].strip() else type(error).__name__
    cure = "it must have the same versions of Ray and Python"
    return f"the Ray cluster at {shown(address)} cannot be joined: {why}; {cure}."


def _about_tokens(reason: str) -> bool:
    return "AuthToken" in reason or "RAY_AUTH" in reason


def _no_token(address: str) -> str:
    return (
        f"the Ray cluster at {shown(address)} asks for a token that this user does not have; set "
        "RAY_AUTH_MODE=token, and RAY_AUTH_TOKEN to what `ray get-auth-token` says on its head."
    )
