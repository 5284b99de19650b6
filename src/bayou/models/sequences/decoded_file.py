"""The states of the rows of a table written to a file, in the order of the rows, in bounded memory.

Sequences are decoded some at a time; each answer is written to its row's place in a temporary file, which is
then read in the order of the rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from bayou.formats.file_content import FilePath
from bayou.schema import Variable, label
from bayou.sources import CodedColumn, Columns, NumberColumn, open_source, row_tables
from bayou.sources.output.result_file import checked_target, result_file, sql_type
from bayou.typing import FloatArray, IntArray, Name

_ROWS = 2**16
"""So many rows are written at a time."""


def decoded_to_file(
    variable: Variable,
    decoded: Iterable[tuple[IntArray, IntArray, FloatArray]],
    data: Any,
    keys: Sequence[Name],
    out: FilePath,
    probabilities: bool,
) -> Path:
    """Write the keys (or the number of each row), its state and its probability; return the file's path.

    ``decoded`` has the numbers of some rows, the codes of their states and P(state | all rows).
    """
    target = checked_target(out)
    states = [label(state) for state in variable.states]
    shown = [f"P({variable.name}={state})" for state in states] if probabilities else []
    with TemporaryDirectory(prefix="bayou-") as folder:
        answers = _Answers(Path(folder) / "answers", len(states) if probabilities else 0)
        for part in decoded:
            answers.put(*part)
        source = open_source(data, names=list(keys)) if keys else None
        kinds = ["BIGINT"] if source is None else [_sql_kind(source.variable(key)) for key in keys]
        names = [*([str(key) for key in keys] or ["row"]), str(variable.name), "probability", *shown]
        types = [*kinds, sql_type(variable), *["DOUBLE"] * (1 + len(shown))]
        with result_file(target, names, types) as file:
            for cells, first, last in _key_cells(source, keys, kinds, answers.rows):
                file.add([*cells, *answers.columns(variable, first, last)])
            file.finish([f"c{k}" for k in range(len(names))])
    return target


class _Answers:
    """A file with a record for each row, which may be written in any order."""

    def __init__(self, path: Path, states: int) -> None:
        self._path = path
        self._kind = np.dtype([("code", np.uint32), ("share", np.float64), ("shares", np.float64, (states,))])
        self.rows = 0

    def put(self, places: IntArray, codes: IntArray, shares: FloatArray) -> None:
        """Write the answers of some rows."""
        if not len(places):
            return
        records = np.zeros(len(places), dtype=self._kind)
        records["code"], records["share"] = codes, shares[np.arange(len(codes)), codes]
        records["shares"] = shares[:, : self._kind["shares"].shape[0]]
        self.rows = max(self.rows, int(places.max()) + 1)
        with open(self._path, "ab") as file:
            file.truncate(self.rows * self._kind.itemsize)
        # Mapped anew for each part, so that pages of earlier parts are given back.
        np.memmap(self._path, dtype=self._kind, mode="r+")[places] = records

    def columns(self, variable: Variable, first: int, last: int) -> list[Any]:
        """The state, its probability and those of all states, for consecutive rows."""
        records = np.fromfile(
            self._path, dtype=self._kind, count=last - first, offset=first * self._kind.itemsize
        )
        plain = sql_type(variable) != "VARCHAR"
        states = np.array([state if plain else label(state) for state in variable.states], dtype=object)
        shares = [np.ascontiguousarray(records["shares"][:, k]) for k in range(records["shares"].shape[1])]
        return [states[records["code"]], np.ascontiguousarray(records["share"]), *shares]


def _sql_kind(variable: Variable) -> str:
    return "DOUBLE" if variable.is_continuous else sql_type(variable)


def _key_cells(source: Any, keys: Sequence[Name], kinds: Sequence[str], rows: int) -> Iterable[Any]:
    """(the cells of the keys, first row, last row) of some rows at a time."""
    if source is None:
        for first in range(0, rows, _ROWS):
            last = min(first + _ROWS, rows)
            yield [np.arange(first, last)], first, last
        return
    before = 0
    for table in row_tables(source, list(keys)):
        columns = [_cells(table, key, kind) for key, kind in zip(keys, kinds, strict=True)]
        for first in range(0, table.rows, _ROWS):
            last = min(first + _ROWS, table.rows)
            yield [column[first:last] for column in columns], before + first, before + last
        before += table.rows


def _cells(table: Columns, name: Name, kind: str) -> Any:
    column = table[name]
    if kind == "DOUBLE" or (kind == "BIGINT" and isinstance(column, NumberColumn)):
        values = table.numbers(name)
        return values.astype(np.int64) if kind == "BIGINT" else values
    coded: CodedColumn = table.coded(name)
    labels = np.array([one if kind != "VARCHAR" else label(one) for one in coded.labels], dtype=object)
    return labels[coded.codes]
