"""The bottleneck beside the probe, and the probe at noisy steps, against known ratios and similarities."""

import numpy as np
import pytest

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.measures import measures

share, similarity = measures["bottleneck_share"], measures["step_similarity"]


def rows(features, purpose="rows"):
    return stream(0, "measures", "sampling", purpose).normal(size=(99, features)) + 3


def of(diffused, **hidden):
    """Evidence with these hidden layers; a _ stands for a dash."""
    plain = diffused().layers
    named = {name.replace("_", "-"): layer for name, layer in hidden.items()}
    return diffused(layers={"input": plain["input"], **named, "output": plain["output"]})


@pytest.mark.parametrize("scale", [0.1, 1.0, 4.0])
def test_the_share_is_the_ratio_of_variances(diffused, scale):
    probe = rows(7)
    assert share(of(diffused, bottleneck=scale * probe - 5, probe=probe)) == pytest.approx(scale**2)


def test_units_that_are_dead_count_and_their_number_does_not(diffused):
    """Half of the units dead: half the variance of a unit. The same units twice: the same."""
    probe = rows(7)
    half = np.concatenate([probe, np.ones_like(probe)], axis=1)
    assert share(of(diffused, bottleneck=half, probe=probe)) == pytest.approx(0.5)
    assert share(of(diffused, bottleneck=np.tile(probe, 3), probe=probe)) == pytest.approx(1)
    assert share(of(diffused, bottleneck=np.full((99, 3), 0.1), probe=probe)) == pytest.approx(0)


def test_a_known_ratio(diffused):
    """Of 99 rows in turn -1, 0 and 1, or a third of that: variances 2/3 and 2/27."""
    turns = np.arange(99.0)[:, None] % 3 - 1
    assert share(of(diffused, bottleneck=turns / 3, probe=turns)) == pytest.approx(1 / 9)


def test_a_layer_that_is_turned_moved_and_scaled_is_alike(diffused):
    true = rows(6)
    turned, _ = np.linalg.qr(rows(6, "turned")[:6])
    found = similarity(of(diffused, true=true, noised_3=true, noised_50=2 * true @ turned - 7))
    assert found == pytest.approx({"3": 1.0, "50": 1.0})


def test_layers_that_share_half_of_their_directions(diffused):
    """With orthogonal, equally long columns K is a projection: <K, L> counts the columns that both have."""
    columns, _ = np.linalg.qr(np.concatenate([np.ones((99, 1)), rows(8)], axis=1))
    first = columns[:, 1:5]
    found = similarity(of(diffused, true=first, noised_1=columns[:, 3:7], noised_2=columns[:, 5:9], noised_9=first))
    assert found == pytest.approx({"1": 0.5, "2": 0.0, "9": 1.0}, abs=1e-12)


def test_similarity_is_that_of_kornblith_and_others(diffused):
    """||Y^T X||^2 / (||X^T X|| ||Y^T Y||) of centred columns, by features and not by items."""
    x, y = rows(5), rows(8, "other")
    x, y = x - x.mean(axis=0), y + x @ rows(8, "mix")[:5] / 3
    y = y - y.mean(axis=0)
    expected = np.square(y.T @ x).sum() / np.linalg.norm(x.T @ x) / np.linalg.norm(y.T @ y)
    assert similarity(of(diffused, true=x, noised_500=y)) == pytest.approx({"500": expected})
    assert 0.05 < expected < 0.95


def test_without_such_layers_they_are_undefined(generic, diffused):
    with pytest.raises(InputError, match="step_similarity is undefined: no layer was shown noisy pictures"):
        similarity(generic())
    with pytest.raises(InputError, match="no layer 'bottleneck' in this evidence; only diffusion models have one"):
        share(generic())
    with pytest.raises(InputError, match="no layer 'true'"):
        similarity(of(diffused, noised_5=rows(3)))
    dead = np.full((99, 4), 0.1)
    with pytest.raises(InputError, match="the probe does not vary; check that it is not dead"):
        share(of(diffused, bottleneck=rows(3), probe=dead))
    with pytest.raises(InputError, match="a layer does not vary; check that it is not dead"):
        similarity(of(diffused, true=rows(3), noised_5=dead))
