"""What reads a layer, and how far: squared reach against Jacobians, and stages that something goes through."""

import pytest
import torch
from torch.func import jacrev

from recombine.core.errors import InputError
from recombine.models import Interface, models
from recombine.models.network import Network

torch.set_num_threads(1)

CODE = Interface(inputs=6, levels=(3, 3), image=(8, 12))
SQUARE = Interface(inputs=10, levels=(5, 5), image=(5, 5))
PICTURE = Interface(inputs=24 * 32, levels=(3, 4), image=(2, 3), picture=(1, 24, 32))
SCENES = Interface(inputs=6, levels=(2, 3), image=(8, 24), slots=2, channels=3, place=(0, 1))

# Every registered model in a small size; one that is not listed has its own.
SMALL = {
    "mlp-decoder": {"width": 7, "depth": 3},
    "cnn-decoder": {"width": 6, "depth": 3},
    "rotation-decoder": {"width": 4},
    "per-pixel": {"width": 8},
    "pixel-transformer": {"width": 8, "feedforward": 16},
    "mlp": {"width": 9, "depth": 2},
    "encoder": {"width": 3},
    "convnet": {"width": 0.1, "kernel": 3},
    "resnet": {"width": 0.25},
    "vit": {"width": 0.1},
    "feedforward": {"widths": (6, 9, 3)},
    "monolithic": {"width": 7, "maps": 5, "depth": 2},
    "compositional": {"width": 7, "maps": 5, "depth": 2},
}
# What draws from noise lets nothing through: noise and penalties in its layers are refused before training.
WITH_LAYERS = {name: spec for name, spec in models.items() if spec.trainable and not spec.generative}
MODELS = {name: spec(**SMALL.get(name, {})) for name, spec in WITH_LAYERS.items()} | {
    "forced-rendering-stripe": models.forced_rendering(share="stripe"),
    "feedforward-cut": models.feedforward(widths=(6, 9), modules=3),
    "feedforward-soft": models.feedforward(widths=(6, 9), modules=3, crossing=0.4, bias=False),
    "mlp-deep": models.mlp(width=8, depth=4),
    "compositional-learned": models.compositional(family="mlp", width=7, composition="learned"),
    "compositional-relative": models.compositional(family="relative", width=7, maps=5, depth=2),
}


def interface_of(spec):
    for interface in (CODE, SQUARE, PICTURE, SCENES):
        try:
            spec.check(interface)
        except InputError:
            continue
        return interface
    raise AssertionError(f"no interface for {spec.kind}")


def build(spec):
    interface = interface_of(spec)
    network = spec.build(interface, torch.Generator().manual_seed(0)).eval()
    assert isinstance(network, Network)
    codes = torch.rand(2, interface.inputs, generator=torch.Generator().manual_seed(1))
    return network.double(), codes.double()


each_model = pytest.mark.parametrize("spec", MODELS.values(), ids=MODELS)


# Something that stages go through


@each_model
def test_every_layer_goes_through_once_and_in_order(spec):
    network, codes = build(spec)
    seen = {}

    def through(name, stage):
        assert name not in seen
        seen[name] = stage.detach().clone()
        return stage

    told = dict(network.stages(codes, through))
    assert tuple(seen) == network.layer_names
    assert tuple(told) == (*network.layer_names, "output")
    plain = dict(network.stages(codes))
    for name, stage in seen.items():
        assert stage.shape[0] == 2
        assert torch.equal(stage, plain[name])
    torch.testing.assert_close(told["output"], network(codes))


@each_model
def test_each_layer_that_is_silenced_is_told_as_silent_and_changes_the_answer(spec):
    network, codes = build(spec)
    answer = network(codes)
    for silent in network.layer_names:
        told = dict(network.stages(codes, lambda name, stage, silent=silent: 0 * stage if name == silent else stage))
        assert not told[silent].any(), silent
        assert not torch.allclose(told["output"], answer), silent
        assert told["output"].shape == answer.shape


def pictures_of_components(network):
    return tuple(name for name in network.layer_names if name.startswith("component"))


@each_model
def test_the_last_layer_decides_the_answer(spec):
    """Whatever the input was: nothing goes round it. What a composition joins comes last together."""
    network, codes = build(spec)
    parts, final = pictures_of_components(network), network.layer_names[-1]
    last = parts if final in parts else (final,)
    kept = {name: stage[:1] for name, stage in network.stages(codes) if name in last}
    told = dict(network.stages(codes, lambda name, stage: kept[name].expand_as(stage) if name in kept else stage))
    torch.testing.assert_close(told["output"][0], told["output"][1])
    torch.testing.assert_close(told["output"][0], network(codes)[0])


