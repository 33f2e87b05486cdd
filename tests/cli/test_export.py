"""`recombine export`: the files hold the problem's own arrays, and say so in Croissant."""

import csv
import hashlib
import json
import re
import tomllib
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest

import recombine as rc
from recombine.audits import read_data
from recombine.audits.exported import SECTION, TRAINED
from recombine.cli import main
from recombine.core.errors import InputError
from recombine.core.spec import read_yaml
from recombine.data import Problem, tasks
from recombine.data.component_pictures import ComponentPictures
from recombine.records import durable
from recombine.reports.croissant import MIT, STANDARD, licences
from recombine.reports.exporting import column_types, export_data
from recombine.splits import regions, supports

BUMPS = Problem(tasks.bump(n=(6, 8)), regions.block(y=(2, 5), x=(3, 7)), isolated=("x",))
ADDED = Problem(
    tasks.addition(values=(0.0, 1.0, 2.0), second=(5.0, 7.0, 9.0, 11.0)), regions.anchors(first=(1,), second=(0, 2))
)
SUMS = Problem(
    tasks["sum-of-stripes"](n=12, pad=4, stripe_ink=0.5),
    regions.extrapolation(of=regions.cross(x=(4, 6), y=(5, 8))),
    isolated=("x", "y"),
    rim=True,
    spacing=0.5,
)
HILL = Problem(tasks.hill(levels=6), regions.block(x1=(1, 3), x2=(2, 4)), centres="uniform", examples=37)
SCENES = Problem(tasks.sprites(size=8, tests=11), support=supports.diagonal(width=0.3), examples=23)
SHOWN = Problem(tasks.torus(n=6), regions.block(x=(1, 3), y=(2, 4)), reveal=True)
PROBLEMS = {"bumps": BUMPS, "added": ADDED, "sums": SUMS, "hill": HILL, "scenes": SCENES, "shown": SHOWN}


