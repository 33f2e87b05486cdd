"""Trials, the fit and its scores: drawn once, foretold before they are trained, scored beside plain rules."""

import json

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score

from recombine.core.errors import InputError
from recombine.core.failures import Failure
from recombine.records import Store
from recombine.studies import calibrating, calibration_file, change, scene_forecast
from recombine.studies import trials as trials_module
from recombine.studies.calibrating import Judged, Told, facts_of, fit, name_of
from recombine.studies.features import FAMILIES, family, measured_performance, performance
from recombine.studies.forecasting import grounds
from recombine.studies.found_causes import COMPOSED, DIVERGED
from recombine.studies.progress import Progress
from recombine.studies.scoreboard import area, bins, rank_correlation, resampled, scoreboard
from recombine.studies.trials import FAMILIES as DRAWS
from recombine.studies.trials import STREAMS, trials
from recombine.theory.calibration import document

SHORT = 25  # of every stream


@pytest.fixture(scope="module")
def drawn():
    """The first trials of every stream of both parts."""
    short = {part: tuple(each._replace(length=None) for each in found) for part, found in STREAMS.items()}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(trials_module, "STREAMS", short)
        return {part: trials(part, SHORT) for part in ("public", "score")}


@pytest.fixture
def hurry(monkeypatch):
    """Few values and scenes are looked at: what is asked here is not how well."""
    monkeypatch.setattr(scene_forecast, "ANCHORS", 8)
    monkeypatch.setattr(scene_forecast, "SAMPLED", 500)


def test_trials_are_the_same_every_time_and_the_parts_share_none(drawn):
    public, score = drawn["public"], drawn["score"]
    assert len({*public, *score}) == len(public) + len(score) == 5 * SHORT + SHORT
    whole = trials("public", 20)
    assert len(set(whole)) == sum(each.length or 20 for each in STREAMS["public"]) == 4 * 300 + 20
    assert whole[:SHORT] == public[:SHORT]


def test_families_take_turns_and_new_ones_are_drawn_in_streams_of_their_own(drawn):
    turns = ["pictures", "pictures", "sums", "classes", "functions"]
    told = {part: [family(each.problem) for each in found] for part, found in drawn.items()}
    assert told["public"][:10] == 2 * turns
    assert told["public"][-SHORT:][:24] == 8 * ["scenes", "pictures", "scenes"]
    assert told["score"][:14] == 2 * [*turns, "pictures", "scenes"]
    assert set(told["score"]) == {*FAMILIES, "scenes"}
    large = [each.problem for each in drawn["score"][5::7]]
    assert {each.grid.shape for each in large} == {(16, 16)}
    assert {bool(each.isolated) for each in large} == {True, False}


def test_every_trial_has_features_that_are_numbers_and_the_same_names(drawn, hurry):
    for chosen in (drawn["public"][:4] + drawn["score"][5:6], drawn["score"][6::7][:2]):
        found = [facts_of(each, grounds(each.problem, each.model)) for each in chosen]
        assert all(list(each) == list(found[0]) for each in found)
        assert np.isfinite([list(each.values()) for each in found]).all()
        assert {"kernels", "held_out", "distance"} <= set(found[0])  # what plain rules go by


@pytest.mark.parametrize(
    ("error", "quantity", "expected"),
    [(0.0, "nMSE", 1.0), (1.0, "nMSE", 0.0), (7.0, "nMSE", -1.0), (0.5, "error rate", 0.0), (1.0, "error rate", -1.0)],
)
def test_performance_is_one_scale_for_both_sorts_of_error(error, quantity, expected):
    assert performance(error, quantity) == pytest.approx(expected)


def test_measured_performance_is_of_what_was_measured():
    assert measured_performance({"id_nmse": 0.0, "ood_nmse": 0.25}) == {"id": 1.0, "ood": 0.75}
    assert measured_performance({"id_accuracy": 1.0, "ood_accuracy": 0.75}) == {"id": 1.0, "ood": 0.5}
    assert measured_performance({"id_r2": 1.0, "ood_r2": 0.25}) == {"id": 1.0, "ood": 0.25}
    assert measured_performance({"id_r2": 0.5, "ood_r2": -7.0}) == {"id": 0.5, "ood": -1.0}


def test_a_fit_learns_a_planted_relation():
    rng = np.random.default_rng(0)
    rows = [dict(zip("abc", row, strict=True)) for row in rng.uniform(-1, 1, (90, 3)).tolist()]
    truth = [0.6 * row["a"] - 0.3 * row["b"] for row in rows]
    found = fit(rows[:60], truth[:60], ["mlp"] * 60)
    told = np.array([found.expect([row])[0] for row in rows[60:]])
    assert rank_correlation(told, np.array(truth[60:])) > 0.97


