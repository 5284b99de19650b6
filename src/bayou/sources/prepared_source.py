"""A source whose columns are changed on the way: numbers cut into ranges or made of states, rows chosen."""

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
    """The rows of another source, in some other form.

    ``cut`` columns of numbers become ranges, and the states of ``meanings`` columns the numbers that are
    given for them, one a state. ``only`` keeps the rows with this state of this column (None: with any), and
    with a weight above 0; ``names`` keeps these columns.

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
        # A file that is read in batches tells all states of a column only when it has been read.
        self._states = counted_states(source, [name for name in source.names if name not in self._cut])

    @property
    def names(self) -> tuple[Name, ...]:
        """The columns."""
        return self._names

    def variable(self, name: Name) -> Variable:
        """A cut column has its ranges, one with meanings is continuous, any other is as in the data."""
        if name in self._cut:
            return self._cut[name]
        if name in self._meanings:
            return Variable(name)
        return self._states[name] if name in self._states else self.source.variable(name)

    def batches(self, variables: Sequence[Variable]) -> Iterator[Batch]:
        """The rows that are kept, in their order."""
        cut = [v for v in variables if v.name in self._cut and not v.is_continuous]
        told = [v.name for v in variables if v.name in self._meanings and v.is_continuous]
        wanted = [v for v in variables if v not in cut and not (v.is_continuous and v.name in told)]
        wanted += [Variable(v.name) for v in cut] + [self._states[name] for name in told]
        column, state = self._only or (None, None)
        if self._only is not None:
            wanted.append(self._states[column])
        for batch in self.source.batches(list({(v.name, v.is_continuous): v for v in wanted}.values())):
            kept = batch if self._only is None else self._kept(batch, column, state)
            codes = {v.name: _digitised(kept, v) for v in cut}
            numbers = {name: _numbers(kept.codes[name], self._meanings[name]) for name in told}
            yield replace(kept, codes={**kept.codes, **codes}, numbers={**kept.numbers, **numbers})

    def _kept(self, batch: Batch, column: Name, state: State) -> Batch:
        if state is None:
            wanted = ~batch.missing(column)
        else:
            wanted = batch.codes[column] == self._states[column].code(state)
        return batch.taken(wanted if batch.weights is None else wanted & (batch.weights > 0))


def counted_states(source: Source, names: Sequence[Name]) -> dict[Name, Variable]:
    """The columns of states with all the states that any row has."""
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
    """The meaning of each code; of a gap there is none."""
    result: FloatArray = np.append(meanings, np.nan)[np.minimum(codes, len(meanings)).astype(np.intp)]
    return result
