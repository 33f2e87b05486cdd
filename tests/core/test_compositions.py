"""Compositions: their formulas, the same for NumPy and torch, and one of a user's own that works everywhere."""

import numpy as np
import pytest
import torch

from recombine.core.compositions import Composition, compositions, namespace, sigmoid
from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.data import Problem, tasks
from recombine.models import Interface, models
from recombine.training import Plan, Recipe, run

ITEMS, ROWS, COLUMNS = 4, 3, 5
FORMULAS = [
    compositions.addition(),
    compositions.hard(),
    compositions.hard(threshold=0.0),
    compositions.soft(),
    compositions.soft(temperature=5.0),
    compositions.over(),
    compositions.over(opacity="sigmoid"),
]
each_formula = pytest.mark.parametrize("composition", FORMULAS, ids=repr)


def some_parts(composition: Composition, slots: int = 3, spread: float = 1.0) -> list[np.ndarray]:
    """Components of either sign, so that opacities are cut and fronts are empty in some pixels and not in others."""
    rng = stream(slots, "compositions")
    return list(0.5 + spread * rng.normal(size=(slots, ITEMS, ROWS, COLUMNS, composition.channels)))


def logistic(values: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-values))


def brightness(part: np.ndarray) -> np.ndarray:
    return part.sum(axis=-1, keepdims=True)


# Formulas


@pytest.mark.parametrize("slots", [1, 2, 3, 5])
def test_addition_is_the_sum(slots):
    parts = some_parts(compositions.addition(), slots)
    assert compositions.addition().join(parts) == pytest.approx(np.sum(parts, axis=0))


