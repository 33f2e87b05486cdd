"""Module evidence is a row per item, and nonsense is refused when it is built or, for probes, looked at."""

import dataclasses
from collections.abc import Mapping

import jaxtyping
import numpy as np
import pytest

from recombine.core.errors import InputError
from recombine.measures import NotFinite, measures, probe_names
from recombine.measures.module_evidence import NOISES, SCALES, SHIFTS


def test_probes_are_spelt_as_numbers_are_written():
    names = probe_names()
    assert len(set(names)) == len(names) == 3 * len(NOISES) + 2 * len(SHIFTS) + len(SCALES) + 2
    assert {"poisson 0.02", "additive 0.4", "multiplicative 0.1", "shift 0.1", "shift 1", "shift 1000"} <= set(names)
    assert {"scale 2", "scale 8", "pruned", "pruned shift 100", "sensitivity"} <= set(names)


def test_parts_are_counted_over_inputs_and_outputs(modules):
    assert modules().parts == 3
    joint = modules(modules_out=np.zeros(4, dtype=int))  # as of a task that joins three inputs in one answer
    assert joint.parts == 3
    lone = modules(modules_in=np.zeros(5, dtype=int), modules_out=np.zeros(4, dtype=int))
    assert lone.parts == 1


def test_cross_talk_needs_weights_and_two_modules_on_both_sides(modules):
    evidence = modules()
    assert evidence.need_weights() is evidence.weights
    evidence.need_modules()
    with pytest.raises(InputError, match="has no weights; use a network of plain layers"):
        modules(weights=()).need_weights()
    with pytest.raises(InputError, match="inputs belong to modules 0, 1, 2 and outputs to 0, 1; use a task of two"):
        modules(modules_out=np.array([0, 0, 1, 1])).need_modules()
    one = {"modules_in": np.zeros(5, dtype=int), "modules_out": np.zeros(4, dtype=int)}
    with pytest.raises(InputError, match="inputs belong to modules 0 and outputs to 0;"):
        modules(**one).need_modules()


def test_hidden_layers_are_those_between_the_ends(modules):
    evidence = modules()
    assert list(evidence.hidden_layers()) == ["layer0", "layer1", "layer2"]
    assert evidence.hidden_layers()["layer1"] is evidence.layers["layer1"]
    shallow = {name: evidence.layers[name] for name in ("input", "output")}
    for change in ({"layers": {}}, {"layers": shallow, "weights": ()}):
        with pytest.raises(InputError, match="has no hidden layers; extract those"):
            modules(**change).hidden_layers()


class Counted(Mapping[str, np.ndarray]):
    """Probes that note which were looked at."""

    def __init__(self, probes):
        self.probes, self.seen = probes, []

    def __getitem__(self, name):
        self.seen.append(name)
        return self.probes[name]

    def __contains__(self, name):
        return name in self.probes

    def __iter__(self):
        return iter(self.probes)

    def __len__(self):
        return len(self.probes)


def test_only_the_probes_that_a_measure_reads_are_computed(modules, monkeypatch):
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)  # the checker of shapes would look at one
    probes = Counted(modules().probes)
    evidence = modules(probes=probes)
    assert measures["cross_talk"](evidence) > 0
    assert probes.seen == []
    measures["scale_leak"](evidence)
    assert probes.seen == ["scale 2", "scale 4", "scale 8"]


def test_a_probe_is_checked_when_it_is_looked_at(modules):
    evidence = modules()
    assert evidence.probe("sensitivity").shape == (4, 5)
    assert evidence.probe("pruned").shape == (40, 4)
    with pytest.raises(InputError, match="no probe 'poisson 3'; disturb the network that way"):
        evidence.probe("poisson 3")
    turned = {"sensitivity": np.ones((5, 4)), "pruned": np.ones((4, 5))}
    with pytest.raises(InputError, match=r"'sensitivity' has shape \(5, 4\); it must be \(4, 5\), \(outputs, inputs\)"):
        modules(probes=turned).probe("sensitivity")
    with pytest.raises(InputError, match=r"'pruned' has shape \(4, 5\); it must be \(40, 4\), \(items, outputs\)"):
        modules(probes=turned).probe("pruned")
    with pytest.raises(NotFinite, match="probe 'pruned' hold values that are not finite"):
        modules(probes={"pruned": np.full((40, 4), np.inf)}).probe("pruned")


