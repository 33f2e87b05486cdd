"""The claims of the modularity paper: which there are, what they compare, and what their controls exchange."""

from functools import cache
from itertools import pairwise

import pytest

from recombine.papers import Average, Claim, Scale, papers
from recombine.papers.judging import _quantity
from recombine.papers.poisson_modularity import amounts, conditions, shapes, transplants
from recombine.papers.poisson_modularity.claiming import KEY
from recombine.papers.poisson_modularity.conditions import SIZES, Size, box, sines
from recombine.papers.poisson_modularity.forgetting import Forgetting
from recombine.papers.poisson_modularity.module_need import ModuleNeed
from recombine.studies import Experiment, Work, change
from recombine.training import Outcome, noises, run

PAPER = papers[KEY]
CLAIMS: dict[str, Claim] = {claim.id: claim for claim in PAPER.claims}
SWEEPS = {sweep.key: sweep for sweep in PAPER.sweeps}
each_claim = pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
at_each_scale = pytest.mark.parametrize("scale", Scale)


def test_every_claim_of_the_paper_and_our_own_in_order():
    theirs = [*(f"PM{number}" for number in range(3)), "PM2b", *(f"PM{number}" for number in range(3, 14))]
    assert list(CLAIMS) == [*theirs, *(f"PX{number}" for number in range(1, 15))]
    assert papers.claims([KEY]) == papers.claims(["PM", "PX"])
    assert all(claim.paper == KEY for claim in CLAIMS.values())


def test_minutes_suffice_for_the_first_claims_only():
    assert [claim.id for claim in PAPER.claims_at(Scale.QUICK)] == ["PM1", "PM2", "PM4"]
    assert list(PAPER.claims_at(Scale.LAPTOP)) == list(PAPER.claims_at(Scale.PAPER)) == list(CLAIMS.values())


def test_what_is_ours_says_so_and_what_is_theirs_says_where():
    for id, claim in CLAIMS.items():
        assert claim.place.startswith("ours" if id.startswith("PX") else ("abstract", "code")), id


@each_claim
def test_every_check_names_settings_that_exist(claim):
    for check in claim.checks:
        assert set(check.settings) <= set(claim.settings)
        assert set(check.settings) <= set(claim.control.settings)


@at_each_scale
@each_claim
def test_no_setting_is_compared_with_itself(claim, scale):
    """Such a check could not fail in a claim, and could not pass in a control."""
    for runs in (claim.runs(scale), claim.control_runs(scale)):
        for check in claim.checks_at(scale):
            if check.beside is not None:
                assert runs[check.of][0].digest() != runs[check.beside][0].digest(), check.where()


@at_each_scale
@each_claim
def test_every_check_looks_at_other_runs_in_the_control(claim, scale):
    own, control = claim.runs(scale), claim.control_runs(scale)
    for check in claim.checks_at(scale):
        seen, exchanged = ([runs[name][0].digest() for name in check.settings] for runs in (own, control))
        assert seen != exchanged, f"{check.quantity} of {check.where()}"


@each_claim
def test_five_seeds_or_more_decide_at_laptop_and_controls_have_three(claim):
    assert claim.seeds[Scale.LAPTOP] >= 5
    assert claim.control.most_seeds >= 3


@at_each_scale
@each_claim
def test_medians_have_six_seeds_or_more_and_controls_too(claim, scale):
    """Fewer have no interval, and decide nothing."""
    if not claim.asked_at(scale):
        return
    for check in claim.checks_at(scale):
        if check.average is Average.MEDIAN:
            assert claim.seeds[scale] >= 6
            assert len(claim.control_runs(scale)[check.of]) >= 6


@each_claim
def test_what_differs_by_factors_is_not_judged_by_its_mean(claim):
    for check in claim.checks:
        if check.over is not None or check.quantity in (
            "id_mse",
            "ood_mse",
            "after",
            "scale_leak.8",
            "shift_leak.1000",
        ):
            assert check.average is not Average.MEAN, f"{check.quantity} of {check.where()}"
        if check.minus is not None:
            assert check.average is Average.MEAN, "a difference may be negative"


@pytest.mark.parametrize("sweep", SWEEPS.values(), ids=SWEEPS)
def test_every_setting_of_a_sweep_is_run_by_some_claim_at_laptop(sweep):
    """A sweep runs nothing: what no claim runs would stay away from its figure."""
    run_by_claims = digests_of_all()
    for series, number, work in sweep.works(Scale.LAPTOP):
        assert work.digest() in run_by_claims, f"{series} at {number:g}"


