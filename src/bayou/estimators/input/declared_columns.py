"""``states=``: the states of columns, and the classes, declared by the user rather than found in the rows.

In training other values are an error. In new rows they are values that were never seen: ``unknown`` decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from bayou.errors import BadData, UnknownState, UnknownVariable
from bayou.estimators.input.labelled_source import LabelledSource
from bayou.networks.declarations import mapping_given, states_given
from bayou.schema import Variable
from bayou.statistics import Statistics
from bayou.typing import Name, State


def declared_columns(states: Any, names: Iterable[Name], target: Name) -> dict[Name, Variable]:
    """Read ``states=``: lists of states, ``bayou.Cuts`` or variables, by column; the target may be one."""
    known = (*names, target)
    found: dict[Name, Variable] = {}
    for name, given in mapping_given("states", states, "{'smoke': ['no', 'yes']}").items():
        if name not in known:
            raise UnknownVariable.named(name, known, "in states")
        found[name] = states_given(name, given)
    return found


def refuse_undeclared(rows: LabelledSource, variables: Iterable[Variable]) -> None:
    """Refuse values of the training rows that are not among the declared states; the error names the row."""
    for variable in variables:
        try:
            own = rows.variable(variable.name)
        except BadData:  # a column without any value
            continue
        if not own.is_continuous and all(variable.find(state) is not None for state in own.states):
            continue
        for batch in rows.batches([own]):
            for row, value in _cells(batch, own):
                if variable.find(value) is None:
                    where = f"in row {batch.number(row)} (counting from 0)"
                    raise UnknownState.of(variable.name, value, variable.states, where)


def with_declared_states(found: Statistics, variables: Mapping[Name, Variable]) -> Statistics:
    """Return counts with all declared states on their axes, in the declared order; those without rows are 0.

    >>> from bayou.sources import open_source
    >>> from bayou.statistics import CountTable
    >>> counted = open_source({"size": ["small", "large"]}).collect([request := CountTable(("size",))])
    >>> size = Variable("size", ["small", "medium", "large"])
    >>> with_declared_states(counted, {"size": size})[request].values.tolist()
    [1, 0, 1]
    """
    if not variables:
        return found
    aligned = {
        request: result.aligned([variables.get(axis.name, axis) for axis in result.labels])
        for request, result in found.items()
    }
    return Statistics(aligned, found.rows)


def _cells(batch: Any, own: Variable) -> Iterable[tuple[int, State]]:
    """The first row with each distinct value of a column, and the value."""
    column = batch.numbers[own.name] if own.is_continuous else batch.codes[own.name]
    values, first = np.unique(column, return_index=True)
    for value, row in zip(values.tolist(), first.tolist(), strict=True):
        if own.is_continuous:
            if value == value:
                yield row, value
        elif value < own.cardinality:
            yield row, own.states[value]
