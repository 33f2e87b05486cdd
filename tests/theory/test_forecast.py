"""A forecast is right on known cases, reads no held-out image, and says what it rests on."""

import json
from time import process_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.theory.additive import additive_fit
from recombine.theory.forecast import (
    Forecast,
    SectionForecast,
    TooLarge,
    _composes,
    _verdict,
    check_size,
    forecast_images,
    tangent_kernels,
)
from recombine.theory.scores import blank_error
from recombine.theory.solve import regress
from recombine.theory.tangent import relu_tangent_kernel

MANY, WIDE = 8, 10  # levels of y and x, and rows and columns of the images
Y, X = np.divmod(np.arange(MANY * WIDE), WIDE)
HOLE = (Y >= 2) & (Y < 6) & (X >= 3) & (X < 8)
SECTIONS = {"id": ~HOLE, "ood": HOLE, "left": HOLE & (X < 5)}
CODES = np.concatenate([np.eye(MANY)[Y], np.eye(WIDE)[X]], axis=1)
KERNEL = {"linear": lambda a, b: a @ b.T}


def profile(count: int) -> np.ndarray:
    return np.exp(-np.square(np.arange(count)[:, None] - np.arange(count)) / 2)


ROW, COLUMN = profile(MANY)[Y][:, :, None], profile(WIDE)[X][:, None, :]
PRODUCT = (ROW * COLUMN).reshape(MANY * WIDE, -1)  # bumps
SUM = (ROW + COLUMN).reshape(MANY * WIDE, -1)  # crosses


def forecast(truth=PRODUCT, shown=~HOLE, **changes) -> Forecast:
    """A forecast of bright images on one-hot codes, trained on the combinations shown."""
    arguments = {
        "codes": CODES,
        "train": CODES[shown],
        "train_targets": truth[shown],
        "truth": truth,
        "sections": SECTIONS,
        "blank": 0.0,
        "dark": False,
        "image": (MANY, WIDE),
        "grid": (MANY, WIDE),
    }
    return forecast_images(**(arguments | changes))


def names(found: Forecast) -> list[str]:
    return [reason.name for reason in found.reasons]


def section(found: Forecast, name: str) -> SectionForecast:
    return next(each for each in found.sections if each.name == name)


def test_what_is_in_the_training_set_composes():
    found = forecast(shown=np.ones(MANY * WIDE, dtype=bool))
    assert found.composes is True
    assert section(found, "ood").high < 1e-12
    assert section(found, "ood").accuracy == 1.0
    assert names(found) == ["seen"]
    assert found.reasons[0].evidence == {"seen": 20, "held_out": 20}
    assert found.verdict.startswith("Composes in the kernel (lazy) regime")


def test_a_negative_zero_is_the_same_input():
    everything = np.ones(MANY * WIDE, dtype=bool)
    found = forecast(shown=everything, train=np.where(CODES == 0, -0.0, CODES))
    assert names(found) == ["seen"]


def test_bumps_in_a_hole_do_not_compose_because_they_are_superposed():
    found = forecast()
    assert found.composes is False
    assert section(found, "ood").low > 0.3
    assert section(found, "ood").accuracy < 0.5  # the hole is small: its rim is most of it
    assert section(found, "id").expected < 1e-12
    assert section(found, "id").accuracy == 1.0
    assert names(found) == ["superposition"]
    hidden = np.where(HOLE[:, None], np.nan, PRODUCT).reshape(MANY, WIDE, MANY, WIDE)
    additive = additive_fit(hidden, HOLE.reshape(MANY, WIDE)).reshape(PRODUCT.shape)[HOLE]
    evidence = found.reasons[0].evidence
    distance = np.square(found.outputs[HOLE] - additive).sum() / np.square(additive).sum()
    assert evidence["distance"] == pytest.approx(distance)
    assert evidence["distance"] < 0.1
    assert evidence["correlation"] > 0.99
    assert found.verdict.startswith("Does not compose in the kernel (lazy) regime")


def test_images_that_add_up_compose_under_an_additive_kernel():
    found = forecast(truth=SUM, kernels=KERNEL)
    assert found.composes is True
    assert found.outputs == pytest.approx(SUM)
    assert names(found) == ["superposition"]
    assert found.reasons[0].evidence["distance"] == pytest.approx(0.0, abs=1e-12)


def test_expected_low_and_high_follow_from_the_kernels():
    kernels = tangent_kernels()
    found = forecast()
    outputs = [
        regress(kernel(CODES[~HOLE], CODES[~HOLE]), kernel(CODES, CODES[~HOLE]), PRODUCT[~HOLE], bias=True).outputs
        for kernel in kernels.values()
    ]
    errors = [blank_error(each[SECTIONS["left"]], PRODUCT[SECTIONS["left"]], 0.0) for each in outputs]
    assert errors[0] != pytest.approx(errors[1], rel=0.01)
    left = section(found, "left")
    assert left.expected == pytest.approx(np.mean(errors))
    assert (left.low, left.high) == (pytest.approx(0.8 * min(errors)), pytest.approx(1.25 * max(errors)))
    assert found.outputs == pytest.approx(np.mean(outputs, axis=0))
    assert [each.name for each in found.sections] == ["id", "ood", "left"]
    assert all(name in found.method for name in kernels)


