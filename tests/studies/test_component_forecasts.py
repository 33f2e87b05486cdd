"""Problems of component tasks handed to the theory: what the forecast says of them, with and without a network."""

from recombine.data import Problem, tasks
from recombine.splits import regions
from recombine.studies.forecasting import forecast


def test_what_is_not_additive_is_never_said_to_compose():
    problem = Problem(tasks.ordering(exceptions=((0, 6),)), regions.diagonal(width=1))
    found = forecast(problem)
    assert not found.details["additive"]
    assert found.composes is not True


def test_a_contradiction_is_told_by_the_levels_own_names():
    rows = tuple(((str(a), str(b)), float(a * b)) for a in range(-4, 5) for b in range(-4, 5))
    table = tasks.table(components=("a", "b"), rows=rows)
    anchored = Problem(table, regions.anchors(a=(4, 8), b=(4, 8)))
    (reason,) = [reason for reason in forecast(anchored).reasons if reason.name == "not additive"]
    named = {tuple(part.split(", ")) for part in reason.text.split(": ")[1].split(". ")[0].split("; ")}
    for a, b in named:
        levels = int(a.removeprefix("a ")), int(b.removeprefix("b "))
        assert not set(levels) & {0, 4}  # held-out combinations have no anchor


def test_the_kernels_of_a_network_that_reads_pictures_are_kernels():
    images = {"set": "digits", "size": 14, "per_category": 30, "total": 200, "questions": 12}
    problem = Problem(tasks.context(images=images), regions.block(feature1=(0, 3), feature2=(3, 6)))
    found = forecast(problem, {"kind": "convnet", "width": 0.1, "kernel": 3})
    asked = {answer["solver"] for answer in found.details["answers"] if answer["kernel"].startswith("convnet")}
    assert asked == {"least squares", "widest margin"}
