"""Models whose failure is known by construction, audited as a stranger would."""

import json

import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn

import recombine as rc
from recombine.audits.diagnosing import diagnose
from recombine.audits.held_out import NEW, UNSEEN_LEVEL, UNSEEN_PAIR
from recombine.core.errors import InputError
from recombine.reports.audit_page import audit_page

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


@pytest.mark.parametrize(
    ("values", "high", "lost"),
    [
        ((0.9, 0.2), 0.1, True),
        ((-0.05, -0.57), -0.3, False),  # nothing to lose
        ((0.05, -0.57), -0.3, False),
        ((0.4, 0.1), 0.5, False),  # shuffled factors do as well
    ],
)
def test_only_what_is_there_can_be_lost(values, high, lost):
    inside = pd.DataFrame(
        {"layer": ["one", "two"], "measure": "additive_held_out", "value": values, "null_high": [high, high]}
    )
    found = diagnose(pd.DataFrame(columns=["section", "score"]), None, inside)
    assert [reason.name for reason in found] == ["factorisation lost"] * lost


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


@pytest.mark.parametrize(
    "inputs", [INPUTS, torch.from_numpy(INPUTS), torch.utils.data.TensorDataset(torch.from_numpy(INPUTS))]
)
@pytest.mark.parametrize("model", [lambda batch: Adds()(batch), Adds().forward])
def test_a_function_may_take_tensors(inputs, model):
    found = rc.audit(inputs, TARGETS, TABLE, TRAINED, model=model)
    assert not found.refused
    assert score(found, UNSEEN_PAIR) > 0.99


def test_a_function_gets_what_was_given_first_and_always_a_copy():
    kinds = []

    def spoils(batch):
        kinds.append(type(batch))
        batch *= 2
        return Adds()(batch)  # refuses arrays

    found = rc.audit(INPUTS, 2 * TARGETS, TABLE, TRAINED, model=spoils)
    assert kinds == [np.ndarray, torch.Tensor]
    assert score(found, UNSEEN_PAIR) > 0.99
    kinds.clear()
    rc.audit(torch.from_numpy(INPUTS), 2 * TARGETS, TABLE, TRAINED, model=spoils)
    assert kinds == [torch.Tensor]


def test_what_no_form_of_a_batch_pleases_is_told_for_each():
    (sentence,) = rc.audit(INPUTS, TARGETS, TABLE, TRAINED, model=lambda batch: nn.Linear(5, 2)(batch)).refused
    assert "(as an array of floats)" in sentence
    assert "(as a tensor of floats)" in sentence


def test_whole_numbers_stay_whole_for_modules_that_take_them():
    lookup = nn.Sequential(nn.Embedding(SHAPES + HUES, 12), nn.Flatten(), nn.Linear(24, 12))
    lookup[0].weight.data.copy_(torch.from_numpy(VECTORS))
    lookup[2].weight.data.copy_(torch.eye(12).repeat(1, 2))
    lookup[2].bias.data.zero_()
    tokens = CODES + np.array([0, SHAPES])
    for inputs in (tokens, tokens.astype(np.int16), torch.from_numpy(tokens)):
        found = rc.audit(inputs, TARGETS, TABLE, TRAINED, model=lookup)
        assert not found.refused
        assert score(found, UNSEEN_PAIR) > 0.99
    assert not rc.audit(INPUTS.astype(int), TARGETS, TABLE, TRAINED, model=Adds()).refused  # floats are its weights


@pytest.mark.parametrize("precision", [torch.float64, torch.bfloat16])
def test_inputs_are_as_precise_as_weights(precision):
    for inputs in (INPUTS, INPUTS.astype(np.float64)):
        found = rc.audit(inputs, TARGETS, TABLE, TRAINED, model=Adds().to(precision))
        assert not found.refused
        assert score(found, UNSEEN_PAIR) > 0.99
    assert not rc.audit(INPUTS.astype(float), TARGETS, TABLE, TRAINED, model=lambda x: Adds().double()(x)).refused


