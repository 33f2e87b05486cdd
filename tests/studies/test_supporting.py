"""Which supports guarantee which compositions, against the known table, and what is left free."""

import json

import numpy as np
import pytest

from recombine.core.compositions import compositions
from recombine.core.errors import InputError
from recombine.data import Problem, tasks
from recombine.splits import regions
from recombine.splits.designs import (
    GAP,
    A,
    DiagonalSupport,
    Plane,
    PlanesSupport,
    RandomSupport,
    orthogonal,
    orthogonal_single,
)
from recombine.studies.supporting import (
    GUARANTEED,
    IMPOSSIBLE,
    LACKING,
    NOT_GUARANTEED,
    check_support,
    freedom,
    guarantee,
    hidden,
    never_shown,
    reached,
    relative,
    scenes_of,
    summary,
)  # fmt: skip

SUPPORTS = {
    "random": RandomSupport(),
    "planes": orthogonal(),
    "single": orthogonal_single(),
    "gap": orthogonal(without=GAP),
    "wide": DiagonalSupport(width=0.4),
    "narrow": DiagonalSupport(width=0.1),
}
# Wiedemer et al. (2023), Def. 3, and its weaker forms: what each support of the table does for each composition.
TABLE = {
    "addition": {name: IMPOSSIBLE if name == "gap" else GUARANTEED for name in SUPPORTS},
    "soft": {name: IMPOSSIBLE if name == "gap" else GUARANTEED for name in SUPPORTS},
    "hard": {name: IMPOSSIBLE if name in ("single", "gap", "narrow") else NOT_GUARANTEED for name in SUPPORTS},
    "over": {name: NOT_GUARANTEED if name == "random" else IMPOSSIBLE for name in SUPPORTS},
}
CELLS = [(kind, name) for kind in TABLE for name in SUPPORTS]
FEW = {"anchors": 5, "completions": 256}


def problem(kind, name, **settings):
    given = {"size": 8, "composition": kind, "raster": "hard" if kind == "hard" else "soft", **settings}
    return Problem(tasks.sprites(**given), support=SUPPORTS[name], examples=10)


@pytest.fixture(scope="module")
def found():
    """The conditions of every cell of the table, computed once."""
    return {(kind, name): check_support(problem(kind, name), **FEW) for kind, name in CELLS}


@pytest.mark.parametrize(("kind", "name"), CELLS)
def test_the_table(kind, name, found):
    assert guarantee(problem(kind, name), found[kind, name]) == TABLE[kind][name]


def test_a_sum_has_full_rank_wherever_it_is_seen(found):
    for name in SUPPORTS:
        cell = found["addition", name]
        assert cell.compositional == (name != "gap")
        assert cell.sufficient == cell.stacked == (name != "gap")
        if name != "gap":
            assert cell.margin == pytest.approx(1)  # the derivative of a sum is the identity


def test_a_soft_composition_has_full_rank_and_a_margin_that_the_support_decides(found):
    margins = {name: found["soft", name].margin for name in SUPPORTS if name != "gap"}
    assert all(0 < margin < 1 for margin in margins.values())
    assert margins["random"] > margins["planes"]
    assert margins["planes"] >= margins["single"]
    assert margins["random"] > margins["narrow"]


def test_an_empty_front_is_never_fully_seen_under_hard_occlusion(found):
    """An empty pixel in front has no derivative, on every support: the condition as published cannot hold."""
    for name in SUPPORTS:
        front, back = found["hard", name].slots
        assert front.summed == 0
        assert not found["hard", name].sufficient
        if name != "gap":
            assert front.lacking == 0  # nor does a test show it
            assert back.shown == 1


def test_a_back_that_is_always_behind_the_same_front_lacks_what_that_hides(found):
    lacking = {name: found["hard", name].slots[1].lacking for name in SUPPORTS}
    assert lacking["random"] == lacking["planes"] == 0
    assert lacking["single"] > LACKING
    assert lacking["narrow"] > LACKING


def test_opacity_in_front_of_black_is_not_seen(found):
    """Three numbers of a pixel cannot fix four of a component, unless what is behind it varies there."""
    for name in SUPPORTS:
        assert all(slot.summed == 0 for slot in found["over", name].slots)
    assert found["over", "planes"].slots[0].lacking > 0.5
    assert found["over", "random"].slots[0].lacking <= LACKING
    assert found["over", "narrow"].slots[0].lacking > found["over", "wide"].slots[0].lacking > LACKING


