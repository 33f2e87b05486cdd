"""One kernel for many training sets forecasts what each one's own does, and is computed once."""

import pytest

import recombine as rc
from recombine.data import Problem
from recombine.models import tangent
from recombine.splits import regions
from recombine.studies.advising import advise
from recombine.studies.forecasting import forecast
from recombine.studies.shared_kernel import forecast_again

HOLE = Problem(rc.tasks.bump(n=(7, 8)), regions.block(y=(1, 5), x=(2, 7)))


@pytest.mark.parametrize("isolated", [(), ("y", "x")], ids=["bumps", "and stripes"])
def test_one_kernel_for_many_training_sets_forecasts_as_each_of_its_own(isolated: tuple[str, ...]):
    model = rc.models.mlp_decoder(width=12, depth=1)
    for split in (HOLE.split, regions.corner(y=4, x=3)):
        problem = rc.Problem(HOLE.task, split, isolated=isolated)
        own, shared = forecast(problem, model), forecast_again(problem, model)
        assert "tangent kernel of mlp-decoder" in shared.method
        for one, other in zip(own.sections, shared.sections, strict=True):
            assert other.expected == pytest.approx(one.expected, rel=0.1, abs=1e-3)


def test_a_kernel_is_computed_once_for_a_task_and_a_model(monkeypatch: pytest.MonkeyPatch):
    model, computed = rc.models.mlp_decoder(width=9, depth=1), []
    real = tangent.tangent_kernel
    monkeypatch.setattr(tangent, "tangent_kernel", lambda *a, **k: computed.append(1) or real(*a, **k))
    found = advise(HOLE, model, forecasts=5)
    assert found.forecasts == 5
    assert computed == [1]


def test_tasks_of_symbols_are_forecast_as_ever():
    problem = Problem(rc.tasks.addition(), regions.anchors(first=4, second=4))
    model = rc.models.mlp(width=20)
    assert forecast_again(problem, model).sections == forecast(problem, model).sections
