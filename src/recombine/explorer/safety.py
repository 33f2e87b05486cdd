"""Who may ask: pages of this server alone, and whoever changes anything needs its token.

Host and origin are checked on every request, so that no other site can reach the server through a browser, by its
address or by a name that is made to point at it. Bodies are counted as they come.
"""

import ipaddress
import re
import secrets
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from contextlib import suppress
from typing import Any, TypeAlias
from urllib.parse import urlsplit

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

HOST = re.compile(r"(?P<name>[a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]+)?")
EVERYWHERE = ("0.0.0.0", "::")
LOOPBACK = ("127.0.0.1", "localhost", "::1")
TOKEN_HEADER = "x-recombine-token"
READING = ("GET", "HEAD")
HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
    "content-security-policy": (
        "default-src 'self'; img-src 'self' data: blob:; style-src 'self'; object-src 'none'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
}


def new_token() -> str:
    """A token that nobody can guess."""
    return secrets.token_urlsafe(32)


class TooLarge(Exception):
    """A body that is longer than allowed."""


class Guard:
    """Refuses, with one sentence, requests that are not from a page of this server, and bodies that are too large."""

    def __init__(self, app: App, token: str, hosts: Iterable[str], body_bytes: int) -> None:
        self.app = app
        self.token = token
        self.hosts = frozenset(host.lower() for host in hosts)
        self.anywhere = any(host in EVERYWHERE for host in self.hosts)
        self.body_bytes = body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return  # nothing here speaks websockets
        refused = self.refuse(scope)
        if refused is not None:
            await answer(send, *refused)
            return
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self.body_bytes:
                raise TooLarge
            return message

        async def guarded(message: Message) -> None:
            if received > self.body_bytes:
                return  # whatever was made of it, it is refused below
            if message["type"] == "http.response.start":
                given = {name for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *((name, value) for name, value in _encoded(HEADERS) if name not in given),
                ]
            await send(message)

        with suppress(TooLarge):
            await self.app(scope, counted, guarded)
        if received > self.body_bytes:
            await answer(send, *self.too_large())

    def refuse(self, scope: Scope) -> tuple[int, str] | None:
        """The status and the sentence with which a request is refused; None if it may pass."""
        headers: dict[str, str] = {}
        for name, value in scope["headers"]:
            key = name.decode("latin-1")
            if key in headers and key in ("host", "origin", TOKEN_HEADER, "content-length"):
                return 400, f"the header {key} comes twice; send it once."
            headers[key] = value.decode("latin-1")
        if not self.named(headers.get("host", "")):
            return 403, f"the host {headers.get('host', '')[:100]!r} is not this server's; open it as http://127.0.0.1."
        origin = headers.get("origin")
        if origin is not None and not self.own(origin, headers["host"]):
            return 403, f"the origin {origin[:100]!r} is another site; requests come from this server's own page only."
        if headers.get("sec-fetch-site") == "cross-site" and scope["path"].startswith("/api/"):
            return 403, "this request was made by another site; requests come from this server's own page only."
        if scope["method"] not in READING:
            given = headers.get(TOKEN_HEADER, "")
            if not secrets.compare_digest(given.encode("latin-1"), self.token.encode()):
                return 403, "the token is missing or wrong; reload the page, which has the one of this server."
        length = headers.get("content-length", "0")
        if not length.isdecimal():
            return 400, "the header content-length is no number; leave it to the browser."
        return self.too_large() if int(length) > self.body_bytes else None

    def named(self, host: str) -> bool:
        """Whether a Host header names this server.

        One that listens everywhere goes by any address, which no other site can be made to have; names it does not.
        """
        name = hostname(host)
        return name in self.hosts or (self.anywhere and is_address(name))

    def own(self, origin: str, host: str) -> bool:
        """Whether an origin is this server: its scheme, its host, and the port that was asked."""
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        return parts.scheme == "http" and parts.netloc.lower() == host.lower()

    def too_large(self) -> tuple[int, str]:
        return 413, f"the request is longer than {self.body_bytes:,} bytes; send a smaller problem."


def hostname(host: str) -> str:
    """The name in a Host header, without the port; empty where it is not a plain name or address."""
    found = HOST.fullmatch(host.lower())
    return found["name"].strip("[]") if found else ""


def is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


async def answer(send: Send, status: int, sentence: str) -> None:
    """A refusal as JSON."""
    import json

    body = json.dumps({"error": sentence}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *_encoded(HEADERS)]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _encoded(headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in headers.items()]
