"""The guide to the forecast: its command and its Python run as written, and its table is that of the code."""

import re
from pathlib import Path

import pytest

from recombine.cli.app import main
from recombine.core.failures import Failure
from recombine.studies.outlook import LARGEST
from recombine.theory.outlook import COMPOSES_FROM, MEANING

GUIDE = (Path(__file__).parents[2] / "docs" / "guide" / "forecast.md").read_text()


def test_its_command_runs(capsys):
    (command,) = re.findall(r"^    recombine (forecast .*)$", GUIDE, flags=re.M)
    with pytest.raises(SystemExit) as ended:
        main(command.split())
    assert ended.value.code in (None, 0)
    said = capsys.readouterr().out
    assert re.search(r"held-out performance -?\d\.\d\d \(-?\d\.\d\d to -?\d\.\d\d; 1 is perfect", said)
    assert "kernel (lazy) regime" in said


def test_its_python_runs(capsys):
    (snippet,) = re.findall(r"```python\n(.*?)```", GUIDE, flags=re.S)
    names: dict = {}
    exec(snippet, names)
    assert names["outlook"].calibrated
    assert names["outlook"].verdict in capsys.readouterr().out


def test_its_words_are_those_of_the_code():
    assert re.findall(r"^\| ([a-z ]+) \|", GUIDE, flags=re.M)[1:] == [str(each) for each in Failure]
    assert MEANING in GUIDE
    assert f"from {COMPOSES_FROM:g} on" in GUIDE
    assert f"{LARGEST:,} combinations" in GUIDE


def test_with_a_model_the_loss_is_said_and_can_be_asked_for(capsys):
    context = ("forecast", "context", "--hold-out", "block:feature1=0..2,feature2=3..5", "--model", "mlp")
    numbers = []
    for recipe, loss, other in (((), "mse", "logistic"), (("--recipe", "loss=logistic"), "logistic", "mse")):
        with pytest.raises(SystemExit) as ended:
            main([*context, *recipe])
        assert not ended.value.code
        first, second, *_ = capsys.readouterr().out.splitlines()
        assert f"when trained with loss={loss}: held-out" in first
        assert second == f"Ask about another loss with --recipe loss={other}."
        numbers.append(float(first.split("performance ")[1].split()[0]))
    assert numbers[0] > 0.5 > -0.5 > numbers[1]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("context", "--hold-out", "random:fraction=0.3"), "--recipe is how a network is trained, so it needs one"),
        (("bump", "--hold-out", "block:x=3..8,y=3..8", "--model", "mlp-decoder"), "logistic loss needs a task"),
    ],
)
def test_a_loss_that_says_nothing_here_is_refused(arguments, says, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["forecast", *arguments, "--recipe", "loss=logistic"])
    assert ended.value.code == 2
    assert says in capsys.readouterr().err
