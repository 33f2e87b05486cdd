"""What is expected of networks: a failure that is built into a training set is named, and other cases are plain."""

import json
import math
import re

import numpy as np
import pytest

import recombine as rc
from recombine.core.errors import InputError
from recombine.core.failures import Failure
from recombine.studies.features import features, network
from recombine.studies.kernel_forecasting import by_kernels
from recombine.studies.outlook import networks_of, outlook, plain
from recombine.theory.calibration import Calibration
from recombine.theory.outlook import Expectation, Expected, Outlook, in_order


def failing(problem, loss="mse"):
    """The outlook by a calibration that expects all networks to fail."""
    found = by_kernels(problem)
    names = tuple(features(problem, None, loss, found)["ood"])
    always = Calibration(names, np.eye(3, len(names)), np.full(3, -0.5), 1.0, 0.01, 0.01, ("mlp",) * 3)
    return outlook(problem, found, rc.models.parse("mlp-decoder"), loss, calibration=always)


BUMP = rc.tasks.bump(n=8)
HOLE = rc.splits.block(x=(2, 6), y=(3, 6))


@pytest.mark.parametrize(
    ("problem", "failure"),
    [
        (rc.Problem(BUMP, HOLE), Failure.SUPERPOSITION),
        (rc.Problem(BUMP, rc.splits.extrapolation(of=rc.splits.band(factor="x", low=2, high=4))), Failure.UNSEEN_LEVEL),
        (rc.Problem(BUMP, HOLE, isolated=("y", "x"), examples=0), Failure.NO_COMPOSITIONAL_EXAMPLE),
        (rc.Problem(BUMP, rc.splits.diagonal(width=0)), Failure.TOO_LITTLE_OVERLAP),
        (rc.Problem(rc.tasks.bump(n=20), rc.splits.block(x=(4, 16), y=(4, 16))), Failure.SUPERPOSITION),
        (rc.Problem(BUMP, rc.splits.random(fraction=0.6, seed=3)), Failure.TOO_LITTLE_DATA),
        (rc.Problem(rc.tasks.equivalence(), rc.splits.dispersed(partners=2)), Failure.TOO_LITTLE_DATA),
        (rc.Problem(rc.tasks.addition(), rc.splits.anchors(first=(4,), second=(4,))), Failure.LEAK),
        (rc.Problem(rc.tasks.context(), rc.splits.block(feature1=(0, 3), feature2=(3, 6))), Failure.SHORTCUT),
        (rc.Problem(rc.tasks.equivalence(), rc.splits.anchors(first=(0, 2), second=(0, 2))), Failure.NOT_ADDITIVE),
    ],
    ids=lambda value: str(value) if isinstance(value, Failure) else "",
)
def test_a_failure_that_was_built_in_is_named_first(problem, failure):
    found = failing(problem)
    assert found.failure == failure
    assert all(each.text and each.evidence for each in found.failures)
    assert f"expected failure: {failure}" in found.verdict


def test_what_should_compose_has_no_failure():
    found = by_kernels(rc.Problem(BUMP, HOLE))
    names = tuple(features(rc.Problem(BUMP, HOLE), None, "mse", found)["ood"])
    always = Calibration(names, np.eye(3, len(names)), np.full(3, 0.99), 1.0, 1e-4, 1e-4, ("mlp",) * 3)
    told = outlook(rc.Problem(BUMP, HOLE), found, None, calibration=always)
    assert told.composes is True
    assert told.failures == ()
    assert told.verdict.startswith("Should compose: held-out performance 0.99")


def test_every_section_has_a_number_inside_its_interval():
    told = rc.forecast(rc.Problem(rc.tasks.sum_of_stripes(n=8), HOLE), model="mlp-decoder").outlook
    assert {each.name for each in told.sections} == {"ood", "rim"}
    for each in told.sections:
        assert -1 <= each.low <= each.expected <= each.high <= 1
    json.dumps(told.to_dict(), allow_nan=False)


def test_without_a_model_it_is_over_the_networks_of_the_family():
    problem = rc.Problem(rc.tasks.addition(), rc.splits.anchors(first=(4,), second=(4,)))
    found = by_kernels(problem)
    told = features(problem, None, "mse", found)["ood"]
    names = tuple(told)
    rich = {**told, **network(rc.models.mlp(scale=0.1), "mse")}
    rows = np.array([[told[name] for name in names], [rich[name] for name in names]])
    known = Calibration(names, rows, np.array([0.2, 0.8]), 0.1, 1.0, 1e-6, ("mlp", "mlp"))
    assert networks_of(known, problem) == {
        "mlp": network(rc.models.mlp(), "mse"),
        "mlp, rich": network(rc.models.mlp(scale=0.1), "mse"),
    }
    both = outlook(problem, found, None, calibration=known)
    assert both.held_out.expected == pytest.approx(0.5, abs=1e-3)
    assert {each.name: round(each.expected, 2) for each in both.networks} == {"mlp": 0.2, "mlp, rich": 0.8}
    assert outlook(problem, found, rc.models.mlp(), calibration=known).held_out.expected == pytest.approx(0.2, abs=1e-3)


