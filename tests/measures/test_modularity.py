"""Measures of weights against closed forms, plain loops over paths and edges, and the laws of graphs with modules."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.measures import (
    alive_units,
    hidden_modules,
    in_block_shares,
    measures,
    modularity,
    path_cross_talk,
    spectral_score,
    unit_selectivity,
)

INTO, OUT = np.array([0, 1, 1, 2]), np.array([2, 0, 1, 1, 0])  # 4 inputs and 5 outputs of three modules, in any order


def random_layers(seed: int, *widths: int) -> list[np.ndarray]:
    rng = stream(seed, "measures", "layers")
    return [rng.normal(size=(after, before)) for before, after in pairwise(widths)]


def naive_q(matrix: np.ndarray, into: np.ndarray, out: np.ndarray) -> float:
    edges = np.abs(matrix)
    total = edges.sum()
    found = 0.0
    for i, j in product(range(len(out)), range(len(into))):
        if out[i] == into[j]:
            found += edges[i, j] - edges[i].sum() * edges[:, j].sum() / total
    return found / total


def paths(layers: list[np.ndarray], *starts: int) -> list[tuple[tuple[int, ...], float]]:
    """Every path through the layers from these inputs, as its units and its mass."""
    ways = product(starts, *(range(len(matrix)) for matrix in layers))
    return [(way, np.prod([abs(m[b, a]) for m, (a, b) in zip(layers, pairwise(way), strict=True)])) for way in ways]


# One matrix.


@pytest.mark.parametrize(("number", "rows", "columns"), [(2, 1, 1), (2, 3, 2), (3, 1, 4), (5, 2, 3)])
def test_equal_numberhave_one_minus_one_over_their_number(blocks, labelled, number, rows, columns):
    into, out = (columns,) * number, (rows,) * number
    (matrix,) = blocks(into, out, equal=True)
    assert matrix.shape == (number * rows, number * columns)
    assert modularity(matrix, labelled(*into), labelled(*out)) == pytest.approx(1 - 1 / number)


def test_unequal_numberlose_the_sum_of_their_squared_shares(blocks, labelled):
    into, out = (2, 1, 3), (1, 4, 2)
    (matrix,) = blocks(into, out, equal=True)
    shares = np.array([2, 4, 6]) / 12  # of the weight, in each block
    assert modularity(matrix, labelled(*into), labelled(*out)) == pytest.approx(1 - np.square(shares).sum())


@pytest.mark.parametrize("value", [1.0, -0.3])
def test_equal_weights_have_none(value):
    assert modularity(np.full((5, 4), value), INTO, OUT) == pytest.approx(0, abs=1e-12)
    assert modularity(np.full((5, 4), 2), INTO, OUT) == pytest.approx(0, abs=1e-12)  # whole numbers will do


def test_weights_that_all_lead_elsewhere_are_below_chance():
    assert modularity(np.array([[0.0, 1.0], [1.0, 0.0]]), [0, 1], [0, 1]) == pytest.approx(-0.5)


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 999), inputs=st.integers(1, 6), outputs=st.integers(1, 7), modules=st.integers(1, 4))
def test_one_matrix_equals_the_plain_loop_over_its_edges(seed, inputs, outputs, modules):
    rng = stream(seed, "measures", "labels")
    matrix = rng.normal(size=(outputs, inputs))
    into, out = rng.integers(modules, size=inputs), rng.integers(modules, size=outputs)
    q = modularity(matrix, into, out)
    assert q == pytest.approx(naive_q(matrix, into, out), abs=1e-12)
    assert modularity([matrix], into, out) == pytest.approx(q, abs=1e-12)
    if inputs != outputs:
        assert modularity(matrix.T, into, out) == pytest.approx(q, abs=1e-12)
    assert modularity(matrix, (10 - 3 * into).tolist(), (10 - 3 * out).tolist()) == pytest.approx(q, abs=1e-12)


def test_one_matrix_is_the_modularity_of_a_graph_with_arrows_from_inputs_to_outputs():
    networkx = pytest.importorskip("networkx")
    (matrix,) = random_layers(3, 4, 5)
    graph = networkx.DiGraph()
    for i, j in product(range(5), range(4)):
        graph.add_edge(("in", j), ("out", i), weight=abs(matrix[i, j]))
    groups = [
        {("in", j) for j in range(4) if INTO[j] == k} | {("out", i) for i in range(5) if OUT[i] == k} for k in range(3)
    ]
    assert modularity(matrix, INTO, OUT) == pytest.approx(networkx.algorithms.community.modularity(graph, groups))


def test_a_square_matrix_has_outputs_in_rows():
    (matrix,) = random_layers(4, 3, 3)
    into, out = np.array([0, 0, 1]), np.array([0, 1, 1])
    assert modularity(matrix, into, out) == pytest.approx(naive_q(matrix, into, out))
    assert abs(modularity(matrix, into, out) - naive_q(matrix.T, into, out)) > 0.01


# Layers.


def naive_labels(layers, into, out):
    """The best module of every hidden unit, by going through all paths."""
    found = []
    for place in range(1, len(layers)):
        mass = np.zeros((2, len(layers[place - 1]), 3))
        for start in range(len(into)):
            for way, size in paths(layers[:place], start):
                mass[0, way[-1], into[start]] += size
        for unit in range(len(layers[place - 1])):
            for way, size in paths(layers[place:], unit):
                mass[1, unit, out[way[-1]]] += size
        shares = mass / mass.sum(axis=2, keepdims=True)
        found.append((shares[0] * shares[1]).argmax(axis=1))
    return found


@pytest.mark.parametrize("seed", range(4))
def test_hidden_units_belong_where_most_paths_come_from_and_lead_to(seed):
    layers = random_layers(seed, 4, 3, 6, 5)
    ours, theirs = hidden_modules(layers, INTO, OUT), naive_labels(layers, INTO, OUT)
    assert [labels.tolist() for labels in ours] == [labels.tolist() for labels in theirs]


def test_a_layered_graph_counts_the_edges_of_all_layers():
    layers = random_layers(1, 4, 6, 3, 5)
    labels = [INTO, *hidden_modules(layers, INTO, OUT), OUT]
    masses = [np.abs(matrix).sum() for matrix in layers]
    each = [naive_q(matrix, into, out) for matrix, (into, out) in zip(layers, pairwise(labels), strict=True)]
    assert modularity(layers, INTO, OUT) == pytest.approx(np.average(each, weights=masses))
    assert modularity([matrix.T for matrix in layers], INTO, OUT) == pytest.approx(modularity(layers, INTO, OUT))


@pytest.mark.parametrize("number", [2, 3, 4])
def test_equal_modules_kept_apart_in_depth_reach_the_maximum(blocks, labelled, number):
    units = [(each,) * number for each in (1, 3, 2, 2)]
    layers = blocks(*units, equal=True)
    ends = labelled(*units[0]), labelled(*units[-1])
    assert modularity(layers, *ends) == pytest.approx(1 - 1 / number)
    assert path_cross_talk(layers, *ends) == 0
    assert in_block_shares(layers, *ends) == (1, 1, 1)
    assert unit_selectivity(layers, ends[0]) == pytest.approx((1, 1))
    assert spectral_score(layers, ends[0]) == pytest.approx((1, 1))
    assert [labels.tolist() for labels in hidden_modules(layers, *ends)] == [
        labelled(*each).tolist() for each in units[1:-1]
    ]


@pytest.mark.parametrize(("number", "widths"), [(2, (2, 5, 3, 4)), (3, (6, 4, 3)), (4, (4, 32, 7, 32, 8))])
def test_equal_weights_mix_everything(number, widths):
    layers = [np.full((after, before), -0.7) for before, after in pairwise(widths)]
    ends = np.arange(widths[0]) % number, np.arange(widths[-1]) % number
    assert path_cross_talk(layers, *ends) == pytest.approx((number - 1) / number)
    assert modularity(layers, *ends) == pytest.approx(0, abs=1e-12)
    assert spectral_score(layers, ends[0]) == pytest.approx((0,) * (len(widths) - 2), abs=1e-12)
    assert unit_selectivity(layers, ends[0]) == pytest.approx((1 / number,) * (len(widths) - 2))


def test_with_a_unit_per_module_cross_talk_is_what_the_trace_leaves():
    layers = random_layers(2, 3, 7, 5, 3)
    mass = np.abs(layers[2]) @ np.abs(layers[1]) @ np.abs(layers[0])
    assert path_cross_talk(layers, range(3), range(3)) == pytest.approx(1 - np.trace(mass) / mass.sum())


def test_cross_talk_is_the_mass_of_paths_that_leave_their_module():
    layers = random_layers(5, 4, 3, 2, 5)
    every = [(INTO[start], OUT[way[-1]], size) for start in range(4) for way, size in paths(layers, start)]
    between = sum(size for first, last, size in every if first != last)
    assert path_cross_talk(layers, INTO, OUT) == pytest.approx(between / sum(size for _, _, size in every))


def test_selectivity_is_the_largest_share_of_paths_into_a_unit():
    layers = random_layers(6, 4, 3, 6, 5)
    for place, mean in enumerate(unit_selectivity(layers, INTO)):
        mass = np.zeros((len(layers[place]), 3))
        for start in range(4):
            for way, size in paths(layers[: place + 1], start):
                mass[way[-1], INTO[start]] += size
        assert alive_units(layers)[place] == len(mass)
        assert mean == pytest.approx((mass.max(axis=1) / mass.sum(axis=1)).mean())


def test_the_spectral_score_is_the_gap_above_the_smallest_eigenvalues():
    layers = random_layers(7, 4, 9, 8, 5)
    shares = np.abs(layers[0]) @ np.eye(3)[INTO]
    sources = [INTO, (shares / shares.sum(axis=1, keepdims=True)).argmax(axis=1)]
    for matrix, labels, score in zip(layers[:2], sources, spectral_score(layers, INTO), strict=True):
        fed = np.abs(matrix) @ np.eye(3)[labels]
        unit = fed / np.linalg.norm(fed, axis=1, keepdims=True)
        similarity = unit @ unit.T
        root = np.diag(similarity.sum(axis=1) ** -0.5)
        eigenvalues = np.linalg.eigvalsh(np.eye(len(fed)) - root @ similarity @ root)
        assert score == pytest.approx(1 - eigenvalues[2])
        assert eigenvalues[3:] == pytest.approx(1)


def test_in_block_share_counts_squares():
    layers = [np.array([[2.0, 1.0], [1.0, 3.0], [0.0, 1.0]]), np.array([[3.0, 1.0, 0.0], [0.0, 2.0, 2.0]])]
    assert [labels.tolist() for labels in hidden_modules(layers, [0, 1], [0, 1])] == [[0, 1, 1]]
    assert in_block_shares(layers, [0, 1], [0, 1]) == pytest.approx((14 / 16, 17 / 18))


def test_units_that_nothing_reaches_belong_where_they_lead():
    first, last = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]), np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 5.0]])
    (labels,) = hidden_modules([first, last], [0, 1], [0, 1])
    assert labels.tolist() == [0, 1, 1]
    assert modularity([first, last], [0, 1], [0, 1]) == pytest.approx((2 * (1 - 1 / 2) + 7 * (1 - 37 / 49)) / 9)


# Who lives.


def test_units_live_when_their_weights_reach_two_percent_of_the_strongest():
    first = np.array([[3.0, 4.0], [0.0, 5.0], [0.3, 0.4], [0.0, 0.0]])  # norms 5, 5, 0.5 and 0
    second = np.array([[2.0, 0.039, 0.41, 9.0], [0.0, 0.0, 0.0, 0.0]])
    last = np.ones((1, 2))
    assert alive_units([first, second, last]) == (2, 1)  # 10, 0.195, 0.205 and 0; the second layer has one row


@pytest.mark.parametrize("strength", [0.0, 1e-3])
def test_dead_units_do_not_count(strength):
    layers = random_layers(8, 4, 6, 7, 5)
    extra = strength * random_layers(9, 4, 3)[0]
    wider = [np.concatenate([layers[0], extra]), np.concatenate([layers[1], np.ones((7, 3))], axis=1), layers[2]]
    assert alive_units(wider) == alive_units(layers) == (6, 7)
    assert unit_selectivity(wider, INTO) == pytest.approx(unit_selectivity(layers, INTO), rel=5e-3)
    # Their weights go on to living units and say nothing of a module.
    assert spectral_score(wider, INTO) == pytest.approx(spectral_score(layers, INTO))


def test_fewer_living_units_than_modules_have_no_groups():
    layers = [np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1e-3]]), np.ones((2, 3))]
    assert spectral_score(layers, range(3)) == (0,)
    assert spectral_score([np.zeros((4, 3)), np.ones((2, 4))], range(3)) == (0,)
    assert alive_units([np.zeros((4, 3)), np.ones((2, 4))]) == (0,)


# Laws.

widths = st.tuples(st.integers(3, 6), st.integers(2, 9), st.integers(1, 8), st.integers(3, 7))


def everything(layers, into, out):
    """Every number that is read off the weights."""
    return np.concatenate(
        [
            [modularity(layers, into, out), path_cross_talk(layers, into, out)],
            *(in_block_shares(layers, into, out), unit_selectivity(layers, into)),
            *(spectral_score(layers, into), alive_units(layers)),
        ]
    )


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 999), widths=widths)
def test_order_and_sign_of_hidden_units_change_nothing(seed, widths):
    rng = stream(seed, "measures", "order")
    layers = random_layers(seed, *widths)
    into, out = np.arange(widths[0]) % 3, np.arange(widths[-1]) % 3
    orders = [np.arange(widths[0]), *map(rng.permutation, widths[1:-1]), np.arange(widths[-1])]
    turned = [m[after][:, before] for m, (before, after) in zip(layers, pairwise(orders), strict=True)]
    assert everything(turned, into, out) == pytest.approx(everything(layers, into, out))
    flipped = [m * rng.choice([-1.0, 1.0], size=m.shape) for m in layers]
    assert everything(flipped, into, out) == pytest.approx(everything(layers, into, out))


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 999), widths=widths, scales=st.tuples(*[st.sampled_from([1e-200, 1e-3, 0.7, 5.0, 1e200])] * 3)
)
def test_the_scale_of_a_layer_changes_nothing_but_its_part_in_q(seed, widths, scales):
    layers = random_layers(seed, *widths)
    into, out = np.arange(widths[0]) % 3, np.arange(widths[-1]) % 3
    scaled = [scale * m for scale, m in zip(scales, layers, strict=True)]
    assert everything(scaled, into, out)[1:] == pytest.approx(everything(layers, into, out)[1:])
    alike = [scales[0] * m for m in layers]
    assert modularity(alike, into, out) == pytest.approx(modularity(layers, into, out))


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 999), widths=widths)
def test_numbers_stay_within_their_ends(seed, widths):
    layers = random_layers(seed, *widths)
    into, out = np.arange(widths[0]) % 3, np.arange(widths[-1]) % 3
    q, cross_talk, *rest = everything(layers, into, out)
    assert -1 <= q < 1
    assert 0 < cross_talk < 1
    assert all(0 <= share <= 1 + 1e-9 for share in rest[:-2])
    assert all(1 / 3 <= share <= 1 for share in unit_selectivity(layers, into))


units = st.tuples(*[st.integers(1, 4)] * 3)


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 999), sides=st.lists(units, min_size=3, max_size=5))
def test_a_masked_network_is_modular_to_the_last_digit(blocks, labelled, seed, sides):
    layers = blocks(*sides, seed=seed)
    ends = labelled(*sides[0]), labelled(*sides[-1])
    assert path_cross_talk(layers, *ends) == 0
    assert in_block_shares(layers, *ends) == pytest.approx((1,) * len(layers))
    assert unit_selectivity(layers, ends[0]) == pytest.approx((1,) * (len(layers) - 1))
    assert [found.tolist() for found in hidden_modules(layers, *ends)] == [labelled(*s).tolist() for s in sides[1:-1]]
    masses = [
        [np.abs(m[labelled(*after) == k]).sum() for k in range(3)] for m, after in zip(layers, sides[1:], strict=True)
    ]
    shares = [np.square(each).sum() / sum(each) for each in masses]
    assert modularity(layers, *ends) == pytest.approx(1 - sum(shares) / np.sum(masses))


@settings(deadline=None, max_examples=25)
@given(between=st.floats(0.0, 1.0))
def test_cross_talk_of_even_leaks_is_known(blocks, labelled, between):
    """Each layer is (1 − b) I + b J over K modules: path masses have the eigenvalues 1 + (K − 1) b, and 1 − b."""
    layers = blocks((1, 1, 1), (2, 2, 2), (2, 2, 2), (1, 1, 1), between=between, equal=True)
    kept = ((1 - between) / (1 + 2 * between)) ** 3
    assert path_cross_talk(layers, range(3), range(3)) == pytest.approx((1 - kept) * 2 / 3)


# Measures and refusals.


def test_measures_are_the_functions_on_the_weights_of_the_evidence(modules):
    evidence = modules()
    graph = evidence.weights, evidence.modules_in, evidence.modules_out
    cross_talk = path_cross_talk(*graph)
    assert measures["cross_talk"](evidence) == cross_talk
    assert measures["path_modularity"](evidence) == pytest.approx(1 - cross_talk * 3 / 2)
    assert measures["newman_q"](evidence) == modularity(*graph)
    hidden = ("layer0", "layer1", "layer2")
    assert measures["in_block_share"](evidence) == dict(zip((*hidden, "output"), in_block_shares(*graph), strict=True))
    for name, function in (("spectral_score", spectral_score), ("unit_selectivity", unit_selectivity)):
        assert measures[name](evidence) == dict(zip(hidden, function(*graph[:2]), strict=True))
    assert measures["alive_units"](evidence) == {"layer0": 8, "layer1": 3, "layer2": 7}
    assert measures["alive_share"](evidence) == 1


def test_alive_share_is_over_all_hidden_units(modules):
    evidence = modules()
    first = evidence.weights[0].copy()
    first[2:5] = 0
    poorer = modules(weights=(first, *evidence.weights[1:]))
    assert measures["alive_units"](poorer) == {"layer0": 5, "layer1": 3, "layer2": 7}
    assert measures["alive_share"](poorer) == pytest.approx(15 / 18)


def test_jacobian_cross_talk_is_the_reaction_to_inputs_of_other_modules(modules):
    sensitivity = np.zeros((4, 5))
    sensitivity[1, [0, 2]] = 1.0, 3.0  # output 1 is of module 1, as is input 2
    sensitivity[3, 4] = 4.0
    assert measures["jacobian_cross_talk"](modules(probes={"sensitivity": sensitivity})) == pytest.approx(1 / 8)
    with pytest.raises(InputError, match="no output reacts to any input"):
        measures["jacobian_cross_talk"](modules(probes={"sensitivity": np.zeros((4, 5))}))


OF_WEIGHTS = ["cross_talk", "path_modularity", "newman_q", "spectral_score", "in_block_share", "unit_selectivity"]


@pytest.mark.parametrize("name", OF_WEIGHTS)
def test_what_has_no_modules_or_weights_is_refused(modules, name):
    with pytest.raises(InputError, match="has no weights"):
        measures[name](modules(weights=()))
    with pytest.raises(InputError, match="cross-talk is undefined: inputs belong to modules"):
        measures[name](modules(modules_out=np.zeros(4, dtype=int)))


def test_weights_without_a_path_are_refused():
    dead = [np.zeros((3, 4)), np.ones((5, 3))]
    with pytest.raises(InputError, match="cross-talk is undefined: no path leads from an input to an output"):
        path_cross_talk(dead, INTO, OUT)
    with pytest.raises(InputError, match="modularity is undefined: every weight is 0"):
        modularity(np.zeros((5, 4)), INTO, OUT)
    with pytest.raises(InputError, match="in_block_share is undefined: a layer has no weight but 0"):
        in_block_shares(dead, INTO, OUT)
    with pytest.raises(InputError, match="unit_selectivity is undefined: no unit of layer0 lives"):
        unit_selectivity(dead, INTO)
    assert modularity(dead, INTO, OUT) == pytest.approx(0, abs=1e-12)  # the other layer has equal weights


def test_layers_and_labels_that_do_not_fit_are_refused():
    layers = random_layers(0, 4, 3, 5)
    with pytest.raises(
        InputError, match=r"shapes \(5, 4\), .* and modules_in has 3 labels; it must have 4, the module"
    ):
        modularity(np.ones((5, 4)), INTO[:3], OUT)
    with pytest.raises(InputError, match="modules_out has 4 labels; it must have 5, the module of each output unit"):
        path_cross_talk(layers, INTO, OUT[:4])
    with pytest.raises(InputError, match=r"shapes \(3, 4\) and \(3, 4\); each must be \(units, units before\)"):
        spectral_score([layers[0], layers[0]], INTO)
    with pytest.raises(InputError, match="shapes none; give one matrix"):
        alive_units([])
    with pytest.raises(InputError, match="has no hidden layer"):
        alive_units(layers[:1])
    with pytest.raises(InputError, match="weights hold values that are not finite"):
        modularity(np.full((5, 4), np.nan), INTO, OUT)
