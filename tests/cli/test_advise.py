"""`recombine advise`: what it prints, writes, refuses, and how it exits."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from recombine.cli.advising import read_prices
from recombine.cli.app import main
from recombine.core.errors import InputError
from recombine.core.spec import read_yaml
from recombine.data import Problem
from recombine.records import Store
from recombine.studies import Work
from recombine.studies.execution import commit

TRAINED = ("--verify", "--model", "mlp")
CONTEXT = ("context", "--set", "levels=4", "--hold-out", "block:feature1=0..1,feature2=2..3")


def planted(problem: Problem, *_: object) -> float:
    """One of the eight held-out combinations makes all the difference."""
    (place,) = problem.grid.index(np.array([(1, 0, 3)]))
    return 0.95 if problem.trained[place] else 0.3


@pytest.fixture(autouse=True)
def _planted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recombine.studies.advising.expected_performance", planted)


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["advise", *arguments])
    return int(ended.value.code or 0)


def test_the_text_says_what_to_add_and_the_file_has_it(capsys, tmp_path: Path):
    file = tmp_path / "advised.yaml"
    assert run(*CONTEXT, "-o", str(file)) == 0
    kernels, first, second, *_, last = capsys.readouterr().out.splitlines()
    assert first.startswith(
        "Add 1 example: held-out performance (the outlook of `recombine forecast`) rises from 0.30 to 0.95, and 0.9 is"
    )
    assert second.startswith("- combination: context = 1, feature1 = 0, feature2 = 3 (1 example; then 0.95):")
    with pytest.raises(SystemExit):
        main(["forecast", *CONTEXT])
    assert kernels in capsys.readouterr().out.splitlines()
    assert last == f"The problem with these additions is in {file}."
    assert planted(Problem.read(read_yaml(file))) == 0.95
    assert run(str(file)) == 0
    assert "\nNothing needs to be added" in capsys.readouterr().out
    assert run(str(file), "-o", str(tmp_path / "more.yaml")) == 0
    assert capsys.readouterr().out.endswith(f"Nothing is written to {tmp_path}/more.yaml, since nothing is added.\n")


def test_the_json_is_one_document_with_prices(capsys):
    assert run(*CONTEXT, "--price", "combination=2", "--price", "overlap=3", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["prices"] == {"isolated": 1.0, "combination": 2.0, "overlap": 3.0}
    assert told["price"] == 2.0
    (only,) = told["additions"]
    assert (only["kind"], only["examples"], only["price"]) == ("combination", 1, 2.0)
    assert only["combinations"] == [{"context": "1", "feature1": "0", "feature2": "3"}]
    assert told["sentence"].startswith("Add 1 example at a price of 2: ")
    assert told["composes"] is True
    assert Problem.read(told["problem"]).task.kind == "context"


def test_an_unturned_forecast_exits_with_one(capsys):
    assert run(*CONTEXT, "--target", "1") == 1
    assert "\nNothing that was tried is enough: with 1 example held-out" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--verify",), "--verify trains a network, so it needs one; name it, e.g. --model mlp-decoder."),
        (("--price", "combination"), "--price 'combination' must read kind=number"),
        (("--price", "combination=-1"), "combination = -1.0, must be a number above 0"),
        (("--price", "pairs=1"), "unknown kind of addition 'pairs'"),
        (("--target", "2"), "target = 2 must be"),
        (("--seed", "-1"), "Invalid value for '--seed'"),
        (("--most", "0"), "most = 0 must be at least 1"),
        ((*TRAINED, "--by", "place"), "unknown comparison 'place'"),
        ((*TRAINED, "--seeds", "0"), "--seeds 0 must be at least 1"),
        ((*TRAINED, "--recipe", "stes=3"), "stes"),
        (("--model", "cnn-decoder", "--verify"), "cnn-decoder"),
        (("--seeds", "3"), "--seeds would do nothing, since nothing is trained; add --verify to train."),
        (("--by", "error", "--recipe", "steps=9"), "--by and --recipe would do nothing"),
        (("--store", "here", "--workers", "2"), "--store and --workers would do nothing"),
        (("-o", "nowhere/a.yaml"), "there is no folder 'nowhere'"),
    ],
)
def test_bad_input_exits_with_two_and_one_sentence(arguments: tuple[str, ...], says: str, capsys):
    assert run(*CONTEXT, *arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert says in err
    assert err.count("\n") == 1


def test_the_problem_is_not_written_over(capsys, tmp_path: Path):
    problem = tmp_path / "p.yaml"
    problem.write_text("task: {kind: addition}\nsplit: {kind: random, fraction: 0.3}\n")
    before = problem.read_text()
    assert run(str(problem), "-o", str(tmp_path / "." / "p.yaml")) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "which would be lost; give the name of a new file." in err
    assert problem.read_text() == before


def test_prices_are_read_once_each():
    assert read_prices(["isolated=1", "combination = 2.5"]) == {"isolated": 1.0, "combination": 2.5}
    assert read_prices(None) == {}
    with pytest.raises(InputError, match="isolated is given twice"):
        read_prices(["isolated=1", "isolated=2"])


def at_once(works: Sequence[Work], store: Store, *_: object) -> None:
    """Train here: workers take longer to start than these runs."""
    for work in works:
        commit(work, type(work).run_together([work])[0], store)


def test_advice_is_verified_by_training(capsys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("recombine.studies.verifying.execute", at_once)
    how = ("--model", "mlp:width=4", "--recipe", "steps=3,batch=all", "--seeds", "1", "--workers", "1")
    assert run(*CONTEXT, "--verify", *how, "--store", str(tmp_path), "--json") == 1  # three steps teach nothing
    told = json.loads(capsys.readouterr().out)
    assert told["examples"] == 1
    found = told["verification"]
    assert found["sentence"].startswith("mlp has not learned what it was trained on; train longer with --recipe steps=")
    assert (found["model"], found["quantity"]) == ("mlp", "held-out accuracy")
    assert [arm["examples"] for arm in found["random"]] == [1, 2, 3, 5]  # ten of eight do not exist


def test_advice_that_cannot_be_verified_is_told_all_the_same(capsys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def four(problem: Problem, *_: object) -> float:
        places = problem.grid.index(np.array([(0, 0, 2), (0, 1, 3), (1, 0, 3), (1, 1, 2)]))
        return 0.1 + 0.85 * float(problem.trained[places].mean())

    monkeypatch.setattr("recombine.studies.advising.expected_performance", four)
    for extra in ((), ("--json",)):
        assert run(*CONTEXT, *TRAINED, "--seeds", "20", "--store", str(tmp_path), *extra) == 2
        out, err = capsys.readouterr()
        assert "the advice stands, and to verify it hold out more, or lower the target" in err
    told = json.loads(out)
    assert told["examples"] == 4
    assert "leaves too few to ask about" in told["unverified"]


def test_nothing_is_trained_where_nothing_is_added(capsys, tmp_path: Path):
    assert run(*CONTEXT, "--target", "0.3", "--verify", "--model", "mlp", "--store", str(tmp_path)) == 0
    assert "\nNothing needs to be added" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())
