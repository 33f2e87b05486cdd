"""Tuples of pictures: which pictures may be drawn, and canvases against a plain loop."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.core.errors import InputError
from recombine.data.component_pictures import ComponentPictures
from recombine.data.image_components import Gallery, augmented, per_combination
from recombine.data.image_sets import ImageSet, load_images

GRIDS = [(9, 9), (2, 6, 6)]


def gallery(levels: tuple[int, ...], seed: int = 0, per_category: int = 40, shuffle: bool = False) -> Gallery:
    return Gallery(load_images("digits"), levels, seed, per_category, shuffle)


def grid(levels: tuple[int, ...]) -> np.ndarray:
    return np.stack(np.unravel_index(np.arange(np.prod(levels)), levels), axis=1)


def coloured(sides: tuple[int, int]) -> ImageSet:
    """Three classes of eight colour pictures, no two pixels alike."""
    pictures = np.random.default_rng(5).random((24, 3, *sides), dtype=np.float32)
    return ImageSet("made", pictures, np.arange(24) % 3, (0.1, 0.2, 0.3), (0.5, 0.25, 2.0), "made here")


@given(
    levels=st.lists(st.integers(1, 10), min_size=1, max_size=3).map(tuple), seed=st.integers(0, 99), more=st.booleans()
)
@settings(deadline=None, max_examples=25)
def test_every_picture_of_a_level_is_for_training_or_held_out_and_never_both(levels, seed, more):
    made = gallery(levels, seed, per_category=150 if more else 3)
    for component, count in enumerate(levels):
        assert sorted(made.categories[component]) == list(range(count))  # the first n classes
        for level in range(count):
            train, held_out = (made.pools[which][component][level] for which in ("train", "held-out"))
            assert len(train) == (150 if more else 3)
            assert not set(train) & set(held_out)
            of_class = np.flatnonzero(made.images.labels == made.categories[component][level])
            assert sorted([*train, *held_out]) == of_class.tolist()


@pytest.mark.parametrize("levels", GRIDS)
@pytest.mark.parametrize("which", ["train", "held-out"])
def test_every_tuple_shows_its_combination_with_pictures_of_its_pool(levels, which):
    made, combinations = gallery(levels, seed=3), grid(levels)
    drawn = made.tuples(combinations, which, 7, np.random.default_rng(1))
    assert drawn.shape == (7 * len(combinations), len(levels))
    for row, combination in zip(drawn, np.repeat(combinations, 7, axis=0), strict=True):
        for component, level in enumerate(combination):
            assert made.images.labels[row[component]] == made.categories[component][level]
            assert row[component] in made.pools[which][component][level]


def test_every_picture_of_a_pool_is_drawn():
    """A picture of 100 is missed by 3,000 draws with probability .99^3000, below 1e-13."""
    made = gallery((2, 6, 6), per_category=100)
    for which, share in (("train", 0), ("held-out", 1)):
        drawn = made.tuples(np.array([[1, 0, 5]]), which, 3000, np.random.default_rng(share))
        for component, level in enumerate((1, 0, 5)):
            assert set(drawn[:, component]) == set(made.pools[which][component][level])


def test_components_permute_and_draw_independently():
    made = gallery((9, 9, 9), seed=1)
    assert len({tuple(each.tolist()) for each in made.categories}) == 3
    classes = [np.argsort(each) for each in made.categories]  # the level of each class
    first, second = (set(made.pools["train"][component][classes[component][4]]) for component in (0, 1))
    assert first != second


def test_a_larger_number_of_pictures_contains_a_smaller_one_and_other_components_do_not_matter():
    few, many = gallery((6, 6), seed=2, per_category=10), gallery((6, 3, 9), seed=2, per_category=50)
    assert np.array_equal(few.categories[0], many.categories[0])
    for small, large in zip(few.pools["train"][0], many.pools["train"][0], strict=True):
        assert np.array_equal(small, large[:10])


def test_same_seed_same_draw_whatever_else_was_asked():
    first, second = gallery((2, 6, 6), seed=4), gallery((2, 6, 6), seed=4)
    combinations = grid((2, 6, 6))
    first.training(combinations[:50], total=500)
    first.new_pairings(combinations, count=3)
    assert np.array_equal(first.new_images(combinations, count=5), second.new_images(combinations, count=5))
    assert np.array_equal(first.training(combinations, total=100), second.training(combinations, total=100))
    assert not np.array_equal(
        first.new_images(combinations, count=5), gallery((2, 6, 6), seed=5).new_images(combinations, count=5)
    )
    assert not np.array_equal(first.training(combinations, total=72), first.new_pairings(combinations, count=1))


def test_the_published_numbers_of_tuples():
    """Addition with one anchor: 17 training pairs of 81, 1,176 tuples each; then 100 and 100 for every pair."""
    made, combinations = gallery((9, 9)), grid((9, 9))
    anchored = combinations[(combinations == 4).any(axis=1)]
    assert len(made.training(anchored)) == 17 * 1176
    assert len(made.new_pairings(combinations)) == len(made.new_images(combinations)) == 8100


def test_n_random_classes_are_an_option():
    chosen = [tuple(sorted(gallery((3, 3), seed, shuffle=True).categories[0].tolist())) for seed in range(12)]
    assert len(set(chosen)) > 1
    assert max(map(max, chosen)) > 2
    assert all(len(set(each)) == 3 for each in chosen)


def plain_canvas(images: ImageSet, row: np.ndarray, distance: int) -> np.ndarray:
    """One tuple, pixel by pixel."""
    _, channels, rows, columns = images.pictures.shape
    width = columns + (len(row) - 1) * distance
    canvas = np.empty((len(row) * channels, rows, width))
    for component, picture in enumerate(row):
        for channel in range(channels):
            for r in range(rows):
                for x in range(width):
                    nearest = min(max(x - component * distance, 0), columns - 1)
                    value = images.pictures[picture, channel, r, nearest]
                    canvas[component * channels + channel, r, x] = (value - images.mean[channel]) / images.sd[channel]
    return canvas


@pytest.mark.parametrize("levels", [(3, 2), (2, 3, 3)])
@pytest.mark.parametrize("distance", [0, 5])
def test_canvases_are_those_of_a_plain_loop(levels, distance):
    made = Gallery(coloured((4, 6)), levels, per_category=4)
    drawn = made.new_images(grid(levels), count=2)
    canvases = made.render(drawn, distance)
    assert canvases.dtype == np.float32
    assert canvases.shape == (2 * np.prod(levels), 3 * len(levels), 4, 6 + (len(levels) - 1) * distance)
    for canvas, row in zip(canvases, drawn, strict=True):
        assert canvas == pytest.approx(plain_canvas(made.images, row, distance), abs=1e-5)


@given(distance=st.integers(0, 12), seed=st.integers(0, 99))
@settings(deadline=None, max_examples=20)
def test_a_component_moves_right_and_its_edges_are_repeated(distance, seed):
    made = gallery((2, 6, 6), seed)
    drawn = made.training(grid((2, 6, 6)), total=72)
    apart, together = made.render(drawn, distance), made.render(drawn, 0)
    for c in range(3):
        start, end = c * distance, c * distance + 8
        assert np.array_equal(apart[:, c, :, start:end], together[:, c])
        assert (apart[:, c, :, :start] == together[:, c, :, :1]).all()
        assert (apart[:, c, :, end:] == together[:, c, :, -1:]).all()


@pytest.mark.parametrize("component", [0, 1, 2])
def test_changing_one_component_changes_its_own_channels_only(component):
    made = Gallery(coloured((4, 6)), (3, 3, 3), per_category=4)
    tuples = np.array([[0, 1, 2], [0, 1, 2]])
    tuples[1, component] = 23
    first, second = made.render(tuples, distance=2)
    changed = (first != second).any(axis=(1, 2)).reshape(3, 3)  # components by channels
    assert changed.tolist() == [[c == component] * 3 for c in range(3)]


def test_mnist_5k_gives_the_published_shapes():
    made = ComponentPictures(distance=20).gallery((2, 6, 6), 1)
    canvases = made.render(made.new_images(grid((2, 6, 6)), count=1), 20)
    assert canvases.shape == (72, 3, 28, 28 + 2 * 20)
    assert [len(pool) for pool in made.pools["held-out"][1]] == [300] * 6
    assert ComponentPictures(distance=20).shape(3) == canvases.shape[1:]
    assert ComponentPictures(size=14, distance=5).shape(2) == (2, 14, 19)


def test_black_is_what_a_black_pixel_becomes():
    images = coloured((4, 6))
    dark = ImageSet("dark", np.zeros((6, 3, 4, 6), np.float32), np.arange(6) % 3, images.mean, images.sd, "made here")
    made = Gallery(dark, (3, 2), per_category=1)
    canvas = made.render(np.array([[0, 1]]))[0]
    assert np.array_equal(canvas, np.broadcast_to(made.black[:, None, None], canvas.shape))


def crops(picture: np.ndarray, padding: int, fill: np.ndarray) -> list[bytes]:
    """Every crop and its mirror image, in a plain loop; a picture is (channels, rows, columns)."""
    rows, columns = picture.shape[1:]
    found = []
    for top in range(-padding, padding + 1):
        for left in range(-padding, padding + 1):
            crop = np.tile(fill[:, None, None], (1, rows, columns)).astype(picture.dtype)
            for r in range(rows):
                for x in range(columns):
                    if 0 <= r + top < rows and 0 <= x + left < columns:
                        crop[:, r, x] = picture[:, r + top, x + left]
            found += [crop.tobytes(), crop[:, :, ::-1].tobytes()]
    return found


def test_augmented_pictures_are_crops_and_mirror_images_and_all_of_them_come_up():
    """18 outcomes in 1,000 draws: one is missed with probability 18 (17/18)^1000, below 1e-23."""
    picture = np.random.default_rng(0).random((2, 3, 4), dtype=np.float32)
    fill = np.array([-0.5, 2.0])
    moved = augmented(np.tile(picture, (1000, 1, 1, 1)), np.random.default_rng(1), padding=1, fill=fill)
    assert {each.tobytes() for each in moved} == set(crops(picture, 1, fill))
    assert len(set(crops(picture, 1, fill))) == 18


def test_each_component_is_augmented_on_its_own_with_its_channels_together():
    first, second = np.random.default_rng(0).random((2, 3, 5, 4), dtype=np.float32)
    batch = np.tile(np.concatenate([first, second]), (200, 1, 1, 1))
    moved = augmented(batch, np.random.default_rng(2), components=2, padding=2)
    ways = [crops(picture, 2, np.zeros(3)) for picture in (first, second)]
    places = [(ways[0].index(a.tobytes()), ways[1].index(b.tobytes())) for a, b in moved.reshape(200, 2, 3, 5, 4)]
    assert len({a for a, _ in places}) > 25  # of 50
    assert np.mean([a == b for a, b in places]) < 0.2  # 1 in 50 by chance


def test_augmentation_repeats_with_its_generator_and_can_leave_places_alone():
    batch = np.random.default_rng(0).random((6, 2, 8, 8), dtype=np.float32)
    once, again = (augmented(batch, np.random.default_rng(3)) for _ in range(2))
    assert np.array_equal(once, again)
    still = augmented(batch, np.random.default_rng(3), padding=0)
    for before, after in zip(batch, still, strict=True):
        assert np.array_equal(after, before) or np.array_equal(after, before[..., ::-1])


@pytest.mark.parametrize(
    ("levels", "per_category", "says"),
    [
        ((2, 11), 40, "between 1 and 10 levels"),
        ((), 40, "between 1 and 10 levels"),
        ((0, 3), 40, "between 1 and 10 levels"),
        ((9, 9), 174, "has 174 of class 8; lower it"),
        ((9, 9), 0, "at least 1"),
    ],
)
def test_galleries_that_cannot_be_are_refused(levels, per_category, says):
    with pytest.raises(InputError, match=says):
        gallery(levels, per_category=per_category)


def test_only_the_classes_in_use_need_enough_pictures():
    assert len(gallery((2, 2), per_category=177).pools["held-out"][0]) == 2  # classes 0 and 1 have 178 and 182
    with pytest.raises(InputError, match="has 174 of class 8"):
        gallery((2, 2), per_category=177, shuffle=True)


@pytest.mark.parametrize(
    ("combinations", "which", "count", "says"),
    [
        ([[1, 6, 0]], "train", 1, r"combination \(1, 6, 0\) is not on the grid"),
        ([[0, 0, 0], [0, -1, 0]], "train", 1, r"combination \(0, -1, 0\) is not on the grid"),
        ([[0, 1]], "train", 1, "2 components"),
        ([[0, 1, 1]], "heldout", 1, "did you mean 'held-out'"),
        ([[0, 1, 1]], "train", 0, "count = 0 must be at least 1"),
    ],
)
def test_draws_that_cannot_be_are_refused(combinations, which, count, says):
    with pytest.raises(InputError, match=says):
        gallery((2, 6, 6)).tuples(np.array(combinations), which, count, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"set": "mnist5k"}, "did you mean 'mnist-5k'"),
        ({"size": 0}, "size = 0"),
        ({"distance": -1}, "distance = -1"),
        ({"per_category": 0}, "per_category = 0"),
    ],
)
def test_sources_that_cannot_be_are_refused(settings, says):
    with pytest.raises(InputError, match=says):
        ComponentPictures(**settings)


def test_other_nonsense_is_refused():
    with pytest.raises(InputError, match="10 tuples in all cannot give each of 17"):
        per_combination(10, 17)
    with pytest.raises(InputError, match="distance = -1"):
        gallery((2, 2)).render(np.array([[0, 1]]), distance=-1)
    batch, rng = np.zeros((1, 4, 8, 8), np.float32), np.random.default_rng(0)
    with pytest.raises(InputError, match="4 channels cannot be shared equally by 3"):
        augmented(batch, rng, components=3)
    with pytest.raises(InputError, match="padding = -1"):
        augmented(batch, rng, padding=-1)
