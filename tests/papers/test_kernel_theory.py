"""The claims of the kernel paper: which there are, what their controls exchange, and that exact ones come out right."""

import pytest

from recombine.papers import Claim, Range, Scale, Verdict, judge, papers
from recombine.papers.kernel_calculations import addition, context, equivalence, equivalence_as_drawn, ordering
from recombine.papers.kernel_settings import FAR, NEAR, convnet, deeper, lazy_addition, pixels, symbolic_classes
from recombine.papers.kernel_theory import ANCHORS, RELU_SALIENCE, near_law
from recombine.studies import Calculation, Experiment
from recombine.theory import random_layers, salience

CLAIMS: dict[str, Claim] = {claim.id: claim for claim in papers["kernel-theory"].claims}
QUICK_TO_COMPUTE = ["KT2", "KT3", "KT4", "KX2"]


def test_every_claim_of_the_paper_and_our_own():
    assert list(CLAIMS) == [*(f"KT{number}" for number in range(1, 17)), "KX1", "KX2", "KX3", "KX4"]
    assert papers.claims(["kernel-theory"]) == papers.claims(["KT", "KX"])


def bodies(claim: Claim) -> dict:
    """Records of a claim made of calculations, computed here."""
    found = {}
    for work in claim.works(Scale.QUICK):
        assert isinstance(work, Calculation)
        measures = {name: float(value) for name, value in work.compute().measures.items()}
        found[work.digest()] = {
            "status": "done", "reason": None, "measures": measures, "cost": {}, "exact": work.exact,
        }  # fmt: skip
    return found


@pytest.mark.parametrize("name", QUICK_TO_COMPUTE)
def test_claims_that_are_computed_in_moments_hold_and_their_controls_do_not(name):
    judged = judge(CLAIMS[name], Scale.QUICK, bodies(CLAIMS[name]))
    assert judged.verdict is Verdict.CONFIRMED, [check.to_dict() for check in judged.checks]
    assert judged.control_verdict is Verdict.CONTRADICTED
    assert judged.sound


def test_context_is_used_where_a_kernel_fails_and_memorisation_is_not():
    """The second half of KT9 does not hold, and the claim says so."""
    judged = judge(CLAIMS["KT9"], Scale.QUICK, bodies(CLAIMS["KT9"]))
    assert judged.verdict is Verdict.CONTRADICTED
    verdicts = {result.check.quantity: result.verdict for result in judged.checks}
    assert verdicts.pop("share_memorization") is Verdict.CONTRADICTED
    assert set(verdicts.values()) == {Verdict.CONFIRMED}


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
@pytest.mark.parametrize("scale", Scale)
def test_no_difference_is_that_of_a_setting_with_itself(claim, scale):
    """Such a check could not fail in a claim, and could not pass in a control."""
    for runs in (claim.runs(scale), claim.control_runs(scale)):
        for check in claim.checks_at(scale):
            if check.minus is not None:
                assert runs[check.of][0].digest() != runs[check.minus][0].digest(), check.where()


def test_the_number_the_lazy_ranges_hang_on_is_the_salience_of_one_layer():
    found = salience(random_layers((0.0, 0.5, 1.0), "relu", 1))[0]
    assert found == pytest.approx(RELU_SALIENCE, abs=5e-5)


@pytest.mark.parametrize(("anchors", "slope"), [(1, 0.743), (2, 0.853), (3, 0.897), (4, 0.921)])
def test_the_lazy_ranges_hold_the_slopes_of_the_law(anchors, slope):
    """Our notes give the slopes of the formula at this salience."""
    expected = near_law(anchors)
    assert (expected.low + expected.high) / 2 == pytest.approx(slope, abs=5e-4)
    assert expected.high - expected.low == pytest.approx(0.06, abs=1e-3)
    assert len(ANCHORS[anchors]) == anchors
    assert sum(ANCHORS[anchors]) == 0  # zero mean: no offset


@pytest.mark.parametrize(
    ("problem", "trained", "held_out"),
    [
        (addition((0.0,)), 17, 64),
        (addition((-4.0, 4.0)), 32, 49),
        (context(3), 54, 18),
        (context(2), 64, 8),
        (context(1), 70, 2),
        (equivalence(), 12, 4),
        (equivalence((5, 5), 1), 36, 64),
        (equivalence((5, 5), 4), 96, 4),
        (equivalence_as_drawn(), 28, 8),
        (ordering(7), 12, 30),
    ],
)
def test_the_problems_have_the_published_sizes(problem, trained, held_out):
    assert (int(problem.trained.sum()), int(problem.parts.held_out.sum())) == (trained, held_out)


