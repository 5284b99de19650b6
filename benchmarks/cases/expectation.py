"""EM: parameters from rows a fifth of whose cells are missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from case import Case, Work
from data import bif_file, drawn_with_gaps

NETWORK, MISSING, ITERATIONS = "alarm", 0.2, 7


def _columns(rows: int) -> tuple[Any, dict[str, np.ndarray]]:
    import bayou

    network = bayou.load(bif_file(NETWORK))
    return network, drawn_with_gaps(network, rows, MISSING, (5, 2))


def _likelihood(network: Any, frame: Any) -> float:
    """The log-likelihood of the incomplete rows under a network's tables."""
    return float(np.sum(network.log_probability(frame)))


def bayou_em(rows: int) -> Callable[[float], Work]:
    """So many iterations from the tables that available cases give."""

    def prepare(scale: float) -> Work:
        import pandas as pd

        import bayou

        network, columns = _columns(int(rows * scale))
        frame = pd.DataFrame({name: pd.Series(column, dtype="category") for name, column in columns.items()})
        states = {name: network.states(name) for name in network.names}

        def run() -> Any:
            learner = bayou.Network(network.dag, states=states)
            return learner.fit(frame, method="em", prior=PRIOR, tolerance=TOLERANCE, max_iterations=100)

        def facts(answer: Any) -> dict[str, float]:
            return {"iterations": answer.learning.iterations}

        return Work(run, lambda answer: _likelihood(answer, frame), facts=facts)

    return prepare


def pyagrum_em(rows: int) -> Callable[[float], Work]:
    """It stops by its own rule; loading is a small part of it."""

    def prepare(scale: float) -> Work:
        import pandas as pd
        import pyagrum

        network, columns = _columns(int(rows * scale))
        frame = pd.DataFrame(
            {name: np.where(pd.isna(column), "?", column) for name, column in columns.items()}
        )
        given = pd.DataFrame({name: pd.Series(column, dtype="category") for name, column in columns.items()})
        template = pyagrum.loadBN(str(bif_file(NETWORK)))

        def run() -> Any:
            learner = pyagrum.BNLearner(frame, template, ["?"])
            learner.useSmoothingPrior(PRIOR)
            learner.useEMWithRateCriterion(1e-3)
            return learner, learner.learnParameters(template.dag())

        def check(answer: Any) -> float:
            tables = {name: answer[1].cpt(name) for name in network.names}
            learned = network.copy()
            for name, table in tables.items():
                parents = list(network.parents(name))
                order = [*parents, name]
                values = np.moveaxis(
                    table.toarray(),
                    [list(reversed(table.names)).index(each) for each in order],
                    range(len(order)),
                )
                learned.set_cpt(name, values)
            return _likelihood(learned, given)

        return Work(run, check, facts=lambda answer: {"iterations": answer[0].EMnbrIterations()})

    return prepare


PRIOR, TOLERANCE = 1.0, 1e-4
"""bayou ends when every entry of a table is so close to its limit; pyAgrum when log P gains under 0.1 %."""
CASES = [
    Case(
        "em-1000",
        f"EM, {NETWORK}, 1,000 rows, {MISSING:.0%} of the cells missing",
        {"bayou": bayou_em(1_000), "pyAgrum": pyagrum_em(1_000)},
        {"pyAgrum": 200.0},
        tolerance=1e-3,
        note="The check is the log-likelihood of the incomplete rows.",
    ),
    Case(
        "em-10000",
        f"EM, {NETWORK}, 10,000 rows, {MISSING:.0%} of the cells missing",
        {"bayou": bayou_em(10_000)},
        tolerance=None,
        note="pyAgrum does not end within two minutes here.",
    ),
]