def test_a_gap_is_never_shown_and_nothing_else_is(found):
    for kind in TABLE:
        front, back = found[kind, "gap"].slots
        assert 0 < front.shown < 1
        assert back.shown == 1
        assert not relative(found[kind, "gap"])
        shares = never_shown(problem(kind, "gap"))
        assert shares[0] == pytest.approx(0.4, abs=0.05)
        assert shares[1] == 0


def test_the_composition_of_a_model_may_be_asked_about_instead():
    hard = problem("hard", "single")
    expected = {None: IMPOSSIBLE, compositions.soft(): GUARANTEED, compositions.over(): IMPOSSIBLE}
    for composition, word in expected.items():
        assert guarantee(hard, check_support(hard, composition, **FEW)) == word


def test_three_sprites():
    planes = tuple(Plane(free=slot, at=A) for slot in range(3))
    task = tasks.sprites(size=8, count=3, composition="addition")
    for free, word in ((3, GUARANTEED), (2, IMPOSSIBLE)):
        some = Problem(task, support=PlanesSupport(planes=planes[:free]), examples=9)
        found = check_support(some, **FEW)
        assert [slot.shown for slot in found.slots] == [1, 1, free - 2]
        assert never_shown(some) == [0, 0, 3 - free]
        assert guarantee(some, found) == word


def test_a_gap_that_no_anchor_meets_is_known_all_the_same():
    """A cut of a corner in five latents holds hardly any value; it is looked up rather than hoped for."""
    corner = {f"{name}1": (0.0, 0.45) for name in ("x", "y", "shape", "scale", "hue")}
    cut = Problem(tasks.sprites(size=8, composition="addition"), support=RandomSupport(without=corner), examples=5)
    found = check_support(cut, anchors=2, completions=4)
    assert found.compositional
    assert never_shown(cut)[0] == pytest.approx(0.45**5, abs=0.01)
    assert never_shown(cut)[0] > never_shown(cut)[1] == 0
    assert guarantee(cut, found) == IMPOSSIBLE


def with_support(support, kind="addition", **settings):
    return Problem(tasks.sprites(size=8, composition=kind, **settings), support=support, examples=5)


@pytest.mark.parametrize("support", [RandomSupport, PlanesSupport, DiagonalSupport])
@pytest.mark.parametrize(
    ("cut", "shapes"),
    [
        ((0.0, 0.24), ()),
        ((0.0, 0.25), ("triangle",)),
        ((0.2, 0.76), ("square",)),
        ((0.26, 1.0), ("circle",)),
        ((0.25, 1.0), ("square", "circle")),
    ],
)
def test_a_shape_is_hidden_with_the_whole_of_its_range_only(support, cut, shapes):
    """Triangles are below 1/4 and circles from 3/4 on; what draws the same is shown together."""
    some = with_support(support(without={"shape1": cut}))
    front = hidden(some)[0]
    assert front.shapes == shapes
    assert front.ranges == {}
    expected = sum({"triangle": 0.25, "square": 0.5, "circle": 0.25}[shape] for shape in shapes)
    assert front.share == pytest.approx(expected, abs=0.04)
    found = check_support(some, anchors=8, completions=16)
    assert found.slots[0].shown == pytest.approx(1 - expected, abs=1e-9)  # anchors are spread evenly
    assert guarantee(some, found) == (IMPOSSIBLE if shapes else GUARANTEED)


@pytest.mark.parametrize("support", [RandomSupport, PlanesSupport, DiagonalSupport])
def test_what_is_left_of_a_shape_leaves_no_more_free(support):
    whole, partly, gone = (
        freedom(with_support(support(without=cut)), values=8, asked=30).share
        for cut in ({}, {"shape1": (0.0, 0.24)}, {"shape1": (0.0, 0.25)})
    )
    assert partly <= whole < gone


def test_latents_of_one_shape_are_reached_alike():
    some = with_support(RandomSupport(without={"shape1": (0.0, 0.24)}))
    values = np.full((4, 5), 0.5)
    values[:, 2] = [0.1, 0.2, 0.245, 0.25]
    assert reached(some, 0, values).all()
    assert some.support.reaches(0, values, 2).tolist() == [False, False, True, True]


def test_what_a_cut_leaves_to_a_shape_is_looked_at():
    """Triangles are shown with all that there is, some of their latents with little of it."""
    cut = {"shape1": (0.0, 0.2), "x2": (0.0, 0.9)}
    triangles = with_support(RandomSupport(without=cut), "over")
    assert relative(check_support(triangles, **FEW))
    assert not relative(
        check_support(with_support(RandomSupport(without={**cut, "shape1": (0.0, 1.0)}), "over"), **FEW)
    )


