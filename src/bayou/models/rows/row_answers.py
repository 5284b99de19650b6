"""Answers for every row of a table, some rows at a time: as a table of the caller's type, or in a file."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from bayou import explain
from bayou.errors import BadData, BadQuestion, TooWide, counted, warn_user
from bayou.inference.rows.batch_posteriors import BatchPosteriors, rows_posteriors
from bayou.inference.rows.imputation import GappyRows, means_of_rows, most_probable_codes
from bayou.models.rows.row_chunks import RowChunk, is_source, network_tables, refuse_large_file, row_chunks
from bayou.models.rows.row_posteriors import (
    RowIntervals,
    RowPosteriors,
    interleaved,
    posterior_columns,
)
from bayou.networks import FrozenNetwork
from bayou.schema import label
from bayou.sources.files.file_source import weights_of_column
from bayou.sources.output.result_file import checked_target, result_file, sql_type
from bayou.sources.output.table_kinds import TableKind, kind_of
from bayou.sources.weights import Weights, weights_from
from bayou.typing import FloatArray, Name

if TYPE_CHECKING:
    from bayou.fitting.fitted_parameters import FittedParameters

LARGEST_RESULT = 2**30
"""The most bytes that answers for a file may take in memory; larger answers need out=."""


def kind_of_caller(data: Any) -> TableKind:
    """Return the type of table that the answers have; that of numpy arrays for files and sources."""
    return TableKind("none") if is_source(data) else kind_of(data)


IntervalMaker: TypeAlias = Callable[[Sequence[Name], RowChunk], RowIntervals]
"""Computes the intervals of the targets for some rows."""


def posteriors(
    network: FrozenNetwork,
    data: Any,
    targets: Sequence[Name],
    unknown: str,
    columns: Sequence[Name] | None,
    intervals_of: IntervalMaker | None = None,
) -> RowPosteriors:
    """Compute the posteriors of every row, in memory, with their intervals if there is a maker of these."""
    refuse_large_file(data)
    parts = 1 if intervals_of is None else 3
    sizes = {name: network.schema[name].cardinality for name in targets}
    tables, logs = {name: GrowingRows((size,)) for name, size in sizes.items()}, GrowingRows()
    lower, upper = ({name: GrowingRows((size,)) for name, size in sizes.items()} for _ in range(2))
    ends: RowIntervals | None = None
    for chunk in row_chunks(network, network_tables(network, data, columns), unknown):
        rows = chunk.first + chunk.coded.rows + chunk.ahead
        if is_source(data) and rows * parts * sum(sizes.values()) * 8 > LARGEST_RESULT:
            raise TooWide(
                f"The posteriors of {rows:,} rows would take more than {LARGEST_RESULT / 2**30:g} GiB. "
                "Give out='answers.parquet' (or .csv): they are then written to that file, some rows at a "
                "time."
            )
        answers = _chunk_posteriors(network, targets, chunk)
        logs.add(answers.log_evidence, chunk.ahead)
        for name in targets:
            tables[name].add(answers.tables[name], chunk.ahead)
        if intervals_of is not None:
            ends = intervals_of(targets, chunk)
            for name in targets:
                lower[name].add(ends.lower[name], chunk.ahead)
                upper[name].add(ends.upper[name], chunk.ahead)
    interval = None if ends is None else replace(ends, lower=_whole(lower), upper=_whole(upper))
    answers = BatchPosteriors(_whole(tables), logs.whole())
    return RowPosteriors(network.schema, answers, kind_of_caller(data), interval)


def interval_maker(learned: FittedParameters, mass: float) -> IntervalMaker:
    """Return what computes the intervals of some rows, from the counts and priors of the tables."""

    def made(targets: Sequence[Name], chunk: RowChunk) -> RowIntervals:
        coded = chunk.coded
        columns = {**coded.codes, **coded.numbers}
        ends = {
            name: explain.row_intervals(
                learned.network, name, columns, coded.rows, learned.statistics, learned.priors, mass
            )
            for name in targets
        }
        lower, upper = ({name: both[end] for name, both in ends.items()} for end in (0, 1))
        return RowIntervals(mass, lower, upper, learned.expected)

    return made


def _whole(parts: Mapping[Name, GrowingRows]) -> dict[Name, FloatArray]:
    return {name: part.whole() for name, part in parts.items()}


class GrowingRows:
    """An array that grows by rows; nothing is copied if the number of rows is known at the first call.

    >>> rows = GrowingRows()
    >>> rows.add(np.array([1.0, 2.0]))
    >>> rows.add(np.array([3.0]))
    >>> rows.whole().tolist()
    [1.0, 2.0, 3.0]
    """

    def __init__(self, shape: tuple[int, ...] = ()) -> None:
        self._cells: FloatArray = np.empty((0, *shape))
        self._rows = 0

    def add(self, part: FloatArray, ahead: int = 0) -> None:
        """Append rows; at least ``ahead`` more rows will follow."""
        end = self._rows + len(part)
        if end > len(self._cells):
            room = end + ahead if not self._rows else max(end + ahead, 2 * len(self._cells))
            grown = np.empty((room, *self._cells.shape[1:]))
            grown[: self._rows] = self._cells[: self._rows]
            self._cells = grown
        self._cells[self._rows : end] = part
        self._rows = end

    def whole(self) -> FloatArray:
        """Return all rows that were added."""
        return self._cells if self._rows == len(self._cells) else self._cells[: self._rows].copy()


def _chunk_posteriors(network: FrozenNetwork, targets: Sequence[Name], chunk: RowChunk) -> BatchPosteriors:
    coded = chunk.coded
    return rows_posteriors(network, targets, coded.codes, coded.numbers, coded.rows)


def posteriors_to_file(
    network: FrozenNetwork,
    data: Any,
    targets: Sequence[Name],
    unknown: str,
    columns: Sequence[Name] | None,
    out: Any,
    intervals_of: IntervalMaker | None = None,
) -> Path:
    """Write the posteriors of every row of a file or a source to a file; return its path."""
    names = posterior_columns(network.schema, targets, intervals_of is not None)
    with result_file(out, names, ["DOUBLE"] * len(names)) as file:
        for part in posterior_parts(network, data, targets, unknown, columns, intervals_of):
            file.add(part)
        file.finish([f"c{k}" for k in range(len(names))])
    return checked_target(out)


def posterior_parts(
    network: FrozenNetwork,
    data: Any,
    targets: Sequence[Name],
    unknown: str,
    columns: Sequence[Name] | None = None,
    intervals_of: IntervalMaker | None = None,
) -> Iterator[list[FloatArray]]:
    """Yield the posteriors of some rows at a time, as the columns that ``posterior_columns`` names."""
    for chunk in row_chunks(network, network_tables(network, data, columns), unknown):
        tables = _chunk_posteriors(network, targets, chunk).tables
        interval = None if intervals_of is None else intervals_of(targets, chunk)
        whole = interleaved({name: tables[name] for name in targets}, interval)
        yield [np.ascontiguousarray(column) for column in whole]


def predictions(
    network: FrozenNetwork, data: Any, target: Name, unknown: str, columns: Sequence[Name] | None
) -> Any:
    """Return the most probable state (or the mean) of the target for every row, in the caller's type."""
    refuse_large_file(data)
    tables = network_tables(network, data, columns)
    parts = [_chunk_predictions(network, target, chunk) for chunk in row_chunks(network, tables, unknown)]
    return kind_of_caller(data).series(target, np.concatenate(parts), network.schema[target].states)


