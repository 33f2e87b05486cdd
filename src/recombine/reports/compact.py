"""The same SVG file in half of its letters: what matplotlib writes twice is written once, and to a tenth of a point.

A report has hundreds of figures, and must stay below a size at which it can be sent.
"""

import base64
import io
import re
from collections import Counter
from itertools import groupby
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np

SVG, LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
FONTS = "font-family"  # the same for all words of a figure, so that it stands at the root
PNG = "data:image/png;base64,"
COLOURS = 256  # of a picture; more would be three times its size
COMMAND = re.compile(r"([MLCQz])([^MLCQz]*)")
OPACITY = re.compile(r"(^|;)opacity:")
TICK = re.compile(r"m0 0[hv]-?[\d.]+")
NUMBER = re.compile(r"-?\d+\.\d+")
LENGTHS = ("x", "y", "width", "height")


def compact(drawing: str) -> str:
    """A figure of matplotlib, smaller: it looks the same, but for less than a tenth of a point."""
    root = ElementTree.fromstring(drawing[drawing.index("<svg") :])
    fonts = _fonts(root)
    names = {name: f"i{place}" for place, name in enumerate(dict.fromkeys(re.findall(r"#([\w.-]+)", drawing)))}
    small = {element for defs in root.iter(f"{SVG}defs") for element in defs.iter()}  # marks, of a point or two
    for element in root.iter():
        _shorten(element, names, 2 if element in small else 1)
    _unwrap(root)
    _share_styles(root)
    _join_ticks(root)
    _group_alike(root)
    for attribute in ("version", "xmlns"):
        root.attrib.pop(attribute, None)
    root.set(FONTS, fonts)
    ElementTree.register_namespace("", SVG[1:-1])
    return ElementTree.tostring(root, encoding="unicode").replace(" />", "/>")


def _fonts(root: Element) -> str:
    """The fonts of the words of a figure, all the same."""
    styles = (element.get("style", "") for element in root.iter(f"{SVG}text"))
    found = (re.search(rf"{FONTS}: ([^;]*)", style) for style in styles)
    return next((each[1].replace("'", "") for each in found if each), "sans-serif")


def _shorten(element: Element, names: dict[str, str], digits: int) -> None:
    """What an element says about itself, in fewer letters."""
    if element.tag != f"{SVG}text":
        element.text = element.text if element.tag == f"{SVG}style" else None
    element.tail = None
    own = element.attrib.pop("id", None)
    if own in names:
        element.set("id", names[own])
    if (d := element.get("d")) is not None:
        element.set("d", relative(d, digits))
    if (link := element.attrib.pop(LINK, None)) is not None:
        element.set("href", f"#{names[link[1:]]}" if link.startswith("#") else _fewer_colours(link))
    if (clip := element.get("clip-path")) is not None:
        element.set("clip-path", f"url(#{names[clip[5:-1]]})")
    if (style := element.get("style")) is not None:
        said = [part.strip() for part in style.split(";")]
        element.set("style", ";".join(part.replace(": ", ":") for part in said if part and not part.startswith(FONTS)))
    if element.tag in (f"{SVG}image", f"{SVG}svg"):  # their scale factors would shift pixels far from the origin
        return
    for name in LENGTHS:
        if (length := element.get(name)) is not None:
            element.set(name, _written(round(float(length) * 10), 1))
    if (moved := element.get("transform")) is not None:
        element.set("transform", NUMBER.sub(lambda found: _written(round(float(found[0]) * 10), 1), moved))
        if moved.startswith("rotate(-0 "):
            del element.attrib["transform"]


def relative(d: str, digits: int = 1) -> str:
    """The data of a path in steps from point to point: ``M 1 1 L 3 1`` is ``m1 1h2``. Rounding does not add up."""
    unit = 10**digits
    written, before = [], ""
    here = start = (0, 0)
    for command, arguments in COMMAND.findall(d):
        numbers = [round(float(number) * unit) for number in arguments.split()]
        points = list(zip(numbers[::2], numbers[1::2], strict=True))
        if command == "z":
            written.append("z")
            here, before = start, "z"
            continue
        for several in [points] if command in "CQ" else [[point] for point in points]:
            steps = [end - begin for point in several for begin, end in zip(here, point, strict=True)]
            letter = command.lower()
            if letter == "l" and 0 in steps:
                letter, steps = ("h", steps[:1]) if steps[1] == 0 else ("v", steps[1:])
            said = _joined([_written(step, digits) for step in steps])
            goes_on = letter == before != "m" or (letter == "l" and before == "m")
            written.append(said if goes_on and said[0] == "-" else f"{' ' if goes_on else letter}{said}")
            here, before = several[-1], letter
            start = here if command == "M" else start
    return "".join(written)


def _joined(numbers: list[str]) -> str:
    return "".join(number if number[0] == "-" or not place else f" {number}" for place, number in enumerate(numbers))


