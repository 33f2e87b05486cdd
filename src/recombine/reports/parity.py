"""Which measured kernel predicts the slopes of trained networks: predicted against measured, run by run."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from recombine.core.errors import InputError
from recombine.reports.canvas import COLOURS, MARKS, framed, image
from recombine.reports.descriptions import differing
from recombine.reports.findings import OF_THESE, Findings
from recombine.reports.markup import Markup, join, tag
from recombine.reports.numbers import count, short
from recombine.studies import Experiment

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CANDIDATES = ("initial last layer", "initial tangent", "trained last layer", "trained tangent")


@dataclass(frozen=True, slots=True)
class SlopeRun:
    """One run on sums: the network, the slope it has, and the slope each of its representations predicts."""

    network: str
    slope: float
    predicted: Mapping[str, float]

    def candidate(self, name: str) -> float | None:
        """The prediction of one of `CANDIDATES`; None if it was not measured."""
        when, _, what = name.partition(" ")
        if what == "tangent":
            return self.predicted.get(name)
        layers = [each for each in self.predicted if each.startswith(f"{when} ") and not each.endswith(" tangent")]
        return self.predicted[max(layers, key=in_order)] if layers else None


def in_order(name: str) -> list[tuple[str, int]]:
    """A key that sorts layers as networks have them: conv2 before conv10 before dense1."""
    return [(word, int(number or 0)) for word, number in re.findall(r"([^\d]+)(\d*)", name)]


def slope_runs(findings: Findings) -> tuple[list[SlopeRun], int]:
    """Every run on the page with predicted slopes, and how many were left out because they train on what is held out.

    The law speaks of combinations that were never trained on; of those it predicts nothing.
    """
    found, revealed = [], 0
    for body in findings.bodies.values():
        measures = body.get("measures") or {}
        slope, predicted = measures.get("slope"), measures.get("predicted_slope")
        if not isinstance(slope, float) or not isinstance(predicted, Mapping):
            continue
        try:
            experiment = Experiment.read(body.get("specification"))
        except InputError:  # of another version
            continue
        if not findings.shows(experiment):
            continue
        if experiment.problem.reveal:
            revealed += 1
            continue
        network = f"{experiment.model.kind}{differing(experiment.model)}"
        found.append(SlopeRun(network, slope, {name: float(value) for name, value in predicted.items()}))
    return sorted(found, key=lambda run: run.network), revealed


def mean_error(runs: Iterable[SlopeRun], candidate: str) -> float | None:
    """The mean of |predicted - measured slope| over runs that have the candidate; 0 is a perfect prediction."""
    errors = [abs(value - run.slope) for run in runs if (value := run.candidate(candidate)) is not None]
    return float(np.mean(errors)) if errors else None


def parity_section(findings: Findings) -> Markup | None:
    """The figure, its errors as a table, and those of every representation; None where no slope is ever predicted."""
    runs, revealed = slope_runs(findings)
    works = [setting.work for setting in findings.settings.values()]
    expected = any(isinstance(work, Experiment) and "predicted_slope" in work.measures for work in works)
    if not (runs or revealed or expected):
        return None
    absent = f"{count(revealed, 'run')} that saw the held-out sums in training left out." if revealed else ""
    nothing = tag("p", f"No run{OF_THESE if findings.only else ''} with predicted slopes yet.", class_="note")
    return tag(
        "section",
        tag("h2", "Which kernel predicts the slope?"),
        tag(
            "p",
            "On sums, a kernel shrinks the answers to unseen combinations by a slope that follows from its salience. A "
            "network offers several kernels: the similarities in its layers and its tangent kernel, before and after "
            "training. Each predicts a slope for the network that was trained; here is how well, run by run. A "
            "prediction from trained weights is an explanation rather than a forecast.",
        ),
        tag("div", parity_figure(runs), tag("div", _tables(runs), class_="words"), class_="beside")
        if runs
        else nothing,
        tag("p", absent, class_="note") if absent else None,
        id="parity",
    )


def parity_figure(runs: Sequence[SlopeRun]) -> Markup:
    """A panel for each candidate, measured over predicted slope, a mark for each network."""
    networks = list(dict.fromkeys(run.network for run in runs))
    errors = {name: mean_error(runs, name) for name in CANDIDATES}
    values = [run.slope for run in runs]
    values += [value for run in runs for name in CANDIDATES if (value := run.candidate(name)) is not None]
    low, high = min(values) - 0.05, max(values) + 0.05

    def draw(figure: "Figure") -> None:
        panels = figure.subplots(2, 2, sharex=True, sharey=True)
        for axes, name in zip(panels.ravel(), CANDIDATES, strict=True):
            axes.plot([low, high], [low, high], "--", color="#666666", linewidth=1)
            for place, network in enumerate(networks):
                style = place % len(COLOURS)
                pairs = [(run.candidate(name), run.slope) for run in runs if run.network == network]
                x, y = np.array([pair for pair in pairs if pair[0] is not None], dtype=float).reshape(-1, 2).T
                look: dict[str, Any] = {"color": COLOURS[style], "marker": MARKS[style], "edgecolors": "white"}
                axes.scatter(x, y, s=30, linewidths=0.4, alpha=0.8, label=network, **look)
            axes.set_title(f"{name}: error {_written(errors[name])}")
            axes.set_xlim(low, high)
            axes.set_ylim(low, high)
            axes.set_aspect("equal")
        figure.supxlabel("predicted slope", fontsize=9)
        figure.supylabel("measured slope of unseen sums", fontsize=9)
        figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside upper left", ncols=2, frameon=False)

    told = "; ".join(f"{name} {_written(error)}" for name, error in errors.items())
    alt = f"Predicted against measured slope of {count(len(runs), 'run')}. Mean absolute error: {told}."
    caption = f"{count(len(runs), 'run')}, a mark each. Dashed: predicted equals measured. Mean absolute error: {told}."
    return framed(image(draw, (5.4, 5.6), alt), caption)


def _tables(runs: Sequence[SlopeRun]) -> Markup:
    networks = list(dict.fromkeys(run.network for run in runs))
    groups = {"all": list(runs), **{network: [run for run in runs if run.network == network] for network in networks}}
    heads = ["Mean absolute error", *(f"{name} ({count(len(members), 'run')})" for name, members in groups.items())]
    rows = [
        [tag("td", name), *(tag("td", _written(mean_error(members, name))) for members in groups.values())]
        for name in CANDIDATES
    ]
    every = []
    for network in networks:
        names = dict.fromkeys(name for run in groups[network] for name in run.predicted)
        for name in sorted(names, key=in_order):
            gaps = np.array([run.predicted[name] - run.slope for run in groups[network] if name in run.predicted])
            cells = (network, name, short(float(np.abs(gaps).mean())), short(float(gaps.mean())), str(len(gaps)))
            every.append([tag("td", cell) for cell in cells])
    whole = ("Network", "Representation", "Mean absolute error", "Mean of predicted less measured", "Runs")
    return join(
        _table(heads, rows),
        tag("details", tag("summary", "Every representation that was measured"), _table(whole, every)),
    )


def _table(heads: Sequence[str], rows: Sequence[Sequence[Markup]]) -> Markup:
    head = tag("thead", tag("tr", [tag("th", name, scope="col") for name in heads]))
    return tag("div", tag("table", head, tag("tbody", [tag("tr", row) for row in rows])), class_="scroll")


def _written(error: float | None) -> str:
    return "not measured" if error is None else short(error)