@each_model
def test_layers_of_units_are_among_the_layers(spec):
    network, _ = build(spec)
    assert set(network.unit_layers) <= set(network.layer_names)
    assert network.unit_layers
    if "forced-rendering" not in spec.kind:
        parts = pictures_of_components(network)
        assert network.unit_layers == tuple(name for name in network.layer_names if name not in parts)
        assert len(parts) == (2 if spec.kind == "compositional" else 0)


# How far units reach


def reader_of(network, name):
    """The module that reads a layer: its output is what comes before the next bend."""
    index = network.unit_layers.index(name)
    if hasattr(network, "convolutions"):
        return network.convolutions[index]
    # The first of an mlp's hidden maps reads the input; the input of a cnn has a map of another name.
    reads_input = 0 if hasattr(network, "first") else 1
    return [*network.hidden, network.output][index + reads_input]


def read_by_modules(network, codes, name, units):
    """What the next layer computes from ``units`` in place of a layer, before it bends."""
    caught = []
    # A copy: some networks bend in place.
    handle = reader_of(network, name).register_forward_hook(
        lambda module, inputs, output: caught.append(output.clone())
    )
    dict(network.stages(codes, lambda here, stage: units if here == name else stage))
    handle.remove()
    return caught[-1]


def read_by_a_linear_network(network, codes, name, units):
    """The same where nothing bends: it is the next stage."""
    told = dict(network.stages(codes, lambda here, stage: units if here == name else stage))
    return told[(*network.layer_names, "output")[network.layer_names.index(name) + 1]]


REACHING = {
    **{name: (MODELS[name], read_by_modules) for name in ("mlp-decoder", "mlp", "mlp-deep", "cnn-decoder")},
    **{name: (MODELS[name], read_by_modules) for name in ("forced-rendering", "forced-rendering-stripe")},
    **{
        f"feedforward-{name}": (models.feedforward(nonlinearity="linear", **settings), read_by_a_linear_network)
        for name, settings in {
            "dense": {"widths": (6, 9, 3)},
            "cut": {"widths": (6, 9), "modules": 3},
            "soft": {"widths": (6, 9), "modules": 3, "crossing": 0.4, "bias": False},
            "partly": {"widths": (6, 9), "modules": 3, "modular_layers": 2},
        }.items()
    },
}


@pytest.mark.parametrize(("spec", "read"), REACHING.values(), ids=REACHING)
def test_squared_reach_is_the_squared_jacobian_of_what_reads_a_layer(spec, read):
    """Σ over batch, i and j of values_i (∂z_j/∂a_i)², z before the bend of the next layer."""
    network, codes = build(spec)
    stages = dict(network.stages(codes))
    generator = torch.Generator().manual_seed(2)
    for name in network.unit_layers:
        units = stages[name].detach()
        values = torch.rand(units.shape, generator=generator, dtype=units.dtype)
        slopes = jacrev(lambda given, name=name: read(network, codes[:1], name, given).flatten())(units[:1])
        assert slopes.any()
        expected = (slopes.square().sum(0) * values).sum()
        torch.testing.assert_close(network.squared_reach(name, values), expected)


@pytest.mark.parametrize("spec", [spec for spec, _ in REACHING.values()], ids=REACHING)
def test_squared_reach_is_linear_in_the_values_and_silent_units_reach_nothing(spec):
    network, codes = build(spec)
    for name in network.unit_layers:
        values = dict(network.stages(codes))[name].square().detach()
        torch.testing.assert_close(network.squared_reach(name, 3 * values), 3 * network.squared_reach(name, values))
        apart = sum(network.squared_reach(name, values[row : row + 1]) for row in range(2))
        torch.testing.assert_close(network.squared_reach(name, values), apart)
        assert network.squared_reach(name, 0 * values) == 0


SILENT = {name: spec for name, spec in MODELS.items() if spec.kind not in {spec.kind for spec, _ in REACHING.values()}}


@pytest.mark.parametrize("spec", SILENT.values(), ids=SILENT)
def test_a_network_that_does_not_say_what_reads_its_layers_names_those_that_do(spec):
    network, codes = build(spec)
    name, stage = next(iter(network.stages(codes)))
    with pytest.raises(
        InputError, match=f"{type(network).__name__} does not say which weights read its layer '{name}'"
    ):
        network.squared_reach(name, stage)
    with pytest.raises(InputError) as told:
        network.squared_reach(name, stage)
    named = str(told.value).rpartition(": ")[2].rstrip(".").replace(" or ", ", ").split(", ")
    assert set(named) == {spec.kind for spec, _ in REACHING.values()}
