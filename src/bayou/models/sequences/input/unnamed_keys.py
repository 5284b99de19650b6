"""Columns that nobody named as keys but that look like them: dates, row numbers, names of sequences.

A model of all columns of a table would take them for observations, which hides what the others show.
"""

from __future__ import annotations

import datetime as dt
import math
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.errors import BadData, BayouError, warn_user
from bayou.schema import label
from bayou.sources import CodedColumn, Columns, FileSource, TableSource, open_source
from bayou.sources.ctrl_c import closed_after
from bayou.sources.files.file_kinds import open_file
from bayou.sources.row_tables import first_table
from bayou.statistics import Source
from bayou.typing import FloatArray, IntArray, Name

_LOOKED_AT = 10_000
"""So many rows show what a column is."""
_FEW_ROWS = 8
"""Fewer rows, or shorter stretches of counting, show nothing."""
_MANY_ROWS = 20
"""Symbols that all differ in at least so many rows are names."""
_FEWEST_PAIRS = 6
"""Fewer rows say nothing about two columns."""
_BY_CHANCE = (math.log(1e-4), math.log(0.02))
"""Less likely than this, rows that differ in two columns are numbered by them (second: named so)."""
_OF_SEQUENCES = re.compile(r"(?:.*[\W_])?(?:id|key|uuid|guid|seq|sequence|series|session)|.*[a-z](?:Id|ID)")
_OF_TIMES = re.compile(
    r"(?:.*[\W_])?(?:t|time|date|day|datetime|timestamp|step|hour|minute|second|week|month|year)|.*[a-z](?:Time|Date)"
)


def refuse_unnamed_keys(source: Source, names: Sequence[Name], *, leave_out: str) -> None:
    """Refuse dates among columns that were not named, and warn of those that look like times or sequences.

    ``leave_out`` says how a column is left out; it has the place of the name in braces.

    >>> from bayou.sources import open_source
    >>> frame = open_source({"day": [dt.date(2024, 1, 1), dt.date(2024, 1, 2)], "x": [1, 2]})
    >>> refuse_unnamed_keys(frame, ["day", "x"], leave_out="drop it")
    Traceback (most recent call last):
    bayou.errors.BadData: Column 'day' has dates (2024-01-01, …), which are no observations. ...
    """
    table = first_table(source, list(names))
    pair = _pair(table, names)
    for key in _found(table, [name for name in names if name not in pair]):
        fix = f"If it says {key.says}, give {key.argument}={key.name!r}; if it is no observation, "
        fix += f"{leave_out.format(key.name)}."
        if key.kind == _DATES:
            raise BadData(f"Column {key.name!r} {key.why}, which are no observations. {fix}")
        warn_user(f"Column {key.name!r} {key.why}; it is learned as an observation. {fix}")
    if pair:
        shown, fix = _told(pair)
        if _first_date(table[pair[1]]) is not None:
            raise BadData(f"{shown}, and dates are no observations. {fix}")
        either = leave_out.format(pair[0])
        warn_user(f"{shown}; they are learned as observations. {fix} If one is no observation, {either}.")


def tell_unused_keys(data: Any, used: Collection[Name], sequence: Name | None, time: Name | None) -> None:
    """Warn of columns that a model does not read, if they look like the times or the names of sequences that
    nobody named: then rows may be in the wrong order, or of several sequences that are taken as one.

    The first rows of the table show it. Row numbers and rising times in the order of the rows change nothing,
    and nothing is said of them.
    """
    if sequence is not None and time is not None:
        return
    names = [name for name in _names_of(data) if name not in used and name not in (sequence, time)]
    if not names:
        return
    try:
        table = _first_rows(data, [*names, *([sequence] if sequence is not None else [])])
    except BayouError:  # columns that nobody reads need not be fit to be read
        return
    pair = _pair(table, names, sequence) if time is None else ()
    if pair and not (sequence is not None and _rises_in_each(table[pair[0]], table[pair[1]])):
        shown, fix = _told(pair, sequence)
        warn_user(f"{shown}, but nothing says so: {_TAKEN[sequence is None]}. {fix}")
    for key in _found(table, [name for name in names if name not in pair]):
        given = time if key.argument == "time" else sequence
        if given is None and not (pair and key.argument == "sequence") and key.matters(table):
            taken = _TAKEN[key.argument == "sequence"]
            fix = f"If it says {key.says}, give {key.argument}={key.name!r}."
            warn_user(f"Column {key.name!r} {key.why}, and is not used: {taken}. {fix}")


