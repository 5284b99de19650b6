"""A source with changed columns (numbers cut into ranges, states turned into numbers) and chosen rows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

import numpy as np

from bayou.codes import code_type, missing_code
from bayou.errors import BadData
from bayou.schema import Variable
from bayou.sources.batches import declared_codes
from bayou.sources.ctrl_c import mapped
from bayou.sources.discretising import discretised
from bayou.sources.table_stream import TableStream
from bayou.sources.tables.columns import CodedColumn, Columns, NumberColumn
from bayou.statistics import Batch, CountTable, Request, RowSample, Source, Statistics
from bayou.statistics.answering import AnswerRequests, needed_variables
from bayou.typing import CodeArray, FloatArray, Name, State

T = TypeVar("T")


class PreparedSource(Source):
    """The rows of another source with changed columns.

    Columns of ``cut`` variables become ranges. ``meanings`` turns columns of states into numbers: one number
    per state. ``only=(column, state)`` keeps the rows with this state in this column (None: any state) and
    a weight above 0. ``names`` are the columns to keep (None: all). Columns of floats in ``as_states``, and
    the one of ``only``, are read as states: classes that were stored as 0.0 and 1.0.

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
        as_states: Collection[Name] = (),
    ) -> None:
        self.source = source
        self._names = source.names if names is None else tuple(names)
        self.is_streamed = source.is_streamed
        self._cut = {variable.name: variable for variable in cut}
        self._meanings = dict(meanings or {})
        self._only = only
        # All states of a column in a streamed file are known only after all its batches have been read.
        uncut = [name for name in source.names if name not in self._cut]
        self._states = counted_states(source, uncut, {*as_states, *(only or ())[:1]})

    @property
    def names(self) -> tuple[Name, ...]:
        """The columns."""
        return self._names

    def collect(self, requests: Sequence[Request]) -> Statistics:
        """Answer all requests, in the source itself where it can cut numbers and choose rows."""
        # A sample of rows takes ranges as they are; other values are needed as numbers.
        numbers = {
            name
            for request in requests
            for name in (*request.numbers, *(() if isinstance(request, RowSample) else request.values))
        }
        if isinstance(self.source, TableStream) and not self._meanings and not numbers & {*self._cut}:
            part = self.source.restricted(list(self._cut.values()), self._only)
            if part is not None:
                return part.collect(requests)
        counted = {name for request in requests for name in request.states if name not in self._cut}
        floats = [name for name in counted if name not in self._meanings and self.is_continuous(name)]
        if floats:  # as the source itself counts them, if it does
            self._states.update(counted_states(self.source, floats, floats))
        days = {name: self._numbers_as_states(name) for name in counted & self._meanings.keys()}
        if not days and not self._empty:
            return super().collect(requests)
        asked = tuple(dict.fromkeys(requests))
        variables, by_name = needed_variables(
            asked, lambda name: days.get(name) or self.variable(name), self._empty
        )
        return self.map_batches(AnswerRequests(asked, by_name), variables)

    @property
    def _empty(self) -> frozenset[Name]:
        """Columns whose states were looked for in all rows, without a value in any of them."""
        return frozenset(name for name, variable in self._states.items() if not variable.states)

    def _numbers_as_states(self, name: Name) -> Variable:
        """A column with meanings whose different numbers are states."""
        return Variable(name, sorted(set(self._meanings[name].tolist())))

    def gives_sample(self, names: Sequence[Name]) -> bool:
        """Whether the source gives a sample of rows, with numbers as ranges where it can cut them."""
        part = None
        if isinstance(self.source, TableStream) and not self._meanings:
            part = self.source.restricted(list(self._cut.values()), self._only)
        return (self.source if part is None else part).gives_sample(names)

    def variable(self, name: Name) -> Variable:
        """The ranges of a cut column; a continuous variable for one with meanings; else as in the source."""
        if name in self._cut:
            return self._cut[name]
        if name in self._meanings:
            return Variable(name)
        return self._states[name] if name in self._states else self.source.variable(name)

    def batches(self, variables: Sequence[Variable]) -> Iterator[Batch]:
        """The rows that are kept, in row order."""
        read, change = self._change(variables)
        return mapped(change, self.source.batches(read))

    def map_batches(self, kernel: Callable[[Batch], T], variables: Sequence[Variable]) -> T:
        """The sum of a function's results; the columns are changed where the source applies the function."""
        read, change = self._change(variables)
        return self.source.map_batches(AfterChange(change, kernel), read)

    def _change(self, variables: Sequence[Variable]) -> tuple[list[Variable], ColumnChange]:
        """What to read from the source, and how its batches become those of these variables."""
        cut = [v for v in variables if v.name in self._cut and not v.is_continuous]
        numeric = [v.name for v in variables if v.name in self._meanings and v.is_continuous]
        counted = {v.name: v for v in variables if v.name in self._meanings and not v.is_continuous}
        asked = [v for v in variables if v not in cut and v.name not in counted]
        read = [v for v in asked if not (v.is_continuous and v.name in numeric)]
        read += [Variable(v.name) for v in cut] + [self._states[name] for name in {*numeric, *counted}]
        kept, code = None, None
        fewer = [v for v in read if self._only is not None and _has_fewer_states(v, self._states.get(v.name))]
        read = [self._states[v.name] if v in fewer else v for v in read]
        if self._only is not None:
            column, state = self._only
            kept = self._states[column]
            code = None if state is None else kept.code(state)
            read.append(kept)
        distinct = list({(v.name, v.is_continuous): v for v in read}.values())
        meanings = {name: self._meanings[name] for name in numeric}
        places = {name: _places(v, self._meanings[name]) for name, v in counted.items()}
        only = None if kept is None else kept.name
        recoded = tuple((self._states[v.name], v) for v in fewer)
        return distinct, ColumnChange(tuple(cut), meanings, only, code, places, recoded, self._empty)