@pytest.mark.parametrize("threshold", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("slots", [1, 2, 4])
def test_hard_shows_the_first_bright_component_pixel_by_pixel(slots, threshold):
    composition = compositions.hard(threshold=threshold)
    parts = some_parts(composition, slots)
    joined = composition.join(parts)
    for place in np.ndindex(ITEMS, ROWS, COLUMNS):
        bright = [part[place] for part in parts[:-1] if part[place].sum() > threshold]
        assert np.array_equal(joined[place], [*bright, parts[-1][place]][0])


@pytest.mark.parametrize("temperature", [0.3, 1.0, 5.0])
def test_soft_weighs_the_front_by_its_brightness(temperature):
    composition = compositions.soft(temperature=temperature)
    front, middle, back = some_parts(composition)
    weight = logistic(temperature * brightness(front))
    assert composition.join([front, back]) == pytest.approx(front * weight + back * (1 - weight))
    behind = composition.join([middle, back])
    assert composition.join([front, middle, back]) == pytest.approx(front * weight + behind * (1 - weight))
    assert composition.join([0 * front, back]) == pytest.approx(back / 2)  # as released: nothing in front halves


def test_a_very_dark_front_is_no_front_for_soft():
    composition = compositions.soft()
    front, back = some_parts(composition, 2)
    assert composition.join([0 * front - 20.0, back]) == pytest.approx(back, abs=1e-20)


@pytest.mark.parametrize("opacity", ["clamp", "sigmoid"])
@pytest.mark.parametrize("slots", [1, 2, 3, 4])
def test_over_weighs_each_colour_by_its_opacity_and_by_what_shines_through_those_in_front(slots, opacity):
    composition = compositions.over(opacity=opacity)
    parts = some_parts(composition, slots)
    through, expected = 1.0, 0.0
    for part in parts:
        alpha = np.clip(part[..., 3:], 0, 1) if opacity == "clamp" else logistic(part[..., 3:])
        expected = expected + through * alpha * part[..., :3]
        through = through * (1 - alpha)
    assert composition.join(parts) == pytest.approx(expected)
    assert composition.join(parts).shape == (ITEMS, ROWS, COLUMNS, 3)


def test_an_opaque_front_hides_and_a_clear_one_does_not_show():
    composition = compositions.over()
    front, back = some_parts(composition, 2)
    opaque, clear = front.copy(), front.copy()
    opaque[..., 3], clear[..., 3] = 1.7, -0.2  # cut to 1 and to 0
    assert np.array_equal(composition.join([opaque, back]), front[..., :3])
    assert composition.join([clear, back]) == pytest.approx(composition.join([back]))


@pytest.mark.parametrize("threshold", [0.0, 0.5])
def test_hard_is_associative(threshold):
    composition = compositions.hard(threshold=threshold)
    front, middle, back = some_parts(composition)
    together = composition.join([front, middle, back])
    assert np.array_equal(together, composition.over(front, composition.over(middle, back)))
    assert np.array_equal(together, composition.over(composition.over(front, middle), back))


def test_over_is_associative():
    """The first two as one component: what they let through together, and the colour they have together."""
    composition = compositions.over()
    front, middle, back = (np.clip(part, 0.05, 0.95) for part in some_parts(composition))
    alpha = 1 - (1 - front[..., 3:]) * (1 - middle[..., 3:])
    as_one = np.concatenate([composition.join([front, middle]) / alpha, alpha], axis=-1)
    assert composition.join([as_one, back]) == pytest.approx(composition.join([front, middle, back]))


def test_only_addition_does_not_care_who_is_in_front():
    for composition in FORMULAS:
        parts = some_parts(composition)
        alike = np.allclose(composition.join(parts), composition.join(parts[::-1]))
        assert alike == (composition.kind == "addition"), composition


def test_compositions_agree_that_are_the_same_function_however_opacity_is_written():
    for first in FORMULAS:
        for second in FORMULAS:
            assert first.agrees(second) == (first == second or first.kind == second.kind == "over")


# Libraries


@each_formula
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_torch_composes_as_numpy_does(composition, dtype):
    parts = [part.astype(dtype) for part in some_parts(composition)]
    with_numpy = composition.join(parts)
    with_torch = composition.join([torch.from_numpy(part) for part in parts])
    assert isinstance(with_torch, torch.Tensor)
    assert with_torch.numpy().dtype == with_numpy.dtype == dtype
    assert with_torch.numpy() == pytest.approx(with_numpy, rel=1e-5, abs=1e-6)


@each_formula
def test_every_pixel_is_composed_on_its_own(composition):
    parts = some_parts(composition)
    whole = composition.join(parts)
    for place in [(0, 0, 0), (3, 2, 4), (1, 0, 3)]:
        assert composition.join([part[place] for part in parts]) == pytest.approx(whole[place])


@pytest.mark.parametrize("kind", ["addition", "hard", "soft"])
def test_one_component_alone_is_the_picture(kind):
    (part,) = some_parts(compositions[kind](), 1)
    assert np.array_equal(compositions[kind]().join([part]), part)


def test_a_sigmoid_of_large_numbers_is_0_or_1_and_of_0_a_half():
    values = np.array([-1e4, -30.0, -1.0, 0.0, 2.0, 1e4])
    assert sigmoid(values)[[0, 3, 5]].tolist() == [0.0, 0.5, 1.0]
    assert sigmoid(values[1:5]) == pytest.approx(logistic(values[1:5]), abs=1e-15)
    assert sigmoid(torch.from_numpy(values)).numpy() == pytest.approx(sigmoid(values))


def test_arrays_know_their_library():
    assert namespace(np.zeros(2)) is np
    assert namespace(torch.zeros(2)) is torch
    assert namespace(torch.nn.Parameter(torch.zeros(2))) is torch


# Components


def a_sprite():
    """Colours with covers of 0, a quarter, three quarters and 1."""
    colour = stream(0, "compositions", "sprite").uniform(size=(1, 2, 4, 3))
    cover = np.tile(np.array([0.0, 0.25, 0.75, 1.0])[:, None], (1, 2, 1, 1))
    return colour, cover


@pytest.mark.parametrize("kind", ["addition", "hard", "soft"])
def test_a_component_without_opacity_is_colour_where_it_covers(kind):
    colour, cover = a_sprite()
    assert np.array_equal(compositions[kind]().component(colour, cover), colour * cover)


def test_a_component_with_opacity_has_its_whole_colour_wherever_it_covers():
    colour, cover = a_sprite()
    made = compositions.over().component(colour, cover)
    assert np.array_equal(made[..., 3:], cover)
    assert np.array_equal(made[..., 1:, :3], colour[..., 1:, :])
    assert not made[..., 0, :].any()  # nothing there: black and clear


@pytest.mark.parametrize(("opacity", "within"), [("clamp", 1e-12), ("sigmoid", 1.01e-4)])
def test_a_component_over_black_is_colour_times_cover(opacity, within):
    colour, cover = a_sprite()
    composition = compositions.over(opacity=opacity)
    assert composition.join([composition.component(colour, cover)]) == pytest.approx(colour * cover, abs=within)


def test_a_sigmoid_opacity_is_the_cover_between_its_ends():
    colour, cover = a_sprite()
    composition = compositions.over(opacity="sigmoid")
    made = composition.component(colour, cover)
    assert np.isfinite(made).all()
    assert composition.alpha(made) == pytest.approx(cover.clip(1e-4, 1 - 1e-4))
    assert composition.alpha(made)[..., 1:3, :] == pytest.approx(cover[..., 1:3, :], abs=1e-12)


@each_formula
def test_what_is_visible_of_a_component_is_what_it_shows_alone_and_its_opacity(composition):
    (part,) = some_parts(composition, 1)
    visible = composition.visible(part)
    assert visible.shape == part.shape
    assert visible[..., :3] == pytest.approx(composition.join([part]))
    if composition.channels == 4:
        assert visible[..., 3:] == pytest.approx(composition.alpha(part))
    assert composition.visible(torch.from_numpy(part)).numpy() == pytest.approx(visible)


def test_the_gradient_of_a_sigmoid_opacity_does_not_vanish_where_a_cut_one_does():
    for opacity, vanishes in (("clamp", True), ("sigmoid", False)):
        composition = compositions.over(opacity=opacity)
        part = torch.tensor([[0.3, 0.6, 0.9, -2.0]], requires_grad=True)
        composition.join([part]).sum().backward()
        assert (part.grad[0, 3] == 0) == vanishes


@each_formula
def test_components_are_the_same_in_torch(composition):
    colour, cover = a_sprite()
    made = composition.component(torch.from_numpy(colour), torch.from_numpy(cover))
    assert made.shape[-1] == composition.channels
    assert made.numpy() == pytest.approx(composition.component(colour, cover))


# Refusals


@each_formula
def test_no_components_are_refused(composition):
    with pytest.raises(InputError, match=f"composition '{composition.kind}' needs at least one component, got none"):
        composition.join([])


def test_a_learned_composition_has_no_formula():
    learned = compositions.learned()
    with pytest.raises(InputError, match="'learned' has no formula; only a model can have it"):
        learned.join(some_parts(compositions.addition(), 2))
    with pytest.raises(InputError, match="'learned' has no formula"):
        learned.over(*some_parts(compositions.addition(), 2))


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"kind": "hard", "threshold": -0.1}, "hard: threshold = -0.1"),
        ({"kind": "soft", "temperature": 0}, "soft: temperature = 0"),
        ({"kind": "over", "opacity": "relu"}, "over: opacity = 'relu'"),
        ({"kind": "learned", "hidden": 0}, "learned: hidden = 0"),
        ({"kind": "addition", "temperature": 1}, "temperature"),
        ("sotf", "did you mean 'soft'"),
    ],
)
def test_bad_settings_are_one_sentence(settings, says):
    with pytest.raises(InputError, match=says):
        compositions.parse(settings)


