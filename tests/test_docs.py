"""Words: generated pages are fresh, every public name is in the reference, and the README's commands exist."""

import inspect
import re
from pathlib import Path

import pytest
import typer
import yaml

import recombine as rc
from recombine.cli.app import app
from recombine.cli.listing import SORTS
from recombine.cli.reference import pages
from recombine.cli.reference.front import HEADLINES, with_verdicts
from recombine.cli.reference.names import PINNED
from recombine.papers import papers

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "docs" / "reference"


def test_the_generated_pages_are_fresh():
    for name, text in pages().items():
        assert (ROOT / "docs" / name).read_text() == text, f"docs/{name} is stale: run `make docs`"


def test_no_page_of_the_reference_is_left_over():
    there = {path.relative_to(ROOT / "docs").as_posix() for path in REFERENCE.rglob("*.md")}
    assert there == {name for name in pages() if name.startswith("reference/")} | {"reference/index.md"}


@pytest.mark.parametrize("sort", SORTS)
def test_everything_registered_is_in_the_reference(sort):
    text = "".join(path.read_text() for path in REFERENCE.rglob("*.md"))
    headings = set(re.findall(r"^#+ `([^`]+)`$", text, flags=re.M))
    named = {"papers": set(papers), "studies": set(re.findall(r"^\| `([^`]+)` \|", text, flags=re.M))}
    assert {row["name"] for row in SORTS[sort]()} <= named.get(sort, headings)
    if sort == "papers":
        assert {path.stem for path in (REFERENCE / "claims").glob("*.md")} == set(papers)


def test_every_command_and_option_is_in_the_reference():
    page = (REFERENCE / "commands.md").read_text()
    for name, command in typer.main.get_command(app).commands.items():
        section = page.split(f"## `recombine {name}`\n")[1].split("\n## ")[0]
        assert all(
            f"`{option}`" in section for each in command.params for option in each.opts if option.startswith("-")
        )


def test_every_public_name_is_in_the_reference():
    front = (REFERENCE / "python" / "recombine.md").read_text()
    for name in rc.__all__:
        assert f"`rc.{name}`" in front
        package = getattr(rc, name)
        if inspect.ismodule(package):
            own = (REFERENCE / "python" / f"{name}.md").read_text()
            assert all(f"\n## `{each}`\n" in own for each in package.__all__), name


def test_pinned_functions_are_in_the_reference_with_their_signatures():
    page = (REFERENCE / "python" / "pinned.md").read_text()
    for dotted in PINNED:
        assert f"## `{dotted}`\n\n```python\n{dotted.rsplit('.')[-1]}(" in page


def test_the_verdicts_and_the_picture_of_the_readme_are_there_and_fresh():
    readme = (ROOT / "README.md").read_text()
    assert with_verdicts(readme) == readme, "README.md is stale: run `make docs`"
    assert all(f"\n| {claim} |" in readme for claim in HEADLINES)
    (picture,) = re.findall(r"!\[[^]]+\]\(([^)]+)\)", readme)
    assert (ROOT / picture).stat().st_size < 200_000


def test_the_readme_names_the_two_commands_that_exist():
    readme, makefile = (ROOT / "README.md").read_text(), (ROOT / "Makefile").read_text()
    for target in ("run", "test"):
        assert f"make {target}" in readme
        assert re.search(rf"^{target}:", makefile, flags=re.M)
    assert (ROOT / ".ci" / "run").read_text().strip().endswith("make test")


def test_links_between_pages_lead_somewhere():
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
        if "_build" in page.parts:
            continue
        words = re.sub(r"^```.*?^```$|^    .*?$", "", page.read_text(), flags=re.M | re.S)  # without code
        for link in re.findall(r"\]\(([^)#]+)\)", words):
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