@dataclass(frozen=True)
class ColumnChange:
    """Batches of a source as those of a :class:`PreparedSource`; it can be pickled.

    ``only`` is the column by which rows are kept (None: all are), ``code`` the state that they have in it
    (None: any state); rows with weight 0 go, too. ``places`` has new codes for those of some columns.
    ``fewer``: columns as they are read, and as they are wanted, without states that only other rows have.
    ``empty``: columns without a value in any row, which need not be read as states.
    """

    cut: tuple[Variable, ...]
    meanings: Mapping[Name, FloatArray]
    only: Name | None
    code: int | None
    places: Mapping[Name, CodeArray] = field(default_factory=dict)
    fewer: tuple[tuple[Variable, Variable], ...] = ()
    empty: frozenset[Name] = frozenset()

    def __call__(self, batch: Batch) -> Batch:
        kept = batch if self.only is None else self._kept(batch, self.only)
        codes = {v.name: _digitised(kept, v) for v in self.cut}
        for read, wanted in self.fewer:
            column = CodedColumn(kept.codes[read.name], read.states)
            codes[read.name] = declared_codes(wanted, column, kept.number)
        codes |= {name: _recoded(kept.codes[name], places) for name, places in self.places.items()}
        codes |= {name: np.full(kept.rows, missing_code(np.uint8), np.uint8) for name in self.empty}
        numbers = {name: _numbers(kept.codes[name], meaning) for name, meaning in self.meanings.items()}
        return replace(kept, codes={**kept.codes, **codes}, numbers={**kept.numbers, **numbers})

    def _kept(self, batch: Batch, column: Name) -> Batch:
        chosen = ~batch.missing(column) if self.code is None else batch.codes[column] == self.code
        return batch.taken(chosen if batch.weights is None else chosen & (batch.weights > 0))


@dataclass(frozen=True)
class AfterChange(Generic[T]):
    """A kernel applied to changed batches; it can be pickled if the two functions can."""

    change: Callable[[Batch], Batch]
    kernel: Callable[[Batch], T]

    def __call__(self, batch: Batch) -> T:
        return self.kernel(self.change(batch))


def counted_states(
    source: Source, names: Sequence[Name], as_states: Collection[Name] = ()
) -> dict[Name, Variable]:
    """Return the discrete variables among these columns, each with all states that occur in any row.

    Those of ``as_states`` are discrete, whatever they are in the source.
    """
    requests = {name: CountTable((name,)) for name in names if name in as_states or _has_states(source, name)}
    if not requests:
        return {}
    counted = source.collect(list(requests.values()))
    return {name: counted[request].axes[0] for name, request in requests.items()}


def _has_states(source: Source, name: Name) -> bool:
    try:
        return not source.variable(name).is_continuous
    except BadData:  # a column without any value
        return True


def _has_fewer_states(variable: Variable, own: Variable | None) -> bool:
    """Whether a variable lacks some of the states that the rows of the source have."""
    if own is None or variable.is_continuous or own.is_continuous:
        return False
    return any(variable.find(state) is None for state in own.states)


def _digitised(batch: Batch, variable: Variable) -> CodeArray:
    numbers = NumberColumn(batch.numbers[variable.name], integral=False, kind="float")
    table = Columns([variable.name], [numbers], batch.rows)
    return discretised(table, [variable], strict=True).coded(variable.name).codes


def _places(variable: Variable, numbers: FloatArray) -> CodeArray:
    """The code of each number among the states of a variable, then that of a missing value."""
    kind = code_type(variable.cardinality)
    return np.array([*map(variable.code, numbers.tolist()), missing_code(kind)], dtype=kind)


def _recoded(codes: CodeArray, places: CodeArray) -> CodeArray:
    found: CodeArray = places[np.minimum(codes, len(places) - 1).astype(np.intp)]
    return found


def _numbers(codes: CodeArray, meanings: FloatArray) -> FloatArray:
    """The number that each code stands for, NaN for a missing one."""
    result: FloatArray = np.append(meanings, np.nan)[np.minimum(codes, len(meanings)).astype(np.intp)]
    return result
