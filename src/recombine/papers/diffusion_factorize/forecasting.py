"""Does the forecast for decoders, by kernels, say where a diffusion model fails?"""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from recombine.papers.claims import Scale, Setting, setting
from recombine.papers.diffusion_factorize import canvases as c
from recombine.studies import Calculation, Computed, Experiment, calculations, change, seconds_together
from recombine.studies.forecasting import forecast
from recombine.training import run

TRAINED: Mapping[str, Mapping[str, Any]] = {
    "sums": {},
    "sums and stripes": {"stripes": True, "rim": True},
    "bumps": {"kind": "bump"},
    "bumps and stripes": {"kind": "bump", "stripes": True},
}
PARTS = ("vertical", "horizontal", "intersection")
PAIRS = (slice(0, 2), slice(2, 4))  # training sets of sums, and of bumps
WRONG = 0.3  # nMSE above which a section is called wrong: where a forecast says that composition fails


@calculations.register("forecast-of-diffusion")
class ForecastOfDiffusion(Calculation):
    """The forecast error of each part of the cross beside that of a trained diffusion model, for four training sets.

    Centres lie half a pixel apart, so that kernels fit in memory; both see the same examples. ``published`` trains the
    paper's UNet on its pictures, whose centres lie a pixel apart for the same reason.
    """

    exact: ClassVar[bool] = False
    quantities: ClassVar = {
        "rank": "rank correlation of forecast and measured nMSE over parts and training sets, mean of sums and bumps",
        "fit": "measured nMSE on trained places, largest over training sets",
        "agreement": f"share of them on which both say the same: wrong (nMSE above {WRONG}) or not",
        "forecast_wrong": "share that the forecast calls wrong",
        "measured_wrong": "share that came out wrong",
        "bias": "forecast less measured nMSE, on average",
    }

    steps: int = Field(default=3000, ge=1)
    published: bool = False

    def compute(self) -> Computed:
        from scipy.stats import spearmanr

        said, found, fits = [], [], []
        for training in self.trainings():
            sections = {each.name: each.expected for each in forecast(training.problem, seed=self.seed).sections}
            measured = run(training.plan()).measures["nmse_by_section"]
            said.append([sections[part] for part in PARTS])
            found.append([measured[part] for part in PARTS])
            fits.append(float(measured["id"]))
        told, true = np.array(said), np.array(found)
        return Computed(
            {
                # Within sums and within bumps: bumps have less ink, so that any answer is worse for them.
                "rank": float(np.mean([spearmanr(told[pair].ravel(), true[pair].ravel())[0] for pair in PAIRS])),
                "fit": max(fits),
                "agreement": float(((told > WRONG) == (true > WRONG)).mean()),
                "forecast_wrong": float((told > WRONG).mean()),
                "measured_wrong": float((true > WRONG).mean()),
                "bias": float((told - true).mean()),
            },
            {"forecast": told, "measured": true},
        )

    def trainings(self) -> list[Experiment]:
        made = []
        scale, spacing = (Scale.PAPER, 1.0) if self.published else (Scale.LAPTOP, 0.5)
        for settings in TRAINED.values():
            usual = c.crossed(scale, spacing=spacing, measures=("nmse_by_section",), **settings)
            recipe = change(usual.recipe, steps=self.steps)
            made.append(change(usual, seed=self.seed, recipe=recipe))
        return made

    def expected_seconds(self) -> float:
        return sum(seconds_together(training) for training in self.trainings())


def foretold(name: str, says: str, steps: int | None) -> Setting:
    """The comparison with networks trained for so many steps, or for as many as usual; at quick as on a laptop."""

    def made(scale: Scale) -> ForecastOfDiffusion:
        published = scale is Scale.PAPER
        usual = c.SIZES[scale].steps if published else 3000
        return ForecastOfDiffusion(steps=steps or usual, published=published)

    return setting(name, says, made)


trained = foretold("foretold", "Forecast beside trained diffusion models.", None)
untrained = foretold("foretold_start", "Forecast beside networks after twenty steps.", 20)
