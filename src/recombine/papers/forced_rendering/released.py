"""FR15 to FR20: what the released code shows beyond the figures."""

from recombine.papers.claims import Check, Control, Range
from recombine.papers.forced_rendering import settings as s
from recombine.papers.forced_rendering.claiming import FAILS, LAPTOP, claim, control
from recombine.theory import COMPOSES_BELOW

RELEASED = (
    claim(
        "FR15",
        "code: depth sweeps",
        "Depth does not rescue: CNNs, MLPs and attention between pixels fail in the hole at the depths tried.",
        tuple(
            Check(quantity, expected, source, of=f"{kind} {depth}")
            for quantity, expected, source in (
                ("interior_nmse", Range(low=0.7), "ours: of the order of a blank picture"),
                ("id_nmse", Range(high=0.3), "ours: it has learned what it was shown"),
            )
            for kind, depths in s.DEPTHS.items()
            for depth in depths
        ),
        {f"{kind} {depth}": made for kind, depths in s.DEPTHS.items() for depth, made in depths.items()},
        Control(
            "the deepest CNN trained on the full grid, in the place of all",
            {f"{kind} {depth}": s.revealed_small for kind, depths in s.DEPTHS.items() for depth in depths},
        ),
        least=LAPTOP,
    ),
    claim(
        "FR16",
        "code: scaling_exps",
        "The error in the hole grows with its share of the plane and with the size of the picture.",
        (
            *(
                Check("ood_nmse", Range(low=0.05), "ours; the notes give no direction", of=f"{n} 0.6", minus=f"{n} 0.3")
                for n in s.SIZES
            ),
            Check("ood_nmse", Range(low=0.05), "ours, as above", of="20 0.45", minus="12 0.45"),
            Check("ood_nmse", Range(low=0.05), "the released rule, less data too", of="rule 0.6", minus="rule 0.3"),
        ),
        {
            **{f"{n} {share}": made for n, shares in s.SIZED.items() for share, made in shares.items()},
            **{f"rule {share}": s.sized(20, share, rule="released") for share in (0.3, 0.6)},
        },
        Control(
            "the networks of N = 20 shown the hole as well, in the place of all",
            {
                **{f"{n} 0.6": s.sized(20, 0.6, reveal=True) for n in (*s.SIZES, "rule")},
                **{f"{n} 0.3": s.sized(20, 0.3, reveal=True) for n in (*s.SIZES, "rule")},
                "20 0.45": s.sized(20, 0.6, reveal=True),
                "12 0.45": s.sized(20, 0.3, reveal=True),
            },
        ),
        least=LAPTOP,
    ),
    claim(
        "FR17",
        "code: wider codes",
        "A wider input bump helps a little, never enough.",
        (
            Check("ood_nmse", Range(low=FAILS), "released notebook: 0.57 at the widest", of="11"),
            Check("ood_nmse", Range(low=0.0), "released notebook: 0.84 falls to 0.57", of="1", minus="11"),
            Check("ood_nmse", Range(low=FAILS), "released notebook: 0.68", of="5"),
        ),
        {f"{width:g}": made for width, made in s.CODE_WIDTHS.items()},
        Control("the same codes with the hole shown", {f"{w:g}": s.wide_code(w, reveal=True) for w in s.CODE_WIDTHS}),
        least=LAPTOP,
    ),
    claim(
        "FR18",
        "code: rotation_exps",
        "One factor with a gap: a rotated digit is blended there, not rotated, though its last layer keeps the ring.",
        (
            Check("blend_index", Range(low=0.0), "nearer to the average of the two ends than to the true picture"),
            Check("neighbour_order", Range(low=0.9), "ours: the last hidden layer keeps the angles in order"),
            Check("id_nmse", Range(high=0.05), "ours: the other angles are learned"),
        ),
        s.rotation,
        control("no gap", s.rotation_revealed),
        least=LAPTOP,
    ),
    claim(
        "FR19",
        "code: encoder_exps",
        "The inverse task, from picture to code, also fails in the hole; to two plain numbers it fails much less.",
        (
            Check("interior_accuracy", Range(high=0.3), "our notes: 9% within a pixel"),
            Check("ood_exact", Range(high=0.3), "our notes: 9% exactly"),
            Check("id_exact", Range(low=0.95), "our notes: 100% exactly"),
            Check("interior_accuracy", Range(low=0.2), "our notes: 67% against 9%", of="numbers", minus="main"),
        ),
        {"main": s.encoder, "numbers": s.encoder_numbers},
        Control("the full grid", {"main": s.encoder_revealed, "numbers": s.encoder_numbers_revealed}),
        least=LAPTOP,
    ),
    claim(
        "FR20",
        "code: spatial_aware_mlp",
        "A network shared by all pixels and told its place composes with no regulariser.",
        (
            Check("ood_nmse", Range(high=COMPOSES_BELOW), "released weights: 0.010 with two hidden layers"),
            Check("ood_nmse", Range(high=COMPOSES_BELOW), "released weights: 0.009 with four", of="deep"),
            Check("id_nmse", Range(high=0.05), "released weights: 0.0001"),
        ),
        {"main": s.per_pixel, "deep": s.per_pixel_deep},
        control("a plain CNN with the same codes and corner", s.one_hot_cnn, "deep"),
        least=LAPTOP,
    ),
)