def test_a_part_of_the_trials_is_foretold_before_it_is_trained_and_scored(tmp_path, monkeypatch, drawn, hurry):
    store, order = Store(tmp_path), []
    scenes = [each for each in drawn["public"] if each.problem.support is not None and each.model.family == "mlp"]
    public = [*drawn["public"][2:5], *scenes[:2]]  # a sum, a table of classes, functions and two scenes
    score = [*drawn["score"][2:5], drawn["score"][6]]
    quick = {"public": [_short(each) for each in public], "score": [_short(each) for each in score]}
    monkeypatch.setattr(calibrating, "trials", lambda part, count: quick[part])
    monkeypatch.setattr(calibrating, "earlier", lambda: {name_of(quick["public"][1]): 0.375})
    train = calibrating._train

    def watched(chosen, *rest):
        written = [store.forecast(name_of(each)) for each in chosen]
        order.append([each is not None for each in written])
        train(chosen, *rest)

    monkeypatch.setattr(calibrating, "_train", watched)
    fitted, judged = calibrating.calibrate(4, store, 1, Progress())
    assert order == [[False] * 4, [True] * 4]  # one of the public part came trained
    assert not store.has(name_of(quick["public"][1]))
    assert {of: len(each.rows) for of, each in fitted.items()} == {"calibration": 3, "scenes": 2}
    assert fitted["calibration"].performance[1] == 0.375
    assert [name for each in fitted.values() for name in each.digests] == [name_of(each) for each in quick["public"]]
    for each in judged:
        written = store.forecast(name_of(each.told.trial))
        assert (written["expected"], written["failure"]) == (each.told.expected, each.told.failure)
        bodies = [store.read(change(each.told.trial, seed=seed).digest()).body for seed in calibrating.SEEDS]
        found = [measured_performance(body["measures"])["ood"] for body in bodies]
        assert each.measured == pytest.approx(np.mean(found))
        assert each.cause in {*map(str, Failure), "not learned", "other", COMPOSED, DIVERGED}
    scores = scoreboard(judged)
    assert sum(count for row in scores["names"]["rows"] for count in row["found"].values()) == 4
    calibration_file.save(fitted, scores, tmp_path / "saved.json")
    saved = json.loads((tmp_path / "saved.json").read_text())
    page = calibration_file.page(saved)
    assert "5 of them (the public part)" in page
    assert "2 of the public trials are scenes" in page
    assert "| scenes | 1 |" in page
    monkeypatch.setattr(calibration_file, "document", lambda: saved)
    known = calibration_file.earlier()
    assert set(known) == {name_of(each) for part in quick.values() for each in part}
    assert known[name_of(quick["score"][3])] == pytest.approx(judged[3].measured)


def test_trained_anew_nothing_that_came_with_the_package_is_asked_for(tmp_path, monkeypatch, drawn):
    public = [_short(each) for each in (*drawn["public"][2:4], drawn["public"][-1])]
    monkeypatch.setattr(calibrating, "trials", lambda part, count: public)
    monkeypatch.setattr(calibrating, "earlier", lambda: {name_of(each): 0.5 for each in public})
    trained = []

    def stop(chosen, *rest):
        trained.extend(chosen)
        raise InputError("enough")

    monkeypatch.setattr(calibrating, "_train", stop)
    for anew, count in ((True, 3), (False, 0)):
        trained.clear()
        with pytest.raises(InputError, match="enough"):
            calibrating.calibrate(4, Store(tmp_path), 1, Progress(), anew)
        assert len(trained) == count


def _short(trial):
    return change(trial, recipe=change(trial.recipe, steps=5))


def judged(expected, measured, failures=None, causes=None):
    trial = DRAWS["pictures"](np.random.default_rng(0))
    facts = {"held_out": 0.3, "distance": 0.1, "kernels": 0.0}
    return [
        Judged(Told(trial, {**facts, "kernels": e / 2}, e, e - 0.1, e + 0.1, f), m, 1.0, c)
        for e, m, f, c in zip(
            expected, measured, failures or [None] * len(measured), causes or [None] * len(measured), strict=True
        )
    ]


def test_a_forecast_that_is_right_scores_full_and_rules_that_say_nothing_score_none():
    measured = np.linspace(-0.5, 1, 40)
    found = scoreboard(judged(measured, measured, ["leak"] * 20 + ["shortcut"] * 20))
    rules = {each["name"]: each for each in found["rules"]}
    assert rules["forecast"]["rank"] == pytest.approx({"value": 1, "low": 1, "high": 1})
    assert rules["forecast"]["area"]["value"] == rules["kernels alone"]["area"]["value"] == 1
    assert rules["always fails"]["rank"]["value"] == 0
    assert rules["always fails"]["area"]["value"] == 0.5
    assert (found["error"], found["inside"]) == (0, 1)
    assert [(each["name"], each["trials"]) for each in found["failures"]] == [("leak", 20), ("shortcut", 20)]


