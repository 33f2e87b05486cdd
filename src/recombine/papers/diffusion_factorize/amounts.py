"""How much must be shown, and how much may be missing: DF12, DF13, DF16, DF17 and DF19 to DF22."""

from recombine.papers.claims import Check, Range, Setting
from recombine.papers.diffusion_factorize import canvases as c
from recombine.papers.diffusion_factorize import data_need as d
from recombine.papers.diffusion_factorize.claiming import claim, shape

PLACED = "darkest_accuracy"


def trained(*settings: str) -> tuple[Check, ...]:
    """What was shown is drawn right, without which nothing else says anything."""
    return tuple(Check(f"{PLACED}.id", Range(low=0.8), "what was shown is learned", of=each) for each in settings)


def needs(exchanged: bool = False) -> dict[str, Setting]:
    """Bumps needed with and without stripes, and the trainings of all bumps, in which most has to be learned.

    ``exchanged``: each by the other's name.
    """
    named: dict[str, Setting] = {}
    for name, stripes in (("alone", exchanged), ("stripes", not exchanged)):
        named[name] = d.bumps_beside_stripes if stripes else d.bumps_alone
        named |= {f"all {name}, {size}": d.all_shown[stripes, size] for size in d.ENDS}
    return named


LEARNED = tuple(
    Check("strict_accuracy.id", Range(low=0.8), "what was shown is learned", of=f"all {way}, {size}")
    for way in ("alone", "stripes")
    for size in d.ENDS
)
# A need that was not reached is no less than all bumps, and how it grows is not known. Alone at the largest size
# it may be one: the ratio to it and the difference from the need before are then smaller than what is measured.
REACHED = tuple(Check("reached", Range(low=1.0), "ours: all needs are known", of=way) for way in ("alone", "stripes"))
ENOUGH = (
    Check("reached", Range(low=0.5), "ours: known at all sizes but the largest", of="alone"),
    Check("reached", Range(low=1.0), "ours: all needs are known", of="stripes"),
)


def fewer(need: str) -> Check:
    """Beside stripes at most half of the bumps are needed."""
    return Check(need, Range(high=0.5), "Fig. 5a, b: a much smaller share", of="stripes", over="alone")


