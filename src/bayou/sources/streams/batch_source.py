"""Any iterable of batches as a source: each batch is a table of any kind."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

from bayou.arguments import weights_named
from bayou.errors import BadData, BayouError
from bayou.progress import tracked
from bayou.schema import Variable
from bayou.sources.discretising import discretised
from bayou.sources.state_matching import with_matched_states
from bayou.sources.streams.batch_passes import BatchPasses, is_batch_reader
from bayou.sources.streams.column_continuity import ColumnContinuity
from bayou.sources.streams.relation_rows import RelationPart, RelationRows
from bayou.sources.table_source import TableSource
from bayou.sources.tables.column_names import IfPresent
from bayou.sources.tables.columns import CodedColumn, Columns, NumberColumn
from bayou.sources.tables.read_frames import is_from
from bayou.sources.weights import weights_from, whole_weights
from bayou.statistics import Batch, Request, Source, Statistics
from bayou.typing import Name


@weights_named("weights")
def from_batches(batches: Any, *, keep: bool = False, weights: Name | None = None) -> BatchSource:
    """Return batches of rows as data for every function that takes a table; no two of them are in memory.

    ``batches`` is an iterable whose items are tables of any kind: data frames, dicts of columns, lists of
    dicts, Arrow tables and record batches. A generator, or another iterator, can be read only once, which is
    enough for counting: networks without gaps, naive Bayes, Gaussian and text classifiers. What needs several
    passes (EM, structure search, learned cuts) says so: give a function without arguments that returns a
    fresh iterator, or ``keep=True``, which stores the batches in a temporary file as they are read.
    ``weights`` names a column with the weights of the rows.

    Generators and other iterators, lists of data frames, the readers of ``pandas.read_csv(…, chunksize=…)``
    and Arrow's ``RecordBatchReader`` need no ``from_batches``: they can be passed as data.

    Raises ``BadData`` for what gives no tables.

    >>> import bayou
    >>> def days():
    ...     yield {"sky": ["grey", "blue"], "rain": ["yes", "no"]}
    ...     yield {"sky": ["grey", "grey"], "rain": ["yes", "no"]}
    >>> net = bayou.Network("sky -> rain").fit(bayou.from_batches(days()), prior=0)
    >>> round(net.query("rain", given={"sky": "grey"})["yes"], 3)
    0.667
    """
    if isinstance(batches, str | bytes | dict):
        raise BadData(
            "from_batches takes an iterable of tables; a single table (or the path of a file) is passed as "
            "it is."
        )
    return BatchSource(BatchPasses(batches, keep), weights=weights)


def opened_reader(data: Any) -> Any:
    """Return a reader of batches (of pandas or Arrow) or a duckdb relation as a source; others unchanged.

    A relation runs its query again for every pass.
    """
    if is_from(data, "duckdb", "DuckDBPyRelation"):
        return from_batches(RelationRows(data))
    return from_batches(data) if is_batch_reader(data) else data


class BatchSource(Source):
    """Batches of rows, read one after the other; made by :func:`from_batches`."""

    def __init__(
        self,
        passes: BatchPasses,
        names: Sequence[Name] | None = None,
        columns: Sequence[Name] | None = None,
        as_text: Collection[Name] = (),
        weights: Name | None = None,
        declared: Collection[Name] | None = None,
        variables: Collection[Variable] = (),
    ) -> None:
        self._passes = passes
        self.weights = weights
        self._wanted, self._given_columns, self._as_text = names, columns, as_text
        self._declared, self._variables = declared, variables

    def opened(
        self,
        names: Sequence[Name] | None,
        columns: Sequence[Name] | None,
        as_text: Collection[Name],
        weights: Any,
        declared: Collection[Name] | None,
        variables: Collection[Variable],
    ) -> BatchSource:
        """The same batches with the arguments of ``open_source``."""
        if weights is not None and not isinstance(weights, str | int):
            raise BadData(
                "weights= of batches is the name of a column: an array would be as long as all rows."
            )
        if weights is not None and self.weights is not None:
            raise BadData(f"The batches have weights already, in the column {self.weights!r}.")
        chosen = self.weights if weights is None else weights
        return BatchSource(self._passes, names, columns, as_text, chosen, declared, variables)

    @property
    def reads_once(self) -> bool:  # type: ignore[override]  # depends on the iterable
        """Whether the batches come from an iterator, which cannot begin again."""
        return self._passes.read_once

    @cached_property
    def first_table(self) -> TableSource:
        """The first batch, which shows the columns and their types."""
        first = self._passes.peek(0)
        if first is None:
            raise BadData("There is no batch to learn from: the iterator is empty, or was read already.")
        return self._table(self._continuity().continued(self._read(first, 0, None), 0), 0)

    @property
    def names(self) -> tuple[Name, ...]:
        """The columns."""
        return tuple(name for name in self.first_table.names if name != self.weights)

    def variable(self, name: Name) -> Variable:
        """A column's variable, inferred from the first batch with a value; later ones may add states."""
        if self.first_table.has_values(name):
            return self.first_table.variable(name)
        number = 1
        while (raw := self._passes.peek(number)) is not None:
            table = self._table(self._read(raw, number, [name]), 0)
            if table.has_values(name):
                return table.variable(name)
            number += 1
        return self.first_table.variable(name)

    def has_numbers(self, name: Name) -> bool:
        """Whether the first batch has numbers in a column; the type of a column stays the same."""
        return self.first_table.has_numbers(name)

    def collect(self, requests: Sequence[Request]) -> Statistics:
        """Answer the requests batch by batch and add the answers; a later batch may have new states."""
        total: Statistics | None = None
        needed = {
            name for request in requests for name in (*request.states, *request.numbers, *request.values)
        }
        for table in tracked(self.tables(needed), "Counting batches"):
            total = table.collect_after(total, requests)
        assert total is not None  # first_table refuses an iterator without batches
        return total

    def batches(self, variables: Sequence[Variable]) -> Iterator[Batch]:
        """All rows in the codes of these variables; a value that is not a state is an error that names it."""
        return (table.batch(variables) for table in self.tables({variable.name for variable in variables}))

    def tables(
        self, needed: Collection[Name] | None = None, after: int = 0, first_row: int = 0
    ) -> Iterator[TableSource]:
        """Yield the batches in order as tables; of each only the columns in ``needed`` (None: all).

        The first batches, as many as ``after`` says with ``first_row`` rows together, are passed over; only
        the very first of them is looked at, because it shows the kinds of the columns.
        """
        chosen = None
        if needed is not None:
            known = self.names
            chosen = [name for name in known if name in needed] or list(known[:1])
        columns = self._continuity()
        for number, raw in enumerate(_with_notes(self._passes)):
            if 0 < number < after:
                continue
            table = columns.continued(self._read(raw, number, chosen), number)
            if number >= after:
                yield self._table(table, first_row)
                first_row += table.rows

    def _continuity(self) -> ColumnContinuity:
        return ColumnContinuity(self._late_numbers, {v.name for v in self._variables if v.states})

    @cached_property
    def _late_numbers(self) -> set[Name]:
        """The columns that have gaps only in the first batch, and numbers later."""
        first = self._passes.peek(0)
        if first is None:
            return set()
        table = self._read(first, 0, None)
        empty = [name for name in table.names if isinstance(c := table[name], CodedColumn) and not c.labels]
        found: set[Name] = set()
        number = 1
        while empty and (raw := self._passes.peek(number)) is not None:
            table = self._read(raw, number, empty)
            found.update(name for name in empty if isinstance(table[name], NumberColumn))
            empty = [name for name in empty if isinstance(c := table[name], CodedColumn) and not c.labels]
            number += 1
        return found

    def _read(self, raw: Any, number: int, chosen: Sequence[Name] | None) -> Columns:
        from bayou.sources.tables.read_columns import read_columns

        names = self._wanted if chosen is None else chosen
        if names is not None and self.weights is not None and self.weights not in names:
            both = [*names, self.weights]
            names = IfPresent(both) if isinstance(names, IfPresent) else both
        try:
            raw = raw.columns(self._as_text) if isinstance(raw, RelationPart) else raw
            read = read_columns(raw, names=names, columns=self._given_columns, as_text=self._as_text)
            return with_matched_states(discretised(read, self._variables, strict=True), self._variables)
        except BayouError as error:
            if number == 0:
                raise
            raise type(error)(f"Batch {number} (counting from 0): {error}") from None

    def _table(self, columns: Columns, first_row: int) -> TableSource:
        weights = None
        if self.weights is not None:
            weights = weights_from(whole_weights(columns.numbers(self.weights)), columns.rows)
        return TableSource(columns, weights, self._declared, first_row)


def _with_notes(batches: Iterable[Any]) -> Iterator[Any]:
    """The batches; an error of the user's iterator gets a note that says which batch was asked for."""
    number, running = 0, iter(batches)
    while True:
        try:
            batch = next(running)
        except StopIteration:
            return
        except BayouError:
            raise
        except Exception as error:
            if hasattr(error, "add_note"):  # since Python 3.11
                error.add_note(f"bayou had asked the iterator for batch {number} (counting from 0).")
            raise
        yield batch
        number += 1
