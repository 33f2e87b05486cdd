"""The papers, by key, each with its claims."""

from collections.abc import Iterable
from dataclasses import dataclass

from recombine.core.errors import InputError, unknown
from recombine.papers.claims import Claim, Scale
from recombine.papers.sweeps import Sweep


@dataclass(frozen=True, slots=True)
class Paper:
    """One paper of the curriculum."""

    key: str
    prefixes: tuple[str, ...]  # of its claims' identifiers; those of our own claims about it come last
    title: str
    citation: str
    claims: tuple[Claim, ...]
    sweeps: tuple[Sweep, ...] = ()  # figures over several of the claims' settings

    def claims_at(self, scale: Scale) -> tuple[Claim, ...]:
        """The claims that are asked at a scale."""
        return tuple(claim for claim in self.claims if claim.asked_at(scale))


class Papers(dict[str, Paper]):
    """All papers by key; what is added is found by every command."""

    def add(self, paper: Paper) -> Paper:
        self[paper.key] = paper
        return paper

    def claims(self, chosen: Iterable[str] = (), scale: Scale | None = None) -> list[Claim]:
        """The claims that names of papers, prefixes (FR) or claims (FR1) select; all of them when none is given.

        With a scale, those that are asked at it; one that is named and is not is an `InputError`.
        """
        every = [claim for paper in self.values() for claim in paper.claims]
        names = list(chosen)
        selected = self._named(names, every) if names else every
        if scale is None:
            return selected
        for claim in selected:
            if not claim.asked_at(scale) and claim.id.lower() in map(str.lower, names):
                raise InputError(
                    f"claim {claim.id} takes more than scale {scale} allows; it is asked at --scale {claim.least}."
                )
        return [claim for claim in selected if claim.asked_at(scale)]

    def _named(self, names: list[str], every: list[Claim]) -> list[Claim]:
        by_name: dict[str, list[Claim]] = {claim.id.lower(): [claim] for claim in every}
        for paper in self.values():
            by_name[paper.key] = list(paper.claims)
            for prefix in paper.prefixes:
                by_name[prefix.lower()] = [c for c in paper.claims if c.id.removeprefix(prefix)[:1].isdigit()]
        selected: dict[str, Claim] = {}
        for name in names:
            if name.lower() not in by_name:
                raise unknown("paper or claim", name, [*self, *(claim.id for claim in every)])
            selected |= {claim.id: claim for claim in by_name[name.lower()]}
        return list(selected.values())


papers = Papers()