def test_a_missing_and_an_empty_section_are_told_apart(modules):
    evidence = modules(sections={"id": np.ones(40, dtype=bool), "ood": np.zeros(40, dtype=bool)})
    assert evidence.section("id").all()
    with pytest.raises(InputError, match="no section 'corner', only id, ood"):
        evidence.section("corner")
    with pytest.raises(InputError, match="section 'ood' of this evidence is empty"):
        evidence.section("ood")


def bad_values(evidence):
    """A change to good evidence, and what the refusal must say."""
    masks, weights, layers = evidence.sections, evidence.weights, evidence.layers
    whole, real = evidence.modules_in, evidence.modules_in.astype(float)
    endless = np.full((40, 4), np.nan)
    fewer = {name: rows[1:] for name, rows in layers.items()}
    wider = {**layers, "layer1": layers["layer0"]}
    return {
        "a list of targets": ({"targets": evidence.targets[:, 0]}, r"targets have shape \(40,\); they must be \(items"),
        "no items": ({"targets": evidence.targets[:0]}, r"targets have shape \(0, 4\)"),
        "fewer answers": ({"answers": evidence.answers[1:]}, r"answers have shape \(39, 4\) and targets \(40, 4\)"),
        "endless targets": ({"targets": endless}, "targets hold values that are not finite"),
        "diverged answers": ({"answers": endless}, "answers hold values that are not finite; a run that diverged"),
        "no id": ({"sections": {"ood": masks["ood"]}}, "needs a section 'id', got ood"),
        "short mask": ({"sections": {**masks, "all": masks["id"][1:]}}, r"section 'all' is bool of shape \(39,\)"),
        "trained and held out": ({"sections": {**masks, "id": masks["id"] | masks["ood"]}}, "12 combinations in both"),
        "real labels": ({"modules_in": real}, r"modules_in are float64 of shape \(5,\); they must be a list of whole"),
        "labels in a square": ({"modules_out": np.eye(4, dtype=int)}, r"modules_out are int64 of shape \(4, 4\)"),
        "no inputs": ({"modules_in": whole[:0]}, r"modules_in are int64 of shape \(0,\)"),
        "fewer outputs": ({"modules_out": np.array([0, 1, 2])}, "modules_out name 3 outputs and targets have 4"),
        "a gap": ({"modules_in": np.array([0, 1, 2, 2, 4])}, "numbered 0, 1, 2, 4; number them from 0 to 3 without"),
        "below zero": ({"modules_in": np.array([-1, 0, 1, 2, 2])}, "numbered -1, 0, 1, 2"),
        "other inputs": ({"weights": (weights[0][:, 1:], *weights[1:])}, r"layer 0 have .* must be \(units, 5\)"),
        "other units": ({"weights": (*weights[:2], weights[3])}, r"layer 2 have shape \(4, 7\); they must be \(4, 3\)"),
        "other outputs": ({"weights": weights[:1]}, r"layer 0 have shape \(8, 5\); they must be \(4, 5\), a row per"),
        "one weight": ({"weights": (weights[0][0],)}, r"layer 0 have shape \(5,\)"),
        "endless weights": ({"weights": (weights[0] / 0.0, *weights[1:])}, "weights of layer 0 hold values that are"),
        "no output": ({"layers": {"input": layers["input"]}}, "layers are input; 'input' must come first"),
        "fewer rows": ({"layers": fewer}, r"layer 'input' has shape \(39, 5\); it must be \(40, features\)"),
        "other layers": ({"layers": wider}, "layers have 5, 8, 8, 7, 4 units and the weights join layers of 5, 8, 3,"),
        "endless layer": ({"layers": {**layers, "output": endless}}, "layer 'output' hold values that are not finite"),
    }  # fmt: skip


@pytest.mark.filterwarnings("ignore:divide by zero")
def test_nonsense_is_refused_with_its_name_and_value(modules, monkeypatch):
    evidence = modules()
    # As users have it: without the checker of shapes, which in tests refuses some of these first.
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)
    for change, message in bad_values(evidence).values():
        with pytest.raises(InputError, match=message):
            dataclasses.replace(evidence, **change)