# One of a user's own


@pytest.fixture
def lighten():
    """A composition that a user's script registers, and that is gone after the test."""

    @compositions.register("lighten")
    class Lighten(Composition):
        """The brighter of the components, channel by channel."""

        def over(self, front, behind):
            return namespace(front).maximum(front, behind)

    yield Lighten
    del compositions._things["lighten"]


def test_a_composition_of_ones_own_draws_a_task_and_joins_a_model(lighten):
    task = tasks.sprites(size=8, count=3, composition="lighten", tests=4)
    problem = Problem(task, support={"kind": "random"}, examples=12)
    assert Problem.read(problem.settings()) == problem
    positions = problem.training_set(0).positions
    parts = task.components(positions, task.composition)
    assert np.array_equal(task.draw(positions), parts.max(axis=0).reshape(12, 8, 24))

    model = models.compositional(family="mlp", width=8, depth=1, composition="lighten")
    network = model.build(Interface(105, (3, 3, 3), (8, 24), slots=3, channels=3), torch.Generator().manual_seed(0))
    codes = torch.from_numpy(problem.everything.codes)
    drawn = network.components(codes).max(dim=0).values
    assert torch.equal(network(codes), drawn.reshape(8, 8, 24))

    outcome = run(Plan(problem, model, Recipe(steps=3, batch=4), 0, ("id_mse", "swap_error")))
    assert set(outcome.measures) == {"id_mse", "swap_error"}
    assert set(outcome.measures["swap_error"]) == {"1", "2", "3"}


