"""Structures learned by score or by tests: how fast, how good the score, how much of the true network."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from case import Case, Work
from data import Sample, sample

Arcs = Iterable[tuple[str, str]]


def categories(drawn: Sample) -> Any:
    """A pandas frame of categories with all declared states."""
    import pandas as pd

    lines = zip(drawn.names, drawn.codes, strict=True)
    return pd.DataFrame({name: pd.Categorical.from_codes(line, drawn.states[name]) for name, line in lines})


def bic(drawn: Sample, arcs: Arcs) -> float:
    """BIC with all declared states, counted by numpy."""
    parents: dict[str, list[str]] = {name: [] for name in drawn.names}
    for parent, child in arcs:
        parents[child].append(parent)
    codes = dict(zip(drawn.names, drawn.codes.astype(np.int64), strict=True))
    total, rows = 0.0, drawn.codes.shape[1]
    for child, names in parents.items():
        states, configurations = len(drawn.states[child]), 1
        index = np.zeros(rows, dtype=np.int64)
        for name in sorted(names):
            index = index * len(drawn.states[name]) + codes[name]
            configurations *= len(drawn.states[name])
        _, dense = np.unique(index, return_inverse=True)
        table = np.bincount(dense * states + codes[child], minlength=(dense.max() + 1) * states)
        table = table.reshape(-1, states).astype(np.float64)
        shares = np.where(table > 0, table / table.sum(axis=1, keepdims=True), 1.0)
        total += float((table * np.log(shares)).sum())
        total -= 0.5 * np.log(rows) * configurations * (states - 1)
    return total


def recovered(drawn: Sample, arcs: Arcs, edges: Arcs | None = None) -> dict[str, float]:
    """How much of the true network is there: distance between the classes (SHD), F1 of the skeleton.

    ``edges`` are those that a class leaves undirected; None where a network was found.
    """
    import bayou
    from bayou.graphs import skeleton_scores, structural_hamming_distance

    if edges is None:
        found = bayou.Dag.from_arcs(arcs, drawn.names)
    else:
        found = bayou.PartlyDirected(drawn.names, list(arcs), list(edges))
    true = bayou.load(drawn.bif).dag
    distance = float(structural_hamming_distance(found, true))
    return {"SHD": distance, "skeleton F1": skeleton_scores(found, true).f1}


def _work(drawn: Sample, run: Callable[[], Any], arcs_of: Callable[[Any], list[tuple[str, str]]]) -> Work:
    def facts(answer: Any) -> dict[str, float]:
        arcs = arcs_of(answer)
        return {"arcs": len(arcs), **recovered(drawn, arcs)}

    return Work(run, lambda answer: bic(drawn, arcs_of(answer)), drawn.codes.nbytes, facts=facts)


def bayou_search(name: str, rows: int, **options: Any) -> Callable[[float], Work]:
    """What a user calls; the tables are learned as well."""

    def prepare(scale: float) -> Work:
        import bayou

        drawn = sample(name, int(rows * scale))
        frame = categories(drawn)
        states = drawn.states

        def run() -> Any:
            return bayou.learn_structure(frame, score="bic", states=states, **options)

        return _work(drawn, run, lambda network: list(network.arcs))

    return prepare


def pyagrum_search(name: str, rows: int, how: str) -> Callable[[float], Work]:
    """Greedy hill climbing or tabu search, the data loaded beforehand."""

    def prepare(scale: float) -> Work:
        import pyagrum

        drawn = sample(name, int(rows * scale))
        template = pyagrum.loadBN(str(drawn.bif))
        frame = categories(drawn).astype(str)

        def run() -> Any:
            # A learner keeps what it counted: a new one for every run, loaded beforehand.
            learner = learners.pop() if learners else made()
            return learner, learner.learnDAG()

        def made() -> Any:
            learner = pyagrum.BNLearner(frame, template)
            learner.useScoreBIC()
            learner.useNoPrior()
            getattr(learner, how)()
            return learner

        learners = [made() for _ in range(3)]

        def arcs(answer: Any) -> list[tuple[str, str]]:
            learner, dag = answer
            return [(learner.nameFromId(a), learner.nameFromId(b)) for a, b in dag.arcs()]

        return _work(drawn, run, arcs)

    return prepare


def pybnesian_search(name: str, rows: int) -> Callable[[float], Work]:
    """Its hill climbing over arcs."""

    def prepare(scale: float) -> Work:
        import pybnesian

        drawn = sample(name, int(rows * scale))
        frame = categories(drawn)

        def run() -> Any:
            return pybnesian.hc(frame, bn_type=pybnesian.DiscreteBNType(), score="bic", operators=["arcs"])

        return _work(drawn, run, lambda model: list(model.arcs()))

    return prepare


def pgmpy_search(name: str, rows: int) -> Callable[[float], Work]:
    """Its hill climbing."""

    def prepare(scale: float) -> Work:
        from pgmpy.estimators import HillClimbSearch

        drawn = sample(name, int(rows * scale))
        frame = categories(drawn)

        def run() -> Any:
            return HillClimbSearch(frame).estimate(scoring_method="bic-d", show_progress=False)

        return _work(drawn, run, lambda model: list(model.edges()))

    return prepare


def _case(name: str, rows: int, faster: float, seconds: float, slow: tuple[str, ...] = ()) -> Case:
    systems = {
        "bayou": bayou_search(name, rows, method="hill-climbing"),
        "bayou, default": bayou_search(name, rows),
        "bayou, GES": bayou_search(name, rows, method="ges"),
        "bayou, orders": bayou_search(name, rows, method="order", time=seconds),
        "pybnesian": pybnesian_search(name, rows),
        "pyAgrum greedy": pyagrum_search(name, rows, "useGreedyHillClimbing"),
        "pyAgrum tabu": pyagrum_search(name, rows, "useLocalSearchWithTabuList"),
        "pgmpy": pgmpy_search(name, rows),
    }
    return Case(
        f"structure-{name}",
        f"structure by BIC, {name}, {rows:,} rows",
        {system: work for system, work in systems.items() if system not in slow},
        {"pybnesian": faster},
        tolerance=None,
        at_least=("bayou", "bayou, default", "bayou, orders"),
        note="The check is BIC with all declared states, counted by numpy; SHD is between the classes. "
        f"‘Orders’ may take {seconds:g} s: less than the slowest peer.",
    )


CASES = [
    _case("alarm", 100_000, 5.0, 1.0, slow=("pgmpy",)),
    _case("hailfinder", 10_000, 5.0, 0.35, slow=("pgmpy",)),
    _case("andes", 10_000, 10.0, 10.0, slow=("pgmpy",)),
    _case("asia", 10_000, 1.0, 0.2),
]