def test_an_autoencoder_needs_no_targets():
    found = rc.audit(INPUTS, None, TABLE, TRAINED, model=nn.Identity())
    assert score(found, UNSEEN_PAIR) == 1
    assert "taken as targets" in " ".join(found.notes)


def test_flat_answers_of_an_autoencoder_are_compared_with_its_inputs():
    inputs = INPUTS.reshape(60, 3, 3)
    found = rc.audit(inputs, None, TABLE, TRAINED, model=nn.Flatten())
    assert score(found, UNSEEN_PAIR) == 1
    assert "answers have the size of inputs in another shape, which are taken as targets." in " ".join(found.notes)
    labelled = rc.audit(Items(inputs, CODES[:, 0]), None, TABLE, TRAINED, model=nn.Flatten())
    assert labelled.quantity == "R²"
    other = rc.audit(inputs, None, TABLE, TRAINED, model=nn.Linear(3, 2))
    assert "give targets, or answers of the shape of inputs." in " ".join(other.notes)


def test_activations_alone():
    found = rc.audit(factors=TABLE, train_mask=TRAINED, activations={"layer": TARGETS})
    assert found.performance.empty
    assert set(found.measures.measure) >= {"share", "additive_held_out"}
    assert "No answer of a model was scored" in found.verdict


class Items(torch.utils.data.Dataset):
    """A dataset as a stranger writes it, with what is given for items."""

    def __init__(self, *parts):
        self.parts = parts

    def __len__(self):
        return len(self.parts[0])

    def __getitem__(self, row):
        assert isinstance(row, int)
        items = tuple(part[row] for part in self.parts)
        return items if len(items) > 1 else items[0]


class Broken(Items):
    """A dataset with a hole."""

    def __getitem__(self, row):
        if row == 7:
            raise KeyError("gone")
        return super().__getitem__(row)


def test_a_torch_dataset_is_read_row_by_row():
    dataset = torch.utils.data.TensorDataset(torch.from_numpy(INPUTS), torch.from_numpy(TARGETS))
    for targets in (TARGETS, None):
        found = rc.audit(dataset, targets, TABLE, TRAINED, model=Adds())
        assert score(found, UNSEEN_PAIR) > 0.99
        assert ("second parts of the items" in " ".join(found.notes)) == (targets is None)
        assert found.forecast is not None
    found = rc.audit(Items(INPUTS), TARGETS, TABLE, TRAINED, model=Adds())
    assert score(found, UNSEEN_PAIR) > 0.99


@pytest.mark.parametrize("labels", [CODES[:, 0], [f"class {code}" for code in CODES[:, 0]], torch.tensor(CODES[:, 0])])
def test_labels_of_a_dataset_are_classes(labels):
    found = rc.audit(Items(INPUTS, labels), factors=TABLE, train_mask=TRAINED, model=lambda batch: batch[:, :SHAPES])
    assert found.quantity == "accuracy"
    assert score(found, UNSEEN_PAIR) == 1
    assert not found.refused


def test_an_autoencoder_on_a_dataset_with_labels_is_scored_by_its_inputs():
    found = rc.audit(Items(INPUTS, CODES[:, 0]), factors=TABLE, train_mask=TRAINED, model=lambda batch: batch * 0.95)
    assert found.quantity == "R²"
    assert "inputs are the targets" in " ".join(found.notes)


def test_second_parts_that_are_no_targets_are_noted():
    found = rc.audit(
        Items(INPUTS, [{"a": 1}] * 60), factors=TABLE, train_mask=TRAINED, model=lambda batch: batch[:, :3]
    )
    assert "not taken as targets" in " ".join(found.notes)
    assert found.performance.empty
    assert not found.refused


