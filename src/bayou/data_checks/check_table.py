"""``check``: read a table, check every column, pairs of columns and the target, and report."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from bayou.arguments import whole_number
from bayou.data_checks.column_checks import (
    copies_in,
    duplicate_rows,
    empty_or_constant,
    ids,
    near_duplicates,
    untidy_name,
)
from bayou.data_checks.column_facts import ColumnFacts
from bayou.data_checks.compare_tables import differences
from bayou.data_checks.file_fixes import fixes_for_files
from bayou.data_checks.fixes import PandasFixes, PolarsFixes
from bayou.data_checks.kind_checks import wrong_kinds
from bayou.data_checks.report import SEVERITIES, Finding, Report
from bayou.data_checks.streamed_facts import StreamedTable
from bayou.data_checks.target_checks import gaps_tell, leakage, target_itself, with_classes_left
from bayou.data_checks.value_checks import odd_values
from bayou.errors import BadQuestion, without_warnings
from bayou.progress import tracked
from bayou.sources import Columns, column_batches, read_columns, row_tables
from bayou.sources.row_tables import joined_tables
from bayou.sources.stored_rows import rows_to_read_again
from bayou.sources.tables.column_names import find_name, name_index
from bayou.sources.tables.row_selection import row_range
from bayou.typing import Name

LARGEST = 250_000
"""The default number of rows that are checked."""


def check(
    data: Any,
    target: Name | None = None,
    *,
    other: Any = None,
    rows: int | None = LARGEST,
    columns: Sequence[Name] | None = None,
) -> Report:
    """Check a table for problems before anything is learned from it; each finding comes with its fix.

    ``data`` is anything that ``fit`` takes, files too. ``target`` names the column that is to be predicted:
    then classes, leakage and gaps that tell the class are checked as well. ``other`` is a second table, such
    as new rows that are to be predicted: columns that it lacks, other types, values that ``data`` does not
    have, and other distributions (drift) are reported. At most the first ``rows`` rows of each are looked at
    (None: all; those that do not fit into memory are counted, some at a time); the report says so.
    ``report.ok`` means that there is no error. Fixes are lines of pandas (or polars); for files they are
    options of ``from_file`` where there is one, and ``report.read_anew`` has all of these.

    Raises ``UnknownVariable`` if the target is no column; problems of the table are told, not raised.

    >>> print(check({"age": [31, 40, 26], "n": ["1", "2", "3"], "unit": ["kg", "kg", "kg"]}))
    Checked 3 rows × 3 columns: 2 warnings.
    warning  'n' holds numbers, stored as text (such as '1', '2', '3')
             fix: data['n'] = pandas.to_numeric(data['n'])
    warning  'unit' is constant: one value (such as 'kg')
             fix: data = data.drop(columns=['unit'])
    (Fixes are written for pandas, the table being called data.)
    """
    if target is not None and not _is_name(target):
        raise BadQuestion(
            f"target= is the name of a column, not a {type(target).__name__}. Compare two tables with "
            "bayou.check(data, other=table)."
        )
    with without_warnings():  # what they would tell is among the findings
        table = _read(data, rows, columns)
        new = None if other is None else _read(other, rows, columns)
    is_polars = type(data).__module__.split(".")[0] == "polars"
    fixes = PolarsFixes() if is_polars else fixes_for_files(data, columns) or PandasFixes()
    facts = table.facts
    aim = None if target is None else facts[_position([each.name for each in facts], target)]
    # Sums of very large numbers overflow to infinity; the checks then report nothing.
    with np.errstate(all="ignore"):
        found = list(_findings(table, aim, fixes))
        if new is not None:
            found += differences(facts, new.facts, aim)
    found.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    return Report(
        tuple(found),
        table.rows,
        len(facts),
        table.more,
        None if aim is None else aim.name,
        {each.name: each.missing for each in facts if each.missing},
        fixes.dialect,
        None if new is None else new.rows,
        fixes.together,
    )


def _is_name(target: Any) -> bool:
    return (
        isinstance(target, Hashable)
        and not isinstance(target, os.PathLike)
        and not hasattr(target, "columns")
    )


def _position(names: Sequence[Name], target: Name) -> int:
    return find_name(name_index(names), target, names)  # an error suggests the nearest name


def _findings(table: CheckedTable, target: ColumnFacts | None, fixes: PandasFixes) -> Iterator[Finding]:
    facts = table.facts
    if not table.rows:
        yield Finding("error", "no rows", None, "The table has no rows.")
        return
    for each in tracked(facts, "Checking columns"):
        if each is target:
            yield from with_classes_left(each, _of_column(each, fixes))
        else:
            yield from _of_column(each, fixes)
            yield from ids(each, fixes)
    others = [each for each in facts if each is not target]
    yield from near_duplicates(others, fixes)
    yield from duplicate_rows(facts, fixes, table.copies)
    if target is not None:
        yield from target_itself(target, fixes)
        for each in others:
            yield from leakage(each, target, fixes)
        yield from gaps_tell(others, target, fixes)


def _of_column(facts: ColumnFacts, fixes: PandasFixes) -> Iterator[Finding]:
    yield from untidy_name(facts.name, fixes)
    yield from empty_or_constant(facts, fixes)
    yield from wrong_kinds(facts, fixes)
    yield from odd_values(facts, fixes)


@dataclass(frozen=True)
class CheckedTable:
    """The columns of the rows that are checked, how copies among them are found, and if there are more."""

    rows: int
    facts: Sequence[ColumnFacts]
    copies: Callable[[], tuple[int, tuple[int, ...]]]
    more: bool


def _read(data: Any, rows: Any, columns: Sequence[Name] | None) -> CheckedTable:
    """Return the first rows as facts about columns; all rows are counted if they do not fit into memory."""
    if rows is not None:
        whole_number("rows", rows, 1, expected="give how many rows to look at, or None for all")
        table, more = _first_rows(data, rows, columns)
        return _in_memory(table, more)
    data, _, large = (data, None, None) if columns is not None else rows_to_read_again(data)
    if large is None:
        return _in_memory(read_columns(data, columns=columns), False)
    source = large.source
    streamed = StreamedTable(lambda: row_tables(source, source.names))
    return CheckedTable(streamed.rows, streamed.facts, streamed.copies, False)


def _in_memory(table: Columns, more: bool) -> CheckedTable:
    facts = [ColumnFacts(name, table[name]) for name in table.names]
    return CheckedTable(table.rows, facts, partial(copies_in, facts), more)


def _first_rows(data: Any, rows: int, columns: Sequence[Name] | None) -> tuple[Columns, bool]:
    """Return the first rows as columns, and whether there are more; of a stream no more is read."""
    batches = column_batches(data, columns=columns, batch_rows=rows)
    parts, seen, more = [], 0, False
    for batch in batches:
        if seen >= rows and batch.rows:
            more = True
            break
        parts.append(batch if batch.rows <= rows - seen else row_range(batch, 0, rows - seen))
        more = more or batch.rows > rows - seen
        seen += parts[-1].rows
        if more:
            break
    del batches  # closes the file
    return joined_tables(parts), more