def test_a_bias_is_told_on_the_page_as_a_pattern():
    measured = np.linspace(-0.5, 0.5, 20)
    saved = {
        "calibration": {"performance": [0.0] * 7},
        "scoreboard": scoreboard(judged(measured + 0.3, measured)),
    }
    text = calibration_file.page(saved)
    assert "- pictures: expected too much by 0.30 on average over 20 trials" in text
    assert "7 of them (the public part)" in text
    even = {**saved, "scoreboard": scoreboard(judged(measured, measured))}
    assert "No group of 10 trials or more errs mostly" in calibration_file.page(even)
    assert "Not scored yet" in calibration_file.page(even)


def test_names_are_scored_where_one_was_expected_and_one_found():
    expected, found = ["leak", "leak", "shortcut", None, "leak"], ["leak", "shortcut", "shortcut", "leak", COMPOSED]
    scores = scoreboard(judged(np.linspace(0, 1, 5), np.linspace(0, 1, 5), expected, found))
    assert (scores["names"]["trials"], scores["names"]["right"]) == (3, pytest.approx(2 / 3))
    assert scores["names"]["rows"] == [
        {"expected": "leak", "found": {"leak": 1, COMPOSED: 1, "shortcut": 1}},
        {"expected": "none expected", "found": {"leak": 1}},
        {"expected": "shortcut", "found": {"shortcut": 1}},
    ]
    text = calibration_file.page({"calibration": {"performance": [0.0]}, "scoreboard": scores})
    assert "| expected \\ found | leak | nothing to blame | shortcut |" in text
    assert "| leak | 1 | 1 | 1 |" in text
    assert "in 67% of them" in text


@pytest.mark.parametrize(("right", "told"), [(4, True), (5, False)])
def test_a_failure_that_is_seldom_the_one_found_is_a_pattern(right: int, told: bool):
    """Of ten trials that failed; three more composed, and those of which nothing was expected have no name."""
    found = ["leak"] * right + ["shortcut"] * (10 - right) + [COMPOSED] * 3 + ["leak"] * 12
    even = np.linspace(0, 1, 25)
    scores = scoreboard(judged(even, even, ["leak"] * 13 + [None] * 12, found))
    line = "leak: found in 4 of the 10 trials that failed as it was expected; most often it was shortcut (6)."
    assert (line in calibration_file.patterns(scores)) == told
    assert not any("none expected" in each for each in calibration_file.patterns(scores))


@pytest.mark.parametrize(("inside", "told"), [(21, True), (24, False)])
def test_intervals_that_hold_clearly_too_few_are_a_pattern(inside: int, told: bool):
    expected = np.linspace(-0.5, 0.5, 32)
    off = np.where(np.arange(32) < inside, 0.0, 0.2 * (-1.0) ** np.arange(32))
    found = calibration_file.patterns(scoreboard(judged(expected, expected + off, ["leak"] * 32)))
    assert any("leak: intervals are too narrow: those of 80% hold 66% of 32 trials" in line for line in found) == told


def test_scores_are_those_of_scipy_and_scikit_learn():
    rng = np.random.default_rng(2)
    told, measured = rng.integers(0, 9, 31) / 8, np.round(rng.uniform(0.5, 1, 31), 1)
    assert rank_correlation(told, measured) == pytest.approx(spearmanr(told, measured).statistic)
    assert area(told, measured) == pytest.approx(roc_auc_score(measured >= 0.9, told))


def test_ties_and_constants_have_scores_that_say_so():
    flat, rising = np.zeros(6), np.arange(6.0)
    assert rank_correlation(flat, rising) == rank_correlation(rising, flat) == 0
    assert area(rising, flat) == 0.5
    found = resampled(rank_correlation, rising, rising[::-1])
    assert (found.value, found.low, found.high) == pytest.approx((-1, -1, -1))


def test_bins_hold_every_trial_once():
    rng = np.random.default_rng(1)
    expected, measured = rng.uniform(-1, 1, 23), rng.uniform(-1, 1, 23)
    found = bins(expected, measured)
    assert sum(each["trials"] for each in found) == 23
    assert sum(each["trials"] * each["measured"] for each in found) == pytest.approx(measured.sum())
    assert [each["expected"] for each in found] == sorted(each["expected"] for each in found)


def test_the_calibrations_of_the_package_were_fitted_to_the_public_part():
    saved = document()
    assert saved is not None
    public = {name_of(each): each for each in trials("public", saved["scoreboard"]["trials"])}
    for of in ("calibration", "scenes"):
        if of not in saved:
            continue
        names, rows, digests = (saved[of][each] for each in ("names", "rows", "digests"))
        assert len(set(digests)) == len(rows) == len(saved[of]["performance"])
        assert set(digests) <= set(public)
        for name, row in list(zip(digests, rows, strict=True))[::97]:
            told = facts_of(public[name], grounds(public[name].problem, public[name].model))
            assert row == pytest.approx([told[each] for each in names], abs=1e-4)


def test_no_trial_is_both_tuned_on_and_scored():
    saved = document()
    tuned = {name for of in ("calibration", "scenes") if of in saved for name in saved[of]["digests"]}
    assert tuned.isdisjoint(each["digest"] for each in saved["scoreboard"]["points"])