def test_the_usual_kernels_are_those_of_networks_with_a_first_bias():
    a, b = stream(0, "a").normal(size=(3, 4)), stream(0, "b").normal(size=(5, 4))
    kernels = tangent_kernels((2,))
    with_one = [np.concatenate([each, np.ones((len(each), 1))], axis=1) for each in (a, b)]
    assert next(iter(kernels.values()))(a, b) == pytest.approx(relu_tangent_kernel(*with_one, depth=2))


@given(seed=st.integers(0, 10**6))
@settings(deadline=None, max_examples=10)
def test_held_out_truth_is_never_read_by_the_prediction(seed):
    plain = forecast()
    unknown = np.where(HOLE[:, None], np.nan, PRODUCT)
    other = np.where(HOLE[:, None], stream(seed, "lies").normal(size=PRODUCT.shape), PRODUCT)
    shared = {"train_targets": PRODUCT[~HOLE]}
    for truth in (unknown, other):
        found = forecast(truth=truth, **shared)
        assert np.array_equal(found.outputs, plain.outputs)
        assert found.reasons == plain.reasons
        assert section(found, "id") == section(plain, "id")
    assert section(forecast(truth=other, **shared), "ood") != section(plain, "ood")


def test_without_the_truth_nothing_is_scored():
    found = forecast(truth=np.where(HOLE[:, None], np.nan, PRODUCT), train_targets=PRODUCT[~HOLE])
    assert found.composes is None
    assert "not known" in found.verdict
    assert np.isnan(section(found, "ood").expected)
    assert section(found, "ood").accuracy is None
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["sections"][1] == {"name": "ood", "expected": None, "low": None, "high": None, "accuracy": None}


def test_polarity_does_not_matter():
    bright, dark = forecast(), forecast(truth=1 - PRODUCT, blank=1.0, dark=True)
    assert 1 - dark.outputs == pytest.approx(bright.outputs)
    assert section(dark, "ood").expected == pytest.approx(section(bright, "ood").expected)
    assert section(dark, "id").accuracy == section(bright, "id").accuracy == 1.0
    assert dark.reasons[0].evidence == pytest.approx(bright.reasons[0].evidence)


def stripes() -> tuple[np.ndarray, np.ndarray]:
    """Codes and images that show one factor alone; the absent factor is a code of zeros."""
    rows = np.repeat(profile(MANY)[:, :, None], WIDE, axis=2).reshape(MANY, -1)
    columns = np.repeat(profile(WIDE)[:, None, :], MANY, axis=1).reshape(WIDE, -1)
    return np.eye(MANY + WIDE), np.concatenate([rows, columns])


@pytest.mark.parametrize("together", [0, 60])
def test_isolated_factors_make_the_forecast_an_upper_bound(together):
    alone_codes, alone_images = stripes()
    shown = np.flatnonzero(~HOLE)[:together]
    found = forecast(
        train=np.concatenate([alone_codes, CODES[shown]]),
        train_targets=np.concatenate([alone_images, PRODUCT[shown]]),
        alone=np.arange(18 + together) < 18,
    )
    assert found.composes is not True
    assert "an upper bound" in found.verdict
    reasons = {reason.name: reason for reason in found.reasons}
    assert ("no compositional example" in reasons) == (together == 0)
    assert reasons["isolated factors"].evidence == {"alone": 18, "examples": 18 + together}
    assert "a trained network may do better" in reasons["isolated factors"].text


def test_a_kernel_that_does_not_fit_its_training_set_is_named():
    found = forecast(kernels=KERNEL)
    reason = found.reasons[-1]
    assert reason.name == "training set not fitted"
    assert reason.evidence["kernel"] == "linear"
    assert reason.evidence["training_nmse"] > 0.05


def scored(ood, left) -> tuple[SectionForecast, ...]:
    ranges = {"id": (0.0, 9.0), "ood": ood, "left": left}
    return tuple(SectionForecast(name, sum(r) / 2, *r, accuracy=None) for name, r in ranges.items())


@pytest.mark.parametrize(
    ("ood", "left", "composes"),
    [
        ((0.0, 0.09), (0.0, 0.09), True),
        ((0.0, 0.09), (0.0, 0.11), None),
        ((0.0, 0.1), (0.0, 0.09), None),
        ((0.3, 9.0), (0.3, 9.0), None),
        ((0.31, 9.0), (0.0, 0.05), False),
        ((0.2, 9.0), (0.5, 9.0), None),
        ((np.nan, np.nan), (0.0, 0.05), None),
    ],
)
def test_the_verdict_rule(ood, left, composes):
    assert _composes(scored(ood, left), bound=False) is composes


