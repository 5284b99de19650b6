"""Posteriors of many rows, each with its own gaps: distinct rows once, many side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bayou.codes import is_missing_code
from bayou.errors import BadQuestion
from bayou.inference.compiled import rows_posterior
from bayou.inference.hybrid_gaps import gap_posterior
from bayou.inference.question import Question, relevant
from bayou.networks import FrozenNetwork
from bayou.typing import CodeArray, ColumnArray, FloatArray, Name

_MIXERS = np.random.default_rng(20261115).integers(1, 2**63, 4096, dtype=np.uint64) | np.uint64(1)


@dataclass(frozen=True)
class RowAnswers:
    """For each target a table, a row a record (NaN: impossible findings); log P(findings) of each row."""

    tables: dict[Name, FloatArray]
    log_evidence: FloatArray


def rows_posteriors(
    network: FrozenNetwork,
    targets: Sequence[Name],
    codes: Mapping[Name, CodeArray],
    numbers: Mapping[Name, FloatArray],
    rows: int,
) -> RowAnswers:
    """P(target | findings of the row) for every row and target; a target's own cell is not a finding."""
    for name in targets:
        if network.schema[name].is_continuous:
            raise BadQuestion(f"{name!r} is continuous; ask for its posterior row by row with query.")
    if any(not np.isnan(column).all() for column in numbers.values()):
        return _by_gaps(network, targets, codes, numbers, rows)
    found = {name: column for name, column in codes.items() if not _all_missing(column)}
    first, back = distinct_rows([found[name] for name in found], rows)
    repeated = len(first) < rows
    few = {
        name: np.ascontiguousarray(column[first] if repeated else column) for name, column in found.items()
    }
    tables: dict[Name, FloatArray] = {}
    logs: FloatArray = np.zeros(len(first))
    for name in targets:
        names = relevant(network, Question((name,), {n: 0 for n in few if n != name}))
        network.require(names)
        logs, table = rows_posterior(network, names, name, few, len(first))
        tables[name] = table[back] if repeated else table
    return RowAnswers(tables, logs[back] if repeated else logs)


def distinct_rows(
    columns: Sequence[CodeArray], rows: int
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """One representative of each distinct row, and for every row the place of its representative.

    >>> first, back = distinct_rows([np.array([1, 0, 1] * 100, dtype=np.uint8)], 300)
    >>> len(first), len(back)
    (2, 300)
    """
    everything = np.arange(rows)
    if rows < 256 or not columns:
        return everything, everything
    hashes = np.zeros(rows, dtype=np.uint64)
    for k, words in enumerate(_words(columns, rows)):
        hashes = (hashes ^ (words + np.uint64(1))) * _MIXERS[k % len(_MIXERS)]
        hashes ^= hashes >> np.uint64(29)
    _, first, back = np.unique(hashes, return_index=True, return_inverse=True)
    if len(first) > rows * 0.9:
        return everything, everything
    # Two different rows with one hash would be a wrong answer: looked for, not hoped against.
    if not all(np.array_equal(column[first][back], column) for column in columns):
        return everything, everything
    return first, back


def _words(columns: Sequence[CodeArray], rows: int) -> list[npt.NDArray[np.uint64]]:
    """The rows' codes as whole words: eight columns of bytes make one."""
    small = [column for column in columns if column.dtype == np.uint8]
    bytes_of = np.zeros((rows, -(-len(small) // 8) * 8), dtype=np.uint8)
    for k, column in enumerate(small):
        bytes_of[:, k] = column
    wide = [column.astype(np.uint64) for column in columns if column.dtype != np.uint8]
    return [*np.ascontiguousarray(bytes_of.view(np.uint64).T), *wide]


def _all_missing(column: CodeArray) -> bool:
    return bool(is_missing_code(column).all())


def _by_gaps(
    network: FrozenNetwork,
    targets: Sequence[Name],
    codes: Mapping[Name, CodeArray],
    numbers: Mapping[Name, FloatArray],
    rows: int,
) -> RowAnswers:
    """Findings about continuous variables: rows together as far as their gaps allow."""
    columns: dict[Name, ColumnArray] = {**codes, **numbers}
    answers = {target: gap_posterior(network, target, columns, rows) for target in targets}
    logs = [answer.log_evidence for answer in answers.values()]
    tables = {target: answer.table for target, answer in answers.items()}
    return RowAnswers(tables, logs[-1] if logs else np.zeros(rows))
