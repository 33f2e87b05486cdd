"""Ring measures of layers that are ideal tori, of raw bumps, and of layers that have no rings."""

import numpy as np
import pytest

from recombine.core.errors import InputError
from recombine.measures import clifford_torus, exhibits, measures, ring_torus, torus_distances
from recombine.measures.rings import all_tests

SHAPE = (9, 11)
RING_MEASURES = (
    "torus_orthogonality",
    "torus_parallelism",
    "torus_parallelism_y",
    "ring_angle",
    "ring_residual",
    "ring_distances",
)


@pytest.fixture
def tori(generic):
    """Evidence whose hidden layers are ideal tori, and one that is dead."""
    plain = generic().layers
    hidden = {"probe": clifford_torus(*SHAPE).reshape(99, 4), "solid": ring_torus(*SHAPE).reshape(99, 3)}
    dead = np.full((99, 5), 0.1)
    return generic(layers={"input": plain["input"], **hidden, "dead": dead, "output": plain["output"]})


def test_ideal_tori_are_at_no_distance_from_themselves(tori):
    apart = {name: measures[name](tori) for name in RING_MEASURES[:3]}
    for found in apart.values():
        assert list(found) == [f"{name}-{end}" for name in ("probe", "solid") for end in ("clifford", "ring", "nearer")]
        assert found["probe-clifford"] == pytest.approx(0, abs=1e-5)
        assert found["solid-ring"] == pytest.approx(0, abs=1e-5)
        assert all(
            found[f"{name}-nearer"] == found[f"{name}-ring"] - found[f"{name}-clifford"] for name in ("probe", "solid")
        )
    # Half of the angles of the solid torus are 0 instead of 90.
    assert apart["torus_orthogonality"]["probe-ring"] == pytest.approx(45)
    assert apart["torus_orthogonality"]["solid-clifford"] == pytest.approx(45)
    assert apart["torus_parallelism"]["solid-clifford"] > 10  # x turns its rings, y does not
    assert apart["torus_parallelism_y"]["solid-clifford"] == pytest.approx(0, abs=1e-5)


def test_medians_of_ideal_tori_match_their_closed_forms(tori):
    angle, residual = measures["ring_angle"](tori), measures["ring_residual"](tori)
    pairs = ("x-on-y", "x-on-x", "y-on-y")
    assert list(angle) == [f"{name}-{pair}" for name in ("probe", "solid") for pair in pairs]
    assert [angle[f"probe-{pair}"] for pair in pairs] == pytest.approx([90, 0, 0], abs=1e-5)
    assert [residual[f"probe-{pair}"] for pair in pairs] == pytest.approx([1, 0, 0], abs=1e-9)
    assert [angle["solid-x-on-y"], angle["solid-y-on-y"]] == pytest.approx([45, 0], abs=1e-5)
    turned = np.sin(2 * np.pi * np.arange(1, 11) / 11) ** 2 / 2
    assert residual["solid-x-on-x"] == pytest.approx(np.median(turned))


def test_measures_are_those_of_each_layer_on_the_grid(generic):
    evidence = generic()
    for name in evidence.hidden_layers():
        expected = torus_distances(evidence.on_grid(name))
        for measure, pair in zip(RING_MEASURES[:3], ("x-on-y", "x-on-x", "y-on-y"), strict=True):
            found = measures[measure](evidence)
            for ideal in ("clifford", "ring"):
                assert found[f"{name}-{ideal}"] == expected[f"{pair} angles {ideal}"]


def test_raw_bumps_on_a_torus_look_factorised_before_any_learning(generic):
    """Bumps far apart share no pixels: their rings are orthogonal, of one factor and of both."""
    rows, columns = (np.minimum(k := np.abs(np.subtract.outer(np.arange(n), np.arange(n))), n - k) for n in SHAPE)
    ink = np.einsum("yr,xc->yxrc", np.exp(-(rows**2) / 4), np.exp(-(columns**2) / 4)).reshape(99, 99)
    plain = generic().layers
    evidence = generic(layers={"input": plain["input"], "pixels": ink, "output": plain["output"]})
    found = measures["torus_orthogonality"](evidence)
    assert found["pixels-clifford"] < found["pixels-ring"]
    assert measures["ring_angle"](evidence)["pixels-x-on-x"] > 60
    assert measures["ring_residual"](evidence)["pixels-x-on-x"] > 0.8


@pytest.mark.parametrize("name", RING_MEASURES)
def test_layers_without_rings_are_refused_where_there_are_no_others(generic, name):
    plain = generic().layers
    line = np.outer(np.arange(99.0), np.ones(4))
    layers = {"input": plain["input"], "one": line, "two": np.ones((99, 3)), "output": plain["output"]}
    with pytest.raises(
        InputError, match=r"undefined for every layer there is, first of all for one \(the ring at x = 0 has"
    ):
        measures[name](generic(layers=layers))


def test_histograms_hold_the_shares_of_each_quantity(tori):
    found = exhibits["ring_histograms"](tori)
    pairs = ("x-on-y", "x-on-x", "y-on-y")
    assert list(found) == [f"{each}_probe_{pair}" for pair in pairs for each in ("angles", "residuals", "components")]
    last, first = [0.0] * 17 + [1.0], [1.0] + [0.0] * 17
    assert found["angles_probe_x-on-y"].tolist() == found["components_probe_x-on-y"].tolist() == last
    assert found["residuals_probe_x-on-y"].tolist() == last
    assert found["angles_probe_x-on-x"].tolist() == found["residuals_probe_x-on-x"].tolist() == first
    assert (found["components_probe_x-on-x"] > 0).sum() > 9  # components of parallel circles turn freely


def test_histograms_count_all_angles_of_every_pair(generic):
    evidence = generic()
    found = exhibits["ring_histograms"](evidence)
    for name in evidence.hidden_layers():
        for pair, test in all_tests(evidence.on_grid(name)).items():
            for quantity, values, width in (("angles", test["angles"], 5), ("components", test["components"], 5),
                                            ("residuals", test["residuals"], 1 / 18)):  # fmt: skip
                shares = found[f"{quantity}_{name}_{pair}"].astype(float)
                assert shares.sum() == pytest.approx(1, abs=5e-3)
                assert shares[3] == pytest.approx(((values >= 3 * width) & (values < 4 * width)).mean(), abs=1e-3)
                assert shares[12:].sum() == pytest.approx((values >= 12 * width).mean(), abs=5e-3)


def test_distances_of_components_and_residuals_are_those_of_each_pair(tori, generic):
    ideal = measures["ring_distances"](tori)
    assert {name.partition("-")[0] for name in ideal} == {"probe"}  # compared layers alone
    assert all(ideal[name] == pytest.approx(0, abs=1e-5) for name in ideal if name.endswith("-clifford"))
    assert ideal["probe-x-on-y-components-nearer"] > 20
    evidence = generic()
    found = measures["ring_distances"](evidence)
    for name in evidence.hidden_layers():
        expected = torus_distances(evidence.on_grid(name))
        for pair in ("x-on-y", "x-on-x", "y-on-y"):
            for quantity in ("components", "residuals"):
                clifford, ring = (expected[f"{pair} {quantity} {each}"] for each in ("clifford", "ring"))
                assert found[f"{name}-{pair}-{quantity}-clifford"] == clifford
                assert found[f"{name}-{pair}-{quantity}-nearer"] == ring - clifford
