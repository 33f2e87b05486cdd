"""Does the part of a network in front of its waist do all the work, so that a straight line is left for the rest?"""

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Float, Integer
from recombine.measures.layered import forward_shares
from recombine.measures.module_evidence import ModuleEvidence
from recombine.measures.registry import measures


def line_rmse(source: Float[np.ndarray, " items"], result: Float[np.ndarray, " items"]) -> float:
    """Root mean squared residual of the best line from source to result.

        min_{a,b} sqrt(mean_i (result_i − a source_i − b)²)

    0: an affine function of the source; the standard deviation of the result: the source says nothing linear about it.
    """
    source, result = (values - values.mean(dtype=np.float64) for values in (source, result))
    size = np.abs(source).max()
    # Of unit size first, so that no square can leave the range of floats.
    unit = source / size if size > 0 else source
    slope = unit @ result / max(float(unit @ unit), np.finfo(np.float64).tiny)
    return float(np.sqrt(np.square(result - slope * unit).mean()))


@measures.register("linear_takeover")
def linear_takeover(evidence: ModuleEvidence) -> float:
    """Worst RMSE, over outputs, of the best line from the module's unit at the waist to the answer: 0 it did it all.

    The waist is the narrowest hidden layer, the first of them in a tie, and must have one unit per module. A unit is of
    the module with the largest share in the path mass that reaches it; without weights, units are in order of module.
    The line is fitted to the items of trained combinations.
    """
    hidden = evidence.hidden_layers()
    name = min(hidden, key=lambda each: hidden[each].shape[1])
    trained = evidence.section("id")
    waist, answers = hidden[name][trained], evidence.answers[trained]
    modules = _waist_modules(evidence, list(hidden).index(name), waist.shape[1])
    if sorted(modules) != list(range(evidence.parts)):
        raise InputError(
            f"linear_takeover is undefined: the narrowest hidden layer, {name!r}, has units of modules "
            f"{', '.join(map(str, modules))}; use a network with one unit there for each of {evidence.parts} modules."
        )
    units = np.argsort(modules)[evidence.modules_out]
    return max(line_rmse(waist[:, unit], answer) for unit, answer in zip(units, answers.T, strict=True))


def _waist_modules(evidence: ModuleEvidence, place: int, width: int) -> Integer[np.ndarray, " width"]:
    if not evidence.weights:
        return np.arange(width)
    return forward_shares(evidence.weights, evidence.modules_in)[place].argmax(axis=1)
