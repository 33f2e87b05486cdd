"""Qian, Liang & Fiete, *Modular connectivity in neural networks emerges from Poisson noise-motivated regularisation,
and promotes robustness and compositional generalisation*, arXiv:2512.13707 (2025).

Networks that learn several functions side by side mix them; noise that grows with activity, or a penalty on activity
times weights, makes them modular. Only the abstract and parts of the released code could be read: what is derived or
was measured by us is said to be so, claim by claim. Claims whose name begins with PX are ours.
"""

from recombine.papers.paper import Paper, papers
from recombine.papers.poisson_modularity.claiming import KEY
from recombine.papers.poisson_modularity.emergence import EMERGENCE
from recombine.papers.poisson_modularity.ours import OURS
from recombine.papers.poisson_modularity.payoff import CONTEXT, PAYOFF
from recombine.papers.poisson_modularity.sweeps import SWEEPS

papers.add(
    Paper(
        key=KEY,
        prefixes=("PM", "PX"),
        title="Modular connectivity in neural networks emerges from Poisson noise-motivated regularisation",
        citation="Qian, Liang & Fiete, arXiv:2512.13707, 2025",
        claims=(*CONTEXT, *EMERGENCE, *PAYOFF, *OURS),
        sweeps=SWEEPS,
    )
)
