"""The verdict on scenes before training: for the data's composition, for a model with another one, or with none."""

import json
import re

import numpy as np
import pytest

from recombine.core.errors import InputError
from recombine.data import Problem, tasks
from recombine.models import models
from recombine.records import Store
from recombine.splits import regions
from recombine.splits.designs import GAP, DiagonalSupport, RandomSupport, orthogonal, orthogonal_single
from recombine.studies import scene_forecast
from recombine.studies.forecasting import forecast, record_forecast
from recombine.studies.scene_forecast import forecast_scenes


@pytest.fixture(autouse=True)
def hurry(monkeypatch):
    """Few values and scenes: verdicts on pictures of 8 x 8 do not need more."""
    monkeypatch.setattr(scene_forecast, "ANCHORS", 8)
    monkeypatch.setattr(scene_forecast, "SAMPLED", 500)


def problem(kind="soft", support=None, **settings):
    given = {"size": 8, "composition": kind, "raster": "hard" if kind == "hard" else "soft", **settings}
    return Problem(tasks.sprites(**given), support=support or orthogonal(), examples=10)


def names(found):
    return [reason.name for reason in found.reasons]


def of_name(found, name):
    return [reason for reason in found.reasons if reason.name == name]


def test_guaranteed():
    found = forecast_scenes(problem("addition"))
    assert found.composes is True
    assert found.verdict.startswith("Guaranteed: a model that composes as the data do")
    assert names(found) == ["margin"]
    assert found.reasons[0].evidence["margin"] == pytest.approx(1)  # a sum shows all changes alike
    assert [(part.name, part.expected, part.low, part.high) for part in found.sections] == [
        ("id", 0, 0, 0),
        ("all", 0, 0, 0),
    ]


def test_not_guaranteed():
    found = forecast_scenes(problem("hard"))
    assert found.composes is None
    assert found.verdict.startswith("Not guaranteed: training shows all that a test asks for, but the published rank")
    assert names(found) == ["rank"]
    assert "100% of the values of sprite 1" in found.reasons[0].text
    assert found.reasons[0].evidence["full_rank"][0] == 0


def test_impossible_because_of_what_a_front_hides():
    found = forecast_scenes(problem("hard", orthogonal_single()))
    assert found.composes is False
    assert found.verdict.startswith("Impossible without help from the decoder")
    (lacking,) = of_name(found, "lacking pixels")
    assert lacking.evidence["sprite"] == 2
    assert lacking.evidence["share"] == found.details["lacking"][1] > 0
    assert found.details["lacking"][0] == 0
    front, back = (np.array(each) for each in found.details["lacking_maps"])
    assert front.shape == back.shape == (8, 8)
    assert not front.any()
    assert back.mean() == pytest.approx(lacking.evidence["share"], abs=0.005)  # maps are rounded
    # What the constant front at the origin hides is below and to the left.
    assert back[4:, :4].sum() > 0.9 * back.sum() > 0


def test_impossible_because_of_a_gap_that_is_named():
    found = forecast_scenes(problem("soft", orthogonal(without=GAP)))
    assert found.composes is False
    (unseen,) = of_name(found, "unseen value")
    assert unseen.evidence["sprite"] == 1
    assert unseen.evidence["share"] == pytest.approx(0.4, abs=0.08)
    ((name, low, high),) = unseen.evidence["gaps"]
    assert name == "x1"
    assert low == pytest.approx(0.05, abs=0.05)
    assert high == pytest.approx(0.45, abs=0.05)
    assert f"x1 from {low} to {high}" in unseen.text
    assert found.details["never_shown"][0] > 0 == found.details["never_shown"][1]


@pytest.mark.parametrize("kind", ["addition", "hard", "over"])
def test_the_whole_space_leaves_nothing_to_compose(kind):
    found = forecast_scenes(problem(kind, RandomSupport()), "monolithic")
    assert found.composes is True
    assert found.verdict.startswith("Nothing is left to compose")
    assert forecast_scenes(problem(kind, RandomSupport(without=GAP))).composes is False


def test_what_is_free_lies_between_the_ends_of_the_section():
    found = forecast_scenes(problem("over"))
    (free,) = of_name(found, "left free")
    part = {each.name: each for each in found.sections}["all"]
    lacking = float(np.mean(found.details["lacking"]))
    assert part.expected == free.evidence["share"] == found.details["free_share"] > 0
    assert (part.low, part.high) == tuple(sorted((part.expected, lacking)))
    assert found.quantity == "share of pixels left free"


@pytest.mark.parametrize(
    ("support", "says"),
    [
        (RandomSupport(without={"shape1": (0.0, 0.25)}), "sprite 1: shape1 a triangle."),
        (RandomSupport(without={"shape2": (0.25, 1.0)}), "sprite 2: shape2 a square or circle."),
        (
            RandomSupport(without={"shape1": (0.0, 0.3), "x1": (0.0, 0.5)}),
            "sprite 1: those with x1 from 0.0 to 0.5 and shape1 a triangle.",
        ),
        (RandomSupport(without={"x1": (0.0, 0.995)}), r"99\.\d% of the values of sprite 1: x1 from 0\.0 to 0\.995\."),
    ],
)
def test_what_is_never_shown_is_named(support, says):
    (unseen,) = of_name(forecast_scenes(problem("addition", support)), "unseen value")
    assert re.search(says + "$", unseen.text)