def test_a_floor_never_says_that_it_fails():
    assert _composes(scored((0.31, 9.0), (0.31, 9.0)), bound=True) is None
    assert _composes(scored((0.0, 0.09), (0.0, 0.09)), bound=True) is True


@pytest.mark.parametrize("composes", [True, False, None])
@pytest.mark.parametrize("bound", [True, False])
def test_a_verdict_is_one_sentence_about_the_kernel_regime(composes, bound):
    verdict = _verdict(composes, scored((0.2, 0.4), (0.2, 0.4)), bound)
    assert "kernel (lazy) regime" in verdict
    assert "0.30 (0.20 to 0.40" in verdict
    assert verdict.endswith(".")
    assert ("upper bound" in verdict) == (bound and composes is not True)


def test_a_forecast_is_a_json_document_without_images():
    found = forecast()
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert set(document) == {"composes", "verdict", "reasons", "sections", "quantity", "method", "seconds"}
    assert document["quantity"] == "nMSE"
    assert document["sections"][1]["expected"] == section(found, "ood").expected
    assert document["reasons"][0]["name"] == "superposition"
    assert found == forecast()  # neither the images nor the seconds are compared


def test_without_a_grid_or_an_image_it_still_forecasts():
    found = forecast(grid=None, image=None)
    assert found.composes is False
    assert names(found) == []
    assert section(found, "ood").accuracy is None


def test_the_full_size_takes_seconds():
    """N = 28 with a hole of 17 by 17: 495 training images, 784 combinations of 784 pixels."""
    y, x = np.divmod(np.arange(784), 28)
    hole = (y >= 6) & (y < 23) & (x >= 6) & (x < 23)
    codes = np.concatenate([profile(28)[y], profile(28)[x]], axis=1)
    images = (profile(28)[y][:, :, None] * profile(28)[x][:, None, :]).reshape(784, 784)
    sections = {"id": ~hole, "ood": hole}
    arguments = {"dark": False, "image": (28, 28), "grid": (28, 28)}
    start = process_time()
    found = forecast_images(codes, codes[~hole], images[~hole], images, sections, 0.0, **arguments)
    assert process_time() - start < 10  # the promise for every built-in problem
    assert found.composes is False
    assert names(found) == ["superposition"]


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ((10_000, 9_000, 10_000), r"matrices of 10000 x 10000 numbers, 0\.8 GB each; .* use fewer levels or pixels\.$"),
        ((6_000, 6_001, 1), r"6000 combinations by 6001 training examples .* or fewer training `examples`\.$"),
        ((784, 200_000, 784), r"matrices of 200000 x 200000 .* or fewer training `examples`\.$"),
        ((36_001, 10, 1_000), r"matrices of 36001 x 1000 .* use fewer levels or pixels\.$"),
    ],
)
def test_what_would_not_fit_in_memory_is_refused_by_its_numbers(sizes, message):
    with pytest.raises(TooLarge, match=message):
        check_size(*sizes)


def test_sixty_four_levels_each_way_fit():
    check_size(64**2, 64**2, 64**2)
    check_size(6_000, 6_000, 6_000)


def test_arrays_too_large_are_refused_before_a_kernel_is_computed(monkeypatch):
    monkeypatch.setattr("recombine.theory.forecast.LARGEST_MATRIX", 80 * 80 - 1)
    with pytest.raises(TooLarge, match="80 combinations by 60 training examples of 80 pixels"):
        forecast(kernels={"never called": lambda a, b: pytest.fail("a kernel was computed")})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sections": {"id": ~HOLE}}, r"sections \['id'\] lack 'ood'"),
        ({"sections": {"ood": HOLE & False}}, "section 'ood' must be a boolean mask over 80 combinations"),
        ({"image": (7, 7)}, r"image = \(7, 7\) does not have 80 pixels"),
        ({"grid": (8, 9)}, r"grid = \(8, 9\) does not have 80 combinations"),
        ({"kernels": {}}, "0 kernels"),
        (
            {"blank": 1.0, "truth": np.ones((80, 80))},
            "nothing is to be drawn in section 'id': all 60 true images equal the blank value 1",
        ),
        (
            {"kernels": {"short": lambda a, b: np.ones((len(a), 2))}},
            r"kernel 'short' gave arrays of shapes \(60, 2\) and \(80, 2\)",
        ),
    ],
)
def test_bad_input_is_refused(changes, message):
    changes = {"train_targets": PRODUCT[~HOLE]} | changes
    with pytest.raises(InputError, match=message):
        forecast(**changes)


def test_kernels_that_are_known_are_not_asked_again():
    both = {**KERNEL, "square": lambda a, b: np.square(1 + a @ b.T)}
    found = forecast(kernels=both)

    def refuse(a, b):
        raise AssertionError("this kernel was asked again")

    again = forecast(kernels=dict.fromkeys(both, refuse), known=found.answers)
    assert again.sections == found.sections
    assert again.reasons == found.reasons
    fewer = forecast(kernels={"linear": refuse}, known=found.answers)
    assert fewer.sections == forecast(kernels=KERNEL).sections