def names_of_times(source: Source, names: Sequence[Name]) -> list[Name]:
    """Those of some columns that look like times."""
    if not names:
        return []
    return [key.name for key in _found(first_table(source, list(names)), names) if key.argument == "time"]


_DATES, _IN_ORDER, _IN_DISORDER, _NAMES = "dates", "in order", "in disorder", "names"
_TAKEN = ("rows are taken in the order of the table", "all rows are taken as one sequence")


@dataclass(frozen=True)
class _Key:
    """A column that looks like a key, and why."""

    name: Name
    why: str
    kind: str

    @property
    def argument(self) -> str:
        return "sequence" if self.kind == _NAMES else "time"

    @property
    def says(self) -> str:
        return "which sequence a row belongs to" if self.kind == _NAMES else "in which order the rows come"

    def matters(self, table: Columns) -> bool:
        """Whether the rows would be taken otherwise if the column was named."""
        if self.kind != _NAMES:
            return self.kind != _IN_ORDER
        return len(np.unique(_values(table[self.name]))) < table.rows


def _found(table: Columns, names: Sequence[Name]) -> Iterator[_Key]:
    for name in names:
        date = _first_date(table[name])
        if date is not None:
            yield _Key(name, f"has dates ({label(date).removesuffix(' 00:00:00')}, …)", _DATES)
            continue
        found = _of_values(str(name), table[name])
        if found is not None:
            yield _Key(name, *found)


def _told(pair: tuple[Name, Name], sequence: Name | None = None) -> tuple[str, str]:
    """(what two columns look like, what to do)."""
    named = "" if sequence is not None else f"sequence={pair[0]!r}, "
    fix = f"If {pair[1]!r} is the time in each {pair[0]!r}, give {named}time={pair[1]!r}."
    return f"Columns {pair[0]!r} and {pair[1]!r} together number the rows: no two are the same in both", fix


def _pair(table: Columns, names: Sequence[Name], sequence: Name | None = None) -> Any:
    """(sequence, time): two columns whose values repeat while no row has the same of both; () without any.

    Times are whole numbers or dates. Rows that all differ must be unlikely by chance: that n rows fall into
    different ones of m cells has the probability m! / (m - n)! / m^n, if they are independent, or less.
    """
    coded = {name: _ranks(table[name]) for name in dict.fromkeys([*names, *([sequence] if sequence else [])])}
    several = {name: ranks for name, ranks in coded.items() if ranks is not None}
    found: list[tuple[int, int, Name, Name]] = []
    for when in names:
        if when not in several or not _may_be_time(str(when), table[when]):
            continue
        for which in [sequence] if sequence is not None else names:
            if which not in several or which == when:
                continue
            named = bool(_OF_TIMES.fullmatch(str(when))) - bool(_OF_TIMES.fullmatch(str(which)))
            if _numbers_rows(several[which], several[when], _BY_CHANCE[named > 0]):
                found.append((named, int(several[when].max()), which, when))
    return max(found, key=lambda one: one[:2])[2:] if found else ()


def _numbers_rows(first: IntArray, second: IntArray, likely: float) -> bool:
    rows, cells = len(first), (int(first.max()) + 1) * (int(second.max()) + 1)
    if rows < _FEWEST_PAIRS or cells < rows:
        return False
    chance = math.lgamma(cells + 1) - math.lgamma(cells - rows + 1) - rows * math.log(cells)
    return chance < likely and len(np.unique(first * (int(second.max()) + 1) + second)) == rows


def _rises_in_each(which: Any, when: Any) -> bool:
    """Whether the rows of each sequence are in the order of their times; dates may leave out some, too."""
    order = np.argsort(_values(which), kind="stable")
    same, later = np.diff(_values(which)[order]) == 0, np.diff(_values(when)[order]) > 0
    return _first_date(when) is None and bool(np.all(later[same]))


def _ranks(column: Any) -> IntArray | None:
    """The values as numbers 0, 1, …; None if they do not repeat, if some are missing, or of measurements."""
    if not isinstance(column, CodedColumn) and column.kind == "float":
        return None
    values = _values(column)
    if len(values) < _FEWEST_PAIRS or np.isnan(values).any() or _is_truth(column):
        return None
    ranks: IntArray = np.unique(values, return_inverse=True)[1].astype(np.int64)
    return ranks if 0 < int(ranks.max()) < len(values) - 1 else None


def _may_be_time(name: str, column: Any) -> bool:
    """Whether a column has dates or whole numbers, or the name of a time."""
    if not isinstance(column, CodedColumn):
        return True
    whole = all(isinstance(one, int) for one in column.labels)
    return whole or _first_date(column) is not None or _OF_TIMES.fullmatch(name) is not None


