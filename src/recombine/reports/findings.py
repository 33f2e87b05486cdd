"""Everything a report is about, read from the stores once."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from recombine.core.errors import InputError
from recombine.papers import Claim, Judgement, Paper, Scale, judge
from recombine.records import DamagedRecord, Store
from recombine.records.record import DIGEST
from recombine.reports.settings import Arrays, SeedRun, SettingRuns, key_of, settings_of
from recombine.studies import Work
from recombine.studies.stores import all_bodies

OF_THESE = " of the papers asked for"


@dataclass(frozen=True, eq=False)
class Findings:
    """Papers, verdicts, settings with their runs, and what could not be read."""

    papers: tuple[Paper, ...]
    scale: Scale
    judgements: Mapping[str, Judgement]  # by claim
    settings: Mapping[str, SettingRuns]  # by key
    bodies: Mapping[str, Mapping[str, Any]]  # every record of the stores, by digest
    forecasts: Mapping[str, Mapping[str, Any]]  # by digest of the problem, for the problems of all records
    damaged: Mapping[tuple[str, str], DamagedRecord]  # by digest and file
    only: bool = False  # whether runs that no claim of these papers has are left out

    @cached_property
    def labels(self) -> dict[str, str]:
        """The names of the papers' settings at every scale, by key; other scales than the page's are named with it."""
        claims = [claim for paper in self.papers for claim in paper.claims]
        labels: dict[str, str] = {}
        for each in (self.scale, *(other for other in Scale if other is not self.scale)):
            known = [claim for claim in claims if each in claim.seeds and claim.asked_at(each)]
            found = settings_of(known, each, lambda work: SeedRun(work, None))
            named = {key: it.label if each is self.scale else f"{it.label} ({each})" for key, it in found.items()}
            labels = named | labels
        return labels

    def shows(self, work: Work) -> bool:
        """Whether recorded work belongs on the page: all of it, or what some claim of its papers has at some scale."""
        return not self.only or key_of(work) in self.labels

    @property
    def claims(self) -> list[Claim]:
        return [claim for paper in self.papers for claim in paper.claims_at(self.scale)]

    @property
    def runs(self) -> list[SeedRun]:
        """Every run the claims need at this scale, missing ones too, each once."""
        return [run for setting in self.settings.values() for run in setting.runs]


def gather(papers: Iterable[Paper], scale: Scale, stores: Sequence[Store], only: bool = False) -> Findings:
    """Read records, arrays and forecasts, an earlier store's before a later one's, and judge every claim.

    What is damaged is named and left out. Nothing is run. ``only``: other records than those of these papers are not
    shown, though runs of one's own are worth a look where all papers are asked for.
    """
    chosen = tuple(papers)
    claims = [claim for paper in chosen for claim in paper.claims_at(scale)]
    bodies, broken = all_bodies(stores)
    damaged = {(damage.digest, damage.file): damage for damage in broken}

    def run_of(work: Work) -> SeedRun:
        digest = work.digest()
        body = bodies.get(digest)
        return SeedRun(work, body, _arrays(digest, stores, damaged) if body else {})

    settings = settings_of(claims, scale, run_of)
    problems = {digest for body in bodies.values() if DIGEST.fullmatch(digest := str(body.get("forecast")))}
    forecasts = {digest: found for digest in sorted(problems) if (found := _forecast(digest, stores, damaged))}
    judgements = {claim.id: judge(claim, scale, bodies) for claim in claims}
    return Findings(chosen, scale, judgements, settings, bodies, forecasts, damaged, only)


Damaged = dict[tuple[str, str], DamagedRecord]


def _arrays(digest: str, stores: Sequence[Store], damaged: Damaged) -> Arrays:
    """The arrays of a run from the first store that has them whole; none if no store has."""
    for store in stores:
        if not store.has(digest):  # asked first: to name the nearest ones, a store looks at all it has
            continue
        try:
            return store.read(digest).arrays
        except DamagedRecord as damage:
            damaged[damage.digest, damage.file] = damage
        except InputError:
            if store.has(digest):
                raise
    return {}


def _forecast(digest: str, stores: Sequence[Store], damaged: Damaged) -> Mapping[str, Any] | None:
    """The forecast for a problem from the first store that has it whole."""
    for store in stores:
        try:
            found = store.forecast(digest)
        except DamagedRecord as damage:
            damaged[damage.digest, damage.file] = damage
        else:
            if found is not None:
                return found
    return None
