"""Two sprites, shown one at a time on a few planes: who draws scenes in which both vary?

Run it with `.venv/bin/python examples/scenes.py`; it takes about a minute. Decoders are layers of units here, which
train fast; the default ones, which draw by convolutions, carry over to new scenes better still.
"""

import sys

import recombine as rc

# Edges are one pixel wide; the front sprite hides the other. Training shows three planes: one sprite varies in each.
task = rc.tasks.sprites(tests=300)
planes = rc.Problem(task, support=rc.supports.planes(), examples=5000)

forecast = rc.forecast(planes)
print(forecast.verdict)
for reason in forecast.reasons:
    print(f"- {reason.name}: {reason.text}")

store = sys.argv[1] if len(sys.argv) > 1 else None
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 600
recipe = rc.Recipe(steps=steps, batch=64, rate=4e-3, decay=1e-5, schedule="cosine")
compositional = rc.models.compositional(family="mlp", width=128)
monolithic = rc.models.monolithic(family="mlp", width=204)  # as many parameters
for model in (compositional, monolithic):
    runs = rc.train(planes, model, seeds=2, recipe=recipe, store=store)
    shown, everywhere = runs.measure("id_r2").mean(), runs.measure("all_r2").mean()
    print(f"{model.kind}: R2 {shown:.2f} on the planes, {everywhere:.2f} on the whole space")

# A gap: the front sprite is never shown in a range of places.
gap = rc.Problem(task, support=rc.supports.planes(without={"x1": (0.05, 0.45)}), examples=5000)
print(rc.forecast(gap).reasons[0].text)
runs = rc.train(gap, compositional, seeds=2, recipe=recipe, store=store)
print(f"error in the gap over error elsewhere: {runs.measure('unseen_ratio').mean():.1f}")
