"""The public names of the contract, used as its example uses them."""

import subprocess
import sys
from pathlib import Path

import numpy as np

import recombine as rc


def test_the_example_of_the_contract(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("RECOMBINE_STORE", str(tmp_path))
    task = rc.tasks.bump(n=8, sigma=1.0, encoding="bump")
    problem = rc.Problem(task, split=rc.splits.block(x=(3, 6), y=(2, 5)))
    forecast = rc.forecast(problem)
    assert forecast.verdict
    assert forecast.outputs.shape == (64, 64)
    with_model = rc.forecast(problem, model="cnn-decoder")
    assert "cnn-decoder" in with_model.method
    run = rc.train(problem, model=rc.models.mlp_decoder(width=8, depth=2), seeds=2, recipe=rc.Recipe(steps=20))
    assert run.measure("ood_accuracy").shape == (2,)
    assert list(run.measure("nmse_by_section").columns)[:2] == ["id", "ood"]
    assert run.images(section="ood").shape == (2, 9, 8, 8)
    assert [list(layers) for layers in run.representations()] == [["input", "layer0", "layer1", "output"]] * 2
    table = rc.records().table()
    assert len(table) == 2
    assert "ood_nmse" in table.columns


def test_a_measure_not_recorded_is_computed_from_the_weights(tmp_path: Path):
    problem = rc.Problem(rc.tasks.bump(n=8), rc.splits.block(x=(3, 6), y=(2, 5)))
    run = rc.train(problem, rc.models.mlp_decoder(width=8, depth=2), recipe=rc.Recipe(steps=20), store=tmp_path)
    assert "participation" not in run[0].record.body["measures"]
    assert (run.measure("participation").to_numpy() >= 0).all()
    recorded, computed = (
        run.measure("ood_mse"),
        np.square(run.images() - problem.everything.targets[problem.parts.held_out]),
    )
    assert np.allclose(recorded, computed.mean())


def test_importing_recombine_costs_nothing():
    script = "import sys, recombine; print('torch' in sys.modules, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_every_public_name_is_there():
    assert all(getattr(rc, name) is not None for name in rc.__all__)
    assert set(rc.__all__) <= set(dir(rc))
