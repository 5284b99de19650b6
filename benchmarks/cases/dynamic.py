"""Ten binary chains coupled in a ring, each with an observed child: filtered and smoothed.

Each chain's next state depends on itself and on both neighbours, so that the hidden states of a step have
1,024 combinations. The check is the sum of P(chain = 1 | everything observed) over all chains and steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from case import Case, Work

CHAINS, STEPS = 10, 1000
SHORT = 20
"""The steps that pyAgrum is given: 100 take it more than three minutes."""


def tables() -> dict[str, np.ndarray]:
    """P(X), P(X' | left, own, right) and P(Y | X) of every chain."""
    chance = np.random.default_rng(0)
    found = {}
    for k in range(CHAINS):
        found[f"X{k}"] = chance.dirichlet([2, 2])
        found[f"X{k}'"] = chance.dirichlet([2, 2], size=(2, 2, 2))
        found[f"Y{k}"] = chance.dirichlet([2, 2], size=2)
    return found


def neighbours(k: int) -> list[int]:
    """The chains that the next state of chain k depends on."""
    return [(k - 1) % CHAINS, k, (k + 1) % CHAINS]


def network() -> Any:
    """The template in bayou."""
    import bayou

    arcs = [(f"X{j}", f"X{k}'") for k in range(CHAINS) for j in neighbours(k)]
    arcs += [(f"X{k}", f"Y{k}") for k in range(CHAINS)]
    states = {f"{letter}{k}": [0, 1] for letter in "XY" for k in range(CHAINS)}
    made = bayou.DynamicNetwork(arcs, states=states)
    for name, table in tables().items():
        made.set_cpt(name, table)
    return made


def observed(steps: int) -> dict[str, list[int]]:
    """What the children of a drawn sequence show."""
    drawn = network().sample(steps, seed=1)
    return {name: cells for name, cells in drawn.items() if name.startswith("Y")}


def bayou_slices(steps: int) -> Any:
    """``filter`` and ``smooth`` of the public interface."""

    def prepare(scale: float) -> Work:
        made, rows = network(), observed(steps)
        made.filter(rows)  # compiles the programs of the slices, once for a template
        made.smooth(rows)

        def run() -> Any:
            return made.filter(rows), made.smooth(rows)

        return Work(
            run, lambda found: float(sum(found[1][f"X{k}"].probabilities[:, 1].sum() for k in range(CHAINS)))
        )

    return prepare


def unrolled(steps: int) -> Any:
    """pyAgrum on the unrolled network, by its junction tree: the smoothed posteriors only."""

    def prepare(scale: float) -> Work:
        import pyagrum

        net, own = pyagrum.BayesNet(), tables()
        for t in range(steps):
            for k in range(CHAINS):
                net.add(pyagrum.LabelizedVariable(f"X{k}_{t}", "", 2))
                net.add(pyagrum.LabelizedVariable(f"Y{k}_{t}", "", 2))
        for t in range(steps):
            for k in range(CHAINS):
                if t:
                    for j in neighbours(k):
                        net.addArc(f"X{j}_{t - 1}", f"X{k}_{t}")
                net.addArc(f"X{k}_{t}", f"Y{k}_{t}")
                fill(net.cpt(f"X{k}_{t}"), own[f"X{k}'" if t else f"X{k}"])
                fill(net.cpt(f"Y{k}_{t}"), own[f"Y{k}"])
        rows = observed(steps)
        evidence = {f"{name}_{t}": cell for name, cells in rows.items() for t, cell in enumerate(cells)}

        def run() -> Any:
            engine = pyagrum.LazyPropagation(net)
            engine.setEvidence(evidence)
            for t in range(steps):
                for k in range(CHAINS):
                    engine.addTarget(f"X{k}_{t}")
            engine.makeInference()
            return sum(engine.posterior(f"X{k}_{t}")[1] for t in range(steps) for k in range(CHAINS))

        return Work(run, float)

    return prepare


def fill(cpt: Any, table: np.ndarray) -> None:
    """Write a table whose axes are the parents as added, then the variable."""
    import pyagrum

    names = [cpt.variable(k).name() for k in range(cpt.nbrDim())]
    order = [names[0], *names[1:]]
    at = pyagrum.Instantiation(cpt)
    at.setFirst()
    while not at.end():
        parents = tuple(at.val(cpt.variable(k)) for k in range(1, len(order)))
        cpt.set(at, float(table[(*parents, at.val(cpt.variable(0)))]))
        at.inc()


CASES = (
    Case(
        "dynamic-ring",
        "ten coupled binary chains, 1,000 steps: filter and smooth",
        {"bayou": bayou_slices(STEPS)},
        note="No peer ends: pgmpy's DBNInference needs more than 200 s for 3 steps, pyAgrum for 100.",
    ),
    Case(
        "dynamic-ring-short",
        f"the same, {SHORT} steps",
        {"bayou": bayou_slices(SHORT), "pyAgrum": unrolled(SHORT)},
        targets={"pyAgrum": 50},
        tolerance=1e-6,
        note="pyAgrum works on the unrolled network and gives the smoothed posteriors only.",
    ),
)
