"""``check``: read a table, check every column, pairs of columns and the target, and report."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bayou.arguments import whole_number
from bayou.data_checks.column_checks import (
    duplicate_rows,
    empty_or_constant,
    ids,
    near_duplicates,
    untidy_name,
)
from bayou.data_checks.column_facts import ColumnFacts
from bayou.data_checks.compare_tables import differences
from bayou.data_checks.fixes import PandasFixes, PolarsFixes
from bayou.data_checks.kind_checks import wrong_kinds
from bayou.data_checks.report import SEVERITIES, Finding, Report
from bayou.data_checks.target_checks import gaps_tell, leakage, target_itself
from bayou.data_checks.value_checks import odd_values
from bayou.errors import BadQuestion, without_warnings
from bayou.progress import tracked
from bayou.schema import state_key
from bayou.sources import CodedColumn, Columns, NumberColumn, column_batches, read_columns
from bayou.sources.tables.columns import SpelledNumbers
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
    (None: all); the report says so. ``report.ok`` means that there is no error.

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
        table, more = _read(data, rows, columns)
        new = None if other is None else _read(other, rows, columns)[0]
    fixes = PolarsFixes() if type(data).__module__.split(".")[0] == "polars" else PandasFixes()
    facts = [ColumnFacts(name, table[name]) for name in table.names]
    aim = None if target is None else facts[_position(table, target)]
    # Sums of very large numbers overflow to infinity; the checks then report nothing.
    with np.errstate(all="ignore"):
        found = list(_findings(facts, aim, table.rows, fixes))
        if new is not None:
            found += differences(facts, [ColumnFacts(name, new[name]) for name in new.names], aim)
    found.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    return Report(
        tuple(found),
        table.rows,
        len(facts),
        more,
        None if aim is None else aim.name,
        {each.name: each.missing for each in facts if each.missing},
        fixes.dialect,
        None if new is None else new.rows,
    )


def _is_name(target: Any) -> bool:
    return (
        isinstance(target, Hashable)
        and not isinstance(target, os.PathLike)
        and not hasattr(target, "columns")
    )


def _position(table: Columns, target: Name) -> int:
    table[target]  # an unknown name is an error that suggests the nearest
    return next(k for k, name in enumerate(table.names) if state_key(name) == state_key(target))


def _findings(
    facts: Sequence[ColumnFacts], target: ColumnFacts | None, rows: int, fixes: PandasFixes
) -> Iterator[Finding]:
    if not rows:
        yield Finding("error", "no rows", None, "The table has no rows.")
        return
    for each in tracked(facts, "Checking columns"):
        yield from untidy_name(each.name, fixes)
        yield from empty_or_constant(each, fixes)
        yield from wrong_kinds(each, fixes)
        yield from odd_values(each, fixes)
        if each is not target:
            yield from ids(each, fixes)
    others = [each for each in facts if each is not target]
    yield from near_duplicates(others, fixes)
    yield from duplicate_rows(facts, fixes)
    if target is not None:
        yield from target_itself(target, fixes)
        for each in others:
            yield from leakage(each, target, fixes)
        yield from gaps_tell(others, target, fixes)


def _read(data: Any, rows: Any, columns: Sequence[Name] | None) -> tuple[Columns, bool]:
    """Return the first rows as columns, and whether there are more."""
    if rows is not None:
        whole_number("rows", rows, 1, expected="give how many rows to look at, or None for all")
    if rows is None:
        return read_columns(data, columns=columns), False
    if isinstance(data, str | os.PathLike):
        batches = column_batches(data, columns=columns, batch_rows=rows)
        first = next(batches)
        more = any(batch.rows for batch in batches)
        del batches  # closes the file, of which no more is read
        return first, more
    table = read_columns(data, columns=columns)
    if table.rows <= rows:
        return table, False
    return Columns(table.names, [_head(table[name], rows) for name in table.names], rows), True


def _head(column: CodedColumn | NumberColumn, rows: int) -> CodedColumn | NumberColumn:
    if isinstance(column, SpelledNumbers):
        written = _head(column.written, rows)
        assert isinstance(written, CodedColumn)
        return SpelledNumbers(written, column.meanings)
    if isinstance(column, NumberColumn):
        return NumberColumn(column.values[:rows], column.integral, column.kind)
    return replace(column, codes=column.codes[:rows])
