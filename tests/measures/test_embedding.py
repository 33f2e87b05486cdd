"""Stripes that run through the hole, stop at its edge, or fade in it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.measures import measures, top_share


def faded(pictures, sections, strength):
    """Stripes whose ink inside the hole is multiplied: level i of x over the rows it is held out with, and so on."""
    held = sections["ood"].reshape(9, 11)
    inside = {"x": held.T[:, :, None], "y": held[:, None, :]}
    return {name: np.where(inside[name], strength, 1.0) * pictures[name] for name in pictures}


@settings(deadline=None, max_examples=20)
@given(strength=st.floats(0, 3), factors=st.sampled_from([("x",), ("y",), ("x", "y")]))
def test_extension_is_the_strength_left_inside_the_hole(from_ink, bumps, full_stripes, sections_of, strength, factors):
    pictures = {name: faded(full_stripes(), sections_of(), strength)[name] for name in factors}
    assert measures["stripe_extension"](from_ink(bumps(), embeddings=pictures)) == pytest.approx(strength)


def test_the_ends_of_the_range(from_ink, bumps, full_stripes, sections_of):
    through = from_ink(bumps(), embeddings=full_stripes())
    stopped = from_ink(bumps(), embeddings=faded(full_stripes(), sections_of(), 0.0))
    assert measures["stripe_extension"](through) == 1
    assert measures["stripe_extension"](stopped) == 0
    # Both have rank one, which is why rank cannot tell them apart.
    assert measures["embedding_top_share"](through) == pytest.approx(1)
    assert measures["embedding_top_share"](stopped) == pytest.approx(1)


def test_a_stripe_laid_across_is_not_a_stripe_along(from_ink, bumps):
    # Pictures of x that lie at a row: the profile along the rows is a peak at that row, not a constant.
    lying = np.zeros((11, 9, 11))
    lying[:, 4, :] = 1  # row 4 is inside the hole; it is held out with x = 3..8
    lying[:, 0, :] = 0.5  # row 0 is trained
    evidence = from_ink(bumps(), embeddings={"x": lying})
    assert measures["stripe_extension"](evidence) == pytest.approx((1 / 5) / (0.5 / 4))


def test_only_levels_that_are_also_trained_count(from_ink, bumps, full_stripes, sections_of):
    # x = 3..8 is held out at every y: those levels have no trained reference, but every y has.
    sections = sections_of(hole=((0, 9), (3, 9)))
    pictures = faded(full_stripes(), sections, 0.5)
    evidence = from_ink(bumps(), sections=sections, embeddings=pictures)
    assert measures["stripe_extension"](evidence) == pytest.approx(0.5)
    lone = from_ink(bumps(), sections=sections, embeddings={"x": pictures["x"]})
    with pytest.raises(InputError, match="no level occurs in both"):
        measures["stripe_extension"](lone)


def test_neither_trained_nor_held_out_positions_are_not_read(from_ink, bumps, full_stripes, sections_of):
    sections = sections_of()
    unread = np.zeros((9, 11), dtype=bool)
    unread[:, 5] = unread[1] = True
    sections = {name: mask & ~unread.ravel() for name, mask in sections.items()}
    pictures = faded(full_stripes(), sections, 0.3)
    pictures = {
        "x": np.where(unread.T[:, :, None], 99.0, pictures["x"]),
        "y": np.where(unread[:, None, :], 99.0, pictures["y"]),
    }
    evidence = from_ink(bumps(), sections=sections, embeddings=pictures)
    assert measures["stripe_extension"](evidence) == pytest.approx(0.3)


def test_top_share_is_the_first_singular_value_over_their_sum():
    rng = stream(0, "measures", "embedding")
    left, right = (np.linalg.qr(rng.normal(size=(n, 3)))[0] for n in (6, 8))
    assert top_share(left @ np.diag([4.0, 3.0, 1.0]) @ right.T) == pytest.approx(0.5)
    assert top_share(np.eye(4, 7)) == pytest.approx(0.25)


def test_the_mean_share_runs_over_both_factors_and_all_levels(from_ink, bumps, full_stripes):
    pictures = full_stripes()
    pictures["y"][:] = np.eye(9, 11)  # nine equal singular values each; nine levels of y, eleven of x
    evidence = from_ink(bumps(), embeddings=pictures)
    assert measures["embedding_top_share"](evidence) == pytest.approx((11 * 1 + 9 * (1 / 9)) / 20)


def test_what_has_no_answer_is_refused(from_ink, bumps, full_stripes):
    for name in ("embedding_top_share", "stripe_extension"):
        with pytest.raises(InputError, match="has no embeddings; use a model that renders each factor"):
            measures[name](from_ink(bumps()))
    blank = full_stripes()
    blank["y"][5] = 0
    with pytest.raises(InputError, match="the picture of y = 5 is all zero"):
        measures["embedding_top_share"](from_ink(bumps(), embeddings=blank))
    with pytest.raises(InputError, match="the picture of y = 5 is zero wherever it was trained"):
        measures["stripe_extension"](from_ink(bumps(), embeddings=blank))


def test_pictures_must_have_a_pixel_per_level(from_ink):
    wide = np.ones((99, 9, 13))
    evidence = from_ink(wide, wide, embeddings={"y": np.ones((9, 9, 13))})
    with pytest.raises(InputError, match="stripes of y are 13 pixels long and the other factor has 11 levels"):
        measures["stripe_extension"](evidence)
