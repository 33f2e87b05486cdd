"""Which conjunctions of components do the answers rest on?"""

import numpy as np

from recombine.core.errors import InputError
from recombine.measures.additivity import STILL, fit_additivity
from recombine.measures.component_evidence import ComponentEvidence
from recombine.measures.registry import measures


@measures.register("conjunction_shares")
def conjunction_shares(evidence: ComponentEvidence) -> dict[str, float]:
    """Mean size of the value of a conjunction by its type, as a share of the sum over types.

        share_t = mean_{J of type t} |β_J| / Σ_t' mean_{J of type t'} |β_J|

    β are the coefficients of the additivity fit to trained and held-out combinations. 1: the answers rest on that type
    alone; 0: on none of it. Shares sum to 1. The fit has many equally good coefficients and these are the smallest, as
    published: a type whose part another type can play shares it. Only for a kernel are the parts themselves defined.
    """
    used = evidence.section("id") | evidence.section("ood")
    outputs = evidence.mean[used]
    if np.ptp(outputs) <= STILL * np.abs(outputs).max():
        raise InputError(
            f"conjunction_shares are undefined: all answers are {outputs[0]:.3g} and rest on no conjunction; "
            "leave the measure out."
        )
    fit = fit_additivity(outputs, evidence.combinations[used], evidence.sections["id"][used])
    sizes: dict[str, list[float]] = {}
    for conjunction, coefficient in zip(fit.conjunctions, fit.coefficients, strict=True):
        kind = evidence.types.get(conjunction, f"order {len(conjunction[0])}")
        sizes.setdefault(kind, []).append(abs(coefficient))
    means = {kind: float(np.mean(values)) for kind, values in sizes.items()}
    return {kind: mean / sum(means.values()) for kind, mean in means.items()}
