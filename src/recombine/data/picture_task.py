"""Tasks whose answers are pictures over a grid of two factors."""

from abc import abstractmethod
from typing import TYPE_CHECKING, Literal, TypeAlias

from recombine.core.errors import InputError
from recombine.data.task import Task

Places: TypeAlias = Literal["pixel", "units", "numbers"]


class PictureTask(Task):
    """A task over two factors that is answered by a picture: an array of ``image`` = (rows, columns)."""

    if TYPE_CHECKING:
        # Settings of some tasks and properties of others: a setting may not hide a property of its base class.
        @property
        def dark(self) -> bool:
            """Whether ink is dark on white; else it is bright on black."""

        @property
        def periodic(self) -> bool:
            """Whether both factors are rings, and with them the rows and columns of what marks a place."""

    @property
    @abstractmethod
    def image(self) -> tuple[int, int]:
        """Rows and columns of an answer."""

    @property
    @abstractmethod
    def places(self) -> Places | None:
        """How a position is read off an answer; None: an answer has none.

        "pixel": the extreme pixel. "units": the largest unit of each row, a row per factor. "numbers": each factor's
        level itself, rounded.
        """

    @property
    def threshold(self) -> float:
        """The ink from which on a pixel belongs to what marks a place."""
        return 0.5

    @property
    def blank(self) -> float:
        """The value of a pixel without ink."""
        return 1.0 if self.dark else 0.0


def picture_task(task: Task) -> PictureTask:
    """The task as one that draws pictures, or an `InputError`."""
    if not isinstance(task, PictureTask):
        raise InputError(f"task {task.kind!r} draws no pictures of two factors, which this needs; use e.g. bump.")
    return task
