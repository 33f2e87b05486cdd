"""Names out of files stay names: on a page, in a figure, in JSON and on a terminal."""

import csv
import json
import urllib.parse
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import recombine.reports

BUILT = Path(recombine.reports.__file__).with_name("bundle") / "report.js"  # the one script that may be
INSIDE = "data:image/svg+xml,"
HOSTILE = (
    "</td><script>alert('x')</script>]]>--><img src=x onerror=alert(1)>"
    '\x1b[2J\x9b31m\u202e"\' onload="a" javascript:alert(1) $x^2$'
)
SAFE_LINKS = ("#", "data:image/png;base64,", INSIDE, "https://", "mailto:")


class Seen(HTMLParser):
    """Every element of a page with its attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.scripts: list[tuple[dict[str, str], str]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag == "script":
            self.scripts.append((self.elements[-1][1], ""))

    def handle_data(self, data):
        if self.cdata_elem == "script":
            attributes, before = self.scripts.pop()
            self.scripts.append((attributes, before + data))
        self.text += data


def harmless(page: str) -> int:
    """Assert that a page runs nothing and asks for nothing, in its figures too; how many figures it has."""
    seen, figures = Seen(page), 0
    for attributes, text in seen.scripts:
        if attributes.get("type") == "application/json":  # data, which is not run
            assert "<" not in text
            json.loads(text)
        else:
            assert attributes == {}
            assert text == BUILT.read_text()
    for tag, attributes in seen.elements:
        assert tag not in ("iframe", "object", "embed", "link", "base", "form"), tag
        assert not [name for name in attributes if name.startswith("on")], attributes
        for name in ("href", "src", "action", "xlink:href"):
            assert name not in attributes or attributes[name].startswith(SAFE_LINKS), attributes
        if attributes.get("src", "").startswith(INSIDE):
            harmless_figure(urllib.parse.unquote(attributes["src"].removeprefix(INSIDE)))
            figures += 1
    assert "\x1b" not in page
    return figures


def harmless_figure(drawing: str) -> None:
    """Assert that a figure is XML that runs nothing."""
    for element in ElementTree.fromstring(drawing).iter():
        assert element.tag.rpartition("}")[2] not in ("script", "foreignObject", "a", "animate", "set", "handler")
        for name, value in element.attrib.items():
            assert not name.rpartition("}")[2].startswith("on")
            assert not name.endswith("href") or value.startswith(("#", "data:image/png;base64,")), value


def test_the_check_finds_what_runs():
    for page in (
        "<script>",
        "<script>alert(1)</script>",
        "<script type=module></script>",
        "<img src=x onerror=a>",
        "<a href='javascript:a'>",
        "<img src=http://example.org/x>",
    ):
        with pytest.raises(AssertionError):
            harmless(page)
    with pytest.raises(AssertionError):
        harmless_figure("<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>")
    with pytest.raises(AssertionError):
        harmless_figure("<svg onload='a'/>")


@pytest.fixture
def hostile_table(tmp_path):
    """A table of 3 x 4 combinations, shown twice each, whose every name is hostile, under a hostile name."""
    path = tmp_path / "<img src=x onerror=alert(1)>\x1b[2J.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([HOSTILE, f"second {HOSTILE}", "target", "train", "input1", "input2"])
        for first in range(3):
            for second in range(4):
                for again in range(2):
                    row = (f"{HOSTILE}{first}", f"{HOSTILE}{second}", first + second, int((first, second) != (2, 3)))
                    writer.writerow([*row, first + again / 8, second])
    return path


def test_an_audit_of_hostile_names(recombine, hostile_table, obeyed):
    said = recombine("audit", str(hostile_table), "-o", "page.html")
    assert said.code == 0, said
    assert not obeyed(said.out + said.err)
    assert "\\x1b[2J" in said.out
    page = Path("page.html").read_text(encoding="utf-8")
    harmless(page)
    assert "<script>alert" in Seen(page).text  # it is shown, as text
    told = recombine("audit", str(hostile_table), "--json")
    assert not obeyed(told.out)
    assert any(HOSTILE in name for name in strings(json.loads(told.out)))  # which reads back as it was


def strings(document):
    """All words of a JSON document."""
    if isinstance(document, str):
        yield document
    elif isinstance(document, dict):
        for key, value in document.items():
            yield key
            yield from strings(value)
    elif isinstance(document, list):
        for value in document:
            yield from strings(value)


def test_an_audit_of_a_hostile_model(recombine, hostile_table, obeyed, monkeypatch):
    """Layers and the class of a model have names of their own."""
    Path("own_model.py").write_text(
        "import torch\n"
        f"HOSTILE = {HOSTILE.replace('.', '')!r}\n"
        "def load():\n"
        "    model = torch.nn.Sequential()\n"
        "    model.add_module(HOSTILE, torch.nn.Linear(2, 5))\n"
        "    model.add_module('last', torch.nn.Linear(5, 1))\n"
        "    model.__class__ = type(HOSTILE, (torch.nn.Sequential,), {})\n"
        "    return model\n"
    )
    said = recombine("audit", str(hostile_table), "--model", "own_model:load", "-o", "page.html")
    assert said.code == 0, said
    assert not obeyed(said.out + said.err)
    assert harmless(Path("page.html").read_text(encoding="utf-8")) > 0


def test_errors_that_quote_a_file(recombine, refused):
    """Headers, cells, keys and values come back in messages."""
    Path("a.csv").write_text(f'"{HOSTILE.replace(chr(34), "")}"\n1\n', encoding="utf-8")
    assert refused(recombine("forecast", "a.csv"))
    assert refused(recombine("audit", "a.csv"))
    for document in (
        {"task": HOSTILE},
        {HOSTILE: 1},
        {"task": {"kind": "bump", HOSTILE: 1}},
        {"task": {"kind": "bump", "n": HOSTILE}},
    ):
        Path("a.json").write_text(json.dumps({"split": "random", **document}))
        assert refused(recombine("forecast", "a.json")), document
    np.savez("a.npz", **{HOSTILE.replace("/", ""): np.zeros(3)})
    assert refused(recombine("audit", "a.npz"))
    assert refused(recombine("audit", f"{HOSTILE}.npy".replace("/", "")))
    assert refused(recombine("explain", HOSTILE))
    assert refused(recombine("list", HOSTILE))
    assert refused(recombine("check", HOSTILE))


@pytest.fixture
def hostile_problem(tmp_path):
    """A table as a problem, hostile in all its words."""
    path = tmp_path / "problem.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([HOSTILE, f"second {HOSTILE}", "target", "trained"])
        writer.writerows(
            (f"{HOSTILE}{first}", f"{HOSTILE}{second}", first + second, int((first, second) != (2, 3)))
            for first in range(3)
            for second in range(4)
        )
    return str(path)


def test_a_problem_of_hostile_names(recombine, hostile_problem, obeyed):
    """From forecast to export, run, explanation and report."""
    for words in (["forecast"], ["forecast", "--json"], ["advise", "--forecasts", "2"], ["export", "-o", "out"]):
        said = recombine(*words, hostile_problem)
        assert said.code in (0, 1), said
        assert not obeyed(said.out + said.err), words
    assert recombine("audit", "out", "-o", "page.html").code == 0
    harmless(Path("page.html").read_text(encoding="utf-8"))
    model = ["--model", "mlp:width=3", "--recipe", "steps=1", "--workers", "1", "--store", "store"]
    said = recombine("train", hostile_problem, *model)
    assert said.code == 0, said
    assert not obeyed(said.out + said.err)
    (folder,) = Path("store/runs").iterdir()
    said = recombine("explain", folder.name, "--store", "store", "-o", "figure.svg")
    assert said.code == 0, said
    assert not obeyed(said.out + said.err)
    harmless_figure(Path("figure.svg").read_text(encoding="utf-8"))
    assert recombine("report", "--store", "store", "-o", "page.html").code == 0
    harmless(Path("page.html").read_text(encoding="utf-8"))
