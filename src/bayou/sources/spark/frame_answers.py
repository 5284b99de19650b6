"""Answers for every row of a Spark DataFrame, as the same DataFrame with more columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.errors import BadData
from bayou.sources.output.table_kinds import plain_kind
from bayou.sources.spark.arrow_rows import RowReader
from bayou.sources.spark.frames import numbered
from bayou.sources.spark.gathering import pickled, require_on_workers
from bayou.sources.spark.spark_source import SparkSource
from bayou.sources.tables.column_names import IfPresent
from bayou.sources.tables.columns import Columns
from bayou.thread_count import threads
from bayou.typing import Name, State

Answer = Callable[[Columns], Sequence[npt.NDArray[Any]]]
"""Computes the new columns of some rows; it travels to the workers."""
_TYPES = {"int": "bigint", "float": "double", "number": "double", "truth": "boolean", "text": "string"}
_ARROW = {"bigint": "int64", "double": "float64", "boolean": "bool_", "string": "string"}
VECTOR = "array<double>"
"""The SQL type of a column with several numbers a row, which an answer gives as a matrix."""


def with_answers(
    frame: Any, names: Sequence[Name], added: Mapping[str, str], answer: Answer, as_text: Sequence[Name] = ()
) -> Any:
    """Return the DataFrame with the columns ``added`` (name → SQL type), computed on the workers.

    ``answer`` gets the columns ``names``, as many of them as there are, some rows at a time.
    """
    from pyspark.sql.types import StructType

    require_on_workers(frame.sparkSession, "answers for every row")
    source = SparkSource(frame, IfPresent(names), as_text)
    columns = source.frame.columns
    taken = [name for name in added if name in columns]
    if taken:
        raise BadData(f"The DataFrame has a column {taken[0]!r} already. Drop or rename it first.")
    rows = numbered(source.frame)
    fresh = ", ".join(f"c{len(columns) + k} {kind}" for k, kind in enumerate(added.values()))
    schema = StructType([*rows.schema.fields, *StructType.fromDDL(fresh).fields])
    places = tuple(columns.index(name) for name in source.names)
    task = AnswerTask(source.reader(source.names), places, tuple(added.values()), answer)
    return rows.mapInArrow(answering_function(pickled(task)), schema).toDF(*columns, *added)


def answering_function(task: bytes) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """A function for ``mapInArrow`` that adds columns to batches."""

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        import pickle

        answered = pickle.loads(task)
        for batch in batches:
            yield answered(batch)

    return work


@dataclass(frozen=True)
class AnswerTask:
    """Adds the answers to an Arrow batch; ``places`` are those of the columns that the answers need."""

    reader: RowReader
    places: tuple[int, ...]
    types: tuple[str, ...]
    answer: Answer

    def __call__(self, batch: Any) -> Any:
        import pyarrow

        needed = pyarrow.Table.from_batches([batch]).select(list(self.places))
        (table,) = self.reader.columns([needed])
        with threads(1):
            fresh = self.answer(table)
        arrays = [_arrow_array(column, kind) for column, kind in zip(fresh, self.types, strict=True)]
        names = [*batch.schema.names, *(f"c{batch.num_columns + k}" for k in range(len(arrays)))]
        return pyarrow.RecordBatch.from_arrays([*batch.columns, *arrays], names=names)


def _arrow_array(column: npt.NDArray[Any], kind: str) -> Any:
    """A column as an Arrow array of a SQL type."""
    import pyarrow

    if kind == VECTOR:
        rows, width = column.shape
        offsets = np.arange(rows + 1, dtype=np.int32) * np.int32(width)
        return pyarrow.ListArray.from_arrays(offsets, pyarrow.array(column.ravel()))
    plain = column if column.dtype.kind in "fib" else column.tolist()
    return pyarrow.array(plain, getattr(pyarrow, _ARROW[kind])(), from_pandas=True)


def type_of_states(states: Sequence[State]) -> str:
    """The SQL type of a column of these states (of numbers, without states); text where they are mixed.

    >>> type_of_states(["no", "yes"]), type_of_states([1, 2]), type_of_states([])
    ('string', 'bigint', 'double')
    """
    return _TYPES.get(plain_kind(states), "string")


def as_cells(values: npt.NDArray[Any], states: Sequence[State]) -> npt.NDArray[Any]:
    """States as the cells of such a column: mixed ones as text."""
    if plain_kind(states) in _TYPES:
        return values
    return np.array([None if value is None else str(value) for value in values.tolist()], dtype=object)