@pytest.mark.parametrize(
    ("support", "slot", "ranges"),
    [
        (RandomSupport(without={"x1": (0.0, 0.5), "hue1": (0.2, 0.9)}), 0, {"x1": (0.0, 0.5), "hue1": (0.2, 0.9)}),
        (PlanesSupport(without=GAP), 0, {"x1": (0.05, 0.45)}),
        # A back sprite is √2 · width from the ends of the cut.
        (DiagonalSupport(width=0.05, without={"x1": (0.4, 0.6)}), 1, {"x2": (0.471, 0.529)}),
    ],
)
def test_what_is_hidden_is_told_by_its_ends(support, slot, ranges):
    found = hidden(with_support(support))[slot]
    assert found.ranges == {name: pytest.approx(ends, abs=1e-3) for name, ends in ranges.items()}
    assert found.share == pytest.approx(np.prod([high - low for low, high in ranges.values()]), abs=0.04)


def test_a_cut_that_leaves_little_leaves_nearly_all_free():
    found = freedom(with_support(RandomSupport(without={"x1": (0.0, 0.995)})), values=6, asked=10)
    assert found.share == 1


def test_chance_is_a_function_of_the_seed():
    first, again, other = (check_support(problem("hard", "narrow"), **FEW, seed=seed) for seed in (0, 0, 1))
    assert first.to_dict() == again.to_dict()
    assert first.to_dict() != other.to_dict()


# What is left free


def test_a_sum_is_free_where_it_is_not_seen():
    seen, gap = (freedom(problem("addition", name), values=10, asked=30) for name in ("planes", "gap"))
    assert (seen.share, seen.overlap_share, seen.combinations) == (0, 0, 0)
    # A sprite in the gap may be anything: all pixels of the combinations that have it, and of no others.
    chosen = gap.found.free.mean(axis=1)
    assert set(np.unique(chosen)) == {0, 1}
    assert gap.share == gap.combinations == chosen.mean()


@pytest.mark.parametrize("kind", ["addition", "soft", "hard", "over"])
def test_nothing_is_free_when_all_combinations_are_shown(kind):
    assert freedom(problem(kind, "random"), values=6, asked=15).share == 0


def test_what_is_free_under_the_planes():
    soft, over, hard = (freedom(problem(kind, "planes"), values=8, asked=20) for kind in ("soft", "over", "hard"))
    assert hard.share == 0
    assert 0 < soft.share < over.share < 1
    assert soft.overlap_share > soft.share  # it is where sprites overlap


def test_a_wider_band_leaves_less_free():
    shares = [
        freedom(Problem(tasks.sprites(size=8, composition="soft"), support=DiagonalSupport(width=w), examples=5)).share
        for w in (0.01, 0.1, 0.4)
    ]
    assert shares[0] > shares[1] >= shares[2] == 0  # the narrowest shows no two different values together


def test_overlap_has_no_share_where_nothing_overlaps():
    alone = tasks.sprites(size=8, count=1, composition="addition")
    found = freedom(Problem(alone, support=RandomSupport(), examples=5), values=4, asked=6)
    assert found.overlap_share is None
    assert found.share == 0


# As values


def test_a_summary_is_json_and_says_what_was_found(found):
    free = freedom(problem("over", "planes"), values=5, asked=6)
    for kind, name in CELLS:
        told = summary(problem(kind, name), found[kind, name], free)
        assert json.loads(json.dumps(told)) == told
        assert told["guarantee"] == TABLE[kind][name]
        assert told["relative"] == (told["guarantee"] != IMPOSSIBLE)
        assert told["never_shown"] == never_shown(problem(kind, name))
        assert len(told["lacking"]) == len(told["full_rank"]) == 2
        assert (told["free_share"], told["free_overlap_share"]) == (free.share, free.overlap_share)


def test_a_little_may_seem_lacking_by_chance():
    """Rare pixels may be missed among finitely many combinations; the limit is on the mean share."""
    cell = check_support(problem("over", "narrow"), **FEW)
    back = cell.slots[1]
    assert back.lacking <= LACKING < cell.slots[0].lacking
    assert not relative(cell)


def test_a_task_without_components_cannot_be_checked():
    bump = Problem(tasks.bump(n=8), regions.block(x=(3, 6), y=(2, 5)))
    for ask in (scenes_of, check_support, freedom):
        with pytest.raises(InputError, match="task 'bump' has no known composition of components"):
            ask(bump)
