"""Both notebooks run from beginning to end, and are kept without outputs."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

BOOKS = sorted((Path(__file__).parents[2] / "docs" / "notebooks").glob("*.ipynb"))
LARGEST = 20_000  # bytes


def test_there_are_two_and_they_are_small_and_bare():
    assert len(BOOKS) == 2
    for path in BOOKS:
        assert path.stat().st_size < LARGEST
        cells = nbformat.read(path, as_version=4).cells
        assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
# The kernel talks over a local socket; what its libraries say of that is no matter of ours.
@pytest.mark.filterwarnings("default")
def test_the_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RECOMBINE_STORE", str(tmp_path / "runs"))
    book = nbformat.read(path, as_version=4)
    NotebookClient(book, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in book.cells for output in cell.get("outputs", [])]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert any("compose" in output.get("text", "") for output in outputs)
