"""Lines of a plan: as they are where they differ, else with what tells the work apart."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.data import Problem, encodings, tasks
from recombine.models import models
from recombine.papers import Scale, papers
from recombine.splits import regions
from recombine.studies import Experiment, Work, change, distinct, vary
from recombine.studies.telling_apart import differences, flattened, lines_apart
from recombine.training import Recipe, penalties


def experiment(task=None, split=None, model=None, **more) -> Experiment:
    problem = Problem(tasks.bump(n=8, **(task or {})), split or regions.block(x=(2, 4), y=(2, 4)))
    return Experiment(problem=problem, model=model or models.mlp_decoder(), **{"measures": ("ood_nmse",), **more})


BASE = experiment()


def test_work_that_reads_differently_is_left_alone():
    works = [BASE, change(BASE, seed=1), change(BASE, recipe=Recipe(steps=7))]
    assert lines_apart(works) == [work.line() for work in works]
    assert lines_apart([]) == []


@pytest.mark.parametrize(
    ("others", "words"),
    [
        # Some codes have a sigma of their own, and then the name alone would not do.
        ([experiment({"sigma": 0.3}), experiment({"sigma": 0.5})], [["task sigma 0.3"], ["task sigma 0.5"]]),
        ([experiment({"sigma": s, "encoding": "one-hot"}) for s in (0.3, 0.5)], [["sigma 0.3"], ["sigma 0.5"]]),
        (
            [experiment({"encoding": "one-hot"}), experiment({"encoding": "bump"})],
            [["encoding one-hot"], ["encoding bump"]],
        ),
        (
            [experiment(split=regions.block(x=(2, 4), y=(1, 4))), experiment(split=regions.block(x=(3, 5), y=(1, 4)))],
            [["split x (2, 4)"], ["split x (3, 5)"]],
        ),
        (
            [experiment(split=regions.extrapolation(of=regions.cross(x=(low, 5), y=(3, 5)))) for low in (2, 3)],
            [["split x (2, 5)"], ["split x (3, 5)"]],
        ),
        (
            [
                experiment(split=regions.extrapolation(of=regions.block(x=(2, 4)))),
                experiment(split=regions.extrapolation(of=regions.block(x=(2, 4), y=(2, 4)))),
            ],
            [[], ["split y (2, 4)"]],
        ),
        ([experiment({"dark": True}), experiment({"dark": False})], [["dark"], ["not dark"]]),
        (
            [experiment(recipe=Recipe(clip=None)), experiment(recipe=Recipe(clip=2.0))],
            [["no clip"], ["clip 2"]],
        ),
        (
            [experiment(model=models.mlp_decoder(width=width)) for width in (16, 32)],
            [["model width 16"], ["model width 32"]],
        ),
        # Settings of one kind are told where they differ among those that have them.
        (
            [
                experiment({"encoding": "one-hot"}),
                experiment({"encoding": encodings.sinusoidal(pairs=4)}),
                experiment({"encoding": encodings.sinusoidal(pairs=8)}),
            ],
            [["encoding one-hot"], ["encoding sinusoidal", "pairs 4"], ["encoding sinusoidal", "pairs 8"]],
        ),
        # What is measured is told where nothing else differs, and then what not all have.
        (
            [BASE, experiment(measures=("ood_nmse", "id_nmse"))],
            [[], ["measures id_nmse"]],
        ),
        (
            [experiment({"sigma": 0.3}), experiment({"sigma": 0.5}, measures=("ood_nmse", "id_nmse"))],
            [["task sigma 0.3"], ["task sigma 0.5"]],
        ),
        (
            [BASE, experiment(measures=("ood_nmse", "id_nmse", "id_accuracy", "ood_accuracy", "participation"))],
            [[], ["measures id_accuracy id_nmse ood_accuracy and 1 more"]],
        ),
    ],
)
def test_differences_are_told_in_few_words(others, words):
    assert differences(others) == words
    assert lines_apart(others) == [", ".join([work.line(), *told]) for work, told in zip(others, words, strict=True)]


def test_penalties_are_told_by_their_settings():
    works = [
        experiment(recipe=Recipe(penalties=(penalties.pick("rendering")(entropy=entropy),))) for entropy in (0.1, 0.2)
    ]
    assert works[0].line() == works[1].line()
    assert differences(works) == [["entropy 0.1"], ["entropy 0.2"]]


def test_numbers_that_would_be_rounded_alike_are_written_whole():
    works = [experiment({"sigma": sigma}) for sigma in (0.3, 0.3000001)]
    assert differences(works) == [["task sigma 0.3"], ["task sigma 0.3000001"]]


def test_flattened_settings_name_defaults_too():
    found = dict(flattened(BASE))
    assert found["problem", "task"] == "bump"
    assert found["problem", "task", "sigma"] == 1.0
    assert found["problem", "split", "x"] == (2, 4)
    assert found["model",] == "mlp-decoder"
    _ = BASE.problem.parts  # what is computed once and kept is no setting
    assert dict(flattened(BASE)) == found


@settings(max_examples=30)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([0.5, 0.7, 1.0]),
            st.sampled_from(["one-hot", "bump", "sinusoidal"]),
            st.sampled_from([(1, 4), (2, 4), (2, 5)]),
            st.sampled_from([8, 16]),
            st.sampled_from([0.0, 0.01]),
        ),
        unique=True,
        max_size=8,
    )
)
def test_different_work_has_different_lines(drawn):
    works = [
        experiment(
            {"sigma": sigma, "encoding": encoding},
            regions.block(x=held_out, y=(2, 4)),
            models.mlp_decoder(width=width),
            recipe=Recipe(decay=decay),
        )
        for sigma, encoding, held_out, width, decay in drawn
    ]
    lines = lines_apart(works)
    assert len(set(lines)) == len(works)
    assert all(line.startswith(work.line()) for work, line in zip(works, lines, strict=True))


@pytest.mark.parametrize(("names", "scale"), [((), Scale.QUICK), (("diffusion-factorize",), Scale.LAPTOP)])
def test_no_two_lines_of_the_papers_read_alike(names, scale):
    works: list[Work] = distinct(item for claim in papers.claims(names, scale) for item in claim.works(scale))
    before, after = (Counter(lines) for lines in ([work.line() for work in works], lines_apart(works)))
    assert max(before.values()) > 1
    assert max(after.values()) == 1


def test_seeds_of_two_settings_are_told_apart_one_by_one():
    works = [each for sigma in (0.3, 0.5) for each in vary(experiment({"sigma": sigma}), seed=(0, 1))]
    ends = [line.rpartition(", ")[2] for line in lines_apart(works)]
    assert ends == ["task sigma 0.3"] * 2 + ["task sigma 0.5"] * 2
