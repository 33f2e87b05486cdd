"""Does a network find the modules of its task? Three functions side by side, with nothing, with noise, with a penalty.

Run it with `.venv/bin/python examples/modules.py`; it takes about a minute. Modules need time: with more steps they are
clearer.
"""

import sys

import recombine as rc

# Three sines of three inputs. Held out would be every place where two inputs or more are positive; here it is shown.
problem = rc.Problem(
    rc.tasks.parallel(parts=3),
    rc.splits.several(count=2, low=3),
    examples=1000,
    centres="uniform",
    reveal=True,
)
decay = rc.penalties.weights(strength=1e-4)
conditions = {
    "nothing": {},
    "weight penalty": {"penalties": (decay,)},
    "Poisson-like noise": {"penalties": (decay,), "noise": rc.noises.activity(level=0.05)},
    "weighted activity": {"penalties": (decay, rc.penalties.weighted_activity(power=1.0))},
}

store = sys.argv[1] if len(sys.argv) > 1 else None
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 6000
for name, settings in conditions.items():
    recipe = rc.Recipe(steps=steps, batch=50, optimiser="adam", rate=3e-3, decay=0.0, **settings)
    runs = rc.train(problem, rc.models.feedforward(widths=(24, 24, 24)), seeds=2, recipe=recipe, store=store)
    mixed = runs.measure("cross_talk").mean()  # 2/3: fully mixed; 0: modular
    robust = runs.measure("noise_robustness")["0.1"].mean()
    print(f"{name}: cross-talk {mixed:.2f}, error {runs.measure('id_mse').mean():.1e}, under noise {robust:.1e}")

# The same with the modules built in, for comparison.
masked = rc.models.feedforward(widths=(24, 24, 24), modules=3)
recipe = rc.Recipe(steps=steps, batch=50, optimiser="adam", rate=3e-3, decay=0.0, penalties=(decay,))
leaks = rc.train(problem, masked, seeds=2, recipe=recipe, store=store).measure("scale_leak")
print(f"built in: cross-talk 0, other outputs when the first input is eight times as large: {leaks['8'].mean():.1e}")
