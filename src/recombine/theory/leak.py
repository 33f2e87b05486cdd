"""The memorisation leak: by which factor a kernel shrinks sums it has not seen.

Symbolic addition: inputs (u, v), target u + v; a pair is seen when u is one of the anchors W_1 of the first component
or v one of the anchors W_2 of the second. What a seen pair stores in its own conjunction is lost on unseen pairs.
"""

from recombine.core.errors import InputError


def leak(salience: float, anchors: int) -> float:
    """The slope m of predicted on true sums for unseen pairs (Lippl & Stachenfeld 2025, Prop. 5.1, Eq. 3).

        m = p S / (1 + (p − 2) S),        S = S(1;2), p anchors in each component

    1: no leak (S = 1/2, nothing is stored in conjunctions; or p → ∞). 0: all is memorised (S = 0). One anchor gives
    S/(1 − S), two give 2S. Where the anchors lie does not matter: interpolation and extrapolation leak alike. Nor do
    the means of the values: without zero means only an offset is added, which depends on κ(0) and on the bias.
    """
    share = _checked(salience)
    return leak_general(share, share, 1 - 2 * share, anchors, anchors)[0]


def leak_general(
    first: float, second: float, both: float, anchors_first: int, anchors_second: int, ridge: float = 0.0
) -> tuple[float, float]:
    """Slopes of the answers for unseen pairs along each component, whatever its values, sizes and anchors.

        m_1 = |W_2| S_1 / (|W_2| S_1 + S_12 + λ),        m_2 = |W_1| S_2 / (|W_1| S_2 + S_12 + λ)

    S_1, S_2 and S_12 (`first`, `second`, `both`) sum to 1; λ, the ridge, is in units of κ(1,1) − κ(0,0). A component
    is seen beside the anchors of the *other* one. Slope 1: that component is answered in full; 0: it is ignored.
    """
    for name, share in (("first", first), ("second", second), ("both", both)):
        if not 0 <= share <= 1:
            raise InputError(f"salience {name} = {share} must lie between 0 and 1; the three sum to 1.")
    if abs(first + second + both - 1) > 1e-9:
        raise InputError(
            f"saliences {first}, {second} and {both} sum to {first + second + both:.12g}; "
            "they must sum to 1, so divide them by their sum."
        )
    for count in (anchors_first, anchors_second):
        if count < 1:
            raise InputError(f"{count} anchors leave a component unseen beside the other; give at least 1.")
    if not 0 <= ridge < float("inf"):
        raise InputError(f"ridge = {ridge} must be a finite number of at least 0; use 0 for the minimum norm.")
    slopes = []
    for share, count in ((first, anchors_second), (second, anchors_first)):
        slopes.append(count * share / (count * share + both + ridge) if share > 0 else 0.0)
    return slopes[0], slopes[1]


def invariance_margin(salience: float) -> float:
    """The margin on a 2×2 grid whose label is the first component, trained on one value of the second.

    k/(1 − k) with k = S(1;2), for least squares with κ(0) = 0 and no bias. 0 at k = 0; 1, the margin of the training
    examples, at k = 1/2.
    """
    return _checked(salience) / (1 - salience)


def partial_exposure_margin(salience: float) -> float:
    """The margin on the missing corner of a 2×2 grid whose label is the first component.

    2k²/(1 − 2k²) with k = S(1;2), for least squares with κ(0) = 0 and no bias. 0 at k = 0; 1 at k = 1/2.
    """
    return 2 * _checked(salience) ** 2 / (1 - 2 * salience**2)


def _checked(salience: float) -> float:
    if not 0 <= salience <= 0.5:
        raise InputError(f"salience = {salience} must lie between 0 and 1/2, the range of S(1;2).")
    return salience
