"""Models whose failure is known by construction, audited as a stranger would."""

import json

import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn

import recombine as rc
from recombine.audits.held_out import NEW, UNSEEN_LEVEL, UNSEEN_PAIR
from recombine.core.errors import InputError

SHAPES, HUES = 5, 4
TABLE = pd.DataFrame(
    [(f"shape {s}", float(h), r) for s in range(SHAPES) for h in range(HUES) for r in range(3)],
    columns=["shape", "hue", "copy"],
).drop(columns="copy")
CODES = np.stack([pd.Categorical(TABLE["shape"]).codes, TABLE["hue"]], axis=1).astype(int)
VECTORS = np.random.default_rng(1).normal(size=(SHAPES + HUES, 12)).astype(np.float32)
NOISE = 0.01 * np.random.default_rng(2).normal(size=(len(TABLE), 12)).astype(np.float32)
INPUTS = np.concatenate([np.eye(SHAPES)[CODES[:, 0]], np.eye(HUES)[CODES[:, 1]]], axis=1).astype(np.float32)
TARGETS = VECTORS[CODES[:, 0]] + VECTORS[SHAPES + CODES[:, 1]] + NOISE
TRAINED = ~((CODES[:, 0] == 4) & (CODES[:, 1] >= 2))


def score(found: rc.audits.Audit, section: str) -> float:
    (line,) = found.performance[found.performance.section == section].itertuples()
    assert line.low <= line.score <= line.high
    return line.score


class Adds(nn.Module):
    """Composes by construction: one vector per level, added."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Linear(SHAPES + HUES, 12, bias=False)
        self.table.weight.data = torch.from_numpy(VECTORS.T.copy())

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return self.table(inputs)


class Remembers(nn.Module):
    """Knows its training rows by heart and answers all others with nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.conjunctions = nn.Linear(SHAPES * HUES, 12, bias=False)
        self.known = nn.Identity()
        seen = sorted({tuple(row) for row in CODES[TRAINED]})
        self.conjunctions.weight.data.zero_()
        for shape, hue in seen:
            vector = torch.from_numpy(VECTORS[shape] + VECTORS[SHAPES + hue])
            self.conjunctions.weight.data[:, shape * HUES + hue] = vector

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        joint = inputs[:, :SHAPES, None] * inputs[:, None, SHAPES:]
        return self.conjunctions(self.known(joint.flatten(1)))


def test_what_adds_composes():
    found = rc.audit(INPUTS, TARGETS, TABLE, TRAINED, model=Adds())
    assert found.verdict.startswith("It composes")
    assert score(found, "trained") > 0.99
    assert score(found, UNSEEN_PAIR) > 0.99
    assert not found.diagnosis
    inside = found.measures.set_index(["layer", "measure", "of"])
    assert inside.loc[("answer", "additive_held_out", ""), "value"] == pytest.approx(1, abs=1e-6)
    assert inside.loc[("answer", "additive_held_out", ""), "untrained"] > 0.9  # linear, whatever its weights


def test_what_remembers_does_not_and_is_told_where_factors_are_mixed():
    found = rc.audit(INPUTS, TARGETS, TABLE, TRAINED, model=Remembers())
    assert found.verdict.startswith("It does not compose")
    assert score(found, "trained") > 0.99
    assert score(found, UNSEEN_PAIR) < 0.5
    assert UNSEEN_PAIR in {reason.name for reason in found.diagnosis}
    assert found.held_out is not None
    assert {name: int(mask.sum()) for name, mask in found.held_out.sections.items()} == {UNSEEN_PAIR: 6}


def test_the_forecast_sees_that_sums_carry_over():
    found = rc.audit(INPUTS, TARGETS, TABLE, TRAINED)
    assert found.forecast is not None
    assert found.forecast.sections[0].expected < 0.5
    assert "Neither a model nor activations" in " ".join(found.notes)
    json.dumps(found.to_dict(), allow_nan=False)


def test_classes_words_a_function_and_a_tuple():
    words = np.array([f"class {code}" for code in CODES[:, 0]])
    found = rc.audit(INPUTS, words, TABLE, TRAINED, model=lambda batch: (batch[:, :SHAPES], "more"))
    assert found.quantity == "accuracy"
    assert score(found, UNSEEN_PAIR) == 1
    notes = " ".join(found.notes)
    assert "returns 2 things" in notes
    assert "cannot be drawn anew" in notes


def test_an_autoencoder_needs_no_targets():
    found = rc.audit(INPUTS, None, TABLE, TRAINED, model=nn.Identity())
    assert score(found, UNSEEN_PAIR) == 1
    assert "taken as targets" in " ".join(found.notes)


def test_activations_alone():
    found = rc.audit(factors=TABLE, train_mask=TRAINED, activations={"layer": TARGETS})
    assert found.performance.empty
    assert set(found.measures.measure) >= {"share", "additive_held_out"}
    assert "No answer of a model was scored" in found.verdict


