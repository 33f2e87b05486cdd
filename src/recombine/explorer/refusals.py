"""Errors that have a status of their own; any other bad input is 422."""

from typing import ClassVar

from recombine.core.errors import InputError


class Unknown(InputError):
    """There is no such run, job, claim or figure, or it lacks what is asked for."""

    status: ClassVar[int] = 404


class TooMany(InputError):
    """As many trainings as are allowed are under way."""

    status: ClassVar[int] = 429


class TooSlow(InputError):
    """What was asked takes longer than a page can wait for."""

    status: ClassVar[int] = 503


class Busy(TooSlow):
    """What was asked was not begun, since others were computed."""


class Left(InputError):
    """Nobody waits for the answer any more."""

    status: ClassVar[int] = 499


def status_of(error: InputError) -> int:
    return getattr(error, "status", 422)
