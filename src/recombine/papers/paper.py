"""The papers, by key, each with its claims."""

from collections.abc import Iterable
from dataclasses import dataclass

from recombine.core.errors import unknown
from recombine.papers.claims import Claim
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


class Papers(dict[str, Paper]):
    """All papers by key; what is added is found by every command."""

    def add(self, paper: Paper) -> Paper:
        self[paper.key] = paper
        return paper

    def claims(self, chosen: Iterable[str] = ()) -> list[Claim]:
        """The claims that names of papers, prefixes (FR) or claims (FR1) select; all of them when none is given."""
        every = [claim for paper in self.values() for claim in paper.claims]
        names = list(chosen)
        if not names:
            return every
        by_name: dict[str, list[Claim]] = {claim.id.lower(): [claim] for claim in every}
        for paper in self.values():
            by_name[paper.key] = list(paper.claims)
            for prefix in paper.prefixes:
                by_name[prefix.lower()] = [claim for claim in paper.claims if claim.id.startswith(prefix)]
        selected: dict[str, Claim] = {}
        for name in names:
            if name.lower() not in by_name:
                raise unknown("paper or claim", name, [*self, *(claim.id for claim in every)])
            selected |= {claim.id: claim for claim in by_name[name.lower()]}
        return list(selected.values())


papers = Papers()
