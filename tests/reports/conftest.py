import base64
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import recombine.reports
from recombine.data import Problem, tasks
from recombine.models import models
from recombine.papers import Check, Claim, Control, Paper, Range, Scale, papers
from recombine.papers.claims import Setting
from recombine.records import Record, Store, provenance
from recombine.reports.canvas import drawing_in
from recombine.splits import regions
from recombine.studies import Experiment, Work
from recombine.studies.execution import commit
from recombine.studies.forecasting import record_forecast
from recombine.training import Recipe

MEASURED = (
    "id_nmse", "ood_nmse", "rim_nmse", "ood_accuracy", "nmse_by_section",
    "factorisation", "volume_contrast", "probe_held_out",
)  # fmt: skip
BUILT = Path(recombine.reports.__file__).with_name("bundle") / "report.js"
SEEDS = {Scale.QUICK: 3, Scale.LAPTOP: 3, Scale.PAPER: 3}


@cache
def tiny(scale: Scale, **changes: Any) -> Experiment:
    """A perceptron of a few units on small pictures, eight rows and eleven columns."""
    problem = Problem(tasks.bump(n=(8, 11)), regions.block(y=(2, 6), x=(4, 9)), **changes)
    model = models.mlp_decoder(width=8, depth=2)
    return Experiment(problem=problem, model=model, recipe=Recipe(steps=6, batch=8), measures=MEASURED)


@cache
def shown(scale: Scale) -> Experiment:
    """The same with the held-out combinations shown."""
    return tiny(scale, reveal=True)


@cache
def drawn(scale: Scale) -> Experiment:
    """The true pictures."""
    problem = tiny(scale).problem
    return Experiment(problem=problem, model="truth", measures=MEASURED)


def make_claim(
    id_: str, settings: dict[str, Setting], control: dict[str, Setting], *checks: Check, says: str = "It fails."
) -> Claim:
    """A claim of the paper X about some settings."""
    return Claim(id_, "x", "Fig. 1", says, checks, settings, Control("all is shown", control), SEEDS)


def paper_of(*claims: Claim) -> Paper:
    """A paper of these claims; whatever else a paper has is a real one's."""
    return replace(papers["forced-rendering"], key="x", title="A paper & its title", citation="Nobody", claims=claims)


@pytest.fixture(scope="session")
def paper() -> Paper:
    """Two claims that share a setting. A few steps leave a network wrong everywhere; the truth is at 0."""
    return paper_of(
        make_claim(
            "X1",
            {"main": tiny},
            {"main": drawn},
            Check("ood_nmse", Range(low=0.2), "measured by hand, <b>twice</b>"),
            Check("id_nmse", Range(0.2, 50.0), "the same"),
        ),
        make_claim("X2", {"main": shown}, {"main": tiny}, Check("ood_nmse", Range(0.0, 1e-6), "a bound nobody meets")),
    )


@pytest.fixture(scope="session")
def real_store(
    tmp_path_factory: pytest.TempPathFactory, paper: Paper, run_all: Callable[[Paper, Store], None]
) -> Store:
    """Every run of the paper, really trained and recorded the way the executor does it."""
    store = Store(tmp_path_factory.mktemp("reports") / "runs")
    run_all(paper, store)
    return store


@pytest.fixture(scope="session")
def run_all() -> Callable[[Paper, Store], None]:
    """A function that runs and records every piece of work of a paper, one after the other, its forecast first."""
    import torch

    def run(paper: Paper, store: Store) -> None:
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        works = {item.digest(): item for claim in paper.claims for item in claim.works(Scale.QUICK)}
        for item in works.values():
            if isinstance(item, Experiment):
                record_forecast(item.problem, store)
            commit(item, *type(item).run_together([item]), store)
        torch.set_num_threads(threads)

    return run


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "runs")


@pytest.fixture(scope="session")
def record() -> Callable[..., None]:
    """A function that commits a made-up record in the form of a real one, with an error map if asked."""

    def write(
        store: Store,
        work: Work,
        measures: Mapping[str, Any] | None = None,
        reason: str | None = None,
        drawable: bool = False,
    ) -> None:
        body = {
            "specification": work.settings(),
            "seed": work.seed,
            "exact": work.exact,
            "status": "failed" if reason else "done",
            "reason": reason,
            "measures": {} if reason else dict(measures or {}),
            "cost": {"training_seconds": 1.5, "seconds": 2.0, "peak_mb": 100.0},
            "layers": ["input", "layer0", "output"],
            "forecast": work.forecast_digest,
            "provenance": provenance(),
        }
        arrays = {}
        if drawable:
            assert isinstance(work, Experiment)
            arrays = {"error_map": np.full(work.problem.grid.shape, 1.0 + work.seed)}
        store.commit(Record(work.digest(), body, arrays))

    return write


