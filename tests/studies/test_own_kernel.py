"""A model's own kernel within seconds: careful where that is cheap, thrifty where not, left out where neither is."""

import numpy as np
import pytest

import recombine as rc
from recombine.studies import kernel_forecasting
from recombine.studies.kernel_forecasting import CAREFUL, THRIFTY, by_kernels, forecast_pictures, model_kernel

HOLE = rc.Problem(rc.tasks.bump(n=(12, 16)), rc.splits.block(y=(3, 9), x=(4, 11)))
CNN = {"kind": "cnn-decoder", "width": 64}


def held_out(found):
    return next(section.expected for section in found.sections if section.name == "ood")


def test_a_small_network_is_asked_carefully_and_nothing_is_said():
    own = model_kernel(HOLE, {"kind": "mlp-decoder", "width": 16}, 0, hurry=True)
    assert own.estimate == CAREFUL
    assert own.reasons(rc.models.mlp_decoder()) == ()
    slow = model_kernel(HOLE, {"kind": "mlp-decoder", "width": 16}, 0)
    codes = HOLE.everything.codes[::7]
    np.testing.assert_array_equal(own(codes, codes), slow(codes, codes))


def test_a_thrifty_estimate_forecasts_within_15_percent_of_the_careful_one(monkeypatch):
    """In eight draws of this problem the thrifty one lay 4 to 10 percent below the mean of three careful ones."""
    careful = forecast_pictures(HOLE, {"own": model_kernel(HOLE, CNN, 0)})
    monkeypatch.setattr(kernel_forecasting, "CAREFUL_UP_TO", 0.0)
    own = model_kernel(HOLE, CNN, 0, hurry=True)
    assert own.estimate == THRIFTY
    assert held_out(forecast_pictures(HOLE, {"own": own})) == pytest.approx(held_out(careful), rel=0.15)
    (reason,) = [each for each in by_kernels(HOLE, CNN).reasons if each.name == "own kernel"]
    assert "estimated with 1 probe and 0.125 of the channels" in reason.text


def test_a_kernel_that_takes_too_long_is_left_out_and_said_to_be(monkeypatch):
    monkeypatch.setattr(kernel_forecasting, "CAREFUL_UP_TO", 0.0)
    monkeypatch.setattr(kernel_forecasting, "THRIFTY_UP_TO", 0.0)
    found, without = by_kernels(HOLE, CNN), by_kernels(HOLE)
    assert found.sections == without.sections
    (reason,) = [each for each in found.reasons if each.name == "own kernel"]
    assert "left out, since it takes too long here" in reason.text