def test_where_networks_differ_the_verdict_says_so_and_does_not_decide_for_all():
    apart = (Expectation("one", -0.5, -0.7, -0.3), Expectation("other", 0.95, 0.92, 1.0))
    told = Outlook((Expectation("ood", 0.2, -0.8, 0.85),), (), True, networks=apart)
    assert (told.depends, told.composes) == (True, None)
    assert told.verdict.startswith("May or may not compose (it depends on the network): held-out performance 0.20")
    assert "by network from -0.50 (one) to 0.95 (other)" in told.verdict
    assert [each["name"] for each in told.to_dict()["networks"]] == ["one", "other"]
    alike = Outlook((Expectation("ood", 0.2, 0.1, 0.3),), (), True, networks=(apart[0], apart[0]))
    assert (alike.depends, alike.composes) == (False, False)


def test_stripes_divide_networks_and_it_is_said():
    stripes = rc.Problem(rc.tasks.bump(n=12), rc.splits.block(x=(3, 9), y=(3, 9)), isolated=("x", "y"))
    told = rc.forecast(stripes).outlook
    by_name = {each.name: each for each in told.networks}
    assert told.depends
    assert by_name["cnn-decoder"].expected > by_name["mlp-decoder"].expected + 0.5
    own = rc.forecast(stripes, {"kind": "mlp-decoder", "depth": 2}).outlook
    assert own.networks == ()
    assert own.held_out.expected == pytest.approx(by_name["mlp-decoder, deep"].expected)


@pytest.mark.parametrize(
    ("task", "kinds"),
    [
        (rc.tasks.locate(n=12), {"mlp", "mlp-decoder", "feedforward"}),  # reads pictures, and draws none
        (rc.tasks.bump(n=9), {"mlp-decoder", "forced-rendering"}),  # 9 cannot be halved
        (rc.tasks.bump(n=8), {"mlp-decoder", "forced-rendering", "cnn-decoder"}),
    ],
    ids=["locate", "bump of 9", "bump of 8"],
)
def test_only_networks_that_can_be_trained_on_the_problem_are_asked(task, kinds):
    told = rc.forecast(rc.Problem(task, rc.splits.block(x=(3, 5), y=(3, 5)))).outlook
    assert {each.name.partition(",")[0] for each in told.networks} == kinds
    assert not any("logistic" in each.name for each in told.networks)


def test_every_sort_of_network_is_asked_with_its_own_loss():
    problem = rc.Problem(rc.tasks.context(), rc.splits.block(feature1=(0, 3), feature2=(3, 6)))
    found = by_kernels(problem)
    by_name = {each.name: each.expected for each in outlook(problem, found).networks}
    for name, loss in (("mlp", "mse"), ("mlp, logistic", "logistic")):
        alone = outlook(problem, found, rc.models.mlp(), loss).held_out.expected
        assert by_name[name] == pytest.approx(alone)


def test_the_outlook_for_a_model_goes_by_the_kernels_it_was_scored_with():
    problem, model = rc.Problem(BUMP, HOLE), "mlp-decoder:width=16".partition(":")[0]
    told = outlook(problem, by_kernels(problem), rc.models.parse(model))
    assert rc.forecast(problem, model).outlook.held_out == told.held_out


def notes_of(problem, model="mlp-decoder", performance=0.2, **changed):
    """What is noted where all trials are like ``problem`` but for some features."""
    found = by_kernels(problem)
    told = {**features(problem, rc.models.parse(model), "mse", found)["ood"], **changed}
    names = tuple(told)
    rows = np.tile([told[name] for name in names], (4, 1)) + np.linspace(-1e-3, 1e-3, 4)[:, None]
    known = Calibration(names, rows, np.full(4, performance), 1.0, 0.1, 0.01, models=("mlp-decoder",) * 4)
    return " ".join(outlook(problem, found, rc.models.parse(model), calibration=known).notes)


def test_a_problem_that_is_larger_than_all_trials_is_called_so():
    problem = rc.Problem(BUMP, HOLE)
    kernels = features(problem, None, "mse", by_kernels(problem))["ood"]["kernels"]
    assert notes_of(problem, performance=kernels) == ""
    assert "more than 6 levels of a factor, and this problem has 8" in notes_of(problem, levels=6.0)
    assert "more than 10 training examples, and this problem has 52" in notes_of(problem, examples=1.0)
    rounded = round(math.log10(52), 4) - 1e-3  # as calibrations keep it; trials lie up to 1e-3 above
    assert "training examples" not in notes_of(problem, examples=rounded)


