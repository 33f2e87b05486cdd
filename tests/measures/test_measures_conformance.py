"""What every registered measure must do. Registering one is all it takes to be held to this."""

import dataclasses
import pkgutil
from types import ModuleType

import numpy as np
import pytest

import recombine.measures as package
from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.measures import (
    ComponentEvidence,
    Evidence,
    Measures,
    ModuleEvidence,
    SceneEvidence,
    measures,
    rotation_invariant,
)
from recombine.measures.registry import KINDS

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
    "blend_index",
    "neighbour_order",
    "tuning_one_factor",
    "tuning_additive",
    "stripe_channels",
    "strict_accuracy",
    "near_accuracy",
    "centroid_accuracy",
    "marginal_accuracy",
    "darkest_accuracy",
    "place_error",
    "drawn_status",
    "crossing_ink",
    "stripe_ink",
    "top_four_share",
    "spectral_gap",
    "torus_orthogonality",
    "torus_parallelism",
    "torus_parallelism_y",
    "ring_angle",
    "ring_residual",
    "holes",
    "ring_distances",
    "participation_peak",
    "participation_end",
    "participation_hump",
    "two_circles",
    "denoising_error",
    "bottleneck_share",
    "step_similarity",
]
# Measures of what only a diffusion model has.
OF_DIFFUSION = {"denoising_error", "bottleneck_share", "step_similarity"}
# Measures that look along the second factor alone, or from it at the first, so that it matters which one that is: the
# ring torus has a large and a small circle, and what of x lies outside y is not what of y lies outside x. The other
# choices of points that `holes` looks at begin at a place in grid order.
OF_THE_SECOND = {
    "blend_index",
    "neighbour_order",
    "torus_parallelism",
    "torus_parallelism_y",
    "ring_residual",
    "ring_distances",
    "holes",
}
# Parts of measures that are named after the factors.
EXCHANGED = {"y": "x", "x": "y", "x-on-x": "y-on-y", "y-on-y": "x-on-x"}
PROMISED_OF_COMPONENTS = [
    "id_accuracy",
    "ood_accuracy",
    "familiar_accuracy",
    "id_margin",
    "ood_margin",
    "slope",
    "offset",
    "id_slope",
    "id_mse",
    "ood_mse",
    "additivity_test",
    "additivity_train",
    "additivity_test_only",
    "additivity_held_out",
    "conjunction_shares",
    "salience",
    "salience_2",
    "predicted_slope",
    "slope_error",
    "leak",
    "compositional_gap",
]

PROMISED_OF_MODULES = [
    "cross_talk",
    "path_modularity",
    "newman_q",
    "spectral_score",
    "in_block_share",
    "unit_selectivity",
    "alive_units",
    "alive_share",
    "id_mse",
    "ood_mse",
    "id_nmse",
    "ood_nmse",
    "noise_robustness",
    "noise_robustness_additive",
    "noise_robustness_multiplicative",
    "shift_leak",
    "pruned_shift_leak",
    "scale_leak",
    "pruned_mse",
    "jacobian_cross_talk",
    "linear_takeover",
]

each_measure = pytest.mark.parametrize("measure", measures.for_kind(Evidence), indirect=True)
each_component_measure = pytest.mark.parametrize("measure", measures.for_kind(ComponentEvidence), indirect=True)
each_module_measure = pytest.mark.parametrize("measure", measures.for_kind(ModuleEvidence), indirect=True)


@pytest.fixture
def measure(request):
    return measures[request.param]


@pytest.fixture
def generic(request, generic, diffused):
    """Evidence with nothing special about it, on which the measure that is tested is defined."""
    tested = getattr(request.node, "callspec", None)
    return diffused if tested is not None and tested.params.get("measure") in OF_DIFFUSION else generic


def values(answer):
    return answer if isinstance(answer, dict) else {"": answer}


def test_every_promised_name_is_registered():
    assert set(PROMISED) <= set(measures.for_kind(Evidence))
    assert set(PROMISED_OF_COMPONENTS) <= set(measures.for_kind(ComponentEvidence))
    assert set(PROMISED_OF_MODULES) <= set(measures.for_kind(ModuleEvidence))


def test_every_function_says_what_it_returns():
    for name, measure in measures.items():
        for function in measure.functions.values():
            assert len((function.__doc__ or "").strip().splitlines()[0]) > 20, name