def run(capsys: pytest.CaptureFixture, *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        main([*arguments])
    printed = capsys.readouterr()
    return int(end.value.code or 0), printed.out, printed.err


def rows_of(folder: Path) -> list[dict[str, str]]:
    with (folder / "factors.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module", params=PROBLEMS)
def exported(request, tmp_path_factory):
    """A problem, and the folder of its data."""
    problem, folder = PROBLEMS[request.param], tmp_path_factory.mktemp("data") / request.param
    return problem, export_data(problem, folder, seed=3)


def test_trained_rows_are_the_training_set_itself(exported):
    problem, found = exported
    shown = problem.training_set(3)
    for name, expected in (("inputs", shown.codes), ("targets", shown.targets), ("positions", shown.positions)):
        array = np.load(found.path / f"{name}.npy", allow_pickle=False)
        assert len(array) == found.examples
        assert array.dtype == expected.dtype
        np.testing.assert_array_equal(array[: len(shown)], expected)
    sections = [row[SECTION] for row in rows_of(found.path)]
    assert sections == [TRAINED] * len(shown) + sections[len(shown) :]
    assert TRAINED not in sections[len(shown) :]
    assert {name: sections.count(name) for name in sections} == found.sections


def test_the_other_rows_are_what_is_asked_after_training(exported):
    problem, found = exported
    trained, sections = found.sections[TRAINED], np.array([row[SECTION] for row in rows_of(found.path)])
    targets = np.load(found.path / "targets.npy")
    if problem.support is not None:
        np.testing.assert_array_equal(targets[trained:], problem.everything.targets)
        for name in set(sections[trained:]):
            np.testing.assert_array_equal(sections[trained:] == name, problem.asked_sections[name])
        return
    asked, positions = problem.task.asked(3), np.load(found.path / "positions.npy")
    cells = problem.grid.index(problem.task.cells(asked.positions))
    held = problem.parts.held_out[cells]
    np.testing.assert_array_equal(targets[trained:], asked.targets[held])
    np.testing.assert_array_equal(positions[trained:], asked.positions[held])
    for section, cell in zip(sections[trained:], cells[held], strict=True):
        assert problem.parts.sections[section][cell]


def test_the_finest_section_names_a_row(tmp_path):
    counts = {"vertical": 2 * 9, "horizontal": 3 * 10, "intersection": 2 * 3}
    found = export_data(SUMS, tmp_path / "data")
    assert {name: number for name, number in found.sections.items() if name != TRAINED} == counts


@pytest.mark.parametrize(("name", "half"), [("bumps", 0.0), ("sums", 0.5), ("hill", 1 / 6)])
def test_levels_are_those_of_the_cells_and_absent_ones_are_empty(name, half, tmp_path):
    problem = PROBLEMS[name]
    found = export_data(problem, tmp_path / "data")
    rows, positions = rows_of(found.path), np.load(found.path / "positions.npy")
    for factor, column in zip(problem.grid.factors, positions.T, strict=True):
        written = [row[factor.name] for row in rows]
        levels = np.array([float(value) if value else np.nan for value in written])
        assert set(levels[~np.isnan(levels)]) <= set(factor.levels)
        first, last = factor.levels[0], factor.levels[-1]
        # Cells end before the next begins, and so does the last: what lies half a pixel beyond it is beyond the border.
        inside = (column >= first - half) & ((column < last + half) | (column == last))  # False for NaN
        np.testing.assert_array_equal(~np.isnan(levels), inside)
        assert np.abs(levels - column)[inside].max() <= half + 1e-9
    assert any("" in row.values() for row in rows) is bool(problem.isolated)


def test_whole_levels_are_written_as_integers_and_others_as_they_are(tmp_path):
    assert column_types(BUMPS) == {"y": "sc:Integer", "x": "sc:Integer"}
    assert column_types(HILL) == {"x1": "sc:Float", "x2": "sc:Float"}
    assert {row["x"] for row in rows_of(export_data(BUMPS, tmp_path / "bumps").path)} == set(map(str, range(8)))
    levels = {str(level) for level in HILL.grid.factors[0].levels}
    assert {row["x1"] for row in rows_of(export_data(HILL, tmp_path / "hill").path)} <= levels


def test_absent_factors_are_those_that_are_shown_without(tmp_path):
    found = export_data(BUMPS, tmp_path / "data", seed=3)
    missing = [row["y"] == "" for row in rows_of(found.path)]
    assert missing == [*BUMPS.lone(3), *[False] * 12]
    assert all(row["x"] for row in rows_of(found.path))


def test_shapes_of_scenes_are_words(tmp_path):
    found = export_data(SCENES, tmp_path / "data")
    latents = np.load(found.path / "positions.npy").reshape(-1, 2, 5)
    for row, scene in zip(rows_of(found.path), latents, strict=True):
        for slot, (x, _, shape, _, hue) in enumerate(scene, 1):
            assert (float(row[f"x{slot}"]), float(row[f"hue{slot}"])) == (x, hue)
            assert row[f"shape{slot}"] == ("triangle" if shape < 0.25 else "square" if shape < 0.75 else "circle")


def test_the_problem_in_the_folder_is_the_problem(exported):
    problem, found = exported
    assert Problem.read(read_yaml(found.path / "problem.yaml")) == problem


def test_the_description_has_what_croissant_requires_and_tells_the_truth(exported):
    _, found = exported
    document = json.loads((found.path / "croissant.json").read_text(encoding="utf-8"))
    required = {"@context", "@type", "conformsTo", "name", "description", "license", "url", "creator", "datePublished"}
    assert required <= set(document)
    assert (document["@type"], document["conformsTo"]) == ("sc:Dataset", STANDARD)
    assert document["license"] == MIT
    assert document["citeAs"].startswith(f"@misc{{{document['name']}, title = {{{document['name']}}}, author = {{{{")
    assert document["citeAs"].count("{") == document["citeAs"].count("}")
    assert f"year = {{{document['datePublished'][:4]}}}" in document["citeAs"]
    context = document["@context"]
    assert context["conformsTo"] == "dct:conformsTo"
    assert context["data"] == {"@id": "cr:data", "@type": "@json"}
    used = {key for records in document["recordSet"] for key in records if not key.startswith("@")}
    assert used - {"name", "description"} <= set(context)

    files = {file["@id"]: file for file in document["distribution"]}
    assert {*files, "croissant.json"} == set(found.files) == {path.name for path in found.path.iterdir()}
    for name, file in files.items():
        content = (found.path / file["contentUrl"]).read_bytes()
        assert file["@type"] == "cr:FileObject"
        assert file["sha256"] == hashlib.sha256(content).hexdigest()
        assert file["contentSize"] == f"{len(content)} B"
        assert file["encodingFormat"] == {"npy": "application/x-npy", "csv": "text/csv"}.get(
            name.rpartition(".")[2], "application/yaml"
        )
        assert name == file["contentUrl"]

    sections, examples, arrays = document["recordSet"]
    told = {record["arrays/file"]: record for record in arrays["data"]}
    assert set(told) == {name for name in files if name.endswith(".npy")}
    for name, record in told.items():
        array = np.load(found.path / name)
        assert record["arrays/dtype"] == array.dtype.name
        assert record["arrays/shape"] == " x ".join(map(str, array.shape))
        assert set(record) == {field["@id"] for field in arrays["field"]}
    urls = {record["sections/name"]: record["sections/url"] for record in sections["data"]}
    assert set(urls) == set(found.sections)
    assert {name for name, url in urls.items() if url == "cr:TrainingSplit"} == {TRAINED}
    rows = rows_of(found.path)
    columns = [field["source"]["extract"]["column"] for field in examples["field"]]
    assert columns == list(rows[0])
    ids = [node["@id"] for records in document["recordSet"] for node in (records, *records["field"])]
    assert len({*ids, *files}) == len(ids) + len(files)
    for field in examples["field"]:
        assert field["source"]["fileObject"] == {"@id": "factors.csv"}
        assert unquote(field["@id"]) == f"examples/{field['name']}"
        values = [row[field["name"]] for row in rows if row[field["name"]]]
        read = {"sc:Float": float, "sc:Integer": int, "sc:Text": str}[field["dataType"]]
        assert all(read(value) == read(value) for value in values)
    assert examples["field"][-1]["references"] == {"field": {"@id": "sections/name"}}


def test_the_licence_is_that_of_the_project_where_the_data_are_ours():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert project["license"] == "MIT"
    assert licences(BUMPS.task) == (MIT,)
    assert licences(tasks["rotated-digit"](pictures="digits")) == (MIT, "the terms of the image set digits")
    assert "digits" in licences(tasks.context(images=ComponentPictures(set="digits")))[1]
    assert MIT not in licences(tasks.table(components=("a",), rows=((("u",), 1.0), (("v",), 2.0))))


def test_an_audit_reads_the_folder_as_it_is(exported):
    problem, found = exported
    given = read_data(found.path)
    shown = problem.training_set(3)
    assert given.source == found.path.name
    np.testing.assert_array_equal(given.inputs[given.train_mask], shown.codes)
    np.testing.assert_array_equal(given.targets[given.train_mask], shown.targets)
    looked = rc.audit(given.inputs, given.targets, given.factors, given.train_mask)
    assert looked.held_out.trained == len(shown)
    assert looked.held_out.held_out == found.examples - len(shown)


def test_an_audit_finds_held_out_what_the_problem_holds_out(tmp_path):
    """Every held-out combination lacks a pair, and of bumps whose rows are all shown no level."""
    given = read_data(export_data(BUMPS, tmp_path / "data").path)
    assert set(given.factors["y"]) == {"none", *(f"{level:g}" for level in range(6))}
    looked = rc.audit(given.inputs, given.targets, given.factors, given.train_mask)
    assert {name: int(mask.sum()) for name, mask in looked.held_out.sections.items()} == {"unseen pair": 12}


def test_words_stay_words_though_they_look_like_numbers_or_nothing(tmp_path):
    words = ("NA", "null", "a, b")
    rows = tuple(((first, second), 1.0) for first in words for second in ("1", "01"))
    task = tasks.table(components=("the first", "second"), rows=rows)
    found = export_data(Problem(task, regions.anchors(**{"the first": (0,), "second": (1,)})), tmp_path / "data")
    given = read_data(found.path)
    assert set(given.factors["the first"]) == set(words)
    assert set(given.factors["second"]) == {"1", "01"}


def test_the_command_writes_what_the_function_writes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    arguments = ("bump", "--set", "n=[6, 8]", "--hold-out", "block:y=2..4,x=3..6", "--isolated", "x", "--seed", "3")
    code, said, _ = run(capsys, "export", *arguments, "-o", "data", "--json")
    assert code == 0
    told, expected = json.loads(said), export_data(BUMPS, "again", seed=3)
    assert told == {**expected.to_dict(), "path": "data"}
    for name in told["files"]:
        assert (tmp_path / "data" / name).read_bytes() == (tmp_path / "again" / name).read_bytes()
    code, said, _ = run(capsys, "export", *arguments, "-o", "more")
    assert code == 0
    assert f"{expected.examples} examples are in more" in said
    assert "A model learns from trained; all other sections are asked about afterwards." in said
    code, said, _ = run(capsys, "audit", "data")
    assert code == 0
    assert "Forecast:" in said


@pytest.mark.parametrize(
    ("output", "says"),
    [("full", "in use"), ("file", "no folder"), ("no/where", "make it first"), (".", "in use")],
)
def test_nothing_is_overwritten(output, says, tmp_path, monkeypatch, capsys):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    monkeypatch.chdir(tmp_path)
    code, said, complaint = run(capsys, "export", "bump", "--hold-out", "block:x=6..22,y=6..22", "-o", output)
    assert (code, said) == (2, "")
    assert complaint.count("\n") == 1
    assert says in complaint
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "full", "mine.txt"]
    assert (tmp_path / "full" / "mine.txt").read_text() == (tmp_path / "file").read_text() == "mine"


