import subprocess
import sys

import pytest
import torch

from recombine.core.errors import InputError
from recombine.core.spec import dump
from recombine.models import Interface, ModelSpec, models


def square(n, inputs=None):
    return Interface(inputs=inputs or 2 * n, levels=(n, n), image=(n, n))


def build(spec, interface):
    return spec.build(interface, torch.Generator())


def test_the_catalogue_is_read_without_torch():
    code = "import sys, recombine.models as m; m.models.summaries(); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_names_and_which_of_them_train():
    trains = {name: spec.trainable for name, spec in models.items()}
    assert trains == {
        "mlp-decoder": True,
        "cnn-decoder": True,
        "rotation-decoder": True,
        "forced-rendering": True,
        "per-pixel": True,
        "pixel-transformer": True,
        "truth": False,
        "feedforward": True,
        "mlp": True,
        "encoder": True,
        "convnet": True,
        "resnet": True,
        "vit": True,
        "monolithic": True,
        "compositional": True,
        "diffusion": True,
        "diffusion-unet": True,
    }
    assert {name for name, spec in models.items() if spec.generative} == {"diffusion", "diffusion-unet"}


def test_defaults_are_those_of_the_papers():
    defaults = {name: spec().model_dump() for name, spec in models.items()}
    drawing = {"steps": 1000, "samples": 10, "eta": 0.0, "sampler": "ddim", "guidance": 1.0, "drop": 0.0, "heads": 4}
    drawing |= {"times": "uniform"}
    assert defaults == {
        "mlp-decoder": {"width": 256, "depth": 4},
        "cnn-decoder": {"width": 64, "depth": 4},
        "rotation-decoder": {"width": 128},
        "forced-rendering": {"hidden": 2, "share": "none"},
        "per-pixel": {"width": 256, "depth": 2},
        "pixel-transformer": {"width": 128, "depth": 2, "heads": 4, "feedforward": 2048, "dropout": 0.1},
        "truth": {},
        "feedforward": {
            "widths": (32, 32, 32),
            "nonlinearity": "leaky-relu",
            "bias": True,
            "modules": 1,
            "modular_layers": None,
            "crossing": 0.0,
        },
        "mlp": {"width": 1000, "depth": 1, "scale": 1.0},
        "encoder": {"width": 32},
        "convnet": {"width": 1.0, "kernel": 5},
        "resnet": {"width": 1.0},
        "vit": {"width": 1.0, "patch": 8},
        "monolithic": {
            "family": "upsampling",
            "depth": 3,
            "width": 124,
            "maps": 40,
            "kernel": 3,
            "corners": True,
        },
        "compositional": {
            "family": "upsampling",
            "depth": 3,
            "width": 96,
            "maps": 24,
            "kernel": 3,
            "corners": True,
            "shared": False,
            "composition": {"kind": "soft"},
        },
        "diffusion": {**drawing, "pairs": 16, "width": 24},
        "diffusion-unet": {**drawing, "pairs": 128, "width": 64, "attention": None, "before": False},
    }


@pytest.mark.parametrize("name", models)
def test_a_specification_survives_being_written_down(name):
    spec = models[name]()
    assert models.parse(dump(spec)) == spec
    assert models.parse(name) == spec


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"kind": "cnn-decoder", "depth": 1}, "cnn-decoder: depth = 1: .* greater than or equal to 2"),
        ({"kind": "mlp-decoder", "width": 0}, "mlp-decoder: width = 0"),
        ({"kind": "mlp-decoder", "depth": -1}, "mlp-decoder: depth = -1"),
        ({"kind": "per-pixel", "width": 30}, "per-pixel: width = 30: .* multiple of 4"),
        ({"kind": "per-pixel", "depth": 0}, "per-pixel: depth = 0"),
        ({"kind": "forced-rendering", "hiden": 2}, "'hiden'; did you mean 'hidden'"),
        ({"kind": "forced-rendering", "share": "row"}, "forced-rendering: share = 'row': .* 'none' or 'stripe'"),
        ({"kind": "rotation-decoder", "width": 7}, "rotation-decoder: width = 7: .* multiple of 2"),
        ({"kind": "rotation-decoder", "width": 0}, "rotation-decoder: width = 0"),
        ({"kind": "encoder", "width": 0}, "encoder: width = 0"),
        ({"kind": "pixel-transformer", "width": 30}, "pixel-transformer: width = 30: .* multiple of 4"),
        ({"kind": "pixel-transformer", "width": 8, "heads": 6}, "width = 8 must be a multiple of heads = 6; .* to 2,"),
        ({"kind": "pixel-transformer", "depth": 0}, "pixel-transformer: depth = 0"),
        ({"kind": "pixel-transformer", "feedforward": 0}, "pixel-transformer: feedforward = 0"),
        ({"kind": "pixel-transformer", "dropout": 1.0}, "pixel-transformer: dropout = 1.0: .* less than 1"),
        ({"kind": "mlp", "scale": 0}, "mlp: scale = 0"),
        ({"kind": "convnet", "kernel": 0}, "convnet: kernel = 0"),
        ({"kind": "resnet", "width": 0}, "resnet: width = 0"),
        ({"kind": "vit", "patch": 0}, "vit: patch = 0"),
        ({"kind": "monolithic", "depth": 0}, "monolithic: depth = 0"),
        ({"kind": "monolithic", "family": "cnn"}, "monolithic: family = 'cnn': .* 'upsampling', 'mlp' or 'relative'"),
        ({"kind": "compositional", "maps": 0}, "compositional: maps = 0"),
        ({"kind": "compositional", "kernel": 4}, "compositional: kernel = 4: .* 2 or 3"),
        ({"kind": "compositional", "composition": "sof"}, "unknown composition 'sof'; did you mean 'soft'"),
        ({"kind": "diffusion", "width": 5}, "diffusion: width = 5: .* multiple of 2"),
        ({"kind": "diffusion", "width": 6, "heads": 5}, "into heads = 5 equal parts; set heads = 4, or width = 10"),
        (
            {"kind": "diffusion", "samples": 1001},
            "samples = 1001 is more than the 1000 steps of noise; set samples = 1000 or fewer",
        ),
        ({"kind": "diffusion", "samples": 1}, "samples = 1 draws in a single step from pure noise"),
        (
            {"kind": "diffusion", "guidance": 2.0},
            "guidance = 2 needs a model that also learned without codes; set drop",
        ),
        ({"kind": "diffusion", "sampler": "ddmp"}, "diffusion: sampler = 'ddmp': .* 'ddim' or 'ddpm'"),
        ({"kind": "diffusion", "eta": 1.5}, "diffusion: eta = 1.5"),
        ({"kind": "diffusion", "drop": 1.0}, "diffusion: drop = 1.0: .* less than 1"),
        ({"kind": "diffusion-unet", "width": 6}, "diffusion-unet: width = 6: .* multiple of 4"),
        ({"kind": "diffusion-unet", "attention": 0}, "diffusion-unet: attention = 0"),
    ],
)
def test_settings_that_make_no_network_are_refused(settings, says):
    with pytest.raises(InputError, match=says):
        models.parse(settings)


