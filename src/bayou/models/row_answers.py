"""Answers for every row of a table: chunk by chunk into arrays of the caller's kind, or into a file."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.errors import BadData, BadQuestion, TooWide, warn_user
from bayou.inference.rows.batch_posteriors import RowAnswers, rows_posteriors
from bayou.inference.rows.imputation import GappyRows, means_of_rows, most_probable_codes
from bayou.models.row_chunks import RowChunk, file_tables, is_file, read_table, refuse_large_file, row_chunks
from bayou.models.row_posteriors import RowPosteriors
from bayou.networks import FrozenNetwork
from bayou.schema import label
from bayou.sources.file import weights_of_column
from bayou.sources.result_file import result_file, sql_type
from bayou.sources.table_kinds import TableKind, column_names, kind_of
from bayou.sources.weights import Weights, weights_from
from bayou.typing import FloatArray, Name

LARGEST_RESULT = 2**30
"""Answers for a file that stay in memory take at most this many bytes; more are written with out=."""


def kind_of_caller(data: Any) -> TableKind:
    """What the answers are to look like."""
    return TableKind("none") if is_file(data) else kind_of(data)


def posteriors(
    network: FrozenNetwork, data: Any, targets: Sequence[Name], unknown: str, columns: Sequence[Name] | None
) -> RowPosteriors:
    """The posteriors of every row, in memory."""
    refuse_large_file(data)
    table = read_table(network, data, columns)
    sizes = {name: network.schema[name].cardinality for name in targets}
    if is_file(data) and table.rows * sum(sizes.values()) * 8 > LARGEST_RESULT:
        raise TooWide(
            f"The posteriors of {table.rows:,} rows would take more than {LARGEST_RESULT / 2**30:g} GiB. "
            "Give out='answers.parquet' (or .csv): they are then written to that file, some rows at a time."
        )
    tables = {name: np.empty((table.rows, size)) for name, size in sizes.items()}
    logs: FloatArray = np.empty(table.rows)
    for chunk in row_chunks(network, iter([table]), unknown):
        answers = _chunk_posteriors(network, targets, chunk)
        here = slice(chunk.first, chunk.first + chunk.coded.rows)
        logs[here] = answers.log_evidence
        for name in targets:
            tables[name][here] = answers.tables[name]
    return RowPosteriors(network.schema, RowAnswers(tables, logs), kind_of_caller(data))


def _chunk_posteriors(network: FrozenNetwork, targets: Sequence[Name], chunk: RowChunk) -> RowAnswers:
    coded = chunk.coded
    return rows_posteriors(network, targets, coded.codes, coded.numbers, coded.rows)


def posteriors_to_file(
    network: FrozenNetwork,
    path: Any,
    targets: Sequence[Name],
    unknown: str,
    columns: Sequence[Name] | None,
    out: Any,
) -> None:
    """The posteriors of every row of a file, into another."""
    names = column_names([(name, state) for name in targets for state in network.schema[name].states])
    with result_file(out, names, ["DOUBLE"] * len(names)) as file:
        for chunk in row_chunks(network, file_tables(network, path, columns), unknown):
            tables = _chunk_posteriors(network, targets, chunk).tables
            file.add([np.ascontiguousarray(column) for name in targets for column in tables[name].T])
        file.finish([f"c{k}" for k in range(len(names))])


def predictions(
    network: FrozenNetwork, data: Any, target: Name, unknown: str, columns: Sequence[Name] | None
) -> Any:
    """The most probable state (or the mean) of the target in every row, as a column of the caller's kind."""
    refuse_large_file(data)
    table = read_table(network, data, columns)
    parts = [
        _chunk_predictions(network, target, chunk) for chunk in row_chunks(network, iter([table]), unknown)
    ]
    return kind_of_caller(data).series(target, np.concatenate(parts), network.schema[target].states)