AMOUNTS = (
    claim(
        "DF12",
        "Fig. 5a, b",
        "With lone stripes far fewer bumps are needed, and the difference grows with the size of the picture.",
        (
            fewer("need_before"),
            fewer("need_largest"),
            Check("growth", Range(high=0.0), "Fig. 5c: the lines part", of="stripes", minus="alone"),
            *ENOUGH,
            *LEARNED,
        ),
        needs(),
        ("the two exchanged", needs(exchanged=True)),
    ),
    claim(
        "DF13",
        "Fig. 5c",
        "The number of bumps needed grows about like N^2 without stripes, and more slowly than N^1.5 with them.",
        (
            Check("slope", Range(1.5, 2.5), "Fig. 5c: slope 2", of="alone"),
            Check("slope", Range(high=1.5), "Fig. 5c: slope 1 of all images, whose stripes grow like N by themselves",
                  of="stripes"),
            *REACHED,
            *LEARNED,
        ),
        needs(),
        ("the two exchanged", needs(exchanged=True)),
    ),
    claim(
        "DF16",
        "Fig. 6e",
        "Wider bumps are learned from a smaller part of the lattice, also at places that were not shown, and one-pixel "
        "bumps from most of it although theirs never hang together.",
        (
            Check(f"{PLACED}.all", Range(low=0.1), "Fig. 6e: in order of sigma", of="1.0 at 0.4", minus="0.3 at 0.4"),
            Check(f"{PLACED}.all", Range(low=0.1), "Fig. 6e: in order of sigma", of="0.5 at 0.4", minus="0.1 at 0.4"),
            *(
                Check(f"{PLACED}.ood", Range(low=0.1), "Fig. 6e: a rise, and not by what was shown",
                      of=f"{sigma} at 0.8", minus=f"{sigma} at 0.2")
                for sigma in c.SIGMAS
            ),
            Check(f"{PLACED}.ood", Range(low=0.5), "text: learned at 0.8 and 0.9", of="0.1 at 0.8"),
            *trained(*(f"{sigma} at {part}" for sigma in c.SIGMAS for part in (0.2, 0.8))),
        ),
        {f"{sigma} at {part}": c.lattice[sigma, part] for sigma, part in c.lattice},
        (
            "sigmas and parts in reverse",
            {
                f"{sigma} at {part}": c.lattice[c.SIGMAS[-1 - place], c.PARTS[-1 - rank]]
                for place, sigma in enumerate(c.SIGMAS)
                for rank, part in enumerate(c.PARTS)
            },
        ),
    ),
    claim(
        "DF17",
        "Fig. 6d",
        "Noise widens what is drawn: a bump of one pixel comes out with ink around it.",
        (
            Check("halo_ink.all", Range(low=0.01), "Fig. 6d: visibly wider"),
            Check(f"{PLACED}.all", Range(low=0.5), "Fig. 6d: it is drawn"),
        ),
        {"main": c.lattice[0.1, 1.0]},
        ("bumps of sigma 1, which have ink there already", {"main": c.lattice[1.0, 1.0]}),
    ),
    claim(
        "DF19",
        "Fig. 11",
        "The wider the band of x that was never shown, the less is right in it, by and by, and the rest stays right.",
        (
            Check(f"{PLACED}.ood", Range(low=0.3), "Fig. 11: falls with width", of="1", minus="6"),
            *(
                Check(f"{PLACED}.ood", Range(-0.1, 0.5), "Fig. 11: smoothly", of=str(less), minus=str(more))
                for less, more in zip(c.WIDTHS[:-1], c.WIDTHS[1:], strict=True)
            ),
            Check(f"{PLACED}.id", Range(low=0.8), "Fig. 11: stays high", of="1"),
            Check(f"{PLACED}.id", Range(low=0.8), "Fig. 11: stays high", of="6"),
        ),
        {str(width): c.lesions[width] for width in c.WIDTHS},
        (
            "squares of growing side held out instead, whose values are seen elsewhere",
            {
                str(width): c.squares["sum-of-stripes", "middle", side]
                for width, side in zip(c.WIDTHS, (2, 4, 4, 4, 8), strict=True)
            },
        ),
    ),
    claim(
        "DF20",
        "Fig. 12",
        "Squares of bumps that are held out in the middle are drawn better than in the corner, and sums of stripes are "
        "right in both at every size.",
        (
            *(
                Check("strict_accuracy.ood", Range(low=0.1), "Fig. 12: slow and fast decay",
                      of=f"bump middle {side}", minus=f"bump corner {side}")
                for side in (4, 8)
            ),
            Check("strict_accuracy.ood", Range(low=0.2), "Fig. 12: fast", of="bump corner 2", minus="bump corner 8"),
            *(
                Check(f"{PLACED}.ood", Range(low=0.8), "Fig. 12: high", of=f"sum {place} {side}")
                for place in ("middle", "corner") for side in c.SQUARES
            ),
            Check(f"{PLACED}.id", Range(low=0.8), "Fig. 12: trained", of="bump corner 4"),
        ),
        {
            f"{kind.partition('-')[0]} {place} {side}": c.squares[kind, place, side]
            for kind, place, side in c.squares
        },
        (
            "bumps in the place of sums and sums in that of bumps",
            {
                f"{kind.partition('-')[0]} {place} {side}": c.squares[other, place, side]
                for kind, other in (("bump", "sum-of-stripes"), ("sum-of-stripes", "bump"))
                for place in ("middle", "corner")
                for side in c.SQUARES
            },
        ),
    ),
    claim(
        "DF21",
        "Fig. 14c",
        "The error of predicted noise grows with the part of the lattice that is shown, on places that were shown and "
        "on others.",
        (
            Check("denoising_error.shown", Range(low=1.0), "Fig. 14c: rising", of="0.6", over="0.2"),
            Check("denoising_error.shown", Range(low=1.0), "Fig. 14c: rising", of="1.0", over="0.6"),
            Check("denoising_error.new", Range(low=1.0), "Fig. 14c: rising", of="0.8", over="0.2"),
            *trained("0.2", "0.6", "1.0"),
        ),
        {str(part): c.lattice[0.5, part] for part in c.PARTS},
        (
            "parts from the largest that leaves places out to the smallest",
            {str(part): c.lattice[0.5, other] for part, other in zip(c.PARTS, (0.8, 0.6, 0.4, 0.2, 0.2), strict=True)},
        ),
    ),
    claim(
        "DF22",
        "Fig. 14a, 15",
        "From few narrow bumps labels lie in a loose cloud; with more of them, or with wider ones, on an ordered sheet "
        "off which places that were not shown can be read.",
        (
            shape("probe_held_out.probe", Range(low=0.1), "Fig. 15: order", of="0.3 at 0.8", minus="0.3 at 0.2"),
            shape("participation.probe", Range(high=0.8), "Fig. 15: a sheet", of="0.3 at 0.8", over="0.3 at 0.2"),
            shape("probe_held_out.probe", Range(low=0.1), "Fig. 15: order", of="1.0 at 0.2", minus="0.3 at 0.2"),
            *trained("0.3 at 0.8", "0.3 at 0.2", "1.0 at 0.2"),
        ),
        {f"{sigma} at {part}": c.lattice[sigma, part] for sigma, part in ((0.3, 0.8), (0.3, 0.2), (1.0, 0.2))},
        (
            "parts and sigmas exchanged",
            {"0.3 at 0.8": c.lattice[0.3, 0.2], "0.3 at 0.2": c.lattice[0.3, 0.8], "1.0 at 0.2": c.lattice[0.1, 0.2]},
        ),
    ),
)  # fmt: skip
