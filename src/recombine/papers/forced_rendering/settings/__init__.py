"""The networks of the forced-rendering paper, its data sets, and those we add.

How a smaller scale differs. `quick` and `laptop` train narrower networks, and some of them on smaller pictures: at
`laptop` Figures 1b, 2 and 3 have the paper's size, Figures 1c and 4 have N = 20 and sweeps over many networks N = 8 to
24. The hole keeps its share of the plane and stays wider than the reach of a bump, which is what the failure hangs on.
The forced-rendering network has its released size at every scale. `paper` has the released settings for the figures
and wider networks for the sweeps; where the released code draws 2,000 pairs with replacement from 495, we show every
pair.
"""

# No module is called like a setting, which would hide it.
from recombine.papers.forced_rendering.settings.holes import (
    bump_beside_ramp,
    bump_beside_ramp_revealed,
    hole,
    ramp_hole,
    ramp_revealed,
    revealed,
    true_pictures,
)
from recombine.papers.forced_rendering.settings.needs import (
    need_bumps,
    need_bumps_picture,
    need_in_hole,
    need_in_hole_picture,
    need_stripes,
    need_stripes_outside,
    need_stripes_picture,
)
from recombine.papers.forced_rendering.settings.other_tasks import (
    clipped,
    clipped_revealed,
    encoder,
    encoder_numbers,
    encoder_numbers_revealed,
    encoder_revealed,
    rotation,
    rotation_revealed,
)
from recombine.papers.forced_rendering.settings.perceptrons import (
    perceptron,
    perceptron_as_released,
    perceptron_converged,
    perceptron_ramp,
    perceptron_ramp_revealed,
    perceptron_revealed,
)
from recombine.papers.forced_rendering.settings.pixelwise import (
    one_hot_cnn,
    per_pixel,
    per_pixel_deep,
    per_pixel_few,
    per_pixel_narrow,
)
from recombine.papers.forced_rendering.settings.predicted import oracle_cnn, oracle_mlp, oracle_stripes
from recombine.papers.forced_rendering.settings.renderers import (
    both_terms,
    entropy_only,
    no_terms,
    rendering,
    shared_stripes,
    total_variation,
    unregularised,
    variance_only,
)
from recombine.papers.forced_rendering.settings.scaling import (
    CODE_WIDTHS,
    DEPTHS,
    SIZED,
    SIZES,
    revealed_small,
    sized,
    wide_code,
)
from recombine.papers.forced_rendering.settings.striped import (
    BUMP_COUNTS,
    PLANE,
    few_bumps,
    many_bumps,
    many_bumps_alone,
    only_x,
    quarter,
    stripes,
)

__all__ = [
    "BUMP_COUNTS",
    "CODE_WIDTHS",
    "DEPTHS",
    "PLANE",
    "SIZED",
    "SIZES",
    "both_terms",
    "bump_beside_ramp",
    "bump_beside_ramp_revealed",
    "clipped",
    "clipped_revealed",
    "encoder",
    "encoder_numbers",
    "encoder_numbers_revealed",
    "encoder_revealed",
    "entropy_only",
    "few_bumps",
    "hole",
    "many_bumps",
    "many_bumps_alone",
    "need_bumps",
    "need_bumps_picture",
    "need_in_hole",
    "need_in_hole_picture",
    "need_stripes",
    "need_stripes_outside",
    "need_stripes_picture",
    "no_terms",
    "one_hot_cnn",
    "only_x",
    "oracle_cnn",
    "oracle_mlp",
    "oracle_stripes",
    "per_pixel",
    "per_pixel_deep",
    "per_pixel_few",
    "per_pixel_narrow",
    "perceptron",
    "perceptron_as_released",
    "perceptron_converged",
    "perceptron_ramp",
    "perceptron_ramp_revealed",
    "perceptron_revealed",
    "quarter",
    "ramp_hole",
    "ramp_revealed",
    "rendering",
    "revealed",
    "revealed_small",
    "rotation",
    "rotation_revealed",
    "shared_stripes",
    "sized",
    "stripes",
    "total_variation",
    "true_pictures",
    "unregularised",
    "variance_only",
    "wide_code",
]
