"""Words: the reference is fresh, every registered thing and command is in it, and the README's commands exist."""

import re
from pathlib import Path

import pytest
import yaml

from recombine.cli.listing import SORTS
from recombine.cli.reference import pages

ROOT = Path(__file__).parents[1]


def test_the_generated_pages_are_fresh():
    for name, text in pages().items():
        assert (ROOT / "docs" / name).read_text() == text, f"docs/{name} is stale: run `make docs`"


@pytest.mark.parametrize("sort", SORTS)
def test_everything_registered_is_in_the_reference(sort):
    page = (ROOT / "docs" / "reference.md").read_text()
    assert all(f"`{row['name']}`" in page for row in SORTS[sort]())


def test_the_readme_names_the_two_commands_that_exist():
    readme, makefile = (ROOT / "README.md").read_text(), (ROOT / "Makefile").read_text()
    for target in ("run", "test"):
        assert f"make {target}" in readme
        assert re.search(rf"^{target}:", makefile, flags=re.M)
    assert (ROOT / ".ci" / "run").read_text().strip().endswith("make test")


def test_links_between_pages_lead_somewhere():
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
        for link in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            assert "://" in link or (page.parent / link).exists(), f"{page.name} links to {link}"


def test_the_citation_file_reads_and_has_the_five_papers():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert len(citation["references"]) == 5
    assert all(entry["title"] and entry["authors"] for entry in citation["references"])


def test_torch_is_pinned_exactly():
    pins = (ROOT / "constraints.txt").read_text().splitlines()
    assert sum(bool(re.fullmatch(r"torch==\d+\.\d+\.\d+", pin)) for pin in pins) == 1
    assert all("==" in pin or pin.startswith("#") for pin in pins)


def test_the_guide_to_modularity_runs_as_written(tmp_path, monkeypatch):
    """Its Python, with fewer steps."""
    (snippet,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "guide" / "modularity.md").read_text(), flags=re.S)
    assert "steps=20_000" in snippet
    monkeypatch.chdir(tmp_path)
    exec(snippet.replace("steps=20_000", "steps=20"), {})


def test_the_guide_to_scenes_runs_as_written(tmp_path, monkeypatch):
    """Its Python, with fewer steps; what it registers is taken away again."""
    from recombine.core.compositions import compositions

    snippets = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "guide" / "scenes.md").read_text(), flags=re.S)
    assert len(snippets) == 3
    assert "steps=600" in snippets[0]
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    try:
        for snippet in snippets:
            exec(snippet.replace("steps=600", "steps=5").replace("seeds=2", "seeds=1"), names)
    finally:
        compositions._things.pop("screen", None)


def test_the_guide_to_audits_runs_as_written(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    snippets = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "guide" / "audit.md").read_text(), flags=re.S)
    names: dict = {}
    for snippet in snippets:
        exec(snippet, names)
    assert not names["read"].refused
    assert "second parts of the items" in " ".join(names["read"].notes)
    assert set(names["read"].performance.section) == {"trained", "unseen pair"}
    assert set(names["found"].performance.section) == {"trained", "unseen pair"}
    assert capsys.readouterr().out.startswith(names["found"].verdict)
