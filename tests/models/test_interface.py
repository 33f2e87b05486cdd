import pytest

from recombine.core.errors import InputError
from recombine.models import Interface


def test_an_interface_is_a_value():
    assert Interface(5, (2, 3), (4, 6)) == Interface(inputs=5, levels=(2, 3), image=(4, 6))
    assert len({Interface(5, (2, 3), (4, 6)), Interface(5, (2, 3), (4, 6)), Interface(5, (2, 3), (6, 4))}) == 2


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"inputs": 0}, "inputs = 0 must be at least 1"),
        ({"levels": ()}, r"levels = \(\) must name at least one factor"),
        ({"levels": (3, 0)}, r"levels = \(3, 0\)"),
        ({"image": (4, 0)}, r"image = \(4, 0\) must be \(rows, columns\)"),
    ],
)
def test_nonsense_is_refused_by_name(settings, named):
    with pytest.raises(InputError, match=named):
        Interface(**{"inputs": 5, "levels": (2, 3), "image": (4, 6), **settings})