def test_a_model_may_score_classes_that_the_data_lack():
    labels = np.where(CODES[:, 0] == 1, 0, CODES[:, 0])  # 0, 2, 3, 4 of five
    found = rc.audit(INPUTS, labels, TABLE, TRAINED, model=lambda batch: batch[:, :SHAPES])
    assert found.quantity == "accuracy"
    assert score(found, "trained") == pytest.approx((CODES[TRAINED, 0] != 1).mean())
    assert "places, from 0 on, among the 5 scores" in " ".join(found.notes)
    alike = rc.audit(INPUTS, labels, TABLE, TRAINED, model=lambda batch: batch)  # an autoencoder has no classes
    assert "9 numbers and targets have 1" in alike.refused[0]


def test_rows_that_repeat_a_trained_input_are_told():
    found = rc.audit(np.zeros_like(INPUTS), TARGETS, TABLE, TRAINED)
    assert found.held_out is not None
    assert found.held_out.repeated == 6
    assert "repeated inputs" in {reason.name for reason in found.diagnosis}


def test_rows_that_are_not_finite_are_not_compared():
    found = rc.audit(np.full_like(INPUTS, np.nan), TARGETS, TABLE, TRAINED)
    assert found.held_out is not None
    assert found.held_out.repeated == 0
    assert not found.diagnosis


def test_a_level_never_shown_is_named():
    found = rc.audit(INPUTS, TARGETS, TABLE, CODES[:, 0] != 2, model=Remembers())
    assert found.held_out is not None
    assert found.held_out.unseen == {"shape": ("shape 2",)}
    assert "training never shows shape shape 2;" in str(found)
    assert UNSEEN_LEVEL in found.held_out.sections
    assert NEW not in found.held_out.sections


def test_of_many_levels_that_are_never_shown_a_handful_is_named_with_four_digits():
    places = pd.DataFrame({"place": np.repeat(np.linspace(0, 1, 30), 2), "hue": [0, 1] * 30})
    found = rc.audit(INPUTS, TARGETS, places, np.arange(60) < 40)
    assert "never shows place 0.6897, 0.7241, 0.7586, 0.7931, 0.8276 and 5 more; its rows" in str(found)
    assert "place: 0.6897, 0.7241, 0.7586, 0.7931, 0.8276 and 5 more" in audit_page(found)


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


DATA = ("certificate", "forecast")
ALL = (*DATA, "answers", "layers")
SOME_NAN, ONE_NAN = (
    np.where(mask, np.nan, INPUTS) for mask in (np.arange(9) == 3, np.arange(540).reshape(60, 9) == 30)
)

HURT = np.where(np.arange(60)[:, None] == 3, np.nan, TARGETS)


def parts(found: rc.audits.Audit) -> set[str]:
    """The parts of an audit that were done."""
    done = {
        "certificate": found.held_out is not None,
        "forecast": found.forecast is not None,
        "answers": not found.performance.empty,
        "layers": not found.measures.empty,
    }
    return {name for name, there in done.items() if there}


