"""A copy of a file with imputed cells or added columns; everything else is copied unchanged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.errors import BadFile
from bayou.schema import Variable, label, state_key
from bayou.sources.ctrl_c import closed_after
from bayou.sources.files.data_file import DataFile
from bayou.sources.files.file_kinds import open_file
from bayou.sources.output.imputed_cells import ImputedCells
from bayou.sources.output.result_file import ResultFile, checked_target, result_file
from bayou.sources.tables.columns import NumberColumn
from bayou.typing import Name

Stretch = tuple[int, Mapping[Name, ImputedCells]]
"""A number of rows, and the imputed cells of each variable in them."""


def write_imputed(
    path: Any,
    columns: Sequence[Name] | None,
    out: Any,
    variables: Iterable[Variable],
    stretches: Iterable[Stretch],
) -> None:
    """Copy a file to ``out`` with these cells imputed, in bounded memory."""
    file = open_file(path, columns)
    known = {state_key(name): position for position, name in enumerate(file.names)}
    variable_positions = [(v, known[state_key(v.name)]) for v in variables if state_key(v.name) in known]
    with result_file(
        out, [str(name) for name in file.names], ["VARCHAR"] * len(variable_positions)
    ) as result:
        for rows, imputed in stretches:
            result.add([_texts(rows, imputed.get(variable.name)) for variable, _ in variable_positions])
        _check_rows(file, result)
        file.attach(result.connection)
        source, _ = file.relation
        parts = _expressions(
            file, variable_positions, result, checked_target(out).suffix.lower() == ".parquet"
        )
        result.finish(parts, f"({source}) as o positional join answers as f")


def write_appended(
    path: Any, out: Any, names: Sequence[str], types: Sequence[str], stretches: Iterable[Sequence[Any]]
) -> int:
    """Copy a file to ``out`` with new columns of these names and SQL types, some rows at a time.

    Each stretch of rows is a list of arrays, one per new column. Returns the number of rows.
    """
    file = open_file(path)
    with result_file(out, [*(str(name) for name in file.names), *names], types) as result:
        for columns in stretches:
            result.add(columns)
        _check_rows(file, result)
        file.attach(result.connection)
        source, _ = file.relation
        parts = _expressions(file, [], result, checked_target(out).suffix.lower() == ".parquet")
        added = [f"f.c{place}" for place in range(len(names))]
        result.finish([*parts, *added], f"({source}) as o positional join answers as f")
        return result.rows


def _texts(rows: int, cells: ImputedCells | None) -> npt.NDArray[Any]:
    texts = np.full(rows, None, dtype=object)
    if cells is not None:
        spell = repr if cells.continuous else label
        texts[cells.rows] = [spell(value) for value in cells.values.tolist()]
    return texts


def _check_rows(file: DataFile, result: ResultFile) -> None:
    """Refuse to join the file and the new cells by row number if their numbers of rows differ."""
    file.attach(result.connection)
    source, _ = file.relation
    (rows,) = result.connection.execute(f"select count(*) from ({source})").fetchone()
    if rows != result.rows:
        raise BadFile.at(
            file.path, f"{result.rows:,} rows were read at first and {rows:,} now: did the file change?"
        )


def _expressions(
    file: DataFile, variable_positions: Sequence[tuple[Variable, int]], result: ResultFile, typed: bool
) -> list[str]:
    """The SQL expression of each column of the new file.

    A column keeps its type, except that whole numbers become DOUBLE where means are imputed.
    """
    source, names = file.relation
    cells = [f"o.{name}" for name in names]
    if file.is_typed:
        types = [str(kind) for kind in result.connection.sql(source).types]
        for place, (variable, position) in enumerate(variable_positions):
            whole = variable.is_continuous and "INT" in types[position]
            kind = "DOUBLE" if whole else types[position]
            cells[position] = f"coalesce(cast(f.c{place} as {kind}), cast({cells[position]} as {kind}))"
        return cells
    kinds = _kinds_of_text(file, [v for v, _ in variable_positions]) if typed else {}
    for place, (_, position) in enumerate(variable_positions):
        cells[position] = f"coalesce(f.c{place}, {cells[position]})"
    for position, kind in kinds.items():
        cells[position] = f"try_cast({cells[position]} as {kind})"
    return cells


def _kinds_of_text(file: DataFile, variables: Sequence[Variable]) -> dict[int, str]:
    """The SQL type of each column of a text file that holds numbers, by the position of the column."""
    texts = [v.name for v in variables if v.states and all(isinstance(s, str) for s in v.states)]
    continuous = {state_key(v.name) for v in variables if v.is_continuous}
    with closed_after(file.batches(None, texts, 1)) as batches:
        first = next(batches)
    kinds = {}
    for position, name in enumerate(first.names):
        column = first[name]
        if isinstance(column, NumberColumn):
            whole = column.kind == "int" and state_key(name) not in continuous
            kinds[position] = "BIGINT" if whole else "DOUBLE"
    return kinds