def test_a_torch_dataset_is_read_row_by_row():
    dataset = torch.utils.data.TensorDataset(torch.from_numpy(INPUTS), torch.from_numpy(TARGETS))
    found = rc.audit(dataset, TARGETS, TABLE, TRAINED, model=Adds())
    assert score(found, UNSEEN_PAIR) > 0.99


def test_rows_that_repeat_a_trained_input_are_told():
    found = rc.audit(np.zeros_like(INPUTS), TARGETS, TABLE, TRAINED)
    assert found.held_out is not None
    assert found.held_out.repeated == 6
    assert "repeated inputs" in {reason.name for reason in found.diagnosis}


def test_a_level_never_shown_is_named():
    found = rc.audit(INPUTS, TARGETS, TABLE, CODES[:, 0] != 2, model=Remembers())
    assert found.held_out is not None
    assert found.held_out.unseen == {"shape": ("shape 2",)}
    assert UNSEEN_LEVEL in found.held_out.sections
    assert NEW not in found.held_out.sections


def test_parts_that_can_be_done_are_done():
    class Dead(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.dead, self.alive = nn.Linear(9, 3), nn.Linear(9, 12)
            self.dead.weight.data.zero_()

        def forward(self, inputs: torch.Tensor) -> torch.Tensor:
            self.dead(inputs)
            return self.alive(inputs)

    found = rc.audit(INPUTS, TARGETS, TABLE.assign(constant=1, own=range(len(TABLE))), TRAINED, model=Dead())
    notes = " ".join(found.notes)
    assert "Factor 'constant' is 1 in every row" in notes
    assert "Factor 'own' has a level of its own in every row" in notes
    assert "Layer 'dead' is dead" in notes
    assert set(found.measures["of"]) == {"", "shape", "hue", "shape, hue"}


class Mappings:
    """A dataset as some libraries have it: an item is a mapping."""

    def __len__(self):
        return len(INPUTS)

    def __getitem__(self, row):
        return {"image": INPUTS[row]}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"factors": None}, "needs the factors"),
        ({"inputs": INPUTS[:3]}, "3 inputs and 60 rows of factors"),
        ({"targets": TARGETS[:3]}, r"targets have shape \(3, 12\)"),
        ({"train_mask": TRAINED[:3]}, "one True or False"),
        ({"inputs": None}, "without inputs"),
        ({"inputs": np.where(np.arange(9) == 3, np.nan, INPUTS)}, "not finite, first in row 0"),
        ({"inputs": np.where(np.arange(9) == 3, np.nan, INPUTS), "model": None}, "not finite, first in row 0"),
        ({"inputs": Mappings()}, "items of inputs are mappings; give a dataset of tuples"),
        (
            {"targets": np.where(np.arange(12) == 3, np.nan, TARGETS)},
            r"not finite in 60 rows, first in row 0 \(counted",
        ),
        (
            {"targets": [*TARGETS[:59, 0], np.nan], "train_mask": None, "model": None},
            "not finite in 1 row, first in row 59",
        ),
        ({"targets": np.array([["a", "b"]] * 60)}, "one word for each"),
        ({"layers": ["table"], "model": None}, "layers are those of a model, and there is none"),
        ({"train_mask": ["train"] * 60}, "mask has 'train' in row 0"),
        ({"model": lambda batch: np.where(np.arange(60)[:, None] == 3, np.nan, TARGETS)}, "not finite, first in row 3"),
        ({"model": lambda batch: batch["image"]}, r"refuses inputs of shape \(60, 9\) \(IndexError: "),
        ({"model": lambda batch: np.array(["word"] * 60)}, "must answer with numbers"),
        ({"targets": TARGETS[:, :3]}, "12 numbers and targets have 3"),
        ({"model": 3}, "cannot be called"),
        ({"model": nn.Linear(5, 2)}, r"refuses inputs of shape \(60, 9\)"),
        ({"model": lambda batch: 3.0}, "must give an answer for each"),
        ({"layers": ["tabel"]}, "did you mean 'table'"),
        ({"targets": np.array(["a", "b", "c"] * 20)}, "a score for each sort"),
    ],
)
def test_bad_input_is_one_sentence(changes, words):
    given = {"inputs": INPUTS, "targets": TARGETS, "factors": TABLE, "train_mask": TRAINED, "model": Adds(), **changes}
    with pytest.raises(InputError, match=words) as error:
        rc.audit(**given)
    assert "\n" not in str(error.value)


def test_it_is_printed_as_text_that_says_everything_once():
    found = rc.audit(INPUTS, TARGETS, TABLE, TRAINED)
    lines = str(found).splitlines()
    assert lines[0] == "No answer of a model was scored on new combinations."
    assert "Data: 60 examples of 2 factors: shape (5 levels), hue (4 levels)." in lines
    assert "Held out: 6 rows, and 54 trained on; 18 of 20 combinations are trained on." in lines
    assert "Certificate: training shows every level; its rows tie levels together in one group." in lines
    assert found.forecast is not None
    assert str(found).count(found.forecast.verdict) == 1
    assert str(rc.audit(INPUTS, TARGETS, TABLE, TRAINED, model=Adds())).startswith("It composes:")