def test_anchors_are_given_by_value():
    problem = addition((-2.0, 2.0))
    first, second = problem.grid.combinations()[problem.trained].T
    assert all(a in (2, 6) or b in (2, 6) for a, b in zip(first.tolist(), second.tolist(), strict=True))


@pytest.mark.parametrize("name", ["KT3", "KT9", "KT12", "KT14", "KX1"])
def test_controls_that_exchange_use_the_very_same_runs(name):
    """An exchange costs no run of its own, apart from networks that only the larger scales ask for."""
    claim = CLAIMS[name]
    own = {work.digest() for works in claim.runs(Scale.QUICK).values() for work in works}
    control = {work.digest() for works in claim.control_runs(Scale.QUICK).values() for work in works}
    assert control <= own


def test_symbolic_networks_are_the_published_ones():
    lazy = lazy_addition((0.0,))
    assert (lazy.model.width, lazy.model.depth, lazy.model.scale) == (1000, 1, 1.0)
    assert (lazy.recipe.batch, lazy.recipe.optimiser, lazy.recipe.stop) == ("all", "sgd", 1e-4)
    assert symbolic_classes(context(3), 0.1, "logistic").recipe.loss == "logistic"
    assert lazy_addition((0.0,), reveal=True).problem.reveal


def test_lazy_and_rich_networks_of_one_length_share_a_stack():
    first, second = (symbolic_classes(context(3), scale, "mse") for scale in (1.0, 0.1))
    assert first.shape() == second.shape()


@pytest.mark.parametrize("distance", [NEAR, FAR])
def test_the_published_convnet_reads_full_digits_twice_as_far_apart(distance):
    small, large = (convnet(addition((0.0,)), scale, distance) for scale in (Scale.QUICK, Scale.PAPER))
    assert small.problem.task.images.distance == distance
    assert large.problem.task.images.distance == 2 * distance
    assert (small.problem.task.images.size, large.problem.task.images.size) == (14, None)
    assert large.model.settings() == {}
    assert large.problem.task.images.total == 20_000
    assert (large.recipe.batch, large.recipe.rate, large.recipe.momentum) == (128, 1e-4, 0.9)
    assert large.recipe.steps == 100 * 20_000 // 128  # a hundred epochs


def test_published_numbers_of_tuples_and_epochs():
    assert convnet(context(3), Scale.PAPER, FAR, "logistic").problem.task.images.total == 30_000
    pairs = convnet(equivalence((5, 5), 4), Scale.PAPER, FAR, "logistic", epochs=30)
    assert pairs.recipe.steps == 150 * 20_000 // 128
    for name, epochs in (("resnet", 100), ("vit", 200)):
        made = deeper(addition((0.0,)), Scale.PAPER, name)
        assert made.problem.task.images.set == "cifar10"
        assert made.problem.task.images.per_category == 4_000
        assert made.recipe.steps == epochs * 40_000 // 128
        assert made.model.settings() == {}


def test_pixels_are_read_by_a_linear_map_of_the_same_problem():
    linear = pixels(Scale.QUICK, FAR)
    assert linear.model.depth == 0
    assert linear.problem == convnet(equivalence((5, 5), 4), Scale.QUICK, FAR, "logistic").problem


def test_settings_have_names_and_words_for_a_report():
    for claim in CLAIMS.values():
        for setting in (*claim.settings.values(), *claim.control.settings.values()):
            assert setting.__name__
            assert setting.__doc__
            assert setting(Scale.QUICK) is setting(Scale.QUICK)  # built once


def test_ranges_of_the_map_are_the_cells_of_the_figure():
    expected = {check.quantity: check.expected for check in CLAIMS["KT8"].checks}
    cells = sum(expected[name].low for name in ("every", "only_1_2", "only_1", "none"))
    assert cells == 650
    assert expected["partial"] == Range(0.0, 0.0)


def test_the_image_networks_are_asked_for_at_the_larger_scales_only():
    def models(scale: Scale) -> set[str]:
        return {w.model.kind for claim in CLAIMS.values() for w in claim.works(scale) if isinstance(w, Experiment)}

    assert models(Scale.QUICK) == {"mlp", "convnet"}
    assert models(Scale.LAPTOP) == models(Scale.PAPER) == {"mlp", "convnet", "resnet", "vit"}
