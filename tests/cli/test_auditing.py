"""`recombine audit` on the files of a stranger."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from recombine.cli import main

MODEL = """
import torch
from torch import nn

class AutoEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Flatten(), nn.Linear(25, 8))
        self.decoder = nn.Linear(8, 25)

    def forward(self, pictures):
        return self.decoder(self.encoder(pictures)).view(pictures.shape)

def load():
    torch.manual_seed(0)
    return AutoEncoder()

number = 3

def broken():
    raise RuntimeError("no weights here")

def forgetful():
    AutoEncoder()

def needs(path):
    return AutoEncoder()

def needs_more(path, device):
    return AutoEncoder()

def has_defaults(path="weights.pt"):
    return AutoEncoder()

def leaves():
    raise SystemExit(7)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = [(x, y) for x in range(5) for y in range(5)]
    pictures = np.zeros((25, 5, 5), dtype=np.float32)
    for row, (x, y) in enumerate(rows):
        pictures[row, y, x] = 1
    np.save(tmp_path / "pictures.npy", pictures)
    table = pd.DataFrame(rows, columns=["x", "y"])
    table["train"] = ~((table.x > 2) & (table.y > 2))
    table.to_csv(tmp_path / "table.csv", index=False)
    (tmp_path / "strangers_model.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture, *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        main(["audit", *arguments])
    printed = capsys.readouterr()
    return int(end.value.code or 0), printed.out, printed.err


GIVEN = ("pictures.npy", "--table", "table.csv", "--model", "strangers_model:load")


def test_the_three_answers_and_a_page(folder, capsys):
    code, said, _ = run(capsys, *GIVEN, "-o", "audit.html")
    assert code == 0
    assert said.startswith("Undecided: the model has not learned its training rows")
    assert "unseen pair" in said
    assert "Forecast: " in said
    page = (folder / "audit.html").read_text()
    assert "AutoEncoder (strangers_model:load)" in page
    assert '<th scope="row">Parameters</th><td>433</td>' in page  # 25 x 8 and 8 x 25 weights, 8 and 25 biases
    assert "5 x 5 of float32" in page
    for words in ("What is held out", "What layers hold", "additive_held_out", "encoder.1"):
        assert words in page


def test_json_is_one_document(folder, capsys):
    code, said, _ = run(capsys, *GIVEN, "--json", "--layers", "encoder.1")
    told = json.loads(said)
    assert code == 0
    assert told["held_out"]["sections"] == {"unseen pair": 4}
    assert {line["layer"] for line in told["measures"]} == {"encoder.1", "answer"}


def test_a_class_is_called_for_the_model(folder, capsys):
    code, said, _ = run(capsys, *GIVEN[:3], "--model", "strangers_model:AutoEncoder")
    assert code == 0
    assert "trained " in said


def test_a_function_with_defaults_is_called_for_the_model(folder, capsys):
    assert run(capsys, *GIVEN[:3], "--model", "strangers_model:has_defaults")[0] == 0


def test_pictures_that_are_not_there_leave_the_table(folder, capsys):
    (folder / "pictures").mkdir()
    (folder / "pictures" / "other.png").touch()
    pd.read_csv("table.csv").assign(file="gone.png").to_csv("files.csv", index=False)
    code, said, _ = run(capsys, "pictures", "--table", "files.csv", "--model", "strangers_model:load")
    assert code == 2
    assert [line for line in said.splitlines() if line.startswith(("Refused", "Note"))] == [
        "Refused: pictures lacks 25 of the pictures of the table, first 'gone.png'; add them, or leave their rows out."
    ]
    assert "Certificate: training shows every level" in said


def test_data_alone_are_told_and_the_forecast_once(folder, capsys):
    table = pd.read_csv("table.csv")
    table.assign(target=table.x + table.y).to_csv("asked.csv", index=False)
    code, said, _ = run(capsys, "pictures.npy", "--table", "asked.csv")
    assert code == 0
    assert "Data: 25 examples of 2 factors: x (5 levels), y (5 levels)." in said
    assert "21 of 25 combinations are trained on" in said
    assert said.count("in the kernel (lazy) regime") == 1


@pytest.mark.parametrize(
    ("rows", "pixel", "words"),
    [(24, 0.0, "25 inputs and 24 rows"), (25, np.nan, "not finite in 1 row, first in row 0")],
)
def test_data_and_model_are_refused_and_the_rest_is_printed(folder, capsys, rows, pixel, words):
    pictures = np.load("pictures.npy")
    pictures[0, 4, 4] = pixel
    np.save("pictures.npy", pictures)
    pd.read_csv("table.csv")[:rows].to_csv("table.csv", index=False)
    code, said, _ = run(capsys, *GIVEN[:3], "--model", "strangers_model:broken")
    assert code == 2
    first, second, third = said.splitlines()[:3]
    assert words in first
    assert "broken raised RuntimeError: no weights here" in second
    assert third == "No answer of a model was scored on new combinations."
    assert "Certificate: training shows every level" in said


def test_one_pixel_that_is_not_finite_does_not_stop_the_rest(folder, capsys):
    pictures = np.load("pictures.npy")
    pictures[7, 4, 4] = np.nan
    np.save("pictures.npy", pictures)
    code, said, complained = run(capsys, *GIVEN, "--json", "-o", "audit.html")
    told = json.loads(said)
    assert code == 2
    assert next(iter(told)) == "refused"
    assert complained.strip() == told["refused"][0]
    assert told["performance"][0]["rows"] == 20
    assert told["forecast"] is not None
    assert "row 7 (counted from 0)" in (folder / "audit.html").read_text()


def test_strict_is_a_negative_answer(folder, capsys):
    assert run(capsys, *GIVEN, "--strict")[0] == 1


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("pictures.npy", "reads pictures.npy, which would be lost"),
        ("table.csv", "reads table.csv"),
        ("strangers_model.py", "reads strangers_model.py"),
        ("link.html", "reads pictures.npy"),
        ("audit.htm", "ends in .html"),
    ],
)
def test_no_file_that_was_given_is_written_over(folder, capsys, output, words):
    (folder / "link.html").symlink_to("pictures.npy")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    code, said, complained = run(capsys, *GIVEN, "-o", output)
    assert (code, said) == (2, "")
    assert words in complained
    assert len(complained.strip().splitlines()) == 1
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nowhere.npz",), "does not exist"),
        (("pictures.npy",), "no factors in pictures.npy"),
        ((*GIVEN, "-o", "no/such/folder.html"), "cannot write"),
        ((*GIVEN, "--seed", "-1"), "Invalid value for '--seed'"),
    ],
)
def test_where_nothing_can_be_done_it_is_one_sentence_and_exit_code_2(folder, capsys, arguments, words):
    code, said, complained = run(capsys, *arguments)
    assert code == 2
    assert words in complained
    assert said == ""
    assert len(complained.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((*GIVEN[:3], "--layers", "encoder.1"), "layers are those of a model"),
        ((*GIVEN[:3], "--model", "strangers_model"), "names no model"),
        ((*GIVEN[:3], "--model", "nowhere_at_all:load"), "cannot be imported"),
        ((*GIVEN[:3], "--model", "strangers_model:lode"), "has no 'lode'"),
        ((*GIVEN[:3], "--model", "strangers_model:number"), "cannot be called"),
        ((*GIVEN[:3], "--model", "strangers_model:broken"), "broken raised RuntimeError: no weights here"),
        ((*GIVEN[:3], "--model", "strangers_model:forgetful"), "forgetful returns None"),
        ((*GIVEN[:3], "--model", "strangers_model:leaves"), "leaves raised SystemExit: 7; mend it"),
        ((*GIVEN[:3], "--model", "strangers_model:needs"), "answers inputs with another model (AutoEncoder)"),
        ((*GIVEN[:3], "--model", "strangers_model:needs_more"), "takes path and device; name a function without"),
        ((*GIVEN[:3], "--model", "strangers_model.py:load"), "name its module, without .py: strangers_model:load."),
        ((*GIVEN, "--layers", "nothing"), "unknown layer"),
    ],
)
def test_bad_input_is_one_sentence_and_the_certificate_is_there(folder, capsys, arguments, words):
    code, said, complained = run(capsys, *arguments)
    assert code == 2
    assert [line for line in said.splitlines() if line.startswith("Refused: ")] == [said.splitlines()[0]]
    assert words in said.splitlines()[0]
    assert "Certificate: training shows every level" in said
    assert complained == ""