def _written(tenths: int, digits: int) -> str:
    """A number of tenths (or hundredths) as short as can be: 5 is ``.5``, 20 is ``2``."""
    text = f"{abs(tenths) / 10**digits:.{digits}f}".rstrip("0").rstrip(".")
    text = text.removeprefix("0") or "0"
    return f"-{text}" if tenths < 0 else text


def _fewer_colours(link: str) -> str:
    """A picture with a palette where that is smaller: exact up to 256 colours, the nearest ones from there."""
    from PIL import Image

    content = base64.b64decode(link.partition(",")[2])
    picture = Image.open(io.BytesIO(content)).convert("RGBA")
    # By transparency first: a file says how transparent colours are up to the last that is.
    colours, numbers = np.unique(np.asarray(picture)[..., [3, 0, 1, 2]].reshape(-1, 4), axis=0, return_inverse=True)
    if len(colours) > COLOURS:
        painted = picture.quantize(COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    else:
        painted = Image.frombytes("P", picture.size, numbers.astype(np.uint8).tobytes())
        painted.putpalette(colours[:, 1:].astype(np.uint8).tobytes())
        if (see_through := colours[:, 0] < 255).any():
            painted.info["transparency"] = colours[see_through, 0].astype(np.uint8).tobytes()
    buffer = io.BytesIO()
    painted.save(buffer, "PNG", optimize=True)
    return PNG + base64.b64encode(min(content, buffer.getvalue(), key=len)).decode()


def _unwrap(parent: Element) -> None:
    """Groups that say nothing are replaced by what is in them; empty ones go."""
    kept: list[Element] = []
    for child in parent:
        _unwrap(child)
        if child.tag == f"{SVG}g" and not child.attrib:
            kept += child
        elif len(child) or child.tag not in (f"{SVG}g", f"{SVG}defs"):
            kept.append(child)
    parent[:] = kept


def _share_styles(root: Element) -> None:
    """Styles that occur more than once become classes."""
    found = Counter(style for element in root.iter() if (style := element.get("style")) is not None)
    # One that makes a whole group transparent would be another drawing; it stays where it is.
    found = Counter({style: times for style, times in found.items() if not OPACITY.search(style)})
    shared = {style: f"s{place}" for place, (style, times) in enumerate(found.most_common()) if times > 1 and style}
    for element in root.iter():
        style = element.attrib.get("style")
        if style in shared:
            element.set("class", shared[style])
        if style in shared or style == "":
            del element.attrib["style"]
    sheet = root.find(f".//{SVG}style")
    assert sheet is not None  # matplotlib always writes one
    sheet.attrib.clear()
    rules = "".join(f".{name}{{{style}}}" for style, name in shared.items())
    # At the root instead of at every element, so that what a group says holds for what is in it.
    sheet.text = re.sub(r"[:;] ", lambda found: found[0][0], sheet.text or "").replace("*", "svg").strip() + rules


def _join_ticks(root: Element) -> None:
    """The ticks of an axis, short lines that are each a use of one, become one path."""
    ticks = {f"#{path.get('id')}": path.get("d", "") for path in root.iter(f"{SVG}path") if "id" in path.attrib}
    ticks = {name: d[4:] for name, d in ticks.items() if TICK.fullmatch(d)}
    joined: dict[tuple[str, str | None], Element] = {}
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag == f"{SVG}use" and child.get("href") in ticks:
                name = child.get("href", "")
                line = f"M{_joined([child.get('x', '0'), child.get('y', '0')])}{ticks[name]}"
                path = joined.setdefault((name, child.get("class")), Element(f"{SVG}path", d=""))
                path.set("d", path.get("d", "") + line)
                if len(path.attrib) == 1:
                    path.attrib.update({key: child.attrib[key] for key in ("class", "style") if key in child.attrib})
                    parent[list(parent).index(child)] = path
                else:
                    parent.remove(child)
        for child in list(parent):
            if child.tag == f"{SVG}defs" and len(child) == 1 and f"#{child[0].get('id')}" in ticks:
                parent.remove(child)


def _group_alike(parent: Element) -> None:
    """Neighbours of one class, cut off at one border, share a group that says both."""
    kept: list[Element] = []
    for alike, members in groupby(list(parent), key=_said):
        several = list(members)
        if alike is None or len(several) == 1:
            kept += several
            continue
        group = Element(f"{SVG}g", dict(alike))
        for member in several:
            for name, _ in alike:
                del member.attrib[name]
        group.extend(several)
        kept.append(group)
    parent[:] = kept
    for child in parent:
        if child.tag == f"{SVG}g" and "clip-path" not in child.attrib:
            _group_alike(child)


def _said(element: Element) -> tuple[tuple[str, str], ...] | None:
    """What a group could say instead; None where it would not be the same."""
    if element.tag not in (f"{SVG}path", f"{SVG}text", f"{SVG}use") or "transform" in element.attrib:
        return None
    return tuple((name, element.attrib[name]) for name in ("class", "clip-path") if name in element.attrib) or None