def predictions_to_file(
    network: FrozenNetwork, data: Any, target: Name, unknown: str, columns: Sequence[Name] | None, out: Any
) -> Path:
    """Write the most probable state (or the mean) for every row of a file or a source; return the path."""
    kind = sql_type(network.schema[target])
    with result_file(out, [label(target)], [kind]) as file:
        for chunk in row_chunks(network, network_tables(network, data, columns), unknown):
            values = _chunk_predictions(network, target, chunk)
            if kind == "VARCHAR":
                values = np.array([None if v is None else label(v) for v in values.tolist()], dtype=object)
            file.add([values])
        file.finish(["c0"])
    return checked_target(out)


def _chunk_predictions(network: FrozenNetwork, target: Name, chunk: RowChunk) -> npt.NDArray[Any]:
    """Predict the target for some rows: None (NaN for a mean) if a row is impossible."""
    coded = chunk.coded
    if network.schema[target].is_continuous:
        part = GappyRows(coded.rows, coded.codes, coded.numbers, {})
        return means_of_rows(network, target, part, np.arange(coded.rows))
    table = _chunk_posteriors(network, (target,), chunk).tables[target]
    states = network.schema[target].states
    by_code = np.empty(len(states) + 1, dtype=object)  # the last entry is None
    by_code[:-1] = states
    return by_code[np.where(np.isnan(table[:, 0]), len(states), most_probable_codes(table))]


