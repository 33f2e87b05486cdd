"""The import contracts hold, and reject what they should."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LINTER = Path(sys.executable).with_name("lint-imports")


def lint(folder: Path) -> subprocess.CompletedProcess:
    return subprocess.run(
        [LINTER, "--no-cache"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder / "src")},
        capture_output=True,
        text=True,
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("file", "line", "contract"),
    [
        ("theory/solve.py", "import torch", "what is computed before training cannot see training"),
        ("measures/error.py", "import torch", "what is computed before training cannot see training"),
        ("theory/solve.py", "import recombine.training", "packages import downwards only"),
        ("factors/grid.py", "import recombine.splits", "packages import downwards only"),
        ("data/problem.py", "import recombine.models", "packages import downwards only"),
        ("records/store.py", "import recombine.factors", "records and models know nothing"),
    ],
)
def test_a_planted_violation_is_rejected(copy: Path, file: str, line: str, contract: str):
    path = copy / "src" / "recombine" / file
    path.write_text(f"{line}\n{path.read_text()}")
    done = lint(copy)
    assert done.returncode == 1
    broken = [row for row in done.stdout.splitlines() if row.endswith("BROKEN")]
    assert any(row.startswith(contract) for row in broken)


def test_a_package_outside_the_layers_is_rejected(copy: Path):
    (copy / "src" / "recombine" / "utils.py").write_text("")
    assert lint(copy).returncode == 1
