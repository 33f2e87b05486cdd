"""Sound words for what no machine holds are refused at once, not tried."""

import time

import pytest
import torch

from recombine.core.errors import InputError, shown
from recombine.core.plain_documents import DEEPEST, MOST, read_document
from recombine.data import tasks
from recombine.models import models
from recombine.models.budget import Budget
from recombine.models.interface import Interface
from recombine.training import Recipe

CORNER = ("--hold-out", "corner:x=2,y=2")
SMALL = ("--set", "n=4", *CORNER)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("bump", "--set", "n=1000000000", *CORNER), "less than or equal to 1024"),
        (("bump", "--set", "n=1024", *CORNER), "at most 0.3 GB are allowed"),
        (("bump", "--set", "n=1024", "--set", "step=0.01", *CORNER), "combinations; at most 20,000,000"),
        (("bump", *SMALL, "--set", "examples=1000000000", "--set", "centres=uniform"), "equal to 10000000"),
        (("bump", *SMALL, "--set", "spacing=1e-300"), "too many to list"),
        (("context", "--set", "levels=1000000000", "--hold-out", "random:fraction=0.5"), "1000000000 levels"),
        (("context", "--set", "levels=1000", "--hold-out", "random:fraction=0.5"), "combinations; at most"),
        (("equivalence", "--set", "classes=[1000000000, 2]", "--hold-out", "random:fraction=0.5"), "levels; at most"),
        (("ordering", "--set", "items=4000000000", "--hold-out", "random:fraction=0.5"), "4000000000 levels"),
        (("addition", "--hold-out", "anchors:first=0..1000000000000,second=1"), "more than 1000000 levels"),
        (("sprites", "--support", "planes", "--set", "tests=1000000000"), "less than or equal to 1000000"),
        (("bump", *SMALL, "--model", "mlp-decoder:width=1000000000"), "would hold more than 268,435,456 numbers"),
        (("bump", *SMALL, "--model", "mlp-decoder:depth=1000000000"), "less than or equal to 1000"),
        (("bump", *SMALL, "--model", "cnn-decoder:width=100000"), "would hold more than"),
        (("bump", *SMALL, "--model", "mlp-decoder:width=9000,depth=900"), "would hold more than"),
        (("bump", "--set", f"n={10**30}", *CORNER), "a whole number of 100 bits"),
    ],
)
def test_too_large_is_told_and_not_tried(recombine, refused, arguments, says):
    started = time.process_time()
    said = recombine("forecast", *arguments)
    assert refused(said), said
    assert says in said.err
    assert time.process_time() - started < 30  # torch is loaded in this time


def test_a_batch_that_no_machine_holds():
    with pytest.raises(InputError, match=r"batch = 100000000: Input should be less than or equal to 1000000\.$"):
        Recipe(batch=100_000_000)
    assert Recipe(batch=1_000_000).batch == 1_000_000


def test_codes_that_do_not_fit():
    """2 x 200,000 combinations of 200,002 units."""
    task = tasks.invariance(irrelevant=200_000)
    with pytest.raises(InputError, match="would be 80,000,800,000 numbers"):
        task.codes(task.grid.combinations())


def test_a_budget_counts_what_a_network_holds():
    """Weights of unequal sizes: 3 x 5 and 5 in one layer, 5 x 7 and 7 in another."""
    with Budget("x") as budget:
        torch.nn.Sequential(torch.nn.Linear(3, 5), torch.nn.Linear(5, 7))
    assert budget.made == 3 * 5 + 5 + 5 * 7 + 7
    with Budget("x") as budget:
        torch.zeros(2, 3), torch.ones((4, 5)), torch.randn(size=(6,)), torch.empty(torch.Size([7, 8]))
    assert budget.made == 6 + 20 + 6 + 56
    with pytest.raises(InputError, match="model 'x' would hold more than"), Budget("x"):
        torch.empty(1 << 20, 1 << 20)


def test_a_budget_changes_no_weight():
    ends = Interface(6, (3, 4), (3, 4))
    spec = models.mlp_decoder(width=5, depth=2)
    from recombine.models.weights import drawn_from

    with drawn_from(torch.Generator().manual_seed(7)):
        free = spec.network(ends)
    built = spec.build(ends, torch.Generator().manual_seed(7))
    assert all(torch.equal(a, b) for a, b in zip(free.parameters(), built.parameters(), strict=True))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a: 1\nb: {c: 2, c: 3}", "'c' is given twice"),
        ("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), f"nested more than {DEEPEST} deep"),
        ("[" * 100_000, f"nested more than {DEEPEST} deep"),
        ("&a [1, *a]", "contains itself"),
        ("a: &a [1, 2]\nb: {c: &b [*a, *b]}", "contains itself"),
        ("\n".join(f"- &a{i} [{f'*a{i - 1},' * 10}]" if i else "- &a0 [x]" for i in range(9)), f"more than {MOST}"),
        ("\n".join(f"- &a{i} [{f'*a{i - 1}'}]" if i else "- &a0 [x]" for i in range(99)), "deep"),
        ("!!python/object/apply:os.getcwd []", "could not determine a constructor"),
        ("!!int x", "a value that cannot be read"),
        ("2020-99-99", "a value that cannot be read"),
        ("!!timestamp x", "a value that cannot be read"),
        ("9" * 5000, "a value that cannot be read"),
        ("0x" + "f" * 5000, "a whole number of 20000 bits"),
        ("a: 1\n---\nb: 2", "expected a single document"),
    ],
)
def test_documents_that_are_not_what_they_look_like(text, says):
    with pytest.raises(InputError, match=says):
        read_document(text, "it")


def test_documents_that_are_read():
    """Aliases and merged mappings are sound, as is all that is just within the limits."""
    assert read_document("a: &a [1, 2]\nb: [*a, *a]", "it") == {"a": [1, 2], "b": [[1, 2], [1, 2]]}
    merged = "base: &b {n: 1, k: 2}\none: {<<: *b, n: 3}\ntwo: {<<: *b, k: 4, n: 5}"
    assert read_document(merged, "it")["two"] == {"n": 5, "k": 4}
    assert read_document(merged, "it")["one"] == {"n": 3, "k": 2}
    assert read_document("[" * DEEPEST + "]" * DEEPEST, "it")
    assert read_document(str(2**64 - 1), "it") == 2**64 - 1
    assert read_document("", "it") is None


def test_values_in_messages_are_brief():
    assert shown("x" * 10**6).count("x") < 100
    assert len(shown([list(range(10**5))] * 100)) < 2000
    assert shown({"a": (1, 2.5), "b": None}) == "{'a': (1, 2.5), 'b': None}"