def _is_truth(column: Any) -> bool:
    return isinstance(column, CodedColumn) and all(isinstance(one, bool) for one in column.labels)


def _values(column: Any) -> FloatArray:
    """The first values as numbers, those of symbols as codes; NaN where they are missing."""
    if isinstance(column, CodedColumn):
        codes = column.codes[:_LOOKED_AT]
        return np.where(codes == column.missing_code, np.nan, codes.astype(np.float64))
    return np.asarray(column.first_values(_LOOKED_AT), dtype=np.float64)


def _names_of(data: Any) -> Sequence[Name]:
    """The columns of a table; none of data that can be read once, or only by asking a server."""
    if isinstance(data, str | os.PathLike):
        return tuple(open_file(data).names)
    if isinstance(data, FileSource | TableSource):
        return data.names
    if isinstance(data, Mapping):
        return [
            name for name, cells in data.items() if hasattr(cells, "__len__") and not isinstance(cells, str)
        ]
    if hasattr(data, "column_names") and hasattr(data, "slice"):  # of Arrow
        return list(data.column_names)
    return list(data.columns) if hasattr(data, "iloc") or hasattr(data, "get_column") else ()


def _first_rows(data: Any, names: Sequence[Name]) -> Columns:
    if isinstance(data, str | os.PathLike):
        with closed_after(open_file(data).batches(list(names), (), _LOOKED_AT)) as batches:
            return next(batches)
    if isinstance(data, Mapping):
        data = {name: cells[:_LOOKED_AT] for name, cells in data.items() if name in names}
    elif not isinstance(data, FileSource | TableSource):
        data = data.head(_LOOKED_AT) if hasattr(data, "head") else data.slice(0, _LOOKED_AT)
    return first_table(open_source(data), list(names))


def _first_date(column: Any) -> Any:
    """The first date of a column that has nothing else."""
    if not isinstance(column, CodedColumn) or not column.labels:
        return None
    if not all(isinstance(one, dt.date | dt.timedelta) for one in column.labels):
        return None
    return column.labels[0]


def _of_values(name: str, column: Any) -> tuple[str, str] | None:
    """(why values look like keys, of which kind)."""
    values = _values(column)
    seen = values[~np.isnan(values)]
    if isinstance(column, CodedColumn):
        return None if _is_truth(column) else _of_symbols(name, seen, len(values))
    counting = _of_numbers(name, seen, column.kind) if len(seen) == len(values) else None
    if counting is not None or column.kind == "float":
        return counting
    return _of_symbols(name, seen, len(values))


def _of_numbers(name: str, values: FloatArray, kind: str) -> tuple[str, str] | None:
    """Why numbers look like times."""
    if len(values) < _FEW_ROWS:
        return None
    jumps = np.diff(values)
    usual = float(jumps[0])
    back = np.flatnonzero(~np.isclose(jumps, usual, rtol=1e-6, atol=0.0))
    if usual > 0 and not len(back):
        return f"counts from {values[0]:g} to {values[-1]:g} in steps of {usual:g}", _IN_ORDER
    starts = np.concatenate([[0], back + 1, [len(values)]])
    again = np.all(values[starts[1:-1]] <= values[0] + usual) and np.all(jumps[back] < 0)
    if usual > 0 and again and np.diff(starts).min() >= _FEW_ROWS:
        return f"counts from {values[0]:g} again and again", _IN_DISORDER
    is_time = _OF_TIMES.fullmatch(name) is not None
    if is_time and np.all(jumps > 0):
        return "rises from row to row, and its name is that of a time", _IN_ORDER
    ordered = np.diff(np.sort(values))
    if ordered[0] > 0 and np.allclose(ordered, ordered[0], rtol=1e-6, atol=0.0) and not np.all(jumps < 0):
        ends = f"from {values.min():g} to {values.max():g}"
        return f"has all numbers {ends} in steps of {ordered[0]:g}, in another order", _IN_DISORDER
    if is_time and kind != "float" and np.all(ordered > 0):
        return "has another value in every row, and its name is that of a time", _IN_DISORDER
    return None


def _of_symbols(name: str, values: FloatArray, rows: int) -> tuple[str, str] | None:
    """Why symbols look like names of sequences."""
    different = len(np.unique(values))
    if _OF_SEQUENCES.fullmatch(name) and different > 1:
        return f"has {different} different values, and its name is that of a key", _NAMES
    if different == rows >= _MANY_ROWS:
        return "has another value in every row", _NAMES
    return None
