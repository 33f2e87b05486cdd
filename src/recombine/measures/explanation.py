"""Which failure is it? One answer taken apart into remembered pictures, and the evidence for a verdict on the network.

"Remembered" are the network's own outputs for what training showed: combinations, and lone stripes of one factor.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from recombine.core.shapes import Bool
from recombine.measures.accuracy import position_accuracy
from recombine.measures.answer import Answer, deepest, defined, take_apart
from recombine.measures.blame import Blame, spelt
from recombine.measures.blame_pictures import blame_pictures
from recombine.measures.correlation import pearson
from recombine.measures.error import nmse
from recombine.measures.evidence import Evidence
from recombine.measures.explanation_verdict import Finding, decide, sentence
from recombine.measures.explanation_words import percent, text
from recombine.measures.metric_tensor import factorisation
from recombine.measures.probe import probe_held_out
from recombine.measures.remembered import Stripes, remembered
from recombine.measures.superposition import chosen_held_out, decompose, share_on
from recombine.measures.volume import volume_contrast

BLANK_BELOW = 0.01  # of the true energy of ink: strokes a tenth as strong as the true ones; sums of memories have 0.04
PLACED_FROM = 0.9  # accuracy deep in the hole; the share that the paper asks of a network that has learned places
FLAT_BELOW = 0.1  # |D|: where FR7, FR9 and FR13 draw the line; composing networks may pass it in some layers


@dataclass(frozen=True, slots=True)
class SectionScore:
    """Error and accuracy over a section; None where they are not defined."""

    name: str
    combinations: int
    nmse: float | None
    accuracy: float | None


@dataclass(frozen=True, slots=True)
class Superposition:
    """The measures of superposition deep in the hole, over what training showed; sharers are within one step."""

    index: float
    memory_correlation: float
    truth_correlation: float
    energy: float
    sharer_weight: float
    sharer_chance: float
    stripe_weight: float | None  # None: training showed no stripe


@dataclass(frozen=True, slots=True)
class LayerScore:
    """Factorisation score F, volume contrast D and held-out probe of one layer; None where they are not defined."""

    name: str
    factorisation: float | None
    contrast: float | None
    probe: float | None


@dataclass(frozen=True, eq=False)
class Explanation:
    """Which failure it is, with the evidence. Printed, it is a page of text."""

    finding: Finding
    verdict: str  # one sentence
    answer: Answer
    deep: str  # the section that the verdict and the shares are about
    sections: tuple[SectionScore, ...]  # with "shown", where training showed other combinations than "id"
    ink: float  # energy of what is drawn deep in the hole, as a share of the truth's
    shown_nmse: float | None  # on the combinations that training showed; None: it showed none
    stripes_nmse: float | None  # on the lone stripes that it showed; None: none
    revealed: bool  # training showed held-out combinations too
    superposition: Superposition | None  # None: training showed nothing outside the hole
    layers: tuple[LayerScore, ...]
    lost: str | None  # the layer at which factorisation is lost; None: at none, or not known
    held_out: Bool[np.ndarray, "y x"]
    blame: Blame  # shares of the error deep in the hole by cause

    @property
    def cause(self) -> str | None:
        """The failure with the largest share of the error; None: there is no error to speak of."""
        return self.blame.cause

    def __str__(self) -> str:
        return text(self)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the pictures, as plain JSON values."""
        answer = self.answer
        return {
            "finding": str(self.finding),
            "verdict": self.verdict,
            **self.blame.to_dict(),
            "at": {"y": answer.y, "x": answer.x, "trained": answer.trained},
            "answer": {
                "nmse": answer.nmse,
                "truth_correlation": answer.truth_correlation,
                "energy_explained": answer.energy,
                "remembered": answer.remembered,
                "stripes": answer.stripes,
                "contributors": [_plain(each) for each in answer.contributors],
                "shares": {name: _plain(share) for name, share in answer.shares.items()},
            },
            "deep": self.deep,
            "sections": [_plain(each) for each in self.sections],
            "ink": self.ink,
            "shown_nmse": self.shown_nmse,
            "stripes_nmse": self.stripes_nmse,
            "revealed": self.revealed,
            "superposition": _plain(self.superposition) if self.superposition else None,
            "layers": [_plain(each) for each in self.layers],
            "lost": self.lost,
        }