@pytest.mark.parametrize("name", measures)
def test_a_measure_refuses_evidence_of_another_kind(name, generic, decision, modules, scenes):
    said = {
        Evidence: ("pictures", "a task of pictures"),
        ComponentEvidence: ("the answers to a component task", "a component task"),
        ModuleEvidence: ("a network for a task of modules", "a task of modules"),
        SceneEvidence: ("scenes of components", "a task of scenes"),
    }
    assert list(said) == list(KINDS)
    looks_at = " or ".join(said[kind][0] for kind in measures[name].functions)
    for evidence in (generic(), decision(), modules(), scenes()):
        if type(evidence) not in measures[name].functions:
            this_is = said[type(evidence)][1]
            with pytest.raises(InputError, match=f"'{name}' looks at {looks_at}; this is {this_is}, so leave it out"):
                measures.pick(name)(evidence)


def test_no_exported_name_hides_a_module():
    for module in pkgutil.iter_modules(package.__path__):
        # One that nobody has imported yet is no name of the package; a name it would take is.
        assert isinstance(getattr(package, module.name, package), ModuleType), module.name


def test_listings_are_one_line_that_says_something():
    for kind in KINDS:
        for name, line in measures.meanings(kind).items():
            assert 20 < len(line) < 130, name
            assert line.endswith((".", "?")), name
            assert line in measures.summaries()[name]


@each_measure
@pytest.mark.parametrize("periodic", [False, True])
def test_it_answers_in_finite_numbers_by_layer_or_section(measure, generic, periodic):
    evidence = generic(periodic=periodic)
    answer = measure(evidence)
    assert isinstance(answer, float | dict)
    if isinstance(answer, dict):
        steps = [name.removeprefix("noised-") for name in evidence.layers if name.startswith("noised-")]
        names = (*evidence.layers, *evidence.sections, "all", *evidence.denoising, *steps)
        assert answer
        assert {key.partition("-")[0] for key in answer} <= set(names)
        assert list(answer) == sorted(answer, key=lambda key: names.index(key.partition("-")[0]))
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
        {"course": {}},
        {"denoising": {}},
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
        channels=evidence.channels,
        course=evidence.course,
        denoising=evidence.denoising,
    )


def exchanged(answer: dict[str, float]) -> dict[str, float]:
    """The same with the names of x and y exchanged, in parts such as "ood-y" and "layer-x-on-x"."""
    parts = {key: key.partition("-") for key in answer}
    return {f"{name}{dash}{EXCHANGED.get(part, part)}": answer[key] for key, (name, dash, part) in parts.items()}


@pytest.mark.parametrize("measure", sorted(set(measures.for_kind(Evidence)) - OF_THE_SECOND), indirect=True)
@pytest.mark.parametrize("periodic", [False, True])
def test_exchanging_x_and_y_changes_nothing(measure, generic, periodic):
    evidence = generic(periodic=periodic)
    assert evidence.sections["ood"].sum() <= 40  # beyond, which ones are decomposed depends on the order
    assert exchanged(values(measure(transposed(evidence)))) == pytest.approx(values(measure(evidence)), abs=1e-7)


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


def answered(measure, evidence):
    """The values of a measure, or None where it is undefined."""
    try:
        return values(measure(evidence))
    except InputError:
        return None


@each_component_measure
def test_it_answers_in_finite_numbers_on_some_component_task(measure, components):
    found = [answered(measure, components(task)) for task in ("addition", "decision")]
    assert found != [None, None]
    for value in (value for answer in found if answer is not None for value in answer.values()):
        assert type(value) is float
        assert np.isfinite(value)


@each_component_measure
@pytest.mark.parametrize("task", ["addition", "decision"])
def test_it_answers_or_refuses_where_much_of_a_component_task_is_missing(measure, components, task):
    evidence = components(task)
    defined = np.isfinite(evidence.targets)
    nothing, flat = np.zeros_like(defined), np.full_like(evidence.answers, 0.1)
    poor = [
        {"similarities": {}, "familiar": None, "types": {}},
        {"sections": {"id": defined, "ood": nothing}},
        {"sections": {"id": nothing, "ood": defined}},
        {"answers": flat, "similarities": {"dead": np.full((len(flat), len(flat)), 0.1)}},
        {"targets": np.ones_like(evidence.targets)},
    ]
    for change in poor:
        answer = answered(measure, dataclasses.replace(evidence, **change))
        assert answer is None or np.isfinite(list(answer.values())).all()


def arranged(evidence, order=slice(None), components=slice(None), levels=lambda component, level: level):
    """The same evidence with its combinations in another order, its components too, and its levels renamed."""
    columns = np.arange(evidence.combinations.shape[1])[components]
    named = np.vectorize(levels)(np.arange(len(columns)), evidence.combinations)

    def renamed(where, at):
        there = sorted(
            (int(np.flatnonzero(columns == c)[0]), int(levels(c, z))) for c, z in zip(where, at, strict=True)
        )
        return tuple(c for c, _ in there), tuple(z for _, z in there)

    return ComponentEvidence(
        combinations=named[order][:, columns],
        targets=evidence.targets[order],
        answers=evidence.answers[order],
        sections={name: mask[order] for name, mask in evidence.sections.items()},
        familiar=evidence.familiar[order],
        similarities={name: matrix[order][:, order] for name, matrix in evidence.similarities.items()},
        types={renamed(*conjunction): kind for conjunction, kind in evidence.types.items()},
    )


