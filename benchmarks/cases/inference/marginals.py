"""Exact inference: all marginals given findings on a tenth of the variables, many sets of findings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from case import Case, Work
from data import bif_file

SETS = 20
HEAVY_SETS = 4
HEAVY = ("water", "diabetes", "barley", "munin1", "link")
# The faster of pyAgrum's exact engines, by earlier runs; Shafer and Shenoy's where nothing is said.
PYAGRUM_ENGINE = {"water": "LazyPropagation", "barley": "LazyPropagation", "munin1": "LazyPropagation"}
# network: target with the plan kept, target with the plan compiled anew
TARGETS = {
    "asia": (15, 5),
    "child": (30, 5),
    "alarm": (30, 5),
    "win95pts": (30, 5),
    "insurance": (30, 5),
    "hailfinder": (30, 5),
    "pigs": (60, 5),
    "andes": (60, 5),
    "water": (10, 5),
    "diabetes": (3, 2),
    "barley": (4, 2),
    "munin1": (8, 2),
}


def findings(network: Any, name: str) -> list[dict[str, str]]:
    """Sets of findings drawn from the network itself, so that each is possible."""
    count = HEAVY_SETS if name in HEAVY else SETS
    rows = network.sample(count, seed=11).to_dicts()
    random = np.random.default_rng(5)
    size = max(1, round(0.1 * len(network.names)))
    return [{str(k): row[k] for k in random.choice(list(row), size, replace=False)} for row in rows]


def _bayou(name: str, cold: bool) -> Callable[[float], Work]:
    def prepare(scale: float) -> Work:
        import bayou

        network = bayou.load(bif_file(name))
        sets = findings(network, name)

        def run() -> list[Any]:
            answers = []
            for found in sets:
                if cold:
                    network.drop_plans()
                answers.append(network.marginals(found).to_arrays())
            return answers

        run()
        return Work(run, lambda answers: sum(np.square(t).sum() for a in answers for t in a.values()))

    return prepare


def _pyagrum(name: str, engine: str) -> Callable[[float], Work]:
    def prepare(scale: float) -> Work:
        import pyagrum

        import bayou

        sets = findings(bayou.load(bif_file(name)), name)
        network = exact_pyagrum(name)
        inference = getattr(pyagrum, engine)(network)

        def run() -> list[Any]:
            answers = []
            for found in sets:
                inference.setEvidence(found)
                inference.makeInference()
                answers += [inference.posterior(n) for n in network.names() if n not in found]
            return answers

        return Work(run, lambda answers: sum(np.square(t.toarray()).sum() for t in answers))

    return prepare


def exact_pyagrum(name: str) -> Any:
    """pyAgrum's reader keeps float32 and refuses some names: its network is filled from bayou's tables."""
    import pyagrum

    import bayou

    ours = bayou.load(bif_file(name))
    network = pyagrum.BayesNet()
    for variable in ours.variables:
        network.add(pyagrum.LabelizedVariable(variable.name, "", list(variable.states)))
    for parent, child in ours.arcs:
        network.addArc(parent, child)
    for variable in ours.variables:
        parents = list(ours.parents(variable.name))
        table = network.cpt(variable.name)
        axes = [*parents, variable.name]
        order = [axes.index(n) for n in reversed(list(table.names))]
        table[:] = np.ascontiguousarray(np.transpose(ours.cpt(variable.name).to_array(), order))
    return network


def _case(name: str) -> Case:
    cached, cold = TARGETS[name]
    return Case(
        f"marginals-{name}",
        f"all marginals, {name}, {HEAVY_SETS if name in HEAVY else SETS} sets of findings",
        {
            "bayou": _bayou(name, False),
            "bayou, cold plans": _bayou(name, True),
            "pyAgrum": _pyagrum(name, PYAGRUM_ENGINE.get(name, "ShaferShenoyInference")),
        },
        targets={"pyAgrum": cached},
        other_targets={("bayou, cold plans", "pyAgrum"): cold},
        tolerance=1e-9,
    )


MARGINALS = [_case(name) for name in TARGETS]
LINK = Case(
    "marginals-link",
    f"all marginals, link, {HEAVY_SETS} sets of findings (pyAgrum runs out of memory)",
    {"bayou": _bayou("link", False)},
    note="No peer to compare with: pyAgrum needs more than 22 GB on this network.",
)