VOID = {"meta", "img", "br", "link", "input", "hr"}


@dataclass
class Node:
    """An element of a parsed page."""

    name: str
    attributes: dict[str, str | None]
    children: "list[Node | str]" = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    def all(self, name: str = "", **wanted: str) -> "list[Node]":
        """Descendants by name and by exact attributes (``class_`` for class)."""
        found = []
        for child in self.children:
            if isinstance(child, Node):
                fits = all(child.attributes.get(key.rstrip("_")) == value for key, value in wanted.items())
                found += [child] if fits and name in ("", child.name) else []
                found += child.all(name, **wanted)
        return found


class Tree(HTMLParser):
    """Builds a tree, and refuses tags that are not closed in the order in which they were opened."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Node("", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), f"an attribute of {tag} is given twice"
        node = Node(tag, dict(attrs))
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].name == tag, f"</{tag}> closes <{self.open[-1].name}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


@pytest.fixture(scope="session")
def parsed() -> Callable[[str], Node]:
    """A function from a document or a piece of one to its tree."""

    def parse(text: str) -> Node:
        tree = Tree()
        tree.feed(text)
        tree.close()
        assert tree.open == [tree.root], f"left open: {[node.name for node in tree.open[1:]]}"
        return tree.root

    return parse


@pytest.fixture(scope="session")
def assert_stands_alone() -> Callable[[Node], None]:
    """A check of a whole page."""

    def check(tree: Node) -> None:
        """Nothing is loaded from anywhere: every source is data, every link goes to this page, only its script runs."""
        scripts = {script.attributes.get("type"): script for script in tree.all("script")}
        assert len(scripts) == len(tree.all("script"))
        assert set(scripts) in (set(), {None, "application/json"})
        if scripts:
            assert scripts[None].attributes == {}
            assert scripts[None].text == BUILT.read_text()
            assert {"id", "verdict"} <= set(json.loads(scripts["application/json"].text)[0])
            digest = base64.b64encode(hashlib.sha256(BUILT.read_bytes()).digest()).decode()
            (policy,) = tree.all("meta", **{"http-equiv": "Content-Security-Policy"})
            assert policy.attributes["content"].endswith(f"script-src 'sha256-{digest}'")
        assert not tree.all("link")
        assert not tree.all("iframe")
        assert not tree.all("base")
        everything = tree.all()
        sources = [node.attributes["src"] for node in everything if "src" in node.attributes]
        assert all(source.startswith("data:image/") for source in sources)
        ids = [node.attributes["id"] for node in everything if "id" in node.attributes]
        assert len(ids) == len(set(ids))
        links = [node.attributes["href"] for node in everything if "href" in node.attributes]
        assert links
        assert all(link[0] == "#" and link[1:] in ids for link in links)
        assert not [
            name for node in everything for name in node.attributes if name.startswith("on") or name == "srcset"
        ]
        assert not re.search(r"@import|url\(", tree.all("style")[0].text)
        assert all(node.attributes["alt"].strip() for node in tree.all("img"))

    return check


def spelt_out(drawing: str) -> str:
    """A drawing with the style of every element written at it, as matplotlib does: no classes and no groups' words."""
    root = ElementTree.fromstring(drawing)
    rules = dict(re.findall(r"\.(\w+)\{([^}]*)\}", "".join(root.itertext())))

    def spell(element: ElementTree.Element, inherited: str) -> None:
        style = rules.get(element.attrib.pop("class", ""), element.get("style", inherited))
        for child in element:
            spell(child, style)
        if style and not len(element):
            element.set("style", re.sub(r"([:;])", r"\1 ", style))

    spell(root, "")
    ElementTree.register_namespace("", "http://www.w3.org/2000/svg")
    return ElementTree.tostring(root, encoding="unicode")


@pytest.fixture(scope="session")
def image_bytes() -> Callable[[str], bytes]:
    """A function from an image element to the file inside it."""

    def decode(markup: str) -> bytes:
        drawing = drawing_in(markup)
        assert drawing is not None
        return spelt_out(drawing).encode()

    return decode


@pytest.fixture(scope="session")
def make() -> Any:
    """The pieces tests build papers from."""

    class Pieces:
        claim = staticmethod(make_claim)
        paper = staticmethod(paper_of)
        tiny, shown, drawn = staticmethod(tiny), staticmethod(shown), staticmethod(drawn)

    return Pieces
