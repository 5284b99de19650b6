"""Many rows at once: P(target | row) where three cells in ten are missing, each row with its own gaps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from case import Case, Work
from cases.inference.marginals import exact_pyagrum
from data import bif_file, drawn_with_gaps

ROWS = 10_000
MISSING = 0.3
TARGETS = {"alarm": "HYPOVOLEMIA", "hailfinder": "Scenario"}


def records(name: str, scale: float) -> tuple[Any, dict[str, np.ndarray]]:
    """The network, and its rows as columns of states with ``None`` where a cell is missing."""
    import bayou

    network = bayou.load(bif_file(name))
    return network, drawn_with_gaps(network, int(ROWS * scale), MISSING, (3, 1))


def _bayou(name: str, kind: str) -> Callable[[float], Work]:
    def prepare(scale: float) -> Work:
        import pandas as pd

        network, columns = records(name, scale)
        table = pd.DataFrame({each: pd.Series(column, dtype=kind) for each, column in columns.items()})
        target = TARGETS[name]
        return Work(lambda: network.posterior(table, target), lambda found: _check(found[target]))

    return prepare


def _pyagrum(name: str) -> Callable[[float], Work]:
    def prepare(scale: float) -> Work:
        import pyagrum

        _, columns = records(name, scale)
        target = TARGETS[name]
        seen = {each: column for each, column in columns.items() if each != target}
        rows = [
            {each: str(column[k]) for each, column in seen.items() if column[k] is not None}
            for k in range(int(ROWS * scale))
        ]
        network = exact_pyagrum(name)
        inference = pyagrum.LazyPropagation(network)
        inference.setTargets({target})

        def run() -> list[Any]:
            answers = []
            for row in rows:
                inference.setEvidence(row)
                inference.makeInference()
                answers.append(inference.posterior(target).toarray())
            return answers

        return Work(run, lambda answers: _check(np.array(answers)))

    return prepare


def _check(found: np.ndarray) -> float:
    return float(np.square(found).sum())


def _case(name: str) -> Case:
    return Case(
        f"rows-{name}",
        f"P({TARGETS[name]} given the row), {name}, {ROWS:,} rows with 30% of the cells missing",
        {"bayou": _bayou(name, "category"), "bayou, text": _bayou(name, "str"), "pyAgrum": _pyagrum(name)},
        targets={"pyAgrum": 200},
        tolerance=1e-9,
        note="pyAgrum answers in a loop, its findings prepared beforehand; bayou is given a pandas table.",
    )


CASES = [_case(name) for name in TARGETS]