def test_where_all_rows_are_trained_on_the_rest_is_done():
    found = rc.audit(INPUTS, TARGETS, TABLE, np.ones(len(TABLE)), model=Adds())
    assert found.held_out is not None
    assert found.held_out.held_out == 0
    assert score(found, "trained") > 0.99
    assert "readout" in set(found.measures.measure)
    assert found.forecast is None
    assert "Held out: nothing, since all 60 rows are trained on" in str(found)
    assert "nothing is held out" in str(found)


def test_words_are_forecast_as_classes():
    words = np.array([f"class {code}" for code in CODES[:, 0]])
    found = rc.audit(INPUTS, words, TABLE, TRAINED).forecast
    assert found is not None
    assert found.quantity == "accuracy"
    # A class is the level of one factor, which all training rows of that level say.
    assert found.sections[0].expected == 1
    assert found.composes
    assert "held-out accuracy 1.00" in found.verdict
    numbers = rc.audit(INPUTS, CODES[:, 0], TABLE, TRAINED, model=lambda batch: batch[:, :SHAPES])
    assert numbers.forecast is not None
    assert numbers.forecast.quantity == "accuracy"  # as they are scored


def test_classes_that_no_trained_row_has_are_not_answered():
    found = rc.audit(INPUTS, np.array([f"class {code}" for code in CODES[:, 0]]), TABLE, CODES[:, 0] != 2).forecast
    assert found is not None
    assert found.composes is False
    assert found.sections[0].expected == 0


def test_targets_that_are_all_alike_leave_the_rest_to_be_done():
    found = rc.audit(INPUTS, np.ones(len(TABLE)), TABLE, TRAINED)
    assert found.forecast is None
    assert "all alike" in " ".join(found.notes)


def test_a_factor_alone_makes_the_forecast_a_floor():
    table = {"y": ["a", "a", "b", "b", "a", "b", "none", "none"], "x": ["c", "d", "c", "d", "none", "none", "c", "d"]}
    codes = np.array([[y == "a", y == "b", x == "c", x == "d"] for y, x in zip(*table.values(), strict=True)])
    found = rc.audit(codes, codes[:, 0] * codes[:, 2] + 0.0, table, np.arange(8) != 3)
    assert found.held_out is not None
    assert (found.held_out.alone, found.held_out.combinations) == (4, 4)
    assert found.forecast is not None
    assert "isolated factors" in {reason.name for reason in found.forecast.reasons}
    assert "4 of them show a factor alone" in str(found)


def test_one_factor_has_no_groups_that_never_meet():
    found = rc.audit(INPUTS, TARGETS, TABLE[["shape"]], TRAINED)
    assert "levels apart" not in {reason.name for reason in found.diagnosis}
    assert "one factor, 'shape'" in " ".join(found.notes)


def test_a_dead_layer_of_activations_is_noted():
    found = rc.audit(factors=TABLE, activations={"dead": np.ones((len(TABLE), 3)), "alive": TARGETS})
    assert [words for words in found.notes if "dead" in words] == [
        "Layer 'dead' is dead: it puts out the same for every input."
    ]


def test_a_copy_of_the_input_is_no_composition():
    for model in (nn.Identity(), lambda batch: batch):
        found = rc.audit(INPUTS, None, TABLE, TRAINED, model=model)
        assert found.verdict.startswith("Undecided: the model copies its input")
        assert "copies its input" in {reason.name for reason in found.diagnosis}
    assert "The model is a function" in " ".join(found.notes)


def test_a_tuple_of_one_and_a_list_of_answers_are_the_answer():
    for model in (lambda batch: (batch[:, :SHAPES],), lambda batch: [row[:SHAPES] for row in batch]):
        found = rc.audit(INPUTS, CODES[:, 0], TABLE, TRAINED, model=model)
        assert score(found, UNSEEN_PAIR) == 1
        assert "things" not in " ".join(found.notes)


def test_the_page_of_data_alone_says_nothing_of_failures():
    from recombine.reports.audit_page import audit_page

    page = audit_page(rc.audit(INPUTS, TARGETS, TABLE, TRAINED))
    assert "Nothing that fails was found" not in page
    assert "No answer of a model was scored, so that nothing can be said to fail" in page
    assert "60 examples of 2 factors" in audit_page(rc.audit(INPUTS, TARGETS, TABLE))


def test_pictures_that_are_read_when_asked_for_are_targets_of_an_autoencoder():
    class Lazy:
        shape = INPUTS.shape

        def __len__(self):
            return len(INPUTS)

        def __getitem__(self, rows):
            return INPUTS[rows]

    found = rc.audit(Lazy(), None, TABLE, TRAINED, model=lambda batch: batch * 0.9)
    assert score(found, UNSEEN_PAIR) > 0.9
