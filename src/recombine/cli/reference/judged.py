"""The verdicts that reference records give at `laptop`, for pages that show them."""

from collections.abc import Mapping
from functools import cache

from recombine.papers import Judgement, Scale, judge, papers
from recombine.records import Store
from recombine.reports.numbers import interval, required
from recombine.reports.verdicts import deciding
from recombine.studies.stores import REFERENCE, all_bodies

SCALE = Scale.LAPTOP


@cache
def judgements() -> Mapping[str, Judgement]:
    """Every claim that is asked at `laptop`, judged from the reference records alone, by name."""
    claims = papers.claims(scale=SCALE)
    needed = {work.digest() for claim in claims for work in claim.works(SCALE)}
    bodies, _ = all_bodies([Store(REFERENCE)], needed)
    return {claim.id: judge(claim, SCALE, bodies) for claim in claims}


def in_words(judgement: Judgement) -> str:
    """What decided: the quantity, what was measured, and what it must be."""
    result = deciding(judgement)
    where = "" if result.check.where() == "main" else f" ({result.check.where()})"
    found = interval(result.measured) if result.measured else result.note
    return f"`{result.check.quantity}`{where}: {found}; must be {required(result.check.expected)}"
