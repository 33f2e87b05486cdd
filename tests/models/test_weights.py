import torch
from torch import nn

from recombine.models.weights import drawn_from


def layer(generator):
    with drawn_from(generator):
        return nn.Linear(3, 5).weight.detach()


def seeded(seed):
    return torch.Generator().manual_seed(seed)


def test_weights_follow_the_generator_and_nothing_else():
    torch.manual_seed(0)
    first = layer(seeded(4))
    torch.manual_seed(1)
    assert torch.equal(layer(seeded(4)), first)
    assert not torch.equal(layer(seeded(5)), first)


def test_a_generator_used_twice_gives_new_weights():
    generator = seeded(4)
    assert not torch.equal(layer(generator), layer(generator))


def test_the_global_generator_does_not_move():
    torch.manual_seed(3)
    expected = torch.rand(4)
    torch.manual_seed(3)
    layer(seeded(4))
    assert torch.equal(torch.rand(4), expected)


def test_the_global_generator_is_put_back_after_an_error():
    torch.manual_seed(3)
    before = torch.get_rng_state()
    try:
        with drawn_from(seeded(4)):
            torch.rand(2)
            raise RuntimeError
    except RuntimeError:
        pass
    assert torch.equal(torch.get_rng_state(), before)


def test_layers_are_built_on_the_cpu_whatever_the_default_device():
    with torch.device("meta"):
        assert layer(seeded(4)).device.type == "cpu"
