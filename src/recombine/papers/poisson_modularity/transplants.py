"""The noise and the penalty in networks of other papers: do they make those compose?

Strengths are the largest of those tried with which networks that no verdict uses (seeds from 100) still learned what
was shown (nMSE at most 0.3, every class right); nothing that was held out was looked at to choose them.
"""

from functools import partial

from recombine.papers.claims import Maker, Scale, Setting, setting
from recombine.papers.forced_rendering.settings import no_terms, variance_only
from recombine.papers.forced_rendering.settings.building import SMALL, decoder, square
from recombine.papers.kernel_settings import deep_cd1, deep_cd3
from recombine.papers.poisson_modularity.conditions import poisson
from recombine.studies import Experiment, change
from recombine.training import penalties
from recombine.training.noise import Noise
from recombine.training.penalties import Penalty


def transplant(
    name: str, says: str, base: Setting, *terms: Maker[Penalty], noise: Maker[Noise] | None = None
) -> Setting:
    """A setting of another paper with a penalty or noise added."""

    def make(scale: Scale) -> Experiment:
        work = base(scale)
        assert isinstance(work, Experiment)
        added = tuple(term() for term in terms)
        recipe = change(work.recipe, penalties=(*work.recipe.penalties, *added), noise=noise and noise())
        return change(work, recipe=recipe)

    return setting(name, says, make)


def hole(reveal: bool = False) -> Setting:
    """The CNN and the hole of forced rendering's first figure, on small pictures."""
    return setting(
        f"small_hole{'_revealed' if reveal else ''}",
        "A CNN decoder on small bumps.",
        lambda scale: decoder(square(SMALL, reveal=reveal), Scale.LAPTOP, 1000),
    )


def weighted(strength: float) -> Maker[Penalty]:
    return partial(penalties.weighted_activity, power=1.0, strength=strength)


CNN_STRENGTH, CNN_LEVEL = 1e-4, 0.1
cnn_penalty = transplant("cnn_penalty", "A CNN decoder with weighted activity.", hole(), weighted(CNN_STRENGTH))
cnn_noise = transplant("cnn_noise", "A CNN decoder with Poisson-like noise.", hole(), noise=poisson(CNN_LEVEL))
cnn_penalty_revealed = transplant(
    "cnn_penalty_revealed", "The same with penalty, trained on the full grid.", hole(True), weighted(CNN_STRENGTH)
)
cnn_noise_revealed = transplant(
    "cnn_noise_revealed", "The same with noise, trained on the full grid.", hole(True), noise=poisson(CNN_LEVEL)
)

RENDERING_STRENGTH, RENDERING_LEVEL = 1e-5, 0.4
rendering_penalty = transplant(
    "rendering_penalty", "Forced rendering, weighted activity for its regulariser.", no_terms,
    weighted(RENDERING_STRENGTH),
)  # fmt: skip
rendering_noise = transplant(
    "rendering_noise", "Forced rendering, Poisson-like noise for its regulariser.", no_terms,
    noise=poisson(RENDERING_LEVEL),
)  # fmt: skip
rendering_variance = variance_only

SYMBOL_STRENGTH, SYMBOL_LEVEL = 0.01, 0.8
context_penalty = transplant("context_penalty", "CD-3, weighted activity.", deep_cd3, weighted(SYMBOL_STRENGTH))
context_noise = transplant("context_noise", "CD-3, Poisson-like noise.", deep_cd3, noise=poisson(SYMBOL_LEVEL))
easy_penalty = transplant("easy_penalty", "CD-1, weighted activity.", deep_cd1, weighted(SYMBOL_STRENGTH))
easy_noise = transplant("easy_noise", "CD-1, Poisson-like noise.", deep_cd1, noise=poisson(SYMBOL_LEVEL))