def test_the_few_values_of_a_sprite_that_never_varies_are_listed():
    (unseen,) = of_name(forecast_scenes(problem("addition", count=3)), "unseen value")
    assert "100% of the values of sprite 3: it shows only 3 of them, with x3 at 0, 0.5 or 1; y3 at" in unseen.text
    assert "scale3 at 0;" in unseen.text
    gaps = [tuple(each) for each in unseen.evidence["gaps"]]
    assert gaps == [
        *((name, low, low + 0.5) for name in ("x3", "y3") for low in (0, 0.5)),
        ("scale3", 0, 1),
        *(("hue3", low, low + 0.5) for low in (0, 0.5)),
    ]


def test_a_shape_of_which_some_is_left_is_shown():
    found = forecast_scenes(problem("addition", orthogonal(without={"shape1": (0.0, 0.24)})))
    assert found.composes is True
    assert names(found) == ["margin"]


def test_a_cut_that_leaves_too_little_is_named():
    with pytest.raises(InputError, match=r"because of its cut without = \{'x1': \(0.0, 0.99999\)\}"):
        forecast_scenes(problem("soft", RandomSupport(without={"x1": (0.0, 0.99999)})))


def test_a_gap_hides_no_other_reason():
    plain, cut = (forecast_scenes(problem("over", orthogonal(without=each))) for each in ({}, GAP))
    for name in ("lacking pixels", "rank"):
        assert of_name(plain, name)
        (reason,) = of_name(cut, name)
        assert "of sprite 1 that are shown" in reason.text
        assert "of sprite 2 that are shown" not in reason.text
    # Values that are never shown lack support in every pixel; the reason leaves them out.
    (lacking,) = of_name(cut, "lacking pixels")
    assert 0.5 < lacking.evidence["share"] < cut.details["lacking"][0]


@pytest.mark.parametrize("kind", ["over", "hard"])
def test_of_the_whole_space_nothing_seems_lacking(kind):
    found = forecast_scenes(problem(kind, RandomSupport()))
    assert not np.any(found.details["lacking_maps"])
    assert [(part.expected, part.low, part.high) for part in found.sections] == [(0, 0, 0)] * 2
    assert not of_name(found, "lacking pixels")


def test_a_guarantee_says_what_it_rests_on_where_most_is_free():
    narrow, planes = (forecast_scenes(problem("addition", each)) for each in (DiagonalSupport(width=1e-9), None))
    assert narrow.verdict.startswith("Guaranteed")
    assert f"leaves {narrow.details['free_share']:.1%} of the pixels free" in narrow.verdict
    assert "rests on knowing the components at one point of each connected part" in narrow.verdict
    assert "rests on" not in planes.verdict


# With a model


def test_a_model_that_composes_as_the_data_do_is_no_other_case():
    plain = forecast_scenes(problem("soft"))
    same = forecast_scenes(problem("soft"), models.compositional(composition="soft"))
    assert (same.verdict, same.composes, same.reasons) == (plain.verdict, plain.composes, plain.reasons)
    assert same.composes is True


def test_another_way_to_write_opacity_is_the_same_composition():
    plain = forecast_scenes(problem("over"))
    same = forecast_scenes(problem("over"), models.compositional(composition={"kind": "over", "opacity": "sigmoid"}))
    assert (same.verdict, same.composes, same.reasons) == (plain.verdict, plain.composes, plain.reasons)


@pytest.mark.parametrize(("settings", "says"), [({"shared": True}, "shared"), ({"family": "relative"}, "relative")])
def test_a_decoder_that_brings_something_along_is_not_told_that_it_is_impossible(settings, says):
    planes = problem("over")
    plain, helped = (
        forecast_scenes(planes, models.compositional(composition="over", **each)) for each in ({}, settings)
    )
    assert plain.composes is False
    assert helped.composes is None
    (bias,) = of_name(helped, f"{says} decoder")
    assert helped.verdict == f"Not determined by training: {bias.text}"
    # It is a reason where something is lacking, and none where nothing is.
    assert not of_name(forecast_scenes(problem("soft"), models.compositional(**settings)), f"{says} decoder")


@pytest.mark.parametrize(("data", "kind"), [("hard", "soft"), ("over", "addition"), ("soft", "addition")])
def test_a_model_of_another_composition_is_in_doubt(data, kind):
    found = forecast_scenes(problem(data), {"kind": "compositional", "composition": kind})
    assert found.composes is None
    doubt = found.reasons[0]
    assert doubt.name == "composition"
    assert doubt.text.startswith(f"the model composes by '{kind}' and the data by '{data}'")
    assert found.verdict == f"Not guaranteed: {doubt.text}"
    assert found.details["guarantee"] == "guaranteed"  # of its own composition, on this support
    assert kind.capitalize()[:4] in found.method


