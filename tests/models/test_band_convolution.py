import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from recombine.models.band_convolution import BandConvolution


def pair(inputs, outputs, columns):
    band = BandConvolution(inputs, outputs, columns)
    library = nn.ConvTranspose2d(inputs, outputs, 3, padding=1)
    library.load_state_dict(band.state_dict())
    return band, library


def run(band, pictures):
    """The band convolution on pictures (batch, channels, rows, columns)."""
    return band(pictures.permute(2, 0, 1, 3)).permute(1, 2, 0, 3)


@settings(max_examples=60, deadline=None)
@given(
    channels=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    size=st.tuples(st.integers(1, 7), st.integers(1, 7)),
    batch=st.integers(1, 4),
    seed=st.integers(0, 100),
)
def test_equals_the_library_and_so_do_its_gradients(channels, size, batch, seed):
    torch.manual_seed(seed)
    band, library = (module.double() for module in pair(*channels, size[1]))
    pictures = torch.randn(batch, channels[0], *size, dtype=torch.float64, requires_grad=True)
    ours, theirs = run(band, pictures), library(pictures)
    torch.testing.assert_close(ours, theirs)
    upstream = torch.randn_like(theirs)
    gradients = torch.autograd.grad(ours, (pictures, band.weight, band.bias), upstream)
    expected = torch.autograd.grad(theirs, (pictures, library.weight, library.bias), upstream)
    torch.testing.assert_close(gradients, expected)


def test_equals_the_library_in_single_precision_at_full_size():
    torch.manual_seed(0)
    band, library = pair(2, 2, 32)
    pictures = torch.randn(8, 2, 32, 32)
    torch.testing.assert_close(run(band, pictures), library(pictures))


def test_starts_with_the_same_weights_as_the_library():
    torch.manual_seed(5)
    band = BandConvolution(2, 1, 6)
    torch.manual_seed(5)
    library = nn.ConvTranspose2d(2, 1, 3, padding=1)
    assert set(band.state_dict()) == {"weight", "bias"}
    assert all(torch.equal(band.state_dict()[key], value) for key, value in library.state_dict().items())
