"""Training on another device than the CPU: on one that stands in for a GPU, and on a GPU where there is one."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from recombine.core.errors import InputError
from recombine.data import Problem, tasks
from recombine.models import models
from recombine.splits import regions
from recombine.studies import Experiment
from recombine.studies.work import Resources
from recombine.training import Plan, Recipe, run
from recombine.training.devices import device_named, dropout, full_precision, gpus, name_of

HERE = Path(__file__).parent
SQUARE = Problem(tasks.bump(n=8), regions.block(x=(3, 6), y=(2, 5)))
PLAN = Plan(SQUARE, models.cnn_decoder(width=4), Recipe(steps=4), 3, ("id_nmse",))
without_gpu = pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
with_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU here")


@pytest.mark.parametrize("device", ["standin", pytest.param("cuda", marks=with_gpu)])
def test_what_runs_on_another_device_is_what_runs_on_the_cpu(device: str):
    """In a process of its own: torch counts devices once, and no test after it should meet another."""
    path = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            "--jaxtyping-packages=",  # shapes are checked on the CPU
            HERE / "on_second_device.py",
        ],
        env={**os.environ, "PYTHONPATH": path, "ON_DEVICE": device},
        cwd=HERE.parents[1],
        capture_output=True,
        text=True,
        timeout=1200,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]


def test_the_cpu_by_name_is_the_default():
    asked, usual = run(PLAN, device="cpu"), run(PLAN)
    assert asked.measures == usual.measures
    assert all(np.array_equal(asked.weights[name], usual.weights[name]) for name in usual.weights)
    assert asked.cost.keys() == usual.cost.keys()
    assert name_of(device_named("cpu")) == "cpu"


def test_convolutions_on_a_gpu_keep_their_digits_and_all_is_as_it_was_afterwards():
    """Settings, which can be read without a GPU; what they do cannot be seen without one."""
    before = torch.backends.cudnn.allow_tf32, torch.backends.cuda.matmul.allow_tf32
    with full_precision(torch.device("cuda")):
        assert (torch.backends.cudnn.allow_tf32, torch.backends.cuda.matmul.allow_tf32) == (False, False)
    assert (torch.backends.cudnn.allow_tf32, torch.backends.cuda.matmul.allow_tf32) == before == (True, False)


@without_gpu
def test_a_gpu_where_there_is_none_is_refused():
    assert gpus() == []
    with pytest.raises(InputError, match=r"'cuda' is not here: torch \S+ finds cpu on this machine"):
        run(PLAN, device="cuda")


def test_where_a_run_trains_is_no_part_of_its_digest():
    experiment = Experiment(problem=SQUARE, model=PLAN.model, recipe=PLAN.recipe, measures=PLAN.measures)
    assert experiment.resources(0.25) == Resources(cpus=1, gpus=0.25)
    assert experiment.resources() == Resources(cpus=1, gpus=0)
    assert "gpus" not in str(experiment.settings())
    truth = Experiment(problem=SQUARE, model=models.truth(), measures=PLAN.measures)
    assert truth.resources(1.0).gpus == 0  # nothing of it trains


@pytest.mark.parametrize("inplace", [False, True])
def test_what_dropout_drops_elsewhere_is_what_it_drops_here(inplace: bool):
    units = torch.rand(7, 5, generator=torch.Generator().manual_seed(0)).T  # a place in memory is not a place in a row
    found = []
    for drop in (dropout, torch.nn.functional.dropout):
        with torch.random.fork_rng():
            torch.manual_seed(4)
            found.append(drop(units.clone(), 0.3, True, inplace))
    assert torch.equal(*found)
    assert 0 < (found[0] == 0).sum() < 35
