"""A record: the digest that names it, a JSON body, arrays and weights."""

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from recombine.core.errors import InputError

DIGEST = re.compile(r"[0-9a-z][0-9a-z_-]{0,127}")
NAME = re.compile(r"\w[\w.:/+ -]*")
RESERVED = ("digest", "artifacts")  # the store writes these into the sealed body itself


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """What one run left behind. The store knows no more about it than this.

    ``body`` is the caller's part: plain JSON values, without the keys the store writes itself.
    """

    digest: str
    body: dict[str, Any]
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    weights: dict[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_digest(self.digest)
        check_body(self.digest, self.body)
        for name in (*self.arrays, *self.weights):
            # np.load drops one ".npy" from a name, and safetensors keeps "__metadata__" for itself.
            if not NAME.fullmatch(name) or name.endswith(".npy") or name == "__metadata__":
                raise InputError(
                    f"{name!r} cannot name an array of run {self.digest!r}; use letters, digits, spaces and "
                    "any of _ . : / + -, starting with a letter, a digit or _, and not ending in .npy."
                )


def check_body(digest: str, body: dict[str, Any]) -> None:
    """Refuse a body that has a key the store writes itself."""
    for key in RESERVED:
        if key in body:
            raise InputError(
                f"the body given for run {digest!r} has the key {key!r}, which the store writes itself; "
                "leave it out or call it something else."
            )


def check_digest(digest: str) -> str:
    """The digest itself if it can safely name a folder; an `InputError` if not."""
    if not DIGEST.fullmatch(digest):
        raise InputError(
            f"{digest!r} is no digest of a run; a digest has 1 to 128 lower-case letters, digits, - or _, "
            "and starts with a letter or digit."
        )
    return digest
