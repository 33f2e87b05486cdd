"""A figure made smaller is the same figure."""

import base64
import io
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from recombine.reports.canvas import drawing_in, image, svg
from recombine.reports.compact import compact, relative

NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)")
ARGUMENTS = {"m": 2, "l": 2, "h": 1, "v": 1, "c": 6, "z": 0}


def corners(d):
    """The points a relative path of lines goes through, and where its curves end."""
    points, here, start = [], np.zeros(2), np.zeros(2)
    for letter, said in re.findall(r"([mlhvcz])([^mlhvcz]*)", d):
        numbers = [float(number) for number in NUMBER.findall(said)]
        if letter == "z":
            here = start
        for steps in np.reshape(numbers, (-1, ARGUMENTS[letter])) if numbers else ():
            step = {"h": lambda s: (s[0], 0), "v": lambda s: (0, s[0])}.get(letter, lambda s: s[-2:])(steps)
            here = here + step
            points.append(here)
            start = here if letter == "m" and len(points) and np.array_equal(steps, numbers[:2]) else start
    return np.array(points)


coordinates = st.floats(-500, 500).map(lambda value: round(value, 2))


@given(points=st.lists(st.tuples(coordinates, coordinates), min_size=2, max_size=12), digits=st.sampled_from([1, 2]))
def test_a_path_goes_through_the_same_points_and_rounding_does_not_add_up(points, digits):
    d = f"M {points[0][0]} {points[0][1]} " + "".join(f"\nL {x} {y} " for x, y in points[1:])
    assert corners(relative(d, digits)) == pytest.approx(np.array(points), abs=0.5 * 10**-digits + 1e-6)


def test_paths_are_written_in_few_letters():
    assert relative("M 35.72 168.69 \nL 169.29 168.69 \nL 169.29 36.23 \nL 35.72 36.23 \nz\n") == (
        "m35.7 168.7h133.6v-132.5h-133.6z"
    )
    assert relative("M 0 0 L 1 2 L 1.5 1 M 3 3 L 4 4") == "m0 0 1 2 .5-1m1.5 2 1 1"
    assert relative("M 0 1.3 C 0.34 1.3 0.67 1.16 0.91 0.91 z", 2) == "m0 1.3c.34 0 .67-.14 .91-.39z"


def test_a_path_goes_on_from_where_it_was_closed():
    assert relative("M 1 1 L 2 1 L 2 2 z M 3 3 L 4 3") == "m1 1h1v1zm2 2h1"


def draw(figure):
    axes = figure.subplots(1, 2)
    axes[0].plot([1, 2, 3], [2.0, 1.0, 4.0], "o-", alpha=0.5)
    axes[0].set_title("a <b> & \"c\" 'd' 100% #1 $x$")
    axes[1].imshow(np.arange(12.0).reshape(3, 4), interpolation="nearest")
    axes[1].bar([0, 1], [1, 2], alpha=0.3)


def pictures(drawing):
    found = re.findall(r"data:image/png;base64,\s*([^\"']+)", drawing)
    return [np.asarray(Image.open(io.BytesIO(base64.b64decode(each))).convert("RGBA")) for each in found]


def test_a_figure_keeps_its_words_its_pixels_and_its_ids():
    whole = svg(draw, (5.0, 2.0))
    small = compact(whole)
    assert len(small) < 0.5 * len(whole)
    words = [
        [each.text for each in ElementTree.fromstring(drawing[drawing.index("<svg") :]).iter() if "}text" in each.tag]
        for drawing in (whole, small)
    ]
    assert sorted(words[0]) == sorted(words[1])
    for before, after in zip(pictures(whole), pictures(small), strict=True):
        assert np.array_equal(before, after)
    ids = re.findall(r' id="([^"]*)"', small)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r"#(i\d+)", small)) <= set(ids)


def test_transparent_bars_are_not_grouped():
    """Where two overlap, a group that is transparent as a whole would be another drawing."""
    root = ElementTree.fromstring(compact(svg(draw, (5.0, 2.0))))
    groups = [each for each in root.iter() if each.tag.endswith("}g")]
    assert not [each for each in groups if "opacity" in each.attrib or "style" in each.attrib]
    rules = root.find(".//{http://www.w3.org/2000/svg}style").text
    assert not re.search(r"[{;]opacity", rules)
    assert sum("opacity:0.3" in each.get("style", "") for each in root.iter()) == 2


def test_the_drawing_comes_out_of_the_page_as_it_went_in():
    inside = drawing_in(image(draw, (5.0, 2.0), 'an alt with "quotes"'))
    assert ElementTree.canonicalize(inside) == ElementTree.canonicalize(compact(svg(draw, (5.0, 2.0))))
    assert drawing_in("<p>no figure</p>") is None


def test_many_colours_become_the_nearest_of_256():
    rng = np.random.default_rng(0)
    smooth = np.linspace(0, 1, 40 * 40 * 3).reshape(40, 40, 3) * 0.9 + 0.1 * rng.random((40, 40, 3))
    whole = svg(lambda figure: figure.subplots().imshow(smooth), (3.0, 3.0))
    (before,), (after,) = pictures(whole), pictures(compact(whole))
    assert len(np.unique(after.reshape(-1, 4), axis=0)) <= 256
    assert np.abs(before.astype(float) - after).mean() < 16
