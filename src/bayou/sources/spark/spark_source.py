"""A Spark DataFrame as a source: the kernels count each partition on its worker, and statistics travel."""

from __future__ import annotations

import copy
import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from bayou.errors import BadData, warn_user
from bayou.schema import Variable, state_key
from bayou.sources.spark.arrow_rows import RowReader, arrow_tables
from bayou.sources.spark.block_counts import BlockCounts, columns_of
from bayou.sources.spark.column_kinds import spellings_of
from bayou.sources.spark.frames import (
    changing_rows,
    chosen,
    is_cached,
    may_change,
    numbered,
    require_arrow,
    require_same_rows,
)
from bayou.sources.spark.gathering import Gathering, NotOnWorkers, packed_batches
from bayou.sources.spark.grouped_rows import COUNT, GroupedTable, counted, grouped_batches, streamed_batches
from bayou.sources.spark.partition_tasks import BatchTask, CollectTask
from bayou.sources.table_source import TableSource
from bayou.sources.table_stream import TableStream
from bayou.sources.tables.column_names import find_name, name_index, wanted_positions
from bayou.sources.tables.columns import Columns
from bayou.sources.tables.number_text import Spelling
from bayou.statistics import Batch, CountTable, Request, Statistics
from bayou.statistics.batch import empty_batch
from bayou.typing import Name, State

if TYPE_CHECKING:
    from bayou.sources.spark.spark_sequences import SparkSequences

T = TypeVar("T")
HEAD_ROWS = 1 << 14
"""Rows that show the columns and their kinds."""
_FEW_STATES = 1_000
"""Columns whose first rows have at most this many values are counted together."""


