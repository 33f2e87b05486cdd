"""What every registered measure must do. Registering one is all it takes to be held to this."""

import dataclasses
import pkgutil
from types import ModuleType

import numpy as np
import pytest

import recombine.measures as package
from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.measures import Evidence, measures, rotation_invariant

PROMISED = [
    "id_mse",
    "ood_mse",
    "id_nmse",
    "ood_nmse",
    "interior_nmse",
    "rim_nmse",
    "nmse_by_section",
    "error_plateau",
    "id_accuracy",
    "ood_accuracy",
    "interior_accuracy",
    "rim_accuracy",
    "id_exact",
    "ood_exact",
    "superposition_index",
    "superposition_correlation",
    "truth_correlation",
    "sharer_weight",
    "sharer_chance",
    "superposition_energy",
    "similarity_factorised",
    "similarity_radial",
    "similarity_advantage",
    "similarity_factorised_band1",
    "similarity_advantage_band1",
    "probe_in_sample",
    "probe_held_out",
    "factorisation",
    "factorisation_input",
    "factorisation_fall",
    "factorisation_trend",
    "volume_contrast",
    "volume_contrast_max",
    "volume_contrast_deepest",
    "volume_contrast_trend",
    "participation",
    "embedding_top_share",
    "stripe_extension",
]

each_measure = pytest.mark.parametrize("measure", measures.values(), ids=list(measures))


def values(answer):
    return answer if isinstance(answer, dict) else {"": answer}


def test_every_promised_name_is_registered():
    assert set(PROMISED) <= set(measures)


def test_no_exported_name_hides_a_module():
    for module in pkgutil.iter_modules(package.__path__):
        assert isinstance(getattr(package, module.name), ModuleType), module.name


def test_listings_are_one_line_that_says_something():
    for name, line in measures.summaries().items():
        assert 20 < len(line) < 130, name
        assert line.endswith((".", "?")), name


@each_measure
@pytest.mark.parametrize("periodic", [False, True])
def test_it_answers_in_finite_numbers_by_layer_or_section(measure, generic, periodic):
    evidence = generic(periodic=periodic)
    answer = measure(evidence)
    assert isinstance(answer, float | dict)
    if isinstance(answer, dict):
        assert list(answer) in (list(evidence.layers), list(evidence.sections))
    for value in values(answer).values():
        assert type(value) is float
        assert np.isfinite(value)


@each_measure
def test_it_answers_or_refuses_where_much_is_missing(measure, generic):
    evidence = generic()
    everything, nothing = np.ones(99, dtype=bool), np.zeros(99, dtype=bool)
    flat = {name: np.full_like(rows, 0.1) for name, rows in evidence.layers.items()}
    poor = [
        {"embeddings": {}, "layers": {}},
        {"layers": {"input": evidence.layers["input"], "output": evidence.layers["output"]}},
        {"sections": {"id": everything, "ood": nothing}},
        {"sections": {"id": nothing, "ood": everything}},
        {"layers": flat, "outputs": np.full_like(evidence.outputs, 0.1)},
        {"targets": np.ones_like(evidence.targets)},
    ]
    for change in poor:
        try:
            answer = measure(dataclasses.replace(evidence, **change))
        except InputError:
            continue
        assert np.isfinite(list(values(answer).values())).all()


@each_measure
def test_it_does_not_write_into_the_evidence(measure, generic):
    evidence = generic()
    arrays = [evidence.targets, evidence.outputs]
    for group in (evidence.sections, evidence.layers, evidence.embeddings):
        arrays += group.values()
    for array in arrays:
        array.setflags(write=False)
    measure(evidence)


@each_measure
def test_black_on_white_and_white_on_black_are_the_same(measure, generic):
    assert values(measure(generic(dark=True))) == pytest.approx(values(measure(generic(dark=False))), abs=1e-7)


def transposed(evidence: Evidence) -> Evidence:
    """The same evidence with the names of x and y exchanged, and every picture turned over its diagonal."""

    def turn(array: np.ndarray) -> np.ndarray:
        return array.reshape(*evidence.shape, *array.shape[1:]).swapaxes(0, 1).reshape(array.shape)

    return Evidence(
        shape=evidence.shape[::-1],
        targets=turn(evidence.targets).swapaxes(1, 2),
        outputs=turn(evidence.outputs).swapaxes(1, 2),
        sections={name: turn(mask) for name, mask in evidence.sections.items()},
        dark=evidence.dark,
        layers={name: turn(rows) for name, rows in evidence.layers.items()},
        embeddings={"xy"[name == "x"]: drawn.swapaxes(1, 2) for name, drawn in evidence.embeddings.items()},
        periodic=evidence.periodic,
    )


@each_measure
@pytest.mark.parametrize("periodic", [False, True])
def test_exchanging_x_and_y_changes_nothing(measure, generic, periodic):
    evidence = generic(periodic=periodic)
    assert evidence.sections["ood"].sum() <= 40  # beyond, which ones are decomposed depends on the order
    assert values(measure(transposed(evidence))) == pytest.approx(values(measure(evidence)), abs=1e-7)


@each_measure
def test_single_precision_is_enough(measure, generic):
    evidence = generic()
    single = dataclasses.replace(
        evidence,
        targets=evidence.targets.astype(np.float32),
        outputs=evidence.outputs.astype(np.float32),
        layers={name: rows.astype(np.float32) for name, rows in evidence.layers.items()},
        embeddings={name: drawn.astype(np.float32) for name, drawn in evidence.embeddings.items()},
    )
    assert values(measure(single)) == pytest.approx(values(measure(evidence)), rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("function", rotation_invariant.values(), ids=list(rotation_invariant))
@pytest.mark.parametrize("features", [6, 40])
def test_rotating_feature_space_changes_nothing(function, features):
    rng = stream(0, "measures", "rotation")
    activations = rng.normal(size=(4, 5, features))
    rotation, _ = np.linalg.qr(rng.normal(size=(features, features)))
    assert function(activations @ rotation) == pytest.approx(function(activations))
