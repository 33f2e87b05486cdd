"""The picture of the front page is made of the reference records that it names."""

import numpy as np

from recombine.papers import Scale, papers
from recombine.records import Store
from recombine.reports.front_picture import SHOWN, front_picture
from recombine.studies.stores import REFERENCE


def test_its_words_and_numbers_are_those_of_the_records():
    store = Store(REFERENCE)
    drawn = front_picture(store)
    assert len(drawn) < 200_000
    for words, (claim, setting) in SHOWN.items():
        works = papers.claims([claim])[0].runs(Scale.LAPTOP)[setting]
        errors = [store.read(work.digest()).body["measures"]["ood_nmse"] for work in works]
        assert words in drawn
        assert f"held-out error {np.mean(errors):.2f}" in drawn


def test_the_sample_is_held_out():
    from recombine.reports.front_picture import SAMPLE

    store = Store(REFERENCE)
    for claim, setting in SHOWN.values():
        work = papers.claims([claim])[0].runs(Scale.LAPTOP)[setting][0]
        problem = work.problem
        asked = store.read(work.digest()).arrays["sample_combinations"][SAMPLE]
        assert problem.parts.held_out[problem.grid.index(asked[None])].all()
