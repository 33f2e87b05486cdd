"""Why does a decoder fail on pairs it never saw? One is trained, and one of its answers is taken apart.

Run it with `.venv/bin/python examples/why_it_fails.py`; it takes a few seconds.
"""

import sys

import recombine as rc

# A bump at (x, y), drawn from clean codes of x and of y; a block of pairs in the middle is held out.
problem = rc.Problem(rc.tasks.bump(n=12, encoding="one-hot"), split=rc.splits.block(x=(3, 9), y=(3, 9)))
store = sys.argv[1] if len(sys.argv) > 1 else None
runs = rc.train(problem, rc.models.mlp_decoder(width=64, depth=2), recipe=rc.Recipe(steps=2000), store=store)

# The verdict with its evidence: what the answer in the middle of the hole is made of, and where the layers go wrong.
explanation = rc.explain(runs)[0]
print(explanation)

# The same as values.
first = explanation.answer.contributors[0]
print(f"\nHeaviest: the remembered picture of y = {first.y}, x = {first.x}, {first.share:.0%} of the weight.")
