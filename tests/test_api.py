"""The public names of the contract, used as its example uses them."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import recombine as rc
from recombine.core.errors import InputError
from recombine.data.tables import problem_from_table
from recombine.models import models
from recombine.splits import regions


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


def test_a_component_task_is_forecast_with_and_without_a_model():
    problem = rc.Problem(rc.tasks.context(), rc.splits.block(feature1=(0, 3), feature2=(3, 6)))
    plain = rc.forecast(problem)
    assert plain.quantity == "error rate"
    assert plain.outputs.shape == (72, 1)
    assert [section.name for section in plain.sections] == ["id", "ood"]
    told = {reason.name: reason for reason in plain.reasons}
    assert told["shortcut"].evidence["rule"] == ["context"]
    assert "loss" in told
    with_model = rc.forecast(problem, model=rc.models.mlp(width=200))
    kernels = {answer["kernel"] for answer in with_model.details["answers"]}
    assert kernels == {
        "random ReLU layers: 1", "random ReLU layers: 3", "mlp: initial layer0", "mlp: initial tangent",
    }  # fmt: skip
    assert "mlp: initial tangent" in with_model.method


def test_the_kernel_of_a_wide_layer_forecasts_like_its_infinite_limit():
    """One hidden layer of 4,000 units: its slope on sums is that of one random ReLU layer, m = S / (1 - S)."""
    problem = rc.Problem(rc.tasks.addition(), rc.splits.anchors(first=4, second=4))
    found = rc.forecast(problem, model=rc.models.mlp(width=4000))
    slopes = {answer["kernel"]: answer["slope"] for answer in found.details["answers"]}
    assert slopes["random ReLU layers: 1"] == pytest.approx(0.4264 / (1 - 0.4264), abs=5e-4)
    assert slopes["mlp: initial layer0"] == pytest.approx(slopes["random ReLU layers: 1"], abs=0.05)


@pytest.mark.parametrize(
    ("model", "says"),
    [
        ("mlpp", "unknown model 'mlpp'; did you mean 'mlp'"),
        ("truth", "model 'truth' is not trained, so it has no kernel"),
        ("convnet", "convnet reads pictures, but the input is a plain code of 18 numbers"),
    ],
)
def test_models_without_a_kernel_for_a_component_task_are_refused(model, says):
    problem = rc.Problem(rc.tasks.addition(), rc.splits.anchors(first=4, second=4))
    with pytest.raises(InputError, match=says):
        rc.forecast(problem, model=model)


def test_a_grid_too_large_for_the_kernel_of_a_model_is_forecast_without_one():
    items = rc.tasks.ordering(items=17)
    problem = rc.Problem(items, rc.splits.diagonal(width=1))
    assert rc.forecast(problem).composes
    with pytest.raises(InputError, match="the grid has 289 combinations, too many to compare in a network"):
        rc.forecast(problem, model=rc.models.mlp(width=8))


def test_a_table_of_ones_own_is_forecast_and_trained(tmp_path: Path):
    """Sums of two values, one pair held out: additive, so that a kernel can have it right."""
    rows = [f"{a},{b},{a + 2 * b},{int((a, b) != (2, 1))}" for a in range(3) for b in range(2)]
    (tmp_path / "task.csv").write_text("\n".join(["first,second,target,trained", *rows]))
    problem = problem_from_table(tmp_path / "task.csv")
    assert rc.forecast(problem).details["additive"]
    run = rc.train(problem, rc.models.mlp(width=16), recipe=rc.Recipe(steps=5), store=tmp_path / "store")
    assert run.answers("ood").shape == (1, 1)
    assert run.measure("ood_mse") == pytest.approx(np.square(run.answers("ood")[:, 0] - 4.0))
    with pytest.raises(InputError, match="these runs draw no pictures"):
        run.images()


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


@pytest.mark.parametrize("package", ["models", "splits", "tasks", "penalties", "noises", "encodings"])
def test_every_kind_is_an_attribute_of_its_package(package):
    """No module of the package may hide a kind of its name."""
    found = getattr(rc, package)
    kinds = {"models": models, "splits": regions}.get(package, found)
    for name, kind in kinds.items():
        assert getattr(found, name.replace("-", "_")) is kind, name