@pytest.mark.parametrize("name", ["cnn-decoder", "rotation-decoder"])
@pytest.mark.parametrize("image", [(18, 20), (20, 30), (3, 4), (2, 10)])
def test_decoders_that_double_say_which_sizes_work_and_which_model_draws_any(name, image):
    says = f"{name} doubles its picture twice.*multiples of 4, got {image[0]} x {image[1]}; use a task whose pictures"
    with pytest.raises(InputError, match=f"{says} have such sides, or the model mlp-decoder"):
        build(models[name](), Interface(6, (2, 3), image))
    build(models.mlp_decoder(width=3), Interface(6, (2, 3), image))


def test_sharing_nothing_is_as_before_there_was_a_choice():
    assert models.forced_rendering(share="none").settings() == {}
    assert models.forced_rendering(share="stripe").shape() != models.forced_rendering().shape()


def test_forced_rendering_asks_for_one_number_per_level():
    says = r"inputs must be 16 for levels \(8, 8\), got 2; use a task with such a code, .* or the model mlp-decoder"
    with pytest.raises(InputError, match=says):
        build(models.forced_rendering(), square(8, inputs=2))
    build(models.mlp_decoder(width=3), square(8, inputs=2))


@pytest.mark.parametrize(
    ("levels", "image"), [((8, 8), (8, 12)), ((8, 8), (12, 12)), ((8, 6), (8, 6)), ((8,), (8, 8)), ((1, 1), (1, 1))]
)
def test_forced_rendering_asks_for_as_many_levels_as_pixels(levels, image):
    says = rf"got levels \({levels[0]},.* image of {image[0]} x {image[1]}; use a task .* or the model mlp-decoder"
    with pytest.raises(InputError, match=says):
        build(models.forced_rendering(), Interface(sum(levels), levels, image))
    build(models.mlp_decoder(width=3), Interface(sum(levels), levels, image))


@pytest.mark.parametrize("name", ["encoder", "convnet", "resnet", "vit"])
def test_what_reads_pictures_needs_one(name):
    with pytest.raises(InputError, match=f"{name} reads pictures, but the input is a plain code of 16 numbers"):
        build(models[name](), square(8))


def test_which_models_gain_from_being_stacked():
    decoders = {"cnn-decoder", "rotation-decoder", "pixel-transformer"}
    readers = {"encoder", "convnet", "resnet", "vit"}
    scenes = {"monolithic", "compositional"}
    drawing = {"diffusion", "diffusion-unet"}
    assert {name for name, spec in models.items() if not spec().stackable} == decoders | readers | scenes | drawing
    assert all(models[name](family="mlp").stackable for name in scenes)


def test_the_shape_of_a_model_leaves_out_the_initial_scale_alone():
    assert models.mlp(scale=0.1).shape() == models.mlp().shape()
    assert models.mlp(width=10).shape() != models.mlp().shape()
    assert len({str(models[name]().shape()) for name in models}) == len(models)


def test_truth_has_nothing_to_build():
    with pytest.raises(InputError, match=r"truth stands for the ground-truth images .* choose a trainable model"):
        build(models.truth(), square(8))


def test_a_model_of_ones_own_draws_from_the_generator_it_is_given():
    class Own(ModelSpec):
        """One linear layer."""

        def network(self, interface):
            return torch.nn.Linear(interface.inputs, 3)

    first, again, other = (Own().build(square(4), torch.Generator().manual_seed(seed)).weight for seed in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