@cache
def digests_of_all() -> frozenset[str]:
    return frozenset(work.digest() for claim in CLAIMS.values() for work in claim.works(Scale.LAPTOP))


@pytest.mark.parametrize("name", ["PM2b", "PM12", "PM13", "PX1", "PX2", "PX3", "PX8", "PX12"])
def test_controls_that_exchange_use_the_very_same_runs(name):
    """An exchange costs no run of its own."""
    claim = CLAIMS[name]
    own, control = (
        {work.digest() for works in runs.values() for work in works}
        for runs in (claim.runs(Scale.LAPTOP), claim.control_runs(Scale.LAPTOP))
    )
    assert control <= own


def test_settings_have_names_and_words_for_a_report():
    for claim in CLAIMS.values():
        for setting in (*claim.settings.values(), *claim.control.settings.values()):
            assert setting.__name__
            assert setting.__doc__
            assert setting(Scale.QUICK) is setting(Scale.QUICK)  # built once


def test_names_of_settings_tell_them_apart():
    named: dict[str, str] = {}
    for claim in CLAIMS.values():
        for setting in (*claim.settings.values(), *claim.control.settings.values()):
            digest = setting(Scale.LAPTOP).digest()
            assert named.setdefault(setting.__name__, digest) == digest, setting.__name__


# What is trained


def experiment(work: Work) -> Experiment:
    assert isinstance(work, Experiment)
    return work


@pytest.mark.parametrize(
    ("scale", "parts", "width"), [(Scale.QUICK, 3, 24), (Scale.LAPTOP, 4, 32), (Scale.PAPER, 4, 32)]
)
def test_the_reference_network_has_eight_units_a_function_in_three_layers(scale, parts, width):
    made = experiment(conditions.l2(scale))
    assert made.problem.task.parts == parts
    assert made.model.widths == (width,) * 3
    assert (made.model.modules, experiment(conditions.modular(scale)).model.modules) == (1, parts)
    assert (made.problem.examples, made.problem.centres) == (1000, "uniform")
    assert (made.recipe.optimiser, made.recipe.decay) == ("adam", 0.0)


def test_the_paper_scale_is_the_released_setting():
    size = SIZES[Scale.PAPER]
    assert (size.parts, size.width, size.batch, size.steps, size.rate) == (4, 32, 200, 50_000, 1e-3)


def test_every_condition_but_three_has_the_weight_penalty():
    alone = {"none", "activity_alone", "wa1_alone"}
    made = {name: value for name, value in vars(conditions).items() if name in {
        "none", "l2", "noisy", "additive", "multiplicative", "wa1", "wa2", "activity", "l1", "dropout",
        "activity_alone", "wa1_alone", "modular", "modular_noisy",
    }}  # fmt: skip
    for name, setting in made.items():
        terms = experiment(setting(Scale.LAPTOP)).recipe.penalties
        assert (conditions.DECAY() in terms) == (name not in alone), name


def test_the_three_noises_differ_in_their_exponent_alone():
    found = [
        experiment(setting(Scale.LAPTOP)).recipe.noise
        for setting in (conditions.additive, conditions.noisy, conditions.multiplicative)
    ]
    assert found == [noises.activity(level=0.05, exponent=exponent) for exponent in (0.0, 1.0, 2.0)]


def test_nothing_is_held_out_from_the_reference_and_corners_are_from_the_others():
    shown, held = experiment(conditions.l2(Scale.LAPTOP)), experiment(shapes.corners_l2(Scale.LAPTOP))
    assert shown.problem.trained.all()
    cells = held.problem.grid.combinations()[held.problem.trained]
    assert ((cells >= 3).sum(axis=1) < 2).all()  # no two inputs positive together
    assert held.problem.task == shown.problem.task


def test_linear_networks_are_linear_and_repeat_their_inputs():
    for inputs, settings in shapes.LINEAR.items():
        for setting in settings.values():
            made = experiment(setting(Scale.LAPTOP))
            assert (made.model.nonlinearity, made.model.bias) == ("linear", False)
            assert (made.problem.task.functions, made.problem.task.inputs) == ("identity", inputs)


