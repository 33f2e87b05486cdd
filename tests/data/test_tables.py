"""Tasks from a table: what a CSV file says is what is trained and asked, and bad tables are named by row."""

from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.data import Problem, tasks
from recombine.data.tables import problem_from_table, read_table
from recombine.splits import regions

TEXT = """\
colour, shape,size,target,trained
red,disc,big,1,yes
red,disc,small,-0.5,no
blue,disc,big,2,1
blue,square,small,3e1,TRUE

red,square,big,4,0
blue,disc,small,5,1
"""


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "task.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_table_says_what_is_answered_and_what_is_held_out(tmp_path):
    problem = problem_from_table(written(tmp_path, TEXT))
    assert problem.grid.names == ("colour", "shape", "size")
    assert [factor.levels for factor in problem.grid.factors] == [
        ("red", "blue"), ("disc", "square"), ("big", "small"),
    ]  # fmt: skip
    answers = {(0, 0, 0): 1.0, (0, 0, 1): -0.5, (1, 0, 0): 2.0, (1, 1, 1): 30.0, (0, 1, 0): 4.0, (1, 0, 1): 5.0}
    held_out = {(0, 0, 1), (0, 1, 0)}
    for index, row in enumerate(map(tuple, problem.grid.combinations().tolist())):
        label = problem.task.labels[index]
        assert label == answers[row] if row in answers else np.isnan(label)
        assert problem.parts.held_out[index] == (row in held_out)
        assert problem.trained[index] == (row in answers and row not in held_out)
        assert problem.parts.outside[index] == (row not in answers)
    assert sorted(problem.training_set().targets.ravel().tolist()) == [1.0, 2.0, 5.0, 30.0]


def test_from_a_file_to_yaml_and_back(tmp_path):
    problem = problem_from_table(written(tmp_path, TEXT))
    again = Problem.read(yaml.safe_load(problem.to_yaml()))
    assert again == problem
    assert again.digest() == problem.digest()
    assert np.array_equal(again.task.labels, problem.task.labels, equal_nan=True)


def test_a_mark_before_the_header_is_not_part_of_it(tmp_path):
    plain = problem_from_table(written(tmp_path, TEXT))
    assert problem_from_table(written(tmp_path, "\ufeff" + TEXT)).digest() == plain.digest()


def test_without_a_trained_column_the_file_is_the_task_alone(tmp_path):
    path = written(tmp_path, "a,b,target\n0,0,1\n0,1,2\n1,0,3\n1,1,4\n")
    assert set(read_table(path)) == {"task"}
    with pytest.raises(InputError, match="has no column 'trained' to say what is held out"):
        problem_from_table(path)
    problem = Problem(**read_table(path), split=regions.cells(rows=[(1, 1)]))
    assert int(problem.trained.sum()) == 3


@given(st.data())
@settings(deadline=None, max_examples=30)
def test_the_order_of_rows_renames_levels_and_changes_no_answer(data):
    task = tasks.addition(values=(-1.0, 2.0, 5.0), second=(0.5, 7.0))
    rows = [((f"u{a}", f"v{b}"), task.labels[2 * a + b]) for a in range(3) for b in range(2)]
    shuffled = data.draw(st.permutations(rows))
    table = tasks.table(components=("u", "v"), rows=tuple(shuffled))
    indices = table.indices([levels for levels, _ in rows])
    assert np.array_equal(table.labels[table.grid.index(indices)], [answer for _, answer in rows])
    assert not table.outside.any()


def test_classes_are_told_from_numbers():
    classes = tasks.table(components=("a",), rows=((("x",), 1.0), (("y",), -1.0)))
    numbers = tasks.table(components=("a",), rows=((("x",), 1.0), (("y",), 0.0)))
    assert (classes.binary, numbers.binary) == (True, False)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a,b,target\n0,0,1\n0,1,2\n0,0,3\n", r"row 3 \(0, 0 -> 3\) contradicts row 1 \(0, 0 -> 1\).*drop one of them"),
        ("a,b,target\n0,0,1\n0,1,2\n0,1,2\n", r"row 3 \(0, 1 -> 2\) repeats row 2 \(0, 1 -> 2\)"),
        ("a,b,target\n0,0,one\n", "row 1 has target = 'one'; it must be a finite number"),
        ("a,b,target\n0,0,inf\n", "row 1 has target = 'inf'; it must be a finite number"),
        ("a,b,target\n0,0,\n", "row 1 has target = ''"),
        ("a,b,target\n0,0\n", "row 1 has 2 cells for 3 columns"),
        ("a,b,target,trained\n0,0,1,perhaps\n", "row 1 has trained = 'perhaps'; write 1 or 0, yes or no"),
        ("a,b,target,trained\n0,0,1,1\n1,0,1,yes\n", "marks no row as held out; set trained = 0"),
        ("a,b,answer\n0,0,1\n", "has the columns a, b, answer and 1 rows; it needs a header"),
        ("target\n1\n", "has the columns target and 1 rows"),
        ("a,a,target\n0,0,1\n", "has the columns a, a, target and 1 rows.*each once"),
        ("a,b,target\n", "has the columns a, b, target and 0 rows"),
        ("", "has the columns none and 0 rows"),
    ],
)
def test_bad_tables_are_named_by_row(tmp_path, text, says):
    with pytest.raises(InputError, match=says) as caught:
        problem_from_table(written(tmp_path, text))
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read_say_which(tmp_path):
    with pytest.raises(InputError, match=r"cannot read the table .*nowhere\.csv"):
        read_table(tmp_path / "nowhere.csv")
    (tmp_path / "bytes.csv").write_bytes(b"a,target\n\xff\xfe,1\n")
    with pytest.raises(InputError, match=r"cannot read the table .*bytes\.csv"):
        read_table(tmp_path / "bytes.csv")


def test_rows_need_a_level_for_every_component():
    with pytest.raises(InputError, match=r"row 2 has 1 levels for 2 components \(a, b\); give one for each"):
        tasks.table(components=("a", "b"), rows=((("0", "0"), 1.0), (("0",), 2.0)))


def test_a_grid_too_large_to_write_down_is_refused():
    names = tuple(f"c{place}" for place in range(7))
    rows = tuple(((str(level),) * 7, 1.0) for level in range(8))
    with pytest.raises(InputError, match=f"its levels make {8**7} combinations; at most 1000000 are supported"):
        tasks.table(components=names, rows=rows)
