"""The guide to advice runs as written, with fewer steps, in this process."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from recombine.cli.advising import advise
from recombine.cli.app import main
from recombine.records import Store
from recombine.studies import Work
from recombine.studies.additions import SHOWN_AT_MOST
from recombine.studies.execution import commit
from recombine.studies.verifying import CLOSE, LEFT

GUIDE = (Path(__file__).parents[2] / "docs" / "guide" / "advise.md").read_text()


def at_once(works: Sequence[Work], store: Store, *_: object) -> None:
    for work in works:
        commit(work, type(work).run_together([work])[0], store)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("recombine.studies.verifying.execute", at_once)


def test_its_commands_run(capsys):
    commands = re.findall(r"^    recombine (advise .*)$", GUIDE, flags=re.M)
    assert len(commands) == 3
    for command in commands:
        hurried = command.replace("steps=2000", "steps=2").replace("--seeds 3", "--seeds 1")
        with pytest.raises(SystemExit) as ended:
            main([*hurried.split(), "--forecasts", "60"])
        assert ended.value.code in (None, 0, 1), capsys.readouterr().err
        assert capsys.readouterr().out
    assert Path("advised.yaml").exists()


def test_its_python_runs(capsys):
    (snippet,) = re.findall(r"```python\n(.*?)```", GUIDE, flags=re.S)
    names: dict = {}
    exec(snippet.replace("steps=2000", "steps=2"), names)  # three seeds, since what is drawn decides what can be asked
    assert names["advice"].additions
    assert str(names["checked"]) in capsys.readouterr().out


def test_the_examples_of_its_help_and_of_the_start_find_advice(capsys):
    docs = Path(__file__).parents[2] / "docs"
    (example,) = re.findall(r"Example: recombine (advise .*)", advise.__doc__ or "")
    (first,) = re.findall(r"^recombine (advise .*)$", (docs / "start.md").read_text(), flags=re.M)
    for command in (example, first):
        with pytest.raises(SystemExit) as ended:
            main(command.split())
        assert not ended.value.code
        said = capsys.readouterr().out
        assert "\nAdd " in said
    # Which of several combinations that are as good hangs on rounding.
    assert said.splitlines()[:2] == (docs / "printed" / "start-5.txt").read_text().splitlines()[:2]


def test_it_says_how_the_command_exits(capsys):
    assert "exits with 1 as well when training shows no gain" in GUIDE
    with pytest.raises(SystemExit):
        main(["advise", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "with --verify also if training shows no gain" in said


def test_its_numbers_are_those_of_the_code():
    assert (SHOWN_AT_MOST, LEFT, CLOSE) == (0.5, 0.2, 0.01)
    assert "At most half" in GUIDE
    assert "a fifth" in GUIDE
    assert "within 0.01" in GUIDE