def test_a_network_of_which_there_was_no_trial_is_called_so():
    problem = rc.Problem(BUMP, HOLE)
    assert "no trial" not in notes_of(problem).lower()
    assert "network of kind 'cnn-decoder'; they had mlp-decoder" in notes_of(problem, model="cnn-decoder")


@pytest.mark.parametrize(("gain", "words"), [(0.5, "0.50 better than kernels"), (-0.5, "0.50 worse than kernels")])
def test_where_it_differs_from_kernels_the_trials_say_why(gain, words):
    problem = rc.Problem(BUMP, HOLE)
    kernels = features(problem, None, "mse", by_kernels(problem))["ood"]["kernels"]
    asked = kernels + 0.1  # what kernels reached in the trials
    found = notes_of(problem, performance=asked + gain, kernels=asked)
    assert f"Kernels alone reach {kernels:.2f}" in found
    assert words in found


@pytest.mark.parametrize("split", ["parallel", "digit", "stripes"])
def test_a_note_beside_kernels_is_true_of_the_number(split):
    problem = {
        "parallel": lambda: rc.Problem(rc.tasks.parallel(), rc.splits.random(fraction=0.3)),
        "digit": lambda: rc.Problem(
            rc.tasks.rotated_digit(), rc.splits.extrapolation(of=rc.splits.random(fraction=0.3))
        ),
        "stripes": lambda: rc.Problem(rc.tasks.bump(n=16), rc.splits.block(x=(3, 14), y=(3, 14)), isolated=("x", "y")),
    }[split]()
    told = rc.forecast(problem).outlook
    (note,) = [each for each in told.notes if each.startswith("Kernels alone reach")]
    kernels = float(re.search(r"reach (-?[\d.]+)[;,]", note)[1])
    size, way = re.search(r"did ([\d.]+) (better|worse) than kernels", note).groups()
    explained = kernels + float(size) * (1 if way == "better" else -1)
    off = abs(explained - told.held_out.expected)
    assert ("does not account for" in note) == (off >= max(0.1, abs(told.held_out.expected - kernels) / 2))
    assert f"an expected {told.held_out.expected:.2f}" in note or "does not account" not in note


def test_a_hole_with_few_partners_is_no_thin_sample():
    wide = rc.Problem(rc.tasks.bump(n=20), rc.splits.block(x=(2, 18), y=(2, 18)), isolated=("x", "y"))
    assert failing(wide).failure == Failure.SUPERPOSITION


def test_partners_are_those_of_combinations_whose_levels_are_all_shown():
    digit = rc.Problem(rc.tasks.rotated_digit(), rc.splits.extrapolation(of=rc.splits.random(fraction=0.3)))
    assert [each.failure for each in failing(digit).failures] == [Failure.UNSEEN_LEVEL]


def test_lone_stripes_are_told_apart_by_the_networks_that_can_use_them():
    beside = rc.Problem(BUMP, HOLE, isolated=("y",))
    found = by_kernels(beside)
    told = [features(beside, rc.models.parse(name), "mse", found)["ood"] for name in ("mlp-decoder", "cnn-decoder")]
    assert [each["alone"] for each in told] == [0.5, 0.5]
    assert [each["alone, convolutional"] for each in told] == [0, 0.5]


def test_plain_numbers_are_those_of_the_forecast():
    found = by_kernels(rc.Problem(BUMP, HOLE))
    told = plain(found)
    held_out = [section for section in found.sections if section.name != "id"]
    for section, each in zip(held_out, told.sections, strict=True):
        assert each.expected == pytest.approx(1 - min(section.expected, 2))
        assert each.low <= each.expected <= each.high


def test_failures_come_in_the_order_in_which_they_are_mended():
    found = [Expected(failure, "", {}) for failure in reversed(Failure)]
    assert [each.failure for each in in_order(found)] == list(Failure)


def test_an_interval_that_straddles_the_bound_does_not_decide():
    told = Outlook((Expectation("ood", 0.9, 0.7, 1.0),), (), True)
    assert told.composes is None
    assert Outlook((Expectation("ood", 0.5, 0.2, 0.8),), (), True).composes is False


def test_nothing_is_below_zero_by_a_rounding():
    told = Outlook((Expectation("ood", -0.001, -0.004, 0.3),), (), True)
    assert "held-out performance 0.00 (0.00 to 0.30;" in told.verdict


def test_the_loss_is_told_where_it_matters():
    problem = rc.Problem(rc.tasks.context(), rc.splits.block(feature1=(0, 3), feature2=(3, 6)))
    assert rc.forecast(problem, "mlp", loss="logistic").outlook.loss == "logistic"
    assert rc.forecast(problem).outlook.loss is None  # every sort of network has its own
    assert rc.forecast(rc.Problem(BUMP, HOLE), "mlp-decoder").outlook.loss is None
    with pytest.raises(InputError, match="loss = 'logstic'"):
        rc.forecast(problem, "mlp", loss="logstic")
