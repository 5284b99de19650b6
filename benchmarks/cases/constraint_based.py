"""The PC algorithm: independence tests instead of a score."""

from __future__ import annotations

from typing import Any

from case import Case, Work
from cases.structures import categories, recovered
from data import Sample, sample

NETWORK, ROWS, LEVEL = "alarm", 10_000, 0.01


def _work(drawn: Sample, run: Any, parts: Any) -> Work:
    """The check is the F1 of the skeleton."""

    def facts(answer: Any) -> dict[str, float]:
        arcs, edges = parts(answer)
        return {"edges": len(arcs) + len(edges), **recovered(drawn, arcs, edges)}

    return Work(run, lambda answer: facts(answer)["skeleton F1"], drawn.codes.nbytes, facts=facts)


def bayou_pc(scale: float) -> Work:
    """G tests; the network and its tables are made as well."""
    import bayou

    drawn = sample(NETWORK, int(ROWS * scale))
    frame = categories(drawn)

    def parts(network: Any) -> tuple[list[Any], list[Any]]:
        found = network.equivalence_class()
        return list(found.arcs), list(found.edges)

    return _work(drawn, lambda: bayou.learn_structure(frame, method="pc", states=drawn.states), parts)


def pyagrum_pc(scale: float) -> Work:
    """The data loaded beforehand."""
    import pyagrum

    drawn = sample(NETWORK, int(ROWS * scale))
    template = pyagrum.loadBN(str(drawn.bif))
    frame = categories(drawn).astype(str)

    def made() -> Any:
        learner = pyagrum.BNLearner(frame, template)
        learner.usePC()
        return learner

    learners = [made() for _ in range(5)]

    def run() -> Any:
        learner = learners.pop() if learners else made()
        return learner, learner.learnPDAG()

    def parts(answer: Any) -> tuple[list[Any], list[Any]]:
        learner, graph = answer
        name = learner.nameFromId
        return [(name(a), name(b)) for a, b in graph.arcs()], [(name(a), name(b)) for a, b in graph.edges()]

    return _work(drawn, run, parts)


def pybnesian_pc(scale: float) -> Work:
    """χ² tests."""
    import pybnesian

    drawn = sample(NETWORK, int(ROWS * scale))
    frame = categories(drawn)
    return _work(
        drawn,
        lambda: pybnesian.PC().estimate(pybnesian.ChiSquare(frame), alpha=LEVEL),
        lambda graph: (list(graph.arcs()), list(graph.edges())),
    )


def causal_learn_pc(scale: float) -> Work:
    """χ² tests on codes."""
    from causallearn.search.ConstraintBased.PC import pc

    drawn = sample(NETWORK, int(ROWS * scale))
    codes = drawn.codes.T.astype(float)

    def parts(answer: Any) -> tuple[list[Any], list[Any]]:
        ends, names = answer.G.graph, drawn.names
        pairs = [(a, b) for a in range(len(names)) for b in range(len(names))]
        arcs = [(names[a], names[b]) for a, b in pairs if ends[b, a] == 1 and ends[a, b] == -1]
        edges = [(names[a], names[b]) for a, b in pairs if a < b and ends[a, b] == ends[b, a] == -1]
        return arcs, edges

    return _work(drawn, lambda: pc(codes, LEVEL, "chisq", show_progress=False), parts)


CASE = Case(
    "pc-alarm",
    f"PC to an equivalence class, {NETWORK}, {ROWS:,} rows",
    {"bayou": bayou_pc, "pybnesian": pybnesian_pc, "pyAgrum": pyagrum_pc, "causal-learn": causal_learn_pc},
    {"pybnesian": 3.0, "pyAgrum": 3.0},
    tolerance=None,
    at_least=("bayou",),
    note=f"Level {LEVEL} where it can be set. The check is the F1 of the skeleton against the true network.",
)