def explain_evidence(
    evidence: Evidence,
    at: tuple[int, int] | None = None,
    shown: Bool[np.ndarray, " combinations"] | None = None,
    stripes: Stripes | None = None,
    allowed: Bool[np.ndarray, " combinations"] | None = None,
) -> Explanation:
    """Which failure what a network showed is, and what its answer to the combination ``at`` (y, x) is made of.

    Without ``at`` it is the held-out combination farthest from training. ``shown`` are the combinations that training
    really showed, where they are not the whole section "id", ``stripes`` what it showed of one factor alone, and
    ``allowed`` the combinations it draws from, where these are not "id".
    """
    shown = evidence.section("id") if shown is None else shown
    answer = take_apart(evidence, deepest(evidence) if at is None else at, shown, stripes)
    told = replace(evidence, sections={**evidence.sections, "shown": shown})
    sections = tuple(
        SectionScore(name, int(members.sum()), defined(nmse, told, name), defined(position_accuracy, told, name))
        for name, members in told.sections.items()
        if members.any() and (name != "shown" or (shown != evidence.section("id")).any())
    )
    layers = layer_scores(evidence)
    drawn, true = (np.square(ink(evidence.deep)).sum() for ink in (evidence.ink, evidence.target_ink))
    found = Explanation(
        finding=Finding.FAILS,
        verdict="",
        answer=answer,
        deep=evidence.deep,
        sections=sections,
        ink=float(drawn / true) if true > 0 else 0.0,
        shown_nmse=defined(nmse, told, "shown"),
        stripes_nmse=stripes.nmse(evidence.blank) if stripes else None,
        revealed=bool((shown & evidence.section("ood")).any()),
        superposition=superposition(evidence, shown & ~evidence.section("ood"), stripes),
        layers=layers,
        lost=lost_layer({layer.name: layer.contrast for layer in layers}),
        held_out=evidence.section("ood").reshape(evidence.shape),
        blame=blame_pictures(evidence, shown, stripes, allowed),
    )
    finding = decide(found.blame, found.revealed, look(found))
    return replace(found, finding=finding, verdict=sentence(finding, found.blame, _measured(found), found.revealed))


def look(found: Explanation) -> Finding:
    """What the answers deep in the hole look like, whatever is to blame; the first that holds:

    blank        Σ ‖ink‖² < 0.01 Σ ‖true ink‖²
    placed       accuracy ≥ 0.9
    fails        otherwise
    """
    if found.ink < BLANK_BELOW:
        return Finding.BLANK
    placed = _deep(found).accuracy
    return Finding.PLACED if placed is not None and placed >= PLACED_FROM else Finding.FAILS


def _deep(found: Explanation) -> SectionScore:
    return next(section for section in found.sections if section.name == found.deep)


def _measured(found: Explanation) -> str:
    """The numbers of the section that the verdict is about; without an nMSE nothing is to be drawn there."""
    deep, error = _deep(found), found.blame.error
    assert error is not None  # pictures always hold something out
    place = "" if deep.accuracy is None else f", {percent(deep.accuracy)} in their place"
    return f"{'mean squared error' if deep.nmse is None else 'nMSE'} {spelt(error)}{place}"


def superposition(
    evidence: Evidence, shown: Bool[np.ndarray, " combinations"], stripes: Stripes | None = None
) -> Superposition | None:
    """The measures of superposition deep in the hole, over these combinations and stripes; None: there are none.

    Without stripes they are the measures of the same names with ``shown`` as what was trained on.
    """
    parts = remembered(evidence, shown, stripes)
    if not len(parts.levels):
        return None
    drawn, true = evidence.ink(evidence.deep), evidence.target_ink(evidence.deep)
    apart = parts.apart(evidence, evidence.levels[evidence.section(evidence.deep)]).min(axis=0)
    with_memory, with_truth = pearson((apart == 0).astype(np.float64) @ parts.ink, drawn), pearson(true, drawn)
    chosen = chosen_held_out(evidence)
    weights, energy = decompose(drawn[chosen], parts.ink)
    near, lone = apart[chosen] <= 1, np.broadcast_to(~parts.whole, weights.shape)
    return Superposition(
        index=float((with_memory - with_truth).mean()),
        memory_correlation=float(with_memory.mean()),
        truth_correlation=float(with_truth.mean()),
        energy=float(energy.mean()),
        sharer_weight=float(share_on(weights, near).mean()),
        sharer_chance=float(near.mean()),
        stripe_weight=float(share_on(weights, lone).mean()) if lone.any() else None,
    )


def layer_scores(evidence: Evidence) -> tuple[LayerScore, ...]:
    """F, D and the held-out probe of every layer, input first; none where no layers were kept."""
    tables = [defined(measure, evidence) or {} for measure in BY_LAYER]
    return tuple(LayerScore(name, *(table.get(name) for table in tables)) for name in evidence.layers)


BY_LAYER = (factorisation, volume_contrast, probe_held_out)


def lost_layer(contrasts: Mapping[str, float | None]) -> str | None:
    """The layer at which factorisation is lost: from it on, the hole stands out in the volume map of every layer.

        lost = min { l ≥ 1 : |D_k| ≥ 0.1 for all k ≥ l },   D the volume contrast, layer 0 the input

    None: the output's map is flat, as it is for true pictures, or D is not defined. A bend that later layers undo does
    not count: networks that were shown the hole and draw it rightly have some. A flat map is no proof of the contrary:
    small networks can superpose and keep it flat, so look at F and the held-out probe as well.
    """
    lost = None
    for name, contrast in reversed(list(contrasts.items())[1:]):
        if contrast is None or abs(contrast) < FLAT_BELOW:
            break
        lost = name
    return lost


def _plain(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__dataclass_fields__}
