"""A source with changed columns (numbers cut into ranges, states turned into numbers) and chosen rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from bayou.errors import BadData
from bayou.schema import Variable
from bayou.sources.discretising import discretised
from bayou.sources.tables.columns import Columns, NumberColumn
from bayou.statistics import Batch, CountTable, Source
from bayou.typing import CodeArray, FloatArray, Name, State


class PreparedSource(Source):
    """The rows of another source with changed columns.

    Columns of ``cut`` variables become ranges. ``meanings`` turns columns of states into numbers: one number
    per state. ``only=(column, state)`` keeps the rows with this state in this column (None: any state) and
    a weight above 0. ``names`` are the columns to keep (None: all).

    >>> from bayou.sources import open_source
    >>> ages = open_source({"age": [20, 40, 60], "sex": ["m", "f", "m"]})
    >>> source = PreparedSource(ages, cut=[Variable("age", cuts=[30])], only=("sex", "m"))
    >>> source.collect([CountTable(("age",))])[CountTable(("age",))].values.tolist()
    [1, 1]
    """

    def __init__(
        self,
        source: Source,
        cut: Sequence[Variable] = (),
        meanings: Mapping[Name, FloatArray] | None = None,
        only: tuple[Name, State] | None = None,
        names: Sequence[Name] | None = None,
    ) -> None:
        self.source = source
        self._names = source.names if names is None else tuple(names)
        self.is_streamed = source.is_streamed
        self._cut = {variable.name: variable for variable in cut}
        self._meanings = dict(meanings or {})
        self._only = only
        # All states of a column in a streamed file are known only after all its batches have been read.
        self._states = counted_states(source, [name for name in source.names if name not in self._cut])

    @property
    def names(self) -> tuple[Name, ...]:
        """The columns."""
        return self._names

    def variable(self, name: Name) -> Variable:
        """The ranges of a cut column; a continuous variable for one with meanings; else as in the source."""
        if name in self._cut:
            return self._cut[name]
        if name in self._meanings:
            return Variable(name)
        return self._states[name] if name in self._states else self.source.variable(name)

    def batches(self, variables: Sequence[Variable]) -> Iterator[Batch]:
        """The rows that are kept, in row order."""
        cut = [v for v in variables if v.name in self._cut and not v.is_continuous]
        numeric = [v.name for v in variables if v.name in self._meanings and v.is_continuous]
        read = [v for v in variables if v not in cut and not (v.is_continuous and v.name in numeric)]
        read += [Variable(v.name) for v in cut] + [self._states[name] for name in numeric]
        column, state = self._only or (None, None)
        if self._only is not None:
            read.append(self._states[column])
        for batch in self.source.batches(list({(v.name, v.is_continuous): v for v in read}.values())):
            kept = batch if self._only is None else self._kept(batch, column, state)
            codes = {v.name: _digitised(kept, v) for v in cut}
            numbers = {name: _numbers(kept.codes[name], self._meanings[name]) for name in numeric}
            yield replace(kept, codes={**kept.codes, **codes}, numbers={**kept.numbers, **numbers})

    def _kept(self, batch: Batch, column: Name, state: State) -> Batch:
        """The rows with this state in this column (None: any state), and a weight above 0."""
        if state is None:
            chosen = ~batch.missing(column)
        else:
            chosen = batch.codes[column] == self._states[column].code(state)
        return batch.taken(chosen if batch.weights is None else chosen & (batch.weights > 0))


def counted_states(source: Source, names: Sequence[Name]) -> dict[Name, Variable]:
    """Return the discrete variables among these columns, each with all states that occur in any row."""
    requests = {name: CountTable((name,)) for name in names if _has_states(source, name)}
    if not requests:
        return {}
    counted = source.collect(list(requests.values()))
    return {name: counted[request].axes[0] for name, request in requests.items()}


def _has_states(source: Source, name: Name) -> bool:
    try:
        return not source.variable(name).is_continuous
    except BadData:  # a column without any value
        return True


def _digitised(batch: Batch, variable: Variable) -> CodeArray:
    numbers = NumberColumn(batch.numbers[variable.name], integral=False, kind="float")
    table = Columns([variable.name], [numbers], batch.rows)
    return discretised(table, [variable], strict=True).coded(variable.name).codes


def _numbers(codes: CodeArray, meanings: FloatArray) -> FloatArray:
    """The number that each code stands for, NaN for a missing one."""
    result: FloatArray = np.append(meanings, np.nan)[np.minimum(codes, len(meanings)).astype(np.intp)]
    return result
