"""Benchmarks: that both sides are the same work, and that ratios are what they say."""

import json

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from recombine.benchmarks import check_place, page, run_benchmarks, save
from recombine.benchmarks.diffusing import Training
from recombine.benchmarks.measuring import ratios, result
from recombine.benchmarks.plain import plain_forward
from recombine.benchmarks.training import agree, hole, plans
from recombine.core.errors import InputError
from recombine.models import models
from recombine.training import Recipe, penalties
from recombine.training.run import build

MODELS = {
    "mlp": (models.mlp_decoder(width=8, depth=2), ()),
    "cnn": (models.cnn_decoder(width=4), ()),
    "rendering": (models.forced_rendering(), (penalties.rendering(),)),
}


@pytest.mark.parametrize(("model", "terms"), MODELS.values(), ids=MODELS)
def test_the_plain_loop_and_ours_end_with_the_same_weights(model, terms):
    problem = hole("one-hot")
    assert agree(plans(problem, model, Recipe(steps=4, batch=8, penalties=terms), 2))


@pytest.mark.parametrize("model", [model for model, _ in MODELS.values()], ids=MODELS)
def test_the_plain_forward_pass_draws_the_same_pictures(model):
    problem = hole("one-hot")
    network, codes = build(problem, model, 0), torch.from_numpy(problem.everything.codes[:7])
    assert torch.allclose(plain_forward(network)(codes), network(codes), atol=1e-5)


def test_a_ratio_is_of_slow_to_fast_and_the_two_alternate():
    order, now = [], [0.0]

    def work(name, seconds):
        order.append(name)
        now[0] += seconds

    found = ratios(lambda: work("slow", 6.0), lambda: work("fast", 2.0), 2, lambda: now[0])
    assert order == ["fast", "slow", "slow", "fast"]
    assert found == [3.0, 3.0]


def test_a_result_has_the_median_and_the_extremes():
    assert result("x", [3.0, 1.0, 2.0], agrees=True).to_dict() == {
        "name": "x", "ratio": 2.0, "low": 1.0, "high": 3.0, "agrees": True
    }  # fmt: skip


def test_some_are_measured_anew_and_the_others_stay(tmp_path):
    path = tmp_path / "benchmarks.json"
    first, second, later = (result(name, [value], True) for name, value in (("a", 1.0), ("b", 2.0), ("a", 3.0)))
    save([first, second], path)
    save([later], path, keep=True)
    found = json.loads(path.read_text())
    assert [(each["name"], each["ratio"]) for each in found["results"]] == [("b", 2.0), ("a", 3.0)]
    assert f"| `b` | 2 | 2 to 2 | agree | {found['results'][0]['measured']} |" in page(found)
    save([later], path)
    assert len(json.loads(path.read_text())["results"]) == 1


@pytest.mark.parametrize("text", ["", "[]", '{"results": [{"name": "a"}]}'])
def test_what_is_no_file_of_benchmarks_is_left_alone_before_anything_is_measured(tmp_path, text):
    path = tmp_path / "mine.json"
    path.write_text(text)
    with pytest.raises(InputError, match="holds no benchmarks"):
        check_place(path, keep=True)
    assert path.read_text() == text


def test_pictures_are_many_times_faster_than_one_at_a_time():
    (found,) = run_benchmarks(["data"], rounds=3)
    assert found.agrees
    assert found.high > 10


def test_unknown_benchmarks_get_the_nearest():
    with pytest.raises(InputError, match="did you mean 'data'"):
        run_benchmarks(["dta"])


def test_operations_of_a_light_network_are_those_of_its_definition():
    """Three passes of every 3 x 3 convolution; less is computed in one of them, and it is told so again afterwards."""
    work = Training(models.diffusion(width=8), 16, 6, 4)
    fine, coarse, least = (2 * 9 * 4 * side**2 for side in (8, 4, 2))  # for each pair of channels, in one pass
    forward = fine * (4 * 8 + 8 * 8 + 8 * 8 + 24 * 8 + 8 * 8 + 8 * 4)
    forward += coarse * (8 * 16 + 16 * 16 + 32 * 16 + 16 * 16) + least * 2 * 16 * 16
    convolved = 3 * forward - fine * 4 * 8  # what the pictures themselves would have to change is not asked for
    assert convolved < work.operations < 1.5 * convolved  # pointwise maps, attention and what blocks are told
    assert work.stepper.objective.network.denoiser.up[1].doubled == 16
    with FlopCounterMode(display=False) as counted, sdpa_kernel(SDPBackend.MATH):
        work.step()
    sums = 2 * 2 * 24 * 8 * 9 * 16  # of the kernel's numbers, there and back
    saved = 3 * fine * 16 * 8 * 5 / 9 - sums
    assert work.operations - counted.get_total_flops() == pytest.approx(saved)
