"""Pages are run block by block, in one namespace and in a folder of their own."""

from pathlib import Path

import pytest
from docs.running import Block, blocks, commands, figures, run, shown, write

from recombine.core.errors import InputError

PAGE = """# A page

```python
first = 20
print(first)
```

    print("set in, and not run")

```yaml
task: bump
```

```sh
# a comment
make setup
recombine list \\
    images   # and another
```

```python
from pathlib import Path

print(first + 22)
Path("drawn.svg").write_text("<svg/>")
```

![](figures/drawn.svg) and printed/page-3.txt
"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "page.md").write_text(PAGE)
    return tmp_path / "docs" / "page.md"


def test_blocks_are_python_and_shell_in_order():
    assert [block.language for block in blocks(PAGE)] == ["python", "sh", "python"]
    assert blocks(PAGE)[0] == Block("python", "first = 20\nprint(first)\n")


def test_a_command_over_several_lines_is_one():
    assert [line.split() for line in commands("# no\na \\\n  b\n\nc")] == [["a", "b"], ["c"]]


def test_blocks_share_names_and_what_each_prints_is_kept_apart(page, tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("RECOMBINE_STORE", raising=False)
    folder = tmp_path / "here"
    folder.mkdir()
    ran = run(page, folder)
    assert ran.printed[0] == "20\n"
    assert "mnist-5k" in ran.printed[1]
    assert ran.printed[2] == "42\n"
    assert ran.names["first"] == 20
    assert (folder / "drawn.svg").exists()
    assert capsys.readouterr().out == ""
    assert Path.cwd() != folder


def test_what_a_page_shows_is_written_beside_it(page):
    assert figures(PAGE) == {"drawn.svg"}
    assert shown(PAGE) == {"page-3.txt": 3}
    write(page)
    assert (page.parent / "figures" / "drawn.svg").read_text() == "<svg/>"
    assert (page.parent / "printed" / "page-3.txt").read_text() == "42\n"


@pytest.mark.parametrize(("block", "error"), [("python\nassert 1 > 2", AssertionError), ("python\nno", NameError)])
def test_a_page_whose_code_fails_fails(tmp_path, block, error):
    (tmp_path / "page.md").write_text(f"```{block}\n```\n")
    with pytest.raises(error):
        run(tmp_path / "page.md", tmp_path)


def test_a_command_that_refuses_its_input_fails_the_page(tmp_path):
    (tmp_path / "page.md").write_text("```sh\nrecombine forecast nosuchtask\n```\n")
    with pytest.raises(InputError, match="`recombine forecast nosuchtask` ended with exit code 2"):
        run(tmp_path / "page.md", tmp_path)
