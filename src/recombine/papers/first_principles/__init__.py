"""Wiedemer, Mayilvahanan, Bethge & Brendel, *Compositional Generalization from First Principles*, NeurIPS 2023.

Which combinations must be shown, and what must a model know of composition, so that it is right on all others? Claims
whose name begins with FPX are ours.
"""

from recombine.papers.first_principles.claiming import KEY
from recombine.papers.first_principles.guarantees import GUARANTEES
from recombine.papers.first_principles.limits import LIMITS
from recombine.papers.first_principles.ours import OURS
from recombine.papers.first_principles.sweeps import SWEEPS
from recombine.papers.paper import Paper, papers

papers.add(
    Paper(
        key=KEY,
        prefixes=("FP", "FPX"),
        title="Compositional generalization from first principles",
        citation="Wiedemer, Mayilvahanan, Bethge & Brendel, NeurIPS 2023, arXiv:2307.05596",
        claims=(*GUARANTEES, *LIMITS, *OURS),
        sweeps=SWEEPS,
    )
)
