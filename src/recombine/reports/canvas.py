"""From a drawing to an image inside the page: one look for all figures, no global state left behind."""

import html
import io
import re
import urllib.parse
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from recombine.reports.compact import compact
from recombine.reports.markup import Markup, prose, tag
from recombine.reports.numbers import short

if TYPE_CHECKING:
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

    from recombine.factors import Factor

# Okabe and Ito's colours, darkest first, so that they stay apart without hue. Marks and lines differ as well.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
MARKS = ("o", "s", "^", "D", "v", "P", "X")
LINES = ("-", "--", ":", "-.", (0, (6, 1)), (0, (1, 2)), (0, (8, 2, 2, 2)))
RED = "#d0021b"  # what is held out

LOOK: dict[Any, Any] = {
    "font.family": "sans-serif",
    # Verdana is as wide as DejaVu Sans, so that what fits here fits where that font is not installed.
    "font.sans-serif": ["DejaVu Sans", "Verdana"],
    "font.size": 9.0,
    "axes.titlesize": 9.0,
    "axes.labelsize": 9.0,
    "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0,
    "legend.fontsize": 8.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": False,
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
    "svg.fonttype": "none",
    "svg.hashsalt": "recombine",
}
LONGEST_NAME = 24  # letters
PIXELS = 96  # CSS pixels per inch
NOT_IN_XML = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")  # names in figures may have them
INSIDE = "data:image/svg+xml,"  # as text: in base64 it would be a third larger
DRAWING = re.compile(rf'src="{re.escape(INSIDE)}([^"]*)"')


def svg(draw: Callable[["Figure"], None], size: tuple[float, float]) -> str:
    """A drawing of this size in inches as an SVG file.

    It is drawn on white, whatever the page's own colours and the user's own matplotlib settings. What is made of
    pixels keeps them: they are a small PNG file inside the SVG file, sharp at any size.
    """
    import matplotlib
    from matplotlib.figure import Figure

    buffer = io.StringIO()
    with matplotlib.rc_context(), warnings.catch_warnings():
        # Words are left to the fonts of whoever looks; those of this machine need not have their letters.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(LOOK)
        figure = Figure(figsize=size, layout="constrained", facecolor="white")
        draw(figure)
        nameless: dict[str, Any] = dict.fromkeys(("Date", "Creator", "Type", "Format"))
        figure.savefig(buffer, format="svg", metadata=nameless)
    return NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", buffer.getvalue())


def image(draw: Callable[["Figure"], None], size: tuple[float, float], alt: str) -> Markup:
    """The image element of a drawing of this size in inches, as an SVG file inside the page."""
    return tag(
        "img",
        src=_address(compact(svg(draw, size))),
        alt=alt,
        width=round(size[0] * PIXELS),
        height=round(size[1] * PIXELS),
    )


def drawing_in(markup: str) -> str | None:
    """The SVG file of the first image inside some markup; None if there is none."""
    found = DRAWING.search(markup)
    return urllib.parse.unquote(html.unescape(found[1])) if found else None


def _address(drawing: str) -> Markup:
    """The address that holds a drawing: what would end it, or the attribute it stands in, is written by its number."""
    turned = re.sub(r"<[^>]*>", lambda found: found[0].replace("'", "&apos;").replace('"', "'"), drawing)
    return Markup(INSIDE + re.sub(r'[%#&"\n]', lambda found: urllib.parse.quote(found[0]), turned))


def framed(picture: Markup, caption: str, wide: bool = False) -> Markup:
    """An image on its white card with the words below it. A wide one scrolls before it gets too small to read."""
    card = tag("div", picture, class_="card wide" if wide else "card")
    return tag("figure", card, tag("figcaption", prose(caption)))


def label_levels(axis: "Axis", factor: "Factor", most: int = 6) -> None:
    """Name an axis of levels after its factor and mark some of them by their own names."""
    step = -(-len(factor) // most)
    places = range(0, len(factor), step)
    axis.set_ticks(places, [level_name(factor, place) for place in places])
    axis.set_label_text(factor.name)


def logarithmic(axis: "Axis") -> None:
    """Make an axis logarithmic, once all is drawn, with plain numbers at the powers of ten (1, 2 and 5 if few)."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

    (axis.axes.set_xscale if axis is axis.axes.xaxis else axis.axes.set_yscale)("log")
    low, high = axis.get_view_interval()
    steps = (1.0,) if high / low > 100 else (1.0, 2.0, 5.0)
    axis.set_major_locator(LogLocator(subs=steps, numticks=12))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}" if 1e3 <= value < 1e6 else short(value)))
    axis.set_minor_formatter(NullFormatter())
    if high / low > 100:  # marks between so many powers crowd, and take most of the time to draw
        axis.set_minor_locator(NullLocator())


def level_name(factor: "Factor", place: int) -> str:
    """One level of a factor as it is written on an axis."""
    level = factor.levels[place]
    return level if isinstance(level, str) else f"{level:.4g}"


def brief(name: str) -> str:
    """A name as it is written on an axis or in a legend: the middle of a long one is left out, so that it fits."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME // 2]}…{name[-LONGEST_NAME // 2 :]}"


def colour_bar(figure: "Figure", shown: Any, axes: Any, label: str = "", **settings: Any) -> None:
    """The scale of an image, its colours as pixels: as shapes they would be most of the file."""
    bar: Any = figure.colorbar(shown, ax=axes, **settings)
    bar.solids.set_rasterized(True)
    bar.set_label(label)
