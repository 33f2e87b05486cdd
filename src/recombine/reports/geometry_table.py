"""How much of a torus is there without training: the same quantities of pictures, the untrained and the trained net."""

from recombine.reports.compared_looks import LOOKS
from recombine.reports.findings import Findings
from recombine.reports.markup import Markup, join, tag
from recombine.reports.numbers import counted, interval
from recombine.reports.settings import SettingRuns
from recombine.studies import Experiment

# Columns: words, and the number of a layer; a second one stands below it, after its own words.
COLUMNS = {
    "Directions in use": ("participation.{}", None),
    "Variance in the first four": ("top_four_share.{}", None),
    "Gap after the fourth": ("spectral_gap.{}", None),
    "Two circles (ideal 1)": ("two_circles.{}", None),
    "Loops (ideal 2), times the next": ("holes.{}-h1", ("times", "holes.{}-h1-ratio")),
    "Cavities (ideal 1), times the next": ("holes.{}-h2", ("times", "holes.{}-h2-ratio")),
    "Torus by other choices of points, share": ("holes.{}-torus", None),
    "x-on-y: degrees nearer to Clifford than to ring": (
        "ring_distances.{}-x-on-y-components-nearer",
        ("principal angles:", "torus_orthogonality.{}-nearer"),
    ),
    "x-on-x: median angle (ideal 0)": ("ring_angle.{}-x-on-x", None),
    "y-on-y: median angle (ideal 0)": ("ring_angle.{}-y-on-y", None),
}
COUNTS = ("-h1", "-h2")  # quantities that are numbers of things
ORDER = ("pixels", "untrained", "true", "probe")
NEEDED = ("holes.probe-h1", "ring_angle.probe-x-on-x")


def geometry_section(findings: Findings) -> Markup | None:
    """A table for each setting whose shape was measured; None where there is none."""
    settings = [
        setting
        for setting in findings.settings.values()
        if isinstance(setting.work, Experiment) and set(NEEDED) <= set(setting.quantities())
    ]
    if not settings:
        return None
    return tag(
        "section",
        tag("h2", "Geometry beside its baselines"),
        tag(
            "p",
            "What a trained model holds can look like a torus because the pictures do, or because any network of its "
            "kind makes it look so. Each quantity of the trained network while it draws is therefore given for the "
            "true pictures as they are, for the network before training that is shown them, and for the trained one "
            "that is shown them. Means over seeds with 95% intervals; loops and cavities as they were counted, by "
            "number of seeds. A loop counts only where it outlasts those of noise; the share of other choices of "
            "points tells in how many of five choices of 60% of them one component, two loops and one cavity stand "
            "out. Angles are those between principal components, as published, and principal angles below.",
        ),
        [_table(setting) for setting in settings],
        id="geometry",
    )


def _table(setting: SettingRuns) -> Markup:
    heads = ("Layer", *COLUMNS)
    there = [layer for layer in ORDER if any(setting.numbers(one.format(layer)) for one, _ in COLUMNS.values())]
    rows = [
        tag("tr", tag("th", LOOKS[layer].words, scope="row"), [tag("td", _cell(setting, layer, *pair))
                                                               for pair in COLUMNS.values()])
        for layer in there
    ]  # fmt: skip
    title = join(tag("a", setting.label, href=f"#{setting.anchor}"), f": {setting.says}" if setting.says else "")
    head = tag("thead", tag("tr", [tag("th", words, scope="col") for words in heads]))
    return tag("div", tag("table", tag("caption", title), head, tag("tbody", rows)), class_="scroll")


def _cell(setting: SettingRuns, layer: str, main: str, below: tuple[str, str] | None) -> Markup:
    quantity = main.format(layer)
    measured = setting.interval(quantity)
    if measured is None:
        return join("not measured")
    words = counted(setting.numbers(quantity)) if main.endswith(COUNTS) else interval(measured)
    before, other = below or ("", "")
    more = setting.interval(other.format(layer)) if other else None
    return join(words, [tag("br"), tag("span", f"{before} {interval(more)}", class_="meaning")] if more else None)
