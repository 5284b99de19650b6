"""Fill the missing cells of a table, some rows at a time, and return a table of the caller's type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.arguments import seed_or_random
from bayou.codes import is_missing_code
from bayou.errors import BadQuestion, ImpossibleEvidence, listed
from bayou.inference import Question, impossible_evidence
from bayou.inference.rows.imputation import (
    GappyRows,
    ImputedValues,
    fill_by_drawing,
    fill_marginally,
    findings,
)
from bayou.inference.rows.joint_imputation import fill_jointly
from bayou.models.rows.row_chunks import (
    RowChunk,
    WeightedTables,
    is_file,
    is_source,
    network_tables,
    refuse_large_file,
    row_chunks,
)
from bayou.networks import FrozenNetwork
from bayou.schema import text_names
from bayou.sources import CodedColumn, Columns, read_columns
from bayou.sources.output.imputed_cells import ImputedCells
from bayou.sources.output.imputed_file import write_imputed
from bayou.sources.output.imputed_table import imputed_columns, imputed_table, rereadable
from bayou.sources.output.result_file import checked_target
from bayou.typing import Name

METHODS = ("marginal", "joint", "sample")
POLICIES = ("error", "leave")


@dataclass(frozen=True)
class Imputer:
    """The settings of an imputation: the method, and what to do with rows that are impossible."""

    network: FrozenNetwork
    method: str = "marginal"
    seed: int | None = None
    impossible: str = "error"
    unknown: str = "missing"

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise BadQuestion(f"method={self.method!r}: the methods are {listed(METHODS)}.")
        if self.impossible not in POLICIES:
            raise BadQuestion(f"impossible={self.impossible!r}: the policies are {listed(POLICIES)}.")
        chosen = seed_or_random(self.seed)
        object.__setattr__(self, "seed", chosen)

    def table(self, data: Any, columns: Sequence[Name] | None) -> Any:
        """Fill a table in memory; a small file or a source is returned as a pandas DataFrame."""
        refuse_large_file(data)
        if is_source(data):
            wide = read_columns(data, columns=columns, as_text=text_names(self.network.schema))
            return imputed_columns(wide, self._imputed(wide))
        data = rereadable(data)
        ((table, _),) = network_tables(self.network, data, columns)
        return imputed_table(data, self._imputed(table), columns)

    def file(self, path: Any, columns: Sequence[Name] | None, out: Any) -> Path:
        """Copy a file of any size to another and fill its gaps, some rows at a time; return its path."""
        if not is_file(path):
            raise BadQuestion(
                "impute(out=…) copies a file and fills its gaps. Omit out= to get the rows of a source as a "
                "table."
            )
        chunks = self._chunks(network_tables(self.network, path, columns))
        parts = ((chunk.coded.rows, imputed) for chunk, imputed in chunks)
        write_imputed(path, columns, out, self.network.schema.variables, parts)
        return checked_target(out)

    def _imputed(self, table: Columns) -> dict[Name, ImputedCells]:
        """Return the rows and values to fill in, for each variable of the network in the table."""
        known = [name for name in table.names if name in self.network.schema]
        part = Columns(known, [table[name] for name in known], table.rows)
        parts: dict[Name, list[ImputedCells]] = {}
        for chunk, imputed in self._chunks(iter([(part, None)])):
            for name, cells in imputed.items():
                parts.setdefault(name, []).append(
                    ImputedCells(cells.rows + chunk.first, cells.values, cells.states)
                )
        return {name: _joined(pieces) for name, pieces in parts.items()}

    def _chunks(self, tables: WeightedTables) -> Iterator[tuple[RowChunk, dict[Name, ImputedCells]]]:
        """Yield each chunk of rows with the values that fill its gaps, by variable."""
        for chunk in row_chunks(self.network, tables, self.unknown):
            gappy = gappy_rows(chunk)
            done = self._completed(gappy)
            if done.impossible.any() and self.impossible == "error":
                raise self._refusal(gappy, int(np.flatnonzero(done.impossible)[0]))
            yield chunk, {name: self._imputed_cells(name, gappy.gaps[name], done) for name in gappy.gaps}

    def _completed(self, gappy: GappyRows) -> ImputedValues:
        """Compute the values of all gaps by the chosen method."""
        if self.method == "marginal":
            return fill_marginally(self.network, gappy)
        if self.method == "joint":
            return fill_jointly(self.network, gappy)
        assert self.seed is not None
        return fill_by_drawing(self.network, gappy, self.seed)

    def _imputed_cells(self, name: Name, gaps: npt.NDArray[np.bool_], done: ImputedValues) -> ImputedCells:
        """Return the values of one variable's gaps as states; impossible rows are left out."""
        rows = np.flatnonzero(gaps)
        possible = ~done.impossible[rows]
        values = done.values[name][possible]
        states = self.network.schema[name].states
        if states:
            by_code = np.empty(len(states), dtype=object)
            by_code[:] = states
            values = by_code[values]
        return ImputedCells(rows[possible], values, states)

    def _refusal(self, gappy: GappyRows, row: int) -> ImpossibleEvidence:
        """The error for an impossible row, with the findings that conflict."""
        why = impossible_evidence(self.network, Question((), findings(gappy, row)))
        return ImpossibleEvidence(
            f"Row {gappy.first_row + row} (counting from 0): {why} impossible='leave' keeps the gaps of "
            "such rows."
        )


def gappy_rows(chunk: RowChunk) -> GappyRows:
    """Return the rows of a chunk with masks of the missing cells.

    A value that is not a state of the network is not a gap: it stays in the table. Missing texts stay
    missing.
    """
    gaps: dict[Name, npt.NDArray[np.bool_]] = {}
    texts = [name for name, column in chunk.coded.numbers.items() if column.dtype.kind == "O"]
    for name in chunk.table.names:
        if name in texts:
            continue
        column = chunk.table[name]
        if isinstance(column, CodedColumn):
            gaps[name] = is_missing_code(column.codes)
        else:
            gaps[name] = np.isnan(column.values)
    numbers: Mapping[Name, Any] = {n: np.array(c) for n, c in chunk.coded.numbers.items()}
    return GappyRows(chunk.coded.rows, chunk.coded.codes, numbers, gaps, chunk.first)


def _joined(pieces: list[ImputedCells]) -> ImputedCells:
    rows = np.concatenate([piece.rows for piece in pieces])
    return ImputedCells(rows, np.concatenate([piece.values for piece in pieces]), pieces[0].states)