def test_an_empty_folder_and_a_link_to_one_are_filled(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    export_data(ADDED, tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "empty" / "croissant.json").is_file()


def test_a_write_that_fails_leaves_nothing(tmp_path, monkeypatch):
    written = []

    def full(path: Path, content: bytes) -> None:
        written.append(path.name)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(durable, "write", full)
    with pytest.raises(InputError, match=r"No space left on device; .*choose another place"):
        export_data(ADDED, tmp_path / "data")
    assert written == ["factors.csv"]  # arrays were there already
    assert list(tmp_path.iterdir()) == []


def test_the_folder_appears_whole_by_one_rename(tmp_path, monkeypatch):
    def refused(self: Path, target: Path) -> None:
        assert {path.name for path in self.iterdir()} == {path.name for path in whole.iterdir()}
        raise OSError(13, "Permission denied")

    whole = export_data(ADDED, tmp_path / "whole").path
    monkeypatch.setattr(Path, "rename", refused)
    with pytest.raises(InputError, match="Permission denied"):
        export_data(ADDED, tmp_path / "data")
    assert list(tmp_path.iterdir()) == [whole]


def test_a_factor_may_not_be_named_like_the_column_of_sections(tmp_path):
    rows = tuple(((first, second), 1.0) for first in "ab" for second in "cd")
    task = tasks.table(components=(SECTION, "other"), rows=rows)
    with pytest.raises(InputError, match="rename"):
        export_data(Problem(task, regions.anchors(**{SECTION: (0,), "other": (0,)})), tmp_path / "data")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", ["{}", "no json", '{"recordSet": 3}', '{"recordSet": []}'])
def test_a_folder_that_is_no_export_is_refused_in_one_sentence(content, tmp_path, capsys):
    (tmp_path / "croissant.json").write_text(content)
    (tmp_path / "factors.csv").write_text("x,y\n1,2\n")
    code, _, complaint = run(capsys, "audit", str(tmp_path))
    assert code == 2
    assert "no folder that `recombine export` wrote" in complaint
    assert complaint.count("\n") == 1


def test_the_guide_runs_as_written(tmp_path, monkeypatch, capsys):
    guide = (Path(__file__).parents[2] / "docs" / "guide" / "export.md").read_text()
    (snippet,) = re.findall(r"```python\n(.*?)```", guide, flags=re.S)
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    exec(snippet, names)
    assert "By theory" in capsys.readouterr().out
    assert all(f"`{name}`" in guide for name in names["found"].files)
    # The command above the Python is the same problem.
    (command,) = re.findall(r"^    recombine (export .*) -o bumps$", guide, flags=re.M)
    assert run(capsys, *command.split(), "-o", "again")[0] == 0
    assert (tmp_path / "again" / "inputs.npy").read_bytes() == (tmp_path / "bumps" / "inputs.npy").read_bytes()
