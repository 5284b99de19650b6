"""Learning a structure from rows with gaps: structural EM around the usual search."""

from __future__ import annotations

import time as clock
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayou.errors import BadData
from bayou.learning.arc_gains import ArcGain, arc_gains
from bayou.learning.available_rows import price_of, score_name
from bayou.learning.found import Found, Parents
from bayou.learning.local_scores import LocalScores
from bayou.learning.native_scores import local_scores
from bayou.learning.structural_em import Fitted, Means, StructuralEM
from bayou.learning.structure_report import StructureReport
from bayou.learning.trees import chow_liu_tree
from bayou.models.network import Network
from bayou.models.structure_data import StructureData, structure_of
from bayou.models.structure_methods import METHODS, Task
from bayou.networks import count_parameters
from bayou.sources import CodedColumn, Columns, NumberColumn, TableSource
from bayou.statistics import LARGEST_HELD, Batch, rows_in_memory

_FEWER_RESTARTS = 5
"""Restarts of a round: the next round starts from its best."""


def learn_with_gaps(task: Task, method: str, prior: Any, began: float) -> Network:
    """The network of structural EM, its search being ``method``."""
    rows = _Rounds(task, method, prior)
    em = StructuralEM(
        _all_rows(task.data),
        Means(rows.scores, rows.climb, rows.fit),
        task.budget,
        task.seed,
    )
    found = em.run(task.start, rows.first_guess() if task.start is None else None)
    assert em.best is not None
    net = rows.networks[found.parents]

    def gains() -> tuple[ArcGain, ...]:
        return arc_gains(em.scores(0), task.constraints, found.parents)

    net.learned_structure = StructureReport(
        f"structural EM with {rows.label}",
        f"{score_name(task.score)} of the cells that are there",
        found.score,
        clock.perf_counter() - began,
        found.finished,
        tuple(task.steps),
        tuple(em.trace),
        gains=gains,
    )
    return net


def _all_rows(data: StructureData) -> Batch:
    """The rows, which every round completes anew."""
    rows = rows_in_memory(data.source, data.variables)
    if rows is None:
        raise BadData(
            "Structural EM completes all rows in memory, and these take more than "
            f'{LARGEST_HELD / 1e9:.1f} GB. Use missing="available", fewer rows, or leave columns out (ignore=…).'
        )
    return rows


@dataclass
class _Rounds:
    """What structural EM asks of this floor; the networks that were fitted are kept."""

    task: Task
    method: str
    prior: Any

    def __post_init__(self) -> None:
        self.label = ""
        self.networks: dict[Parents, Network] = {}

    def first_guess(self) -> Parents:
        """A tree of what the pairs say, only to complete the rows with; no arcs where there are numbers."""
        data = self.task.data
        parents: Parents = tuple(() for _ in data.names)
        if any(variable.is_continuous for variable in data.variables):
            return parents
        place = {name: position for position, name in enumerate(data.names)}
        tree = chow_liu_tree(data.source, data.names)
        return tuple(tuple(place[parent] for parent in tree.parents[name]) for name in data.names)

    def scores(self, rows: Batch) -> LocalScores:
        """Scores of completed rows."""
        data = self.task.data
        return local_scores(_table(data, rows), data.variables, self.task.score)

    def climb(self, scores: LocalScores, start: Parents | None) -> Found:
        """The search, from the present structure where it takes one."""
        begin = start if self.method in ("hill-climbing", "tabu", "order") else None
        restarts = self.task.restarts
        if restarts is None and self.method == "hill-climbing":
            restarts = _FEWER_RESTARTS
        way = METHODS[self.method](replace(self.task, known_scores=scores, start=begin, restarts=restarts))
        self.label = way.label
        return way.found

    def fit(self, parents: Parents) -> Fitted:
        """Parameters by EM, and the likelihood of what is there less the price of the parameters."""
        data = self.task.data
        net = Network.from_structure(structure_of(data, parents)).fit(
            data.table, prior=self.prior, weights=data.weights, columns=data.columns
        )
        self.networks[parents] = net
        assert net.learning is not None
        price = price_of(self.task.score, data.census.rows) * count_parameters(net.frozen).free
        return Fitted(parents, net.frozen, net.learning.log_likelihood - price)


def _table(data: StructureData, rows: Batch) -> TableSource:
    """Rows in codes as a source that can be asked."""
    columns: list[CodedColumn | NumberColumn] = []
    for variable in data.variables:
        if variable.is_continuous:
            columns.append(NumberColumn(np.asarray(rows.numbers[variable.name]), False, "float"))
        else:
            codes = rows.codes[variable.name]
            columns.append(CodedColumn(codes, variable.states, variable.ordered, declared=True))
    return TableSource(Columns(data.names, columns, rows.rows), rows.weights)
