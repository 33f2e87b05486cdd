"""The ways in which a model fails to compose, by name: what a forecast expects and what an explanation finds."""

from enum import StrEnum


class Failure(StrEnum):
    """A named failure, in the order in which they are to be mended.

    What nothing shows cannot be learned, whatever else is wrong; then what no readout of what is shown could give; then
    what networks do with what they are shown; and too little of everything last.
    """

    NO_COMPOSITIONAL_EXAMPLE = "no compositional example"
    UNSEEN_LEVEL = "unseen level"
    TOO_LITTLE_OVERLAP = "too little overlap"
    NOT_ADDITIVE = "not additive"
    SHORTCUT = "shortcut"
    LEAK = "leak"
    SUPERPOSITION = "superposition"
    TOO_LITTLE_DATA = "too little data"

    @property
    def meaning(self) -> str:
        """What happens, in a sentence."""
        return MEANINGS[self]


MEANINGS = {
    Failure.UNSEEN_LEVEL: "What is asked has a level of a factor that training never shows.",
    Failure.NO_COMPOSITIONAL_EXAMPLE: "No training example shows the factors together, so nothing says how they join.",
    Failure.LEAK: "Part of every answer is stored in whole combinations and is lost on new ones: answers shrink.",
    Failure.SHORTCUT: "A rule that holds in training answers new combinations wrongly.",
    Failure.SUPERPOSITION: "Answers are sums of remembered ones that share a level with what is asked.",
    Failure.NOT_ADDITIVE: "No sum over what training shows gives all new combinations their right answer.",
    Failure.TOO_LITTLE_DATA: "Training shows too few examples to settle what lies between them.",
    Failure.TOO_LITTLE_OVERLAP: "Levels share too few partners in training to be compared with each other.",
}