class SparkSource(TableStream):
    """A Spark DataFrame, classic or of Spark Connect.

    Where the workers have bayou, its kernels count their partitions; where they do not, Spark SQL groups
    equal rows, and the driver counts those. ``weights`` is the name of a column; the other arguments are
    those of ``open_source``.
    """

    def __init__(
        self,
        frame: Any,
        names: Sequence[Name] | None = None,
        as_text: Collection[Name] = (),
        weights: Name | None = None,
        declared: Collection[Name] | None = None,
        variables: Collection[Variable] = (),
    ) -> None:
        require_arrow()
        self.frame = frame
        self._known: tuple[Name, ...] = tuple(self.frame.columns)
        self._index = name_index(self._known)
        wanted = [self._known[place] for place in wanted_positions(self._known, names)]
        self._names = tuple(name for name in wanted if name != weights)
        self._as_text = {state_key(name) for name in as_text}
        self._weights, self._declared, self._variables = weights, declared, tuple(variables)
        if weights is not None:
            find_name(self._index, weights, self._known)
        self._numbered = numbered(self.frame)
        self._gathering = Gathering()
        self._states: dict[tuple[str, Name], Variable] = {}
        self._rows: int | None = None
        self.counts_by_sql = False
        """Whether Spark SQL counts, because the workers do not have bayou."""

    @property
    def label(self) -> str:
        """What messages call it."""
        return "a Spark DataFrame"

    @property
    def names(self) -> tuple[Name, ...]:
        """The columns, without that of the weights."""
        return self._names

    def declaring(self, variables: Collection[Variable], declared: Collection[Name] | None) -> SparkSource:
        """The same source with these declarations; what is known of the columns and the rows stays known."""
        if not variables and declared is None:
            return self
        twin = copy.copy(self)
        twin._variables, twin._declared, twin._states = tuple(variables), declared, {}
        twin.__dict__.pop("first_table", None)
        return twin

    def restricted(self, cut: Sequence[Variable], only: tuple[Name, State] | None) -> SparkSource | None:
        """The same source with numbers cut into ranges; rows are chosen by the function that counts them."""
        if only is not None:
            return None
        others = [v for v in self._variables if v.name not in {each.name for each in cut}]
        return self.declaring([*others, *cut], self._declared)

    def remote_sequences(
        self, sequence: Name, time: Name | None, variables: Sequence[Variable]
    ) -> SparkSequences | None:
        """The sequences of the rows, gathered on the workers."""
        from bayou.sources.spark.spark_sequences import sequences_in_spark

        return sequences_in_spark(self, sequence, time, variables)

    # What the columns are

    def variable(self, name: Name) -> Variable:
        """A column of floats is continuous; the states of others are those of all rows, counted once."""
        if self.is_continuous(name):
            return Variable(name)
        key = state_key(name)
        if key not in self._states:
            self._count_states(name)
        if not self._states[key].states:
            if not self.first_table.columns.rows:
                raise BadData(f"The states of {name!r} are unknown: the table has no rows.")
            raise BadData(
                f"Column {name!r} has no value at all, so its states are unknown. Declare them (states=…)."
            )
        return self._states[key]

    def with_all_states(self, names: Sequence[Name]) -> list[Variable]:
        """The variables of these columns, which have the states of all rows."""
        return [self.variable(name) for name in names]

    def _count_states(self, name: Name) -> None:
        """Count the states of a column, and of all others that seem to have few, in one pass."""
        head = self.first_table.columns
        few = [
            other
            for other in self.names
            if not self.is_continuous(other)
            and len(head.coded(other).labels) <= _FEW_STATES
            and state_key(other) not in self._states
        ]
        requests = {other: CountTable((other,)) for other in dict.fromkeys([name, *few])}
        counted = self.collect(list(requests.values()))
        for other, request in requests.items():
            self._states[state_key(other)] = counted[request].axes[0]

    def is_continuous(self, name: Name) -> bool:
        """Whether a column is one of floats."""
        return self.first_table.is_continuous(name)

    def has_numbers(self, name: Name) -> bool:
        """Whether a column is one of numbers."""
        return self.first_table.has_numbers(name)

    def has_values(self, name: Name) -> bool:
        """Whether any row has a value in this column."""
        return self.first_table.has_values(name) or super().has_values(name)

    @cached_property
    def first_table(self) -> TableSource:
        """The first rows, which show the columns and their kinds."""
        reader = self.reader(self._with_weights(self.names))
        return reader.table(reader.as_in_all_rows(self._head))

    @cached_property
    def _head(self) -> Columns:
        names = self._with_weights(self.names)
        rows = self.chosen(names).limit(HEAD_ROWS).toArrow()
        return next(arrow_tables([rows], names, HEAD_ROWS))

    @cached_property
    def _spellings(self) -> dict[Name, Spelling]:
        """What columns of floats and of text are over all rows."""
        head = self._head
        looked = [name for name in head.names if state_key(name) not in self._as_text]
        return spellings_of(self._numbered, dict(zip(looked, self._places(looked), strict=True)), head)

    # Statistics

    def collect(self, requests: Sequence[Request]) -> Statistics:
        """Answer all requests, in one pass over the partitions."""
        asked = tuple(dict.fromkeys(requests))
        if not self.counts_by_sql:
            if (counts := self._counted_in_blocks(asked)) is not None:
                return counts
            names = self._with_weights(name for request in asked for name in columns_of(request))
            names = names or [self.names[0]]
            try:
                found: Statistics | None = self._total(names, CollectTask(self.reader(names), asked))
                return self._without_rows().collect(asked) if found is None else found
            except NotOnWorkers as absent:
                self._turn_to_sql(absent)
        return self._collected_by_sql(asked)

    def map_batches(self, kernel: Callable[[Batch], T], variables: Sequence[Variable]) -> T:
        """The sum of a function's results over all rows; function and model travel to the workers."""
        names = self._with_weights(self._here(variables)) or [self.names[0]]
        total: T | None = None
        if not self.counts_by_sql:
            try:
                total = self._total(names, BatchTask(self.reader(names), kernel, tuple(variables)))
                return kernel(empty_batch(variables)) if total is None else total
            except NotOnWorkers as absent:
                self._turn_to_sql(absent)
        for table in self._grouped_tables(names):
            part = kernel(table.weighted.batch(variables))
            total = part if total is None else total + part  # type: ignore[operator]  # results add
        return kernel(empty_batch(variables)) if total is None else total

    def _total(self, names: Sequence[Name], task: Callable[[Iterator[Any]], Any]) -> Any:
        """The sum of a task's results over all partitions; None without rows."""
        self._require_same_rows()
        found = self._gathering.total(self.chosen(names), task)
        self._note_rows(0 if found is None else found.rows)
        return None if found is None else found.result

    def _require_same_rows(self) -> None:
        """Before the second pass: refuse a frame that seems to give other rows each time."""
        if self._rows is not None and self._may_change:
            require_same_rows(self.chosen(self.names))
            self._may_change = False

    @cached_property
    def _may_change(self) -> bool:
        return may_change(self.frame)

    def _note_rows(self, rows: int) -> None:
        if self._rows not in (None, rows):
            raise changing_rows(f"{rows:,} rows, where it gave {self._rows:,} before,")
        self._rows = rows

    # Counting by Spark SQL

    def _counted_in_blocks(self, requests: Sequence[Request]) -> Statistics | None:
        """Counts of few columns of a large frame that Spark keeps; None where Python counts faster."""
        if self._weights is not None or self._head.rows < HEAD_ROWS or not is_cached(self.frame):
            return None
        found = BlockCounts(self._numbered, self._head, self.reader, self._places).collected(requests)
        if found is not None:
            self._note_rows(int(found.rows))
        return found

    def _turn_to_sql(self, absent: NotOnWorkers) -> None:
        self.counts_by_sql = True
        warn_user(
            f"Spark's workers cannot run bayou ({absent}), so Spark SQL groups the rows instead, which is "
            "slower. Install bayou on the workers, or let PYSPARK_PYTHON name a Python that has it."
        )

    def _collected_by_sql(self, requests: Sequence[Request]) -> Statistics:
        """One query for all requests about the same columns."""
        by_columns: dict[frozenset[Name], list[Request]] = {}
        for request in requests or (CountTable(()),):
            by_columns.setdefault(frozenset(columns_of(request)), []).append(request)
        answers: dict[Request, Any] = {}
        rows: float = 0
        for columns, group in by_columns.items():
            parts = [counted(table, group) for table in self._grouped_tables(self._with_weights(columns))]
            found = reduce(operator.add, parts)  # a frame without rows has one table
            answers.update(found)
            rows = found.rows
        return Statistics({request: answers[request] for request in requests}, rows)

    def _grouped_tables(self, names: Sequence[Name]) -> Iterator[GroupedTable]:
        """Distinct rows, and how many of each there are; at least one table."""
        reader = self.reader([*(names or self.names[:1]), COUNT])
        for columns in reader.columns(grouped_batches(self._numbered, self._places(names))):
            yield GroupedTable(reader.table(columns), columns.numbers(COUNT).astype(np.int64))

    # Rows in order

    def batches(self, variables: Sequence[Variable]) -> Iterator[Batch]:
        """All rows in the codes of these variables, brought to the driver some at a time."""
        return (table.batch(variables) for table in self.tables(self._here(variables)))

    def tables(self, needed: Collection[Name] | None = None) -> Iterator[TableSource]:
        """Yield the rows in order as tables (at least one); ``needed``: which columns (None: all)."""
        wanted = self.names if needed is None else [name for name in self.names if name in needed]
        names = self._with_weights(wanted or self.names[:1])
        self._require_same_rows()
        rows = 0
        for table in self.reader(names).tables(self._arrow_batches(names)):
            yield table
            rows += table.columns.rows
        if not rows:
            yield self._without_rows()
        self._note_rows(rows)

    def _arrow_batches(self, names: Sequence[Name]) -> Iterator[Any]:
        frame = self.chosen(names)
        if not self.counts_by_sql:
            try:
                yield from packed_batches(frame)
                return
            except NotOnWorkers as absent:  # before the first row
                self._turn_to_sql(absent)
        yield from streamed_batches(frame)

    # Columns

    def reader(self, names: Sequence[Name]) -> RowReader:
        """What reads Arrow batches of these columns."""
        spellings = {name: self._spellings[name] for name in names if name in self._spellings}
        return RowReader(tuple(names), spellings, self._weights, self._declared, self._variables)

    def _without_rows(self) -> TableSource:
        """The columns as a table without rows."""
        return self.first_table

    def _here(self, variables: Sequence[Variable]) -> list[Name]:
        """The variables that have a column."""
        return [v.name for v in variables if v.name in self.names]

    def _with_weights(self, names: Iterable[Name]) -> list[Name]:
        """These columns and that of the weights, each once."""
        weights = () if self._weights is None else (self._weights,)
        return list(dict.fromkeys([*names, *weights]))

    def _places(self, names: Iterable[Name]) -> list[int]:
        return [find_name(self._index, name, self._known) for name in names]

    def chosen(self, names: Sequence[Name]) -> Any:
        """The frame with these columns, by place."""
        return chosen(self._numbered, self._places(names))
