"""Every example runs to its end, as a reader would run it, but for the number of steps where training takes long."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_the_example_runs(example: Path, tmp_path: Path):
    done = subprocess.run(
        [sys.executable, example, str(tmp_path / "store"), "60"], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