def test_quadrants_of_the_hill_hold_out_where_the_signs_differ():
    problem = shapes.hill()
    x, y = problem.grid.values(problem.grid.combinations()).T
    inside = ~problem.task.outside
    assert (problem.parts.held_out == ((x * y < 0) & inside)).all()
    assert (problem.parts.train == ((x * y > 0) & inside)).all()


@pytest.mark.parametrize(("shape", "parameters"), [("modular", 899), ("bottleneck", 1155), ("full", 33_537)])
def test_networks_of_two_inputs_have_the_released_number_of_parameters(shape, parameters):
    """Weights that a mask cuts are no parameters: with modules the 128 units of the first layer hear one input each."""
    made = experiment(shapes.JOINED["hill"][shape](Scale.PAPER))
    sizes = (2, *made.model.widths, 1)
    weights = [after * before for before, after in pairwise(sizes)]
    for cut in range(made.model.cut):
        weights[cut] //= made.model.modules
    assert sum(weights) + sum(sizes[1:]) == parameters


@pytest.mark.parametrize("depth", range(1, 6))
def test_a_chain_is_modules_of_sixteen_units_that_end_in_one_each(depth):
    made = experiment(shapes.CHAINS[depth](Scale.LAPTOP))
    assert made.model.widths == (64,) * depth + (4,) + (64,) * 3
    assert (made.model.modules, made.model.cut) == (4, depth + 1)


def test_a_transplant_is_the_other_papers_setting_with_one_thing_more():
    for plain, penalised, noisy in (
        (transplants.hole(), transplants.cnn_penalty, transplants.cnn_noise),
        (transplants.deep_cd3, transplants.context_penalty, transplants.context_noise),
        (transplants.no_terms, transplants.rendering_penalty, transplants.rendering_noise),
    ):
        base = experiment(plain(Scale.LAPTOP))
        for made in (experiment(penalised(Scale.LAPTOP)), experiment(noisy(Scale.LAPTOP))):
            same = change(made, recipe=change(made.recipe, penalties=base.recipe.penalties, noise=None))
            assert same == base
        added = experiment(penalised(Scale.LAPTOP)).recipe
        assert [term.kind for term in added.penalties][len(base.recipe.penalties) :] == ["weighted-activity"]
        assert added.noise is None
        assert experiment(noisy(Scale.LAPTOP)).recipe.noise is not None


def test_forgetting_trains_what_the_conditions_train_and_the_search_builds_modules_in():
    forgets = amounts.forgets_masked(Scale.LAPTOP)
    assert isinstance(forgets, Forgetting)
    same = experiment(conditions.modular(Scale.QUICK))
    assert (forgets.problem, forgets.model, forgets.recipe) == (same.problem, same.model, same.recipe)
    built_in = amounts.module_need_masked(Scale.LAPTOP)
    assert isinstance(built_in, ModuleNeed)
    assert built_in.masked


def test_networks_that_differ_in_strength_share_a_stack():
    doses = amounts.DOSES["Poisson-like noise"], amounts.DOSES["weighted activity 1"]
    for series in doses:
        assert len({experiment(setting(Scale.LAPTOP)).shape() for setting in series.values()}) == 1


# Every quantity that is checked is really measured, part by part


@cache
def measured(modules: int = 1) -> Outcome:
    """A run of the reference network with all that the conditions measure, five steps long."""
    made = sines(Size(parts=3, steps=5, rate=1e-3), conditions.DECAY, modules=modules)
    assert made.problem == box(3)
    return run(made.plan())


@pytest.mark.parametrize("modules", [1, 3])
def test_checks_name_parts_that_a_run_has(modules):
    names = {
        check.quantity
        for claim in CLAIMS.values()
        for check in claim.checks
        for work in claim.runs(Scale.LAPTOP)[check.of][:1]
        if isinstance(work, Experiment) and work.problem.reveal and work.model.kind == "feedforward"
        if work.model.modular_layers is None
    }
    assert {"spectral_score.layer2", "scale_leak.8", "pruned_shift_leak.1000", "noise_robustness.0.1"} <= names
    assert set(measured(modules).undefined) == {"ood_mse", "ood_nmse"}  # nothing is held out
    assert {name for name in names if _quantity(measured(modules).measures, name) is None} == set()


def test_the_masked_network_is_exactly_modular_and_the_dense_one_is_not():
    assert measured(3).measures["path_modularity"] == 1.0
    assert measured(3).measures["cross_talk"] == 0.0
    assert measured(1).measures["path_modularity"] < 0.2
