"""Will a rule compose? Context dependence, asked by theory, by training with two losses, and by looking inside.

Run it with `.venv/bin/python examples/component_tasks.py`; it takes about half a minute.
"""

import sys

import recombine as rc
from recombine.theory import certificate, leak, random_layers, salience

# A context (0 or 1) says which of two features to answer to. Held out, in both contexts: three levels of feature 1 with
# three of feature 2.
problem = rc.Problem(rc.tasks.context(), split=rc.splits.block(feature1=(0, 3), feature2=(3, 6)))

# 1. Theory. The rule can be written as a sum over conjunctions that training shows, so a kernel could compose it ...
proof = certificate(problem.grid.combinations(), problem.task.labels, problem.trained)
print(proof.text)
# ... but with which kernel and which loss?
forecast = rc.forecast(problem)
print(forecast.verdict)
for reason in forecast.reasons:
    print(f"- {reason.name}: {reason.text}")

# 2. Training: the same network, the same examples, two losses.
store = sys.argv[1] if len(sys.argv) > 1 else None
for loss, steps, rate in (("logistic", 3000, 0.02), ("mse", 6000, 0.01)):
    recipe = rc.Recipe(steps=steps, batch="all", optimiser="sgd", rate=rate, decay=0.0, loss=loss)
    runs = rc.train(problem, rc.models.mlp(width=400), seeds=2, recipe=recipe, store=store)
    # 3. Inside: how much of the answer is the context alone, and how much the context with its own feature.
    shares = runs.measure("conjunction_shares").mean()
    print(f"{loss}: held-out accuracy {runs.measure('ood_accuracy')}, context {shares['context']:.2f}, "
          f"right conjunction {shares['right']:.2f}")  # fmt: skip

# Sums leak: what one random ReLU layer makes of two symbols, and what that does to a sum never seen.
single = salience(random_layers((0.0, 0.5, 1.0), "relu", 1))[0]
print(f"S(1;2) = {single:.4f}: a network of that representation answers {leak(single, 1):.0%} of an unseen sum.")
