"""The guide builds without a warning, and its pages ask nothing of other machines."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def build(source: Path, target: Path) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", str(source), str(target)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600)


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    target = tmp_path_factory.mktemp("guide")
    done = build(DOCS, target)
    assert done.returncode == 0, done.stderr
    return target


def test_every_page_is_built_and_reachable(built):
    pages = [path.relative_to(DOCS).with_suffix("") for path in DOCS.rglob("*.md") if "_build" not in path.parts]
    assert len(pages) > 50
    for page in pages:
        assert (built / page.with_suffix(".html")).exists(), page
    for book in (DOCS / "notebooks").glob("*.ipynb"):
        assert "recombine" in (built / "notebooks" / f"{book.stem}.html").read_text()


def test_pages_load_nothing_from_elsewhere(built):
    """Scripts, styles, pictures and fonts come with the pages."""
    loaded = re.compile(r"""<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)=["'](?:https?:)?//[^"']+""")
    for page in built.rglob("*.html"):
        assert not loaded.findall(page.read_text()), page.name


@pytest.mark.parametrize("source", sorted((DOCS / "theory").glob("*.md")), ids=lambda path: path.stem)
def test_every_formula_is_mathml(built, source):
    words = re.sub(r"^```.*?^```$", "", source.read_text(), flags=re.M | re.S)
    displayed = re.findall(r"^\$\$$.*?^\$\$$", words, flags=re.M | re.S)
    inline = re.findall(r"\$[^$]+\$", re.sub(r"^\$\$$.*?^\$\$$", "", words, flags=re.M | re.S))
    page = (built / "theory" / f"{source.stem}.html").read_text()
    assert page.count('display="block"') == len(displayed)
    assert page.count("<math") == len(displayed) + len(inline)


def test_a_formula_that_cannot_be_read_stops_the_build(tmp_path):
    shutil.copytree(DOCS / "_ext", tmp_path / "_ext")
    for name in ("conf.py", "_static/guide.css"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copyfile(DOCS / name, tmp_path / name)
    (tmp_path / "index.md").write_text("# A page\n\n$$\n\\nosuchcommand\n$$\n")
    done = build(tmp_path, tmp_path / "out")
    assert done.returncode != 0
    assert "nosuchcommand" in done.stderr
