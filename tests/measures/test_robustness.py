"""Errors of answers, plain and disturbed, against offsets that were put there; and lines from a waist to answers."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.measures import answer_mse, line_rmse, measures, probe_names

NOISY = {
    "noise_robustness": "poisson",
    "noise_robustness_additive": "additive",
    "noise_robustness_multiplicative": "multiplicative",
}
# The modules of the four outputs are 0, 1, 1 and 2; items 0..23 are trained and 24..35 held out.


def off(evidence, offsets):
    """Answers that miss the targets by an offset per output, on trained items; elsewhere they are far off."""
    return np.where(evidence.sections["id"][:, None], evidence.targets + offsets, 99.0)


@settings(deadline=None, max_examples=25)
@given(gain=st.floats(-2, 3))
def test_a_gain_on_the_targets_leaves_its_squared_distance_from_one(modules, gain):
    evidence = modules()
    evidence = dataclasses.replace(evidence, answers=gain * evidence.targets)
    for section in ("id", "ood"):
        assert measures[f"{section}_nmse"](evidence) == pytest.approx((1 - gain) ** 2, abs=1e-12)
        energy = np.square(evidence.targets[evidence.sections[section]]).mean()
        assert measures[f"{section}_mse"](evidence) == pytest.approx((1 - gain) ** 2 * energy, abs=1e-12)


def test_sections_are_scored_apart_over_items_and_outputs(modules):
    evidence = modules()
    evidence = dataclasses.replace(evidence, answers=off(evidence, [1.0, 2.0, 3.0, 4.0]))
    assert measures["id_mse"](evidence) == pytest.approx(30 / 4)
    held = evidence.sections["ood"]
    assert measures["ood_mse"](evidence) == pytest.approx(np.square(99 - evidence.targets[held]).mean())
    assert answer_mse(evidence, evidence.answers, "id", evidence.modules_out == 1) == pytest.approx(13 / 2)


def test_targets_of_zero_have_no_relative_error(modules):
    with pytest.raises(InputError, match="nMSE is undefined on section 'ood': every target there is 0; use the plain"):
        measures["ood_nmse"](modules(targets=np.zeros((40, 4))))


@pytest.mark.parametrize("name", NOISY)
def test_noise_is_told_by_kind_and_size(modules, name):
    evidence = modules()
    sizes = (0.02, 0.05, 0.1, 0.2, 0.4)
    probes = {probe: np.full((40, 4), np.nan) for probe in probe_names() if not probe.startswith(NOISY[name])}
    for size in sizes:
        probes[f"{NOISY[name]} {size}"] = off(evidence, 10 * size)
    found = measures[name](modules(probes=probes))
    assert found == pytest.approx({f"{size}": 100 * size**2 for size in sizes})


@pytest.mark.parametrize(
    ("name", "probe", "amounts"),
    [
        ("shift_leak", "shift", ("0.1", "1", "10", "100", "1000")),
        ("pruned_shift_leak", "pruned shift", ("0.1", "1", "10", "100", "1000")),
        ("scale_leak", "scale", ("2", "4", "8")),
    ],
)
def test_a_leak_is_the_error_of_all_outputs_but_those_of_module_zero(modules, name, probe, amounts):
    evidence = modules()
    probes = {f"{probe} {amount}": off(evidence, [1e6, 1.0 + place, 2.0, 3.0]) for place, amount in enumerate(amounts)}
    expected = {amount: ((1 + place) ** 2 + 4 + 9) / 3 for place, amount in enumerate(amounts)}
    assert measures[name](modules(probes=probes)) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["shift_leak", "pruned_shift_leak", "scale_leak"])
def test_a_leak_needs_a_place_to_leak_to_and_from(modules, name):
    for change in ({"modules_out": np.zeros(4, dtype=int)}, {"modules_in": np.array([1, 1, 1, 2, 2])}):
        with pytest.raises(InputError, match="a leak is undefined: it goes from an input of module 0 to an output"):
            measures[name](modules(**change))


def test_a_mixed_network_leaks_more_and_more_and_untouched_answers_not_at_all(modules):
    evidence = modules()
    leaks = list(measures["shift_leak"](evidence).values())
    assert measures["id_mse"](evidence) < leaks[1] < leaks[2]
    untouched = {name: evidence.answers for name in evidence.probes if "shift" in name}
    calm = measures["shift_leak"](modules(probes=untouched))
    wrong = answer_mse(evidence, evidence.answers, "id", evidence.modules_out != 0)
    assert calm == dict.fromkeys(calm, wrong)


def test_pruned_answers_are_scored_on_trained_items(modules):
    evidence = modules()
    assert measures["pruned_mse"](modules(probes={"pruned": off(evidence, 0.5)})) == pytest.approx(0.25)


def test_what_was_not_tried_is_refused_by_name(modules):
    for name in (*NOISY, "shift_leak", "pruned_shift_leak", "scale_leak", "pruned_mse", "jacobian_cross_talk"):
        with pytest.raises(InputError, match=r"this evidence has no probe '.*'; disturb the network that way"):
            measures[name](modules(probes={}))


# The line from the waist.


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 999), items=st.integers(3, 30), scale=st.sampled_from([1e-120, 1e-3, 1.0, 1e120]))
def test_the_residual_of_a_line_is_that_of_least_squares(seed, items, scale):
    source, result = stream(seed, "measures", "line").normal(size=(2, items))
    _, (squares,), *_ = np.linalg.lstsq(np.stack([source, np.ones(items)], axis=1), result)
    expected = np.sqrt(squares / items)
    assert line_rmse(source, result) == pytest.approx(expected)
    assert line_rmse(scale * source + 3 * scale, 2 * result - 1) == pytest.approx(2 * expected)


def test_the_ends_of_a_line():
    place = np.arange(12.0)
    assert line_rmse(place, 3 - 2 * place) == pytest.approx(0, abs=1e-12)
    assert line_rmse(np.full(12, 0.1), place) == pytest.approx(place.std())
    # A parabola over evenly spaced points has no line in it: what is left is all of it.
    even = np.linspace(-1, 1, 7)
    assert line_rmse(even, even**2) == pytest.approx((even**2).std())


def waisted(modules, answers, **settings):
    """Evidence whose waist shows the first three coordinates of the inputs, one per module, in the order 2, 0, 1."""
    evidence = modules()
    waist = evidence.layers["input"][:, [2, 0, 1]]
    first, second = (np.zeros_like(evidence.weights[place]) for place in (0, 1))
    # Hidden units 0, 1 and 2 hear an input of module 0, 1 and 2; units 2, 0 and 1 of the waist hear those.
    first[[0, 1, 2], [0, 2, 4]] = 1.0
    second[[1, 2, 0], [0, 1, 2]] = 1.0
    layers = {**evidence.layers, "layer1": waist}
    of_module = {0: waist[:, 1], 1: waist[:, 2], 2: waist[:, 0]}
    weights = (first, second, *evidence.weights[2:])
    return modules(answers=answers(of_module), layers=layers, weights=weights, **settings), of_module


def test_takeover_is_the_worst_line_from_the_unit_of_the_same_module(modules):
    def affine(unit):
        return np.stack([3 * unit[0] + 1, -unit[1], unit[1] - 2, 0.1 * unit[2]], axis=1)

    evidence, _ = waisted(modules, affine)
    assert measures["linear_takeover"](evidence) == pytest.approx(0, abs=1e-12)

    def bent(unit):
        return affine(unit) + np.stack([0 * unit[0], 0 * unit[0], np.sin(unit[1]), 0.2 * unit[2] ** 2], axis=1)

    evidence, unit = waisted(modules, bent)
    trained = evidence.sections["id"]
    lines = [line_rmse(unit[k][trained], y[trained]) for k, y in zip((0, 1, 1, 2), evidence.answers.T, strict=True)]
    assert measures["linear_takeover"](evidence) == pytest.approx(max(lines))
    assert max(lines[2:]) == max(lines) > 0.05
    far = np.where(trained[:, None], evidence.answers, 1e3)  # held-out items are not looked at
    assert measures["linear_takeover"](dataclasses.replace(evidence, answers=far)) == pytest.approx(max(lines))


def test_without_weights_the_units_of_the_waist_are_in_order_of_module(modules):
    evidence = modules(weights=())
    waist = evidence.layers["layer1"]
    exact = np.stack([waist[:, 0], 2 * waist[:, 1], -waist[:, 1], waist[:, 2] + 5], axis=1)
    assert measures["linear_takeover"](dataclasses.replace(evidence, answers=exact)) == pytest.approx(0, abs=1e-12)


def test_a_waist_without_one_unit_per_module_is_refused(modules):
    evidence = modules()
    layers = {**evidence.layers, "layer1": evidence.layers["layer0"], "layer2": evidence.layers["layer2"][:, :4]}
    with pytest.raises(InputError, match="hidden layer, 'layer2', has units of modules 0, 1, 2, 3; use a network with"):
        measures["linear_takeover"](modules(layers=layers, weights=()))
    mixed = list(evidence.weights)
    mixed[1] = mixed[1][[0, 0, 2]]
    with pytest.raises(InputError, match=r"'layer1', has units of modules 0, 0, 2; use .* for each of 3 modules"):
        measures["linear_takeover"](modules(weights=tuple(mixed)))
    with pytest.raises(InputError, match="has no hidden layers"):
        measures["linear_takeover"](modules(layers={}))
