"""Pages of the guide whose code runs as it stands: the start, the tutorials, the theory, and your own."""

import re
from pathlib import Path

import pytest
from docs.running import blocks, commands, figures, run, shown

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
TUTORIALS = sorted(path for path in (DOCS / "tutorials").glob("*.md") if path.name != "index.md")
THEORY = sorted(path for path in (DOCS / "theory").glob("*.md") if path.name != "index.md")
PAGES = [DOCS / "start.md", DOCS / "your-own.md", *TUTORIALS, *THEORY]
LARGEST = 150_000  # bytes of a figure


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_page_runs_and_makes_what_it_shows(page: Path, tmp_path: Path):
    text = page.read_text()
    ran = run(page, tmp_path)
    assert {path.name for path in tmp_path.glob("*.svg")} == figures(text)
    for name in figures(text):
        assert (page.parent / "figures" / name).stat().st_size < LARGEST
    for name, number in shown(text).items():
        printed = (page.parent / "printed" / name).read_text()
        assert name.startswith(f"{page.stem}-")
        assert printed.strip()
        assert len(printed.splitlines()) == len(ran.printed[number - 1].splitlines()), f"{name}: run `make tutorials`"


def test_there_is_a_tutorial_with_a_figure_for_each_paper():
    from recombine.papers import papers

    told = {path.stem: path.read_text() for path in TUTORIALS}
    assert len(told) == len(papers)
    for key in papers:
        (page,) = [text for text in told.values() if f"reference/claims/{key}.md" in text]
        assert figures(page)
        assert "assert " in page


def test_every_theory_page_compares_its_formulas_with_the_code():
    for page in THEORY:
        text = page.read_text()
        assert "$$" in text
        assert sum(block.code.count("assert ") for block in blocks(text)) >= 5


def test_nothing_shown_is_left_over():
    """Figures and printed answers are those of a page."""
    for folder in (DOCS, DOCS / "tutorials"):
        pages = [path.read_text() for path in folder.glob("*.md")]
        for kind, of in (("figures", figures), ("printed", shown)):
            there = {path.name for path in (folder / kind).glob("*")}
            assert there == {name for text in pages for name in of(text)}


def test_other_lines_for_a_shell_are_targets_of_the_makefile():
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), flags=re.M))
    for page in PAGES:
        for block in blocks(page.read_text()):
            for line in commands(block.code) if block.language == "sh" else ():
                program, *words = line.split()
                assert program == "recombine" or line == ". .venv/bin/activate" or (program, words[0]) in {
                    ("make", target) for target in targets
                }  # fmt: skip
