"""The error of predicted noise is what was measured of it."""

import pytest

from recombine.core.errors import InputError
from recombine.measures import measures


def test_it_is_what_was_measured_by_set(generic):
    assert measures["denoising_error"](generic(denoising={"shown": 0.25, "new": 0.5})) == {"shown": 0.25, "new": 0.5}
    assert measures["denoising_error"](generic(denoising={"shown": 0.25})) == {"shown": 0.25}


def test_what_is_returned_is_a_copy(generic):
    evidence = generic(denoising={"shown": 0.25})
    measures["denoising_error"](evidence)["shown"] = 9.0
    assert evidence.denoising == {"shown": 0.25}


def test_a_model_that_predicts_no_noise_has_none(generic):
    with pytest.raises(InputError, match="predicts no noise; use a diffusion model"):
        measures["denoising_error"](generic())
