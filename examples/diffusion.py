"""Crossing stripes outside a cross: does a diffusion model compose, and does it interpolate?

Run it with `.venv/bin/python examples/diffusion.py`; it takes half a minute. In the vertical arm of the cross a
value of x was never shown, in the horizontal one a value of y.
"""

import sys

import recombine as rc

task = rc.tasks.sum_of_stripes(
    n=8, sigma=0.7, dark=True, stripe_ink=0.5, pad=3, encoding={"kind": "sinusoidal", "pairs": 16}
)
cross = rc.splits.cross(x=(3, 5), y=(3, 5))
sums = rc.Problem(task, rc.splits.extrapolation(of=cross), spacing=0.5)
both = rc.Problem(task, cross, isolated=("y", "x"), spacing=0.5, rim=True)

store = sys.argv[1] if len(sys.argv) > 1 else None
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 500
recipe = rc.Recipe(steps=steps, batch=64, rate=8e-3, schedule="one-cycle")
for name, problem in (("sums of stripes", sums), ("sums and lone stripes", both)):
    for reason in rc.forecast(problem).reasons:
        if reason.name == "percolation":
            print(f"{name}: {reason.text}")
    runs = rc.train(problem, "diffusion", recipe=recipe, store=store)
    accuracy = runs.measure("darkest_accuracy")
    for part in ("vertical-x", "vertical-y", "horizontal-x", "horizontal-y"):
        print(f"{name}: {part} right in {accuracy[part].mean():.0%}")