@pytest.mark.parametrize(
    ("changes", "words", "done"),
    [
        ({"factors": None}, "needs the factors", ("answers", "layers")),
        ({"inputs": INPUTS[:3]}, "3 inputs and 60 rows of factors", ("certificate",)),
        ({"inputs": 3}, "inputs are of type int", ("certificate",)),
        ({"targets": TARGETS[:3]}, "targets have shape (3, 12)", ("certificate", "layers")),
        ({"train_mask": TRAINED[:3]}, "one True or False for each of 60 rows", ("answers", "layers")),
        ({"train_mask": [False] * 60}, "marks no row", ("answers", "layers")),
        ({"inputs": None}, "without inputs", ("certificate",)),
        ({"inputs": SOME_NAN}, "not finite in 60 rows, first in row 0", ("certificate",)),
        ({"inputs": ONE_NAN}, "not finite in 1 row, first in row 3 (counted from 0); such rows are left out", ALL),
        ({"inputs": SOME_NAN, "model": None, "activations": TARGETS}, "not finite in 60", ("certificate", "layers")),
        ({"inputs": INPUTS.astype(str)}, "give numbers", ("certificate",)),
        ({"inputs": INPUTS * 1j}, "inputs hold complex64; give numbers, real ones.", ("certificate",)),
        ({"inputs": Mappings()}, "items of inputs are mappings; give a dataset of tuples", ("certificate",)),
        ({"targets": TARGETS * np.nan}, "targets are not finite in 60 rows", ("certificate", "layers")),
        ({"targets": [*TARGETS[:59, 0], np.nan], "model": None}, "not finite in 1 row, first in row 59", DATA),
        ({"targets": np.array([["a", "b"]] * 60)}, "one word for each", ("certificate", "layers")),
        ({"layers": ["table"], "model": None}, "layers are those of a model, and there is none", DATA),
        ({"train_mask": pd.Series(TRAINED)[::-1]}, "the training mask and the table of factors have different indexes",
         ("answers", "layers")),
        ({"targets": pd.DataFrame(TARGETS)[::-1]}, "targets and the table of factors have", ("certificate", "layers")),
        ({"inputs": pd.DataFrame(INPUTS)[::-1]}, "inputs and the table of factors have", ("certificate",)),
        ({"train_mask": ["train"] * 60}, "mask has 'train' in row 0", ("answers", "layers")),
        ({"model": lambda batch: HURT}, "the model's answers are not finite in 1 row, first in row 3", DATA),
        ({"model": lambda batch: batch["image"]}, "refuses inputs of shape (60, 9) (IndexError: ", DATA),
        ({"model": lambda batch: np.array(["word"] * 60)}, "must answer with numbers", DATA),
        ({"targets": TARGETS[:, :3]}, "12 numbers and targets have 3", (*DATA, "layers")),
        ({"model": 3}, "the model is of type int, which cannot be called", DATA),
        ({"model": Adds}, "the model is the class Adds; give one of that class, Adds()", DATA),
        ({"inputs": Items(INPUTS[:30], range(60))}, "there are 30 inputs and 60 rows of factors", ("certificate",)),
        ({"inputs": Broken(INPUTS)}, "the dataset has no item 7 (KeyError: 'gone'); mend it", ("certificate",)),
        ({"model": nn.Linear(5, 2)}, "refuses inputs of shape (60, 9)", DATA),
        ({"model": lambda batch: 3.0}, "must give an answer for each", DATA),
        ({"layers": ["tabel"]}, "did you mean 'table'", ALL),
        ({"targets": np.array(["a", "b", "c"] * 20)}, "a score for each sort", (*DATA, "layers")),
        ({"activations": {"short": TARGETS[:3], "fine": TARGETS}}, "layer 'short' has shape (3, 12)", ALL),
        ({"activations": {"bad": TARGETS * np.nan, "fine": TARGETS}}, "layer 'bad' is not finite in 60 rows", ALL),
        ({"factors": TABLE.assign(mixed=["a"] * 30 + [1] * 30)}, "factor 'mixed' has words and numbers", ALL),
        ({"factors": TABLE.assign(empty=np.nan)}, "factor 'empty' has no value in any row; it is left out", ALL),
        ({"factors": pd.concat([TABLE, TABLE], axis=1)}, "the column 'shape' more than once", ("answers", "layers")),
        (
            {"factors": TABLE.assign(hue=TABLE["hue"].where(~np.isin(np.arange(60), (1, 7))))},
            "factor 'hue' has no value in rows 1 and 7 (counted from 0), left out of everything",
            ALL,
        ),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence_and_the_rest_is_done(changes, words, done):
    given = {"inputs": INPUTS, "targets": TARGETS, "factors": TABLE, "train_mask": TRAINED, "model": Adds(), **changes}
    found = rc.audit(**given)
    (sentence,) = found.refused
    assert words in sentence
    assert "\n" not in sentence
    assert parts(found) == set(done)
    assert str(found).splitlines()[0] == f"Refused: {sentence}"
    assert found.to_dict()["refused"] == [sentence]
    assert "none was given" not in " ".join(found.notes)


def test_without_a_mask_the_balance_of_factors_is_told():
    found = rc.audit(factors=TABLE[:-1], train_mask=TRAINED[:5], activations=TARGETS[:-1])
    assert "Balance: 20 of 20 possible combinations; rows of a level: shape 11 to 12, hue 14 to 15." in str(found)
    assert (found.combinations, found.balance) == (20, {"shape": (11, 12), "hue": (14, 15)})
    assert parts(found) == {"layers"}
    assert "Balance" not in str(rc.audit(factors=TABLE, train_mask=TRAINED))


def test_what_is_refused_is_not_said_to_be_missing_too():
    found = rc.audit(INPUTS[:3], TARGETS, TABLE, TRAINED[:5], model=Adds())
    assert len(found.refused) == 2
    assert found.notes == ()
    assert parts(found) == set()
    assert "60 examples of 2 factors" in str(found)


def test_rows_without_a_factor_are_left_out_of_everything_and_the_others_stay_in_their_rows():
    lacking = np.isin(np.arange(60), (0, 13))
    hurt = rc.audit(
        INPUTS, TARGETS, TABLE.assign(hue=TABLE["hue"].where(~lacking)), TRAINED, model=Adds(), activations=TARGETS
    )
    kept = ~lacking
    clean = rc.audit(INPUTS[kept], TARGETS[kept], TABLE[kept], TRAINED[kept], model=Adds(), activations=TARGETS[kept])
    assert hurt.examples == 58
    assert hurt.held_out.to_dict() == clean.held_out.to_dict()
    pd.testing.assert_frame_equal(hurt.performance, clean.performance)
    pd.testing.assert_frame_equal(hurt.measures, clean.measures)


def test_a_row_that_is_not_finite_counts_in_the_certificate_and_in_no_score():
    hurt, clean = rc.audit(ONE_NAN, TARGETS, TABLE, TRAINED, model=Adds()), rc.audit(INPUTS, TARGETS, TABLE, TRAINED)
    assert hurt.held_out.to_dict() == clean.held_out.to_dict()
    rows = dict(zip(hurt.performance["section"], hurt.performance["rows"], strict=True))
    assert rows == {"trained": TRAINED.sum() - 1, UNSEEN_PAIR: 6}


def test_answers_that_are_not_finite_are_told_by_the_rows_as_they_were_given():
    found = rc.audit(
        ONE_NAN, TARGETS, TABLE, TRAINED, model=lambda batch: np.where(batch[:, :1] > 2, 1, np.nan) * TARGETS[:59]
    )
    assert "answers are not finite in 59 rows, first in row 0" in found.refused[1]
    inputs = INPUTS.copy()
    inputs[40] = 7  # row 39 of those that are whole
    inputs[3] = np.nan
    found = rc.audit(
        inputs, TARGETS, TABLE, TRAINED, model=lambda batch: np.where(batch[:, :1] == 7, np.nan, 1) * TARGETS[:59]
    )
    assert "answers are not finite in 1 row, first in row 40" in found.refused[1]


def test_where_nothing_can_be_done_it_is_an_error():
    for given in (
        {},
        {"inputs": INPUTS},
        {"inputs": INPUTS, "model": 3},
        {"factors": {"x": [1] * 60}, "inputs": INPUTS},
    ):
        with pytest.raises(InputError, match=r"needs the factors|no factor is left"):
            rc.audit(**given)
    with pytest.raises(InputError, match="seed = -1 must be at least 0"):
        rc.audit(INPUTS, TARGETS, TABLE, TRAINED, seed=-1)


def test_without_factors_trained_and_held_out_rows_are_scored():
    found = rc.audit(INPUTS, TARGETS, {"x": [1] * 60}, TRAINED, model=Adds())
    assert "no factor is left" in found.refused[0]
    assert score(found, "held out") > 0.99
    assert set(found.measures["measure"]) == {"participation"}
    assert "Data: 60 examples without factors." in str(found)


def test_the_page_tells_first_what_was_refused():
    page = audit_page(rc.audit(INPUTS, TARGETS, TABLE, TRAINED[:3], model=Adds()))
    assert page.index("The training mask has shape (3,)") < page.index("No answer of a model was scored on new")
    assert "What could not be done" not in audit_page(rc.audit(INPUTS, TARGETS, TABLE, TRAINED))


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


@pytest.mark.parametrize(
    "model", [nn.Identity(), lambda batch: batch, lambda batch: batch * 0.9, lambda batch: 0.1 + 0.85 * batch]
)
@pytest.mark.parametrize("targets", [None, INPUTS])
def test_a_copy_of_the_input_is_no_composition(model, targets):
    found = rc.audit(INPUTS, targets, TABLE, TRAINED, model=model)
    assert found.verdict.startswith("Undecided: the model copies its input")
    assert "copies its input" in {reason.name for reason in found.diagnosis}


def test_what_passes_through_few_units_is_judged():
    """The projection on the principal directions of sums: exact on all rows, and on nothing else."""
    middle = TARGETS.mean(axis=0)
    basis = np.linalg.svd((TARGETS - NOISE)[TRAINED] - middle, full_matrices=False)[2][: SHAPES + HUES - 2]
    wide = np.random.default_rng(3).normal(size=(12, 40))

    def project(batch: np.ndarray) -> np.ndarray:
        return (batch @ np.linalg.pinv(wide) - middle) @ basis.T @ basis @ wide + middle @ wide

    found = rc.audit(TARGETS @ wide, None, TABLE, TRAINED, model=project)
    assert found.verdict.startswith("It composes")


def test_the_score_on_inputs_that_show_nothing_is_that_of_a_map_by_place():
    from recombine.audits.copying import answers_to_nothing
    from recombine.audits.watching import Watched

    rows = np.random.default_rng(4).normal(size=(50, 7)).astype(np.float32)  # fewer than are asked, so all of them
    spread = np.square(rows - rows.mean(axis=0)).sum()
    assert answers_to_nothing(Watched(lambda batch: batch / 2), rows, 0) == pytest.approx(
        1 - np.square(rows / 2).sum() / spread, rel=1e-5
    )
    assert answers_to_nothing(Watched(lambda batch: batch), np.ones((5, 3)), 0) is None


def test_the_first_of_several_things_that_is_an_array_is_the_answer():
    found = rc.audit(INPUTS, CODES[:, 0], TABLE, TRAINED, model=lambda batch: ("words", batch[:, :SHAPES], 3))
    assert score(found, UNSEEN_PAIR) == 1
    assert "returns 3 things; number 2, the first with numbers, is taken" in " ".join(found.notes)
    assert not found.refused


def test_a_tuple_of_one_and_a_list_of_answers_are_the_answer():
    for model in (lambda batch: (batch[:, :SHAPES],), lambda batch: [row[:SHAPES] for row in batch]):
        found = rc.audit(INPUTS, CODES[:, 0], TABLE, TRAINED, model=model)
        assert score(found, UNSEEN_PAIR) == 1
        assert "things" not in " ".join(found.notes)


def test_the_page_of_data_alone_says_nothing_of_failures():
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


def test_read_outs_below_what_is_drawn_are_marked_and_told():
    wild = np.random.default_rng(5).normal(size=(len(TABLE), 60))
    wild[:, 0] = np.where(
        TRAINED, TABLE["hue"], -100 * TABLE["hue"]
    )  # read off it, the hue of held-out rows is far off
    found = rc.audit(factors=TABLE, train_mask=TRAINED, activations={"wild": wild, "plain": TARGETS})
    readouts = found.measures[(found.measures["measure"] == "readout") & (found.measures["value"] < -1)]
    assert len(readouts) == 1
    assert "1 value, drawn there as a triangle" in audit_page(found)
    assert "as a triangle" not in audit_page(rc.audit(factors=TABLE, train_mask=TRAINED, activations=TARGETS))