@each_component_measure
@pytest.mark.parametrize("task", ["addition", "decision"])
def test_names_and_orders_of_levels_components_and_combinations_change_nothing(measure, components, task):
    evidence = components(task)
    shuffled = stream(1, "measures", "order").permutation(len(evidence.targets))
    turned = slice(None, None, -1)
    expected = answered(measure, evidence)
    for other in (
        arranged(evidence, levels=lambda component, level: (5 * level + component) % 7 + 10 * component),
        arranged(evidence, components=turned),
        arranged(evidence, order=shuffled),
    ):
        assert answered(measure, other) == (expected and pytest.approx(expected, abs=1e-7))


@each_component_measure
@pytest.mark.parametrize("task", ["addition", "decision"])
def test_it_does_not_write_into_component_evidence(measure, components, task):
    evidence = components(task)
    arrays = [evidence.combinations, evidence.targets, evidence.answers, evidence.familiar]
    for array in (*arrays, *evidence.sections.values(), *evidence.similarities.values()):
        array.setflags(write=False)
    answered(measure, evidence)


@each_component_measure
@pytest.mark.parametrize("task", ["addition", "decision"])
def test_single_precision_is_enough_for_component_tasks(measure, components, task):
    evidence = components(task)
    single = dataclasses.replace(
        evidence,
        targets=evidence.targets.astype(np.float32),
        answers=evidence.answers.astype(np.float32),
        familiar=evidence.familiar.astype(np.float32),
        similarities={name: matrix.astype(np.float32) for name, matrix in evidence.similarities.items()},
    )
    expected = answered(measure, evidence)
    assert answered(measure, single) == (expected and pytest.approx(expected, rel=1e-3, abs=1e-3))


def by_layer(evidence):
    """The keys a measure by layer may have."""
    hidden = [name for name in evidence.layers if name.startswith("layer")]
    return [hidden, [*hidden, "output"]]


@each_module_measure
def test_it_answers_in_finite_numbers_by_layer_or_disturbance(measure, modules):
    evidence = modules()
    answer = measure(evidence)
    amounts = [["0.02", "0.05", "0.1", "0.2", "0.4"], ["0.1", "1", "10", "100", "1000"], ["2", "4", "8"]]
    assert isinstance(answer, float) or list(answer) in [*by_layer(evidence), *amounts]
    for value in values(answer).values():
        assert type(value) is float
        assert np.isfinite(value)


@each_module_measure
def test_it_answers_or_refuses_where_much_of_a_network_is_missing(measure, modules):
    evidence = modules()
    everything, nothing = np.ones(40, dtype=bool), np.zeros(40, dtype=bool)
    flat = {name: np.full_like(rows, 0.1) for name, rows in evidence.layers.items()}
    poor = [
        {"probes": {}, "layers": {}},
        {"weights": (), "layers": {}},
        {"weights": ()},
        {"weights": (evidence.weights[0][:4],), "layers": {}},
        {"weights": tuple(np.zeros_like(matrix) for matrix in evidence.weights)},
        {"weights": (np.zeros_like(evidence.weights[0]), *evidence.weights[1:])},
        {"weights": tuple(np.ones_like(matrix) for matrix in evidence.weights)},
        {"modules_out": np.zeros_like(evidence.modules_out)},
        {"modules_in": np.zeros_like(evidence.modules_in), "modules_out": np.zeros_like(evidence.modules_out)},
        {"modules_in": np.array([1, 1, 1, 2, 2])},
        {"sections": {"id": everything, "ood": nothing}},
        {"sections": {"id": nothing, "ood": everything}},
        {"answers": np.full_like(evidence.answers, 0.1), "layers": flat},
        {"targets": np.zeros_like(evidence.targets)},
        {"probes": {name: np.zeros_like(found) for name, found in evidence.probes.items()}},
    ]
    for change in poor:
        answer = answered(measure, dataclasses.replace(evidence, **change))
        assert answer is None or np.isfinite(list(answer.values())).all()