def log_likelihoods(
    network: FrozenNetwork,
    data: Any,
    weights: Any,
    unknown: str,
    columns: Sequence[Name] | None,
    logs_of: Callable[[RowChunk], FloatArray],
) -> Iterator[tuple[int, FloatArray, Weights | None]]:
    """Yield for each chunk: the number of its first row, log P of each row's findings, and the weights.

    The weights are ``weights`` (an array, or the name of a column) or those of the source, not both.
    """
    by_column = weights is not None and isinstance(weights, str | int)
    also = [weights] if by_column else []
    given = None if weights is None or by_column else _given_weights(weights)
    tables = network_tables(network, data, columns, also)
    rows = 0
    for chunk in row_chunks(network, tables, unknown, warn=unknown != "smooth"):
        rows = chunk.first + chunk.coded.rows
        part = given[chunk.first : rows] if given is not None else chunk.weights
        if weights is not None and chunk.weights is not None:
            raise BadData(
                f"The rows of this {type(data).__name__} have weights of their own: leave out weights=, "
                "or give a source without weights."
            )
        if given is not None and len(given) < rows:
            weighed, least = counted(len(given), "number"), counted(rows, "row")
            raise BadData(f"weights= has {weighed}; the table has at least {least}.")
        yield chunk.first, logs_of(chunk), weights_of_column(chunk.table, weights) if by_column else part
    if given is not None and len(given) != rows:
        raise BadData(f"weights= has {counted(len(given), 'number')}; the table has {counted(rows, 'row')}.")


def _given_weights(weights: Any) -> Weights:
    try:
        count = len(weights)
    except TypeError:
        raise BadQuestion("weights= must be one number per row, or the name of a column.") from None
    return weights_from(weights, count)


def weighted(logs: FloatArray, weights: Weights | None) -> FloatArray:
    """Multiply logs by weights; a row of weight 0 gives 0, even if its log is -inf.

    >>> weighted(np.array([-np.inf, -1.0]), np.array([0, 2])).tolist()
    [0.0, -2.0]
    """
    if weights is None:
        return logs
    result: FloatArray = np.where(weights == 0, 0.0, logs) * weights
    return result


def total_log_likelihood(parts: Iterator[tuple[int, FloatArray, Weights | None]]) -> float:
    """Return the weighted sum; impossible rows make it -inf and are named in a warning."""
    sums: list[float] = []
    impossible: list[int] = []
    for first, logs, weights in parts:
        logs = weighted(logs, weights)
        impossible += (np.flatnonzero(np.isneginf(logs)) + first).tolist()
        sums.append(math.fsum(logs[np.isfinite(logs)].tolist()))
    if not impossible:
        return math.fsum(sums)
    more = len(impossible) - 10
    shown = ", ".join(map(str, impossible[:10])) + (f" and {more:,} more" if more > 0 else "")
    warn_user(
        f"The log-likelihood is -inf, because these rows (counting from 0) are impossible under the network: "
        f"{shown}. net.most_probable or net.query on such a row names the findings that conflict."
    )
    return -math.inf