def test_it_is_gone_when_it_is_not_registered():
    assert "lighten" not in compositions
    with pytest.raises(InputError, match="composition 'lighten'"):
        tasks.sprites(composition="lighten")


def test_a_name_is_given_once(lighten):
    with pytest.raises(InputError, match="composition 'lighten' is registered already"):
        compositions.register("lighten")(lighten)


def test_a_composition_without_its_methods_is_refused_when_it_is_registered():
    with pytest.raises(InputError, match=r"composition 'half-done' lacks 'over'; a composition must define it"):

        @compositions.register("half-done")
        class HalfDone(Composition):
            """Nothing yet."""

    assert "half-done" not in compositions


@pytest.mark.parametrize("value", [lambda front, behind: front + behind, 3, Composition])
def test_what_is_no_composition_is_told_how_to_become_one(value):
    with pytest.raises(
        InputError, match=r"is no composition; give one of addition, .* @compositions.register"
    ) as caught:
        tasks.sprites(composition=value)
    assert "docs/guide/scenes.md" in str(caught.value)


# Bad ones


@pytest.fixture
def bad():
    """Compositions that make no picture, by what is wrong with them."""

    @compositions.register("cropping")
    class Cropping(Composition):
        """Lit pixels of the front alone: how many there are depends on what it shows."""

        def over(self, front, behind):
            return front[front.sum(-1) > 0]

    @compositions.register("rooted")
    class Rooted(Composition):
        """The root of the sum, which negative colours have not."""

        def over(self, front, behind):
            return (front + behind) ** 0.5

    @compositions.register("missing")
    class Missing(Composition):
        """Not a number wherever the front is lit."""

        def over(self, front, behind):
            return namespace(front).where(front > 0, np.nan, behind)

    @compositions.register("raising")
    class Raising(Composition):
        """Forgets how."""

        def over(self, front, behind):
            raise KeyError("how")

    @compositions.register("silent")
    class Silent(Composition):
        """Returns nothing."""

        def over(self, front, behind):
            return None

    yield
    for name in ("cropping", "rooted", "missing", "raising", "silent"):
        del compositions._things[name]


SHAPE = r"returned {} of shape \(\d+, 3\) for 2 components of shape \(\d, 8, 8, 3\), not {} of shape"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("cropping", SHAPE.format("ndarray", "ndarray")),
        ("missing", r"is nan where the components are \(.*\) and \(.*\), front first"),
        ("raising", r"raised KeyError \('how'\) for 2 components"),
        ("silent", "returned NoneType for 2 components"),
    ],
)
def test_data_of_a_bad_composition_are_refused_in_one_sentence(bad, name, says):
    problem = Problem(tasks.sprites(size=8, composition=name, tests=4), support={"kind": "random"}, examples=4)
    model = models.compositional(family="mlp", width=4, depth=1)
    with pytest.raises(InputError, match=f"^composition '{name}' {says}") as caught:
        run(Plan(problem, model, Recipe(steps=1), 0, ()))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("cropping", SHAPE.format("Tensor", "Tensor")),
        ("rooted", r"is nan where the components are \(.*\) and \(.*\), front first; .* negative ones too"),
        ("missing", "is nan where"),
        ("raising", r"raised KeyError \('how'\) for 2 components"),
        ("silent", "returned NoneType for 2 components"),
    ],
)
def test_models_of_a_bad_composition_are_refused_when_they_are_built(bad, name, says):
    model = models.compositional(family="mlp", width=4, depth=1, composition=name)
    ends = Interface(70, (3, 3), (8, 24), slots=2, channels=3)
    with pytest.raises(InputError, match=f"^composition '{name}' {says}") as caught:
        model.build(ends, torch.Generator().manual_seed(0))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["addition", "hard", "soft", "over"])
def test_trying_a_composition_draws_no_random_number_of_the_weights(name, monkeypatch):
    model = models.compositional(family="mlp", width=4, depth=1, composition=name)
    ends = Interface(70, (3, 3), (8, 24), slots=2, channels=3)
    tried = model.build(ends, torch.Generator().manual_seed(0)).state_dict()
    monkeypatch.setattr("recombine.models.scene_networks.try_composition", lambda *_: None)
    untried = model.build(ends, torch.Generator().manual_seed(0)).state_dict()
    assert all(torch.equal(tried[key], untried[key]) for key in untried)