def test_a_temperature_of_its_own_is_another_composition():
    found = forecast_scenes(problem("soft"), models.compositional(composition={"kind": "soft", "temperature": 5.0}))
    assert found.composes is None
    assert names(found)[0] == "composition"


def test_a_model_without_a_composition_is_in_doubt():
    found = forecast_scenes(problem("soft"), "monolithic")
    assert found.composes is None
    assert found.verdict == (
        "Not guaranteed: the model 'monolithic' has no composition built in, and the theorem is about models that do."
    )
    assert found.details["guarantee"] == "guaranteed"


def test_a_learned_composition_is_in_doubt():
    found = forecast_scenes(problem("soft"), models.compositional(composition="learned"))
    assert found.composes is None
    assert "the model composes by 'learned' and the data by 'soft'" in found.verdict


@pytest.mark.parametrize("model", ["monolithic", {"kind": "compositional", "composition": "addition"}])
def test_what_is_impossible_is_so_for_every_model_that_does_not_know_more(model):
    found = forecast_scenes(problem("hard", orthogonal(without=GAP)), model)
    assert found.composes is False
    assert found.verdict.startswith("Impossible")
    assert names(found)[0] == "composition"


# As values


@pytest.mark.parametrize("kind", ["addition", "hard", "over"])
@pytest.mark.parametrize("support", [orthogonal(), DiagonalSupport(width=0.2, without=GAP)], ids=["planes", "cut"])
def test_a_forecast_is_json(kind, support):
    told = forecast_scenes(problem(kind, support)).to_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert all(reason["text"].endswith(".") and "\n" not in reason["text"] for reason in told["reasons"])


def test_larger_pictures_are_looked_at_in_fewer_values(monkeypatch):
    asked = []

    def watched(problem, composition, anchors, seed, every):
        asked.append((anchors, every))
        raise InputError("enough")

    monkeypatch.setattr(scene_forecast, "check_support", watched)
    monkeypatch.setattr(scene_forecast, "ANCHORS", 40)
    for size in (8, 16, 32, 128):
        with pytest.raises(InputError, match="enough"):
            forecast_scenes(problem(size=size))
    assert asked == [(40, 1), (40, 1), (10, 2), (8, 6)]


def test_of_large_pictures_every_third_row_is_looked_at_and_the_map_has_as_many():
    found = forecast_scenes(problem("hard", orthogonal_single(), size=64))
    assert found.composes is False
    back = np.array(found.details["lacking_maps"][1])
    assert back.shape == (22, 22)
    assert back[11:, :11].sum() > 0.9 * back.sum() > 0


def test_a_problem_with_a_support_is_forecast_by_its_support(tmp_path):
    soft = problem("soft")
    assert forecast(soft) == forecast_scenes(soft)
    store = Store(tmp_path)
    record_forecast(soft, store)
    kept = store.forecast(soft.digest())
    assert kept["details"]["guarantee"] == "guaranteed"
    assert kept["problem"] == soft.settings()


def test_a_grid_has_no_support_to_look_at():
    bump = Problem(tasks.bump(n=8), regions.block(x=(3, 6), y=(2, 5)))
    with pytest.raises(InputError, match="task 'bump' has no known composition of components"):
        forecast_scenes(bump)


def test_what_is_impossible_is_said_of_models_that_compose_as_the_data_do():
    plain = forecast_scenes(problem("hard", orthogonal_single()))
    found = forecast_scenes(problem("hard", orthogonal_single()), "mlp-decoder")
    assert found.verdict.startswith(plain.verdict)
    assert "This is said of models that compose as the data do: the model 'mlp-decoder' has no" in found.verdict
    own = forecast_scenes(problem("hard", orthogonal_single()), models.compositional(composition="soft"))
    assert "This is said of models" not in own.verdict  # asked of its own composition


@pytest.mark.parametrize("model", ["cnn-decoder", "rotation-decoder", "per-pixel", "pixel-transformer"])
def test_a_model_of_one_channel_is_refused(model):
    with pytest.raises(InputError, match=f"model '{model}' draws pictures of one channel, and those of task 'sprites'"):
        forecast_scenes(problem(), model)


@pytest.mark.parametrize(("strays", "said"), [(0.0, False), (0.0125, True)])
def test_strays_are_said_apart_from_the_parts(monkeypatch, strays, said):
    from dataclasses import replace

    cover = scene_forecast._coverage
    monkeypatch.setattr(scene_forecast, "_coverage", lambda *given: replace(cover(*given), parts=3, strays=strays))
    found = forecast_scenes(problem("addition"))
    assert "one point of each of the 3 connected parts of the support" in found.verdict
    assert ("1.2% of a sample lie apart from all of these" in found.verdict) == said
    assert (found.details["parts"], found.details["strays"]) == (3, strays)
