"""A decoder that knows pixels relative to the component: what it draws moves with the component and does not change."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.data import Problem, tasks
from recombine.models import Interface, models
from recombine.models.component_decoders import RelativeDecoder
from recombine.splits import supports
from recombine.studies.training import check_fit

torch.set_num_threads(1)

INPUTS, SIDE, CHANNELS = 6, 10, 4
PLACE = (4, 1, 3)  # how far right, how far up, and one that follows from these


def decoder(reach=(0.4, 0.3)) -> RelativeDecoder:
    torch.manual_seed(3)
    made = RelativeDecoder(INPUTS, width=7, depth=2, maps=5, place=PLACE, side=SIDE, channels=CHANNELS).double()
    with torch.no_grad():
        made.reach.copy_(torch.tensor(reach))
    return made


def some_codes(batch=3):
    return torch.from_numpy(stream(1, "relative").uniform(-1, 1, size=(batch, INPUTS)))


def moved(codes, right=0.0, up=0.0):
    codes = codes.clone()
    codes[:, PLACE[0]] += right
    codes[:, PLACE[1]] += up
    return codes


@torch.no_grad()
def drawn(made, codes):
    return made(codes)


def test_every_pixel_is_drawn_by_the_formula():
    """Pixel by pixel, from its offset to the centre and the rest of the code."""
    made, codes = decoder(), some_codes()
    pictures = drawn(made, codes)
    assert pictures.shape == (3, CHANNELS, SIDE, SIDE)
    for code, picture in zip(codes, pictures, strict=True):
        units = code[[0, 2, 5]]
        for linear in made.hidden:
            units = F.elu(linear(units))
        centre = 0.5 + 0.4 * code[PLACE[0]], 0.5 - 0.3 * code[PLACE[1]]  # row 0 is the top
        for row in range(SIDE):
            for column in range(SIDE):
                offset = torch.stack([(column + 0.5) / SIDE - centre[0], (row + 0.5) / SIDE - centre[1]])
                pixel = F.elu(made.first(units) + made.offset(SIDE / 4 * offset))
                pixel = made.output(F.elu(made.second(pixel)))
                torch.testing.assert_close(picture[:, row, column], pixel.detach())


@pytest.mark.parametrize("pixels", [1, 3, -2])
@pytest.mark.parametrize("reach", [(0.4, 0.3), (0.15, 0.7)])
def test_moving_the_place_by_whole_pixels_shifts_the_picture(pixels, reach):
    made, codes = decoder(reach), some_codes()
    here = drawn(made, codes)
    right = drawn(made, moved(codes, right=pixels / SIDE / reach[0]))
    up = drawn(made, moved(codes, up=pixels / SIDE / reach[1]))
    first, last = (slice(None, -pixels), slice(pixels, None)) if pixels > 0 else (slice(-pixels, None), slice(pixels))
    torch.testing.assert_close(right[..., last], here[..., first])
    torch.testing.assert_close(up[..., first, :], here[..., last, :])
    assert not torch.allclose(right, here)
    assert not torch.allclose(up, here)


def test_both_ways_at_once():
    made, codes = decoder(), some_codes()
    here, there = drawn(made, codes), drawn(made, moved(codes, right=2 / SIDE / 0.4, up=1 / SIDE / 0.3))
    torch.testing.assert_close(there[..., :-1, 2:], here[..., 1:, :-2])


def test_units_know_nothing_of_the_place():
    made, codes = decoder(), some_codes()
    with torch.no_grad():
        here, there = dict(made.stages(codes)), dict(made.stages(moved(codes, 0.3, -0.7)))
    for name in ("layer0", "layer1"):
        assert torch.equal(here[name], there[name])
    assert not torch.allclose(here["maps0"], there["maps0"])


def test_what_follows_from_the_place_is_not_read():
    made, codes = decoder(), some_codes()
    other = codes.clone()
    other[:, PLACE[2]] += 5.0
    assert torch.equal(drawn(made, codes), drawn(made, other))
    other = codes.clone()
    other[:, 2] += 1.0  # a unit of the rest
    assert not torch.allclose(drawn(made, codes), drawn(made, other))


@pytest.mark.parametrize("inputs", ["unit", "fourier"])
def test_it_moves_as_the_sprites_of_the_task_do(inputs):
    """With the reach that sprites have, a sprite that moves by pixels moves by as many in what is drawn."""
    task = tasks.sprites(size=16, count=1, inputs=inputs)
    torch.manual_seed(0)
    network = models.compositional(family="relative", width=6, depth=1, maps=5).decoder(
        task.code(np.zeros((1, 5))).shape[1], (16, 16), 3, task.place
    )
    with torch.no_grad():
        network.reach.copy_(torch.tensor([0.4, 0.3]))
    here = np.array([[0.4, 0.5, 0.8, 0.3, 0.2]])
    there = here + np.array([2 / 16 / 0.8, 1 / 16 / 0.6, 0, 0, 0])  # two pixels to the right and one up
    true = [task.draw(each).reshape(16, 16, 3) for each in (here, there)]
    made = [drawn(network, torch.from_numpy(task.code(each)))[0].permute(1, 2, 0).numpy() for each in (here, there)]
    for before, after in (true, made):
        assert after[:-1, 2:] == pytest.approx(before[1:, :-2], abs=1e-4)
        assert not np.allclose(after, before, atol=1e-2)


def test_the_reach_is_learned():
    made, codes = decoder(), some_codes()
    made(codes).square().sum().backward()
    assert made.reach.grad.abs().min() > 0
    assert "reach" in made.state_dict()
    assert not {"kept", "middles"} & set(made.state_dict())  # they follow from the settings


def test_layers_are_named():
    made = decoder()
    assert made.layer_names == ("layer0", "layer1", "maps0", "maps1")
    assert [name for name, _ in made.stages(some_codes())] == [*made.layer_names, "output"]


def scenes(place=(0, 1), side=8, columns=None):
    return Interface(10, (3, 3), (side, 3 * (columns or side)), slots=2, channels=3, place=place)


@pytest.mark.parametrize(
    ("model", "interface"),
    [("monolithic", scenes()), ("compositional", scenes(place=())), ("compositional", scenes(columns=9))],
    ids=["monolithic", "no place", "not square"],
)
def test_what_it_cannot_draw_is_refused(model, interface):
    spec = models[model](family="relative")
    with pytest.raises(InputError, match="family = relative draws a component where it is, so it needs square pict"):
        spec.check(interface)
    models.compositional(family="relative").check(scenes(side=10))


@pytest.mark.parametrize(
    ("model", "inputs", "fits"),
    [
        ("compositional", "fourier", True),
        ("compositional", "unit", True),
        ("compositional", "physical", False),
        ("monolithic", "fourier", False),
    ],
)
def test_it_fits_sprites_that_tell_their_place(model, inputs, fits):
    problem = Problem(tasks.sprites(size=8, inputs=inputs), support=supports.random(), examples=5)
    spec = models[model](family="relative")
    if fits:
        check_fit(problem, spec)
        return
    with pytest.raises(InputError, match="use sprites with inputs = unit or fourier, or another family"):
        check_fit(problem, spec)
