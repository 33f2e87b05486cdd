"""True components beside the model's, with the numbers that display cuts off."""

import numpy as np
import pytest

from recombine.data import Problem, tasks
from recombine.measures.scene_exhibits import REACH
from recombine.models import models
from recombine.reports.component_figure import component_figure
from recombine.reports.settings import SeedRun, SettingRuns
from recombine.studies import Experiment


def kept(scenes=3, slots=2, rows=4, columns=5, front=0.0):
    """True components of all zeros; the model's front is off by ``front``, what is behind is right."""
    truths = np.zeros((scenes, slots, rows, columns, 3), dtype=np.float16)
    answers = truths.copy()
    answers[:, 0] += front
    return {"component_truths": truths, "component_answers": answers}


def setting_of(arrays, composition="soft", status="done", **measures):
    problem = Problem(tasks.sprites(size=8, tests=10), support="planes", examples=20)
    model = models.compositional(family="mlp", width=4, composition=composition)
    work = Experiment(problem=problem, model=model, measures=("id_r2",))
    body = {"status": status, "measures": measures, "layers": ()}
    return SettingRuns("planes", "", (), (SeedRun(work, body, arrays),))


@pytest.mark.parametrize(("scenes", "slots"), [(3, 2), (2, 3)])
def test_every_component_has_two_labelled_pictures(image_bytes, scenes, slots):
    svg = image_bytes(component_figure(setting_of(kept(scenes, slots)))).decode()
    assert svg.count("<image") == scenes * slots * 2
    assert svg.count(">true<") == svg.count(">model<") == slots
    assert all(svg.count(f">sprite {slot + 1},<") == 2 for slot in range(slots))
    assert all(f">scene {scene + 1}<" in svg for scene in range(scenes))


def test_the_words_have_range_and_difference_of_each_sprite(parsed):
    figure = component_figure(setting_of(kept(front=-1.5), all_r2=0.95))
    alt = parsed(figure).all("img")[0].attributes["alt"]
    assert alt == (
        "True components and those of planes, seed 0, in 3 scenes. Sprite 1 has true values from 0 to 0 and the "
        "model's from −1.5 to −1.5, mean squared difference 2.25. Sprite 2 has true values from 0 to 0 and the model's "
        "from 0 to 0, mean squared difference 0."
    )
    assert "pictures of the whole space have an R² of 0.95." in figure
    assert "A record keeps" not in figure


def test_values_at_the_end_of_what_is_kept_are_counted():
    """All of one of two components."""
    assert "within ±2; 50% of the model&#x27;s reach that" in component_figure(setting_of(kept(front=-REACH)))


@pytest.mark.parametrize("composition", ["soft", "over"])
def test_an_opacity_is_said_to_be_hidden(composition):
    figure = component_figure(setting_of(kept(), composition))
    assert ("opacity" in figure) is (composition == "over")


@pytest.mark.parametrize("absent", sorted(kept()))
def test_without_its_arrays_there_is_no_figure(absent):
    assert component_figure(setting_of({name: each for name, each in kept().items() if name != absent})) is None
    assert component_figure(setting_of({name: each[:0] for name, each in kept().items()})) is None
    assert component_figure(setting_of(kept(), status="failed")) is None


def test_a_run_without_a_score_has_no_words_about_it():
    assert "R²" not in component_figure(setting_of(kept()))
