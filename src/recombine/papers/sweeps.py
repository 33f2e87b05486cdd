"""A sweep arranges settings that claims run: along a number, over a plane of two, or as a cloud of runs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from recombine.core.errors import InputError, unknown
from recombine.papers.claims import Scale, Setting
from recombine.studies import Work

KINDS = ("lines", "plane", "scatter", "scaling", "exponential")


@dataclass(frozen=True, slots=True)
class Sweep:
    """One figure over several settings. It runs nothing: settings that no claim runs stay away from it.

    ``lines``: a quantity against the swept number, a line per series. ``plane``: its mean for every series (a row)
    and number (a column). ``scatter``: ``quantity`` against ``against``, a point per run, a mark per series.
    ``scaling``: measures ``<quantity>_<N>`` of calculations against N, with their ``slope``; a series is a kind of data
    set, and its swept number means nothing. ``exponential``: the same over a plain axis, with their ``base``.
    """

    key: str
    paper: str  # key of the paper
    title: str
    place: str  # which of the paper's panels it answers to: "Fig. 3e"
    quantity: str  # a measure, or ``name.part`` of one that has several values
    axis_label: str  # what is swept, in words; for a scatter the words for ``against``
    series: Mapping[str, Mapping[int, Setting] | Mapping[float, Setting]]
    kind: str = "lines"  # one of `KINDS`
    series_label: str = ""  # what tells the series apart: title of a legend, axis of a plane's rows
    value_label: str = ""  # words for what is drawn upwards, in place of the measure's own
    against: str = "id_nmse"  # the quantity across, in a scatter
    log_across: bool = False
    log_value: bool = False

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise unknown("kind of sweep", self.kind, KINDS)
        empty = [name for name, settings in self.series.items() if not settings]
        if empty or not self.series:
            raise InputError(
                f"sweep {self.key!r} has {f'nothing in its series {empty[0]!r}' if empty else 'no series'}; "
                "give every series at least one setting."
            )

    def works(self, scale: Scale) -> Iterator[tuple[str, float, Work]]:
        """Series, swept number and the work of the first seed, in order."""
        for name, settings in self.series.items():
            for number, setting in settings.items():
                yield name, float(number), setting(scale)
