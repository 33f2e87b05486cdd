"""The finding and the sentence of an explanation, both from what is to blame."""

from enum import StrEnum

from recombine.core.failures import Failure
from recombine.measures.blame import NOT_LEARNED, OTHER, SMALL, Blame


class Finding(StrEnum):
    """What a network does with combinations it never saw."""

    COMPOSES = "composes"
    PARTLY = "composes in part"  # numbers that are nearly right, and clearly less so than those shown
    REMEMBERS = "remembers"  # right, but training showed what is held out
    SUPERPOSES = "superposes"
    BLANK = "blank"
    PLACED = "placed"  # the right place, the wrong picture
    UNLEARNED = "unlearned"  # what it was trained on is wrong already
    FAILS = "fails"  # otherwise


NAMED = {NOT_LEARNED: Finding.UNLEARNED, str(Failure.SUPERPOSITION): Finding.SUPERPOSES}
DOES = {
    Finding.COMPOSES: "Composes",
    Finding.PARTLY: "Composes in part",
    Finding.REMEMBERS: "Is right",
    Finding.SUPERPOSES: "Superposes what it remembers",
    Finding.BLANK: "Draws nothing",
    Finding.PLACED: "Draws the right place but not the right picture",
    Finding.UNLEARNED: "Has not learned what it was trained on, and fails",
    Finding.FAILS: "Fails",
}

WHERE = {"interior": "deep in the hole", "all": "on the whole space"}


def decide(blame: Blame, revealed: bool, look: Finding = Finding.FAILS) -> Finding:
    """The first that holds:

    remembers    nothing is held out, or the error is below 0.1 and training showed held-out combinations
    composes     error < 0.1, and nothing is to blame
    in part      error < 0.1, and something is
    unlearned    the cause with the largest share is that training was not learned
    superposes   it is superposition
    ``look``     otherwise: what the answers look like
    """
    if blame.error is None or (revealed and blame.error < SMALL):
        return Finding.REMEMBERS
    if blame.error < SMALL:
        return Finding.PARTLY if blame.parts else Finding.COMPOSES
    return NAMED.get(str(blame.cause), look)


def sentence(finding: Finding, blame: Blame, measured: str, revealed: bool) -> str:
    """What the network does where, with the numbers ``measured`` there, and the largest share of the error."""
    if blame.error is None:
        return "Nothing is held out, so that nothing is asked of composition."
    memory = "; training showed held-out combinations too, so that this is no test of composition" * revealed
    return f"{DOES[finding]} {where(blame.section)} ({measured}): {_why(blame)}{memory}."


def where(section: str) -> str:
    """The section that is blamed, in words."""
    return WHERE.get(section, "on what is held out")


def _why(blame: Blame) -> str:
    if not blame.told:
        beyond = "" if blame.floor == SMALL else f", and less than {blame.floor} above that on what was shown,"
        return f"an error below {SMALL}{beyond} is too small to blame anything"
    most = blame.told[0]
    share = f"{most.share:.0%} of this error"
    return f"{share} has no named cause" if most.failure == OTHER else f"{most.failure} accounts for {share}"