def rearranged(evidence, items=slice(None), inputs=slice(None), outputs=slice(None), names=(0, 1, 2), hidden=None):
    """The same network with its items, units and modules in another order; ``hidden`` reorders each hidden layer."""
    inner = hidden or [slice(None)] * (len(evidence.layers) - 2)
    units = [inputs, *inner, outputs]
    weights = zip(evidence.weights, units[1:], units[:-1], strict=True)
    layers = zip(evidence.layers.items(), units, strict=True)
    named = np.array(names)
    return ModuleEvidence(
        targets=evidence.targets[items][:, outputs],
        answers=evidence.answers[items][:, outputs],
        sections={name: mask[items] for name, mask in evidence.sections.items()},
        modules_in=named[evidence.modules_in[inputs]],
        modules_out=named[evidence.modules_out[outputs]],
        weights=tuple(matrix[after][:, before] for matrix, after, before in weights),
        layers={name: rows[items][:, order] for (name, rows), order in layers},
        probes={
            name: found[outputs][:, inputs] if name == "sensitivity" else found[items][:, outputs]
            for name, found in evidence.probes.items()
        },
    )


@each_module_measure
def test_orders_of_items_and_units_and_names_of_other_modules_change_nothing(measure, modules):
    evidence = modules()
    rng = stream(2, "measures", "order")
    hidden = [rng.permutation(rows.shape[1]) for name, rows in evidence.layers.items() if name.startswith("layer")]
    for other in (
        rearranged(evidence, items=rng.permutation(40)),
        rearranged(evidence, inputs=rng.permutation(5), outputs=rng.permutation(4)),
        rearranged(evidence, hidden=hidden),
        rearranged(evidence, names=(0, 2, 1)),  # leaks are those of module 0
    ):
        assert values(measure(other)) == pytest.approx(values(measure(evidence)))


@each_module_measure
def test_the_signs_of_hidden_units_change_nothing(measure, modules):
    """A unit that shows the opposite, with opposite weights, is the same unit."""
    evidence = modules()
    signs = [np.ones(5), *(np.resize([1.0, -1.0], width) for width in (8, 3, 7)), np.ones(4)]
    turned = [
        after[:, None] * matrix * before
        for matrix, after, before in zip(evidence.weights, signs[1:], signs[:-1], strict=True)
    ]
    layers = {name: sign * rows for sign, (name, rows) in zip(signs, evidence.layers.items(), strict=True)}
    other = dataclasses.replace(evidence, weights=tuple(turned), layers=layers)
    assert values(measure(other)) == pytest.approx(values(measure(evidence)))


@each_module_measure
def test_it_does_not_write_into_module_evidence(measure, modules):
    evidence = modules()
    arrays = [evidence.targets, evidence.answers, evidence.modules_in, evidence.modules_out, *evidence.weights]
    for group in (evidence.sections, evidence.layers, evidence.probes):
        arrays += group.values()
    for array in arrays:
        array.setflags(write=False)
    measure(evidence)


@each_module_measure
def test_single_precision_is_enough_for_modules(measure, modules):
    evidence = modules()
    single = dataclasses.replace(
        evidence,
        targets=evidence.targets.astype(np.float32),
        answers=evidence.answers.astype(np.float32),
        weights=tuple(matrix.astype(np.float32) for matrix in evidence.weights),
        layers={name: rows.astype(np.float32) for name, rows in evidence.layers.items()},
        probes={name: found.astype(np.float32) for name, found in evidence.probes.items()},
    )
    assert values(measure(single)) == pytest.approx(values(measure(evidence)), rel=1e-3, abs=1e-3)


def test_a_name_is_registered_once_for_each_kind_of_evidence(generic, decision):
    ours = Measures("measure")

    @ours.register("size")
    def of_pictures(evidence: Evidence) -> float:
        """How many pictures there are."""
        return float(len(evidence.targets))

    @ours.register("size")
    def of_components(evidence: "measures.ComponentEvidence") -> float:
        """How many answers there are."""
        return float(evidence.answers.size)

    assert (ours.size(generic()), ours.size(decision())) == (99.0, 30.0)
    assert ours.summaries() == {"size": "How many pictures there are. Or: How many answers there are."}
    assert ours.meanings(ComponentEvidence) == {"size": "How many answers there are."}
    assert ours.for_kind(ComponentEvidence) == ours.for_kind(Evidence) == ("size",)
    with pytest.raises(InputError, match="'size' is registered already for Evidence; choose another name"):
        ours.register("size")(of_pictures)
    with pytest.raises(
        InputError, match="'vague' does not say what it looks at; annotate its first parameter with Evi"
    ):
        ours.register("vague")(lambda evidence: 0.0)
    assert list(ours) == ["size"]


def test_workers_can_tell_a_measure_that_a_script_registered():
    ours = Measures("measure")

    def size(evidence: Evidence) -> float:
        """How many pictures there are."""
        return float(len(evidence.targets))

    size.__module__ = "__main__"
    ours.register("size")(size)
    assert [measure.__module__ for measure in ours.values()] == ["__main__"]