def predictions_to_file(
    network: FrozenNetwork, path: Any, target: Name, unknown: str, columns: Sequence[Name] | None, out: Any
) -> None:
    """The same for a file, into another."""
    kind = sql_type(network.schema[target])
    with result_file(out, [label(target)], [kind]) as file:
        for chunk in row_chunks(network, file_tables(network, path, columns), unknown):
            values = _chunk_predictions(network, target, chunk)
            if kind == "VARCHAR":
                values = np.array([None if v is None else label(v) for v in values.tolist()], dtype=object)
            file.add([values])
        file.finish(["c0"])


def _chunk_predictions(network: FrozenNetwork, target: Name, chunk: RowChunk) -> npt.NDArray[Any]:
    coded = chunk.coded
    if network.schema[target].is_continuous:
        part = GappyRows(coded.rows, coded.codes, coded.numbers, {})
        return means_of_rows(network, target, part, np.arange(coded.rows))
    table = _chunk_posteriors(network, (target,), chunk).tables[target]
    states = network.schema[target].states
    known = np.empty(len(states) + 1, dtype=object)
    known[:-1] = states
    return known[np.where(np.isnan(table[:, 0]), len(states), most_probable_codes(table))]


def log_likelihoods(
    network: FrozenNetwork,
    data: Any,
    weights: Any,
    unknown: str,
    columns: Sequence[Name] | None,
    logs_of: Callable[[RowChunk], FloatArray],
) -> Iterator[tuple[int, FloatArray, Weights | None]]:
    """For each stretch of rows: its first row, log P of each row's findings, and the rows' weights."""
    by_column = weights is not None and isinstance(weights, str | int)
    also = [weights] if by_column else []
    given = None if weights is None or by_column else _given_weights(weights)
    tables = (
        file_tables(network, data, columns, also)
        if is_file(data)
        else iter([read_table(network, data, columns, also)])
    )
    rows = 0
    for chunk in row_chunks(network, tables, unknown, warn=unknown != "smooth"):
        rows = chunk.first + chunk.coded.rows
        part = given[chunk.first : rows] if given is not None else None
        if given is not None and len(given) < rows:
            raise BadData(f"sample_weight has {len(given)} weights; the table has at least {rows} rows.")
        yield chunk.first, logs_of(chunk), weights_of_column(chunk.table, weights) if by_column else part
    if given is not None and len(given) != rows:
        raise BadData(f"sample_weight has {len(given)} weights; the table has {rows} rows.")


def _given_weights(weights: Any) -> Weights:
    try:
        count = len(weights)
    except TypeError:
        raise BadQuestion("sample_weight must be numbers, one a row, or the name of a column.") from None
    return weights_from(weights, count)


def weighted(logs: FloatArray, weights: Weights | None) -> FloatArray:
    """Logs times weights; a row without weight adds nothing, even an impossible one.

    >>> weighted(np.array([-np.inf, -1.0]), np.array([0, 2])).tolist()
    [0.0, -2.0]
    """
    if weights is None:
        return logs
    result: FloatArray = np.where(weights == 0, 0.0, logs) * weights
    return result


def total_log_likelihood(parts: Iterator[tuple[int, FloatArray, Weights | None]]) -> float:
    """The weighted sum; rows that are impossible make it -inf, and are named in a warning."""
    sums: list[float] = []
    lost: list[int] = []
    for first, logs, weights in parts:
        logs = weighted(logs, weights)
        gone = np.flatnonzero(np.isneginf(logs))
        lost += (gone + first).tolist()
        sums.append(math.fsum(logs[np.isfinite(logs)].tolist()))
    if not lost:
        return math.fsum(sums)
    shown = ", ".join(map(str, lost[:10])) + (f" and {len(lost) - 10:,} more" if len(lost) > 10 else "")
    warn_user(
        f"The log-likelihood is -inf, because these rows (counting from 0) are impossible under the network: "
        f"{shown}. net.most_probable or net.query on such a row names the findings that conflict."
    )
    return -math.inf
