"""The command `recombine` with one more claim, SM1, of runs that take a second or two each and train one by one."""

import sys

from recombine.cli import main
from recombine.data import Problem, tasks
from recombine.models import models
from recombine.papers import Paper, Scale, papers
from recombine.papers.claims import Check, Claim, Control, Range, setting
from recombine.splits import regions
from recombine.studies import Experiment
from recombine.training import Recipe


def trained(width: int) -> Experiment:
    return Experiment(
        problem=Problem(tasks.bump(n=8), regions.block(x=(2, 6), y=(3, 6))),
        model=models.parse({"kind": "cnn-decoder", "width": width}),
        recipe=Recipe(steps=150),
        measures=("ood_nmse",),
    )


CLAIM = Claim(
    id="SM1",
    paper="small",
    place="nowhere",
    says="A decoder is trained.",
    checks=(Check("ood_nmse", Range(low=0.0), "nothing", of="main"),),
    settings={"main": setting("small", "Small.", lambda scale: trained(6))},
    control=Control("a smaller one", {"main": setting("smaller", "Smaller.", lambda scale: trained(5))}),
    seeds=dict.fromkeys(Scale, 4),
)

if __name__ == "__main__":
    papers.add(Paper("small", ("SM",), "Small", "nobody", (CLAIM,)))
    main(sys.argv[1:])
