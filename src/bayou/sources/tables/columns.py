"""A table in memory: named columns, each of codes with labels or of numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from bayou.codes import code_type, missing_code
from bayou.errors import BadData
from bayou.schema import plain, state_key
from bayou.sources.tables.column_names import find_name, name_index
from bayou.statistics.coded_numbers import CodedNumbers
from bayou.typing import CodeArray, ColumnArray, FloatArray, Name, State

LARGEST_EXACT = 2**53
"""Integers of at least this size are not all distinct as float64."""

_WIDE_TABLE = 1 << 16
"""Whole numbers with a range below this are coded by a lookup table, not by sorting."""


def count_missing(codes: CodeArray) -> int:
    """The number of missing cells. Usually there are none, so the maximum is checked first.

    >>> count_missing(np.array([0, 255, 1], dtype=np.uint8))
    1
    """
    missing = missing_code(codes.dtype)
    if not len(codes) or codes.max() != missing:
        return 0
    return int(np.count_nonzero(codes == missing))


@dataclass(frozen=True)
class CodedColumn:
    """A discrete column in its own codes; the largest code of the array's type means 'missing'.

    ``declared``: the labels are those of a categorical type, in its order, including categories that no row
    has. Otherwise labels are in no particular order. ``ordered``: the order of the labels has a meaning.

    >>> column = CodedColumn(np.array([0, 1, 255], dtype=np.uint8), ("no", "yes"))
    >>> column.values()
    ['no', 'yes', None]
    """

    codes: CodeArray
    labels: tuple[State, ...]
    ordered: bool = False
    declared: bool = False

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def missing_code(self) -> int:
        """The code of a missing cell."""
        return missing_code(self.codes.dtype)

    @property
    def gaps(self) -> int:
        """The number of missing cells."""
        return count_missing(self.codes)

    def values(self) -> list[State]:
        """The column as plain values, None where missing (slow: for tests and small tables)."""
        missing = self.missing_code
        return [None if code == missing else self.labels[code] for code in self.codes.tolist()]


@dataclass(frozen=True)
class SpelledDates(CodedColumn):
    """A column of dates that were given as text; ``texts`` are the first of them."""

    texts: tuple[str, ...] = ()


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers, NaN where missing.

    ``kind`` is the type of the data; ``integral`` says whether every observed value is a whole number.
    ``floats``: the type is float, and the numbers count as integers because they are whole and have gaps.

    >>> NumberColumn(np.array([2.0, np.nan, 1.0]), integral=True, kind="float").coded().labels
    (1, 2)
    """

    values: FloatArray
    integral: bool
    kind: Literal["int", "float"]
    floats: bool = False

    @classmethod
    def of_floats(cls, values: FloatArray, integral: bool) -> NumberColumn:
        """Return a column of a table whose type is float: whole numbers with gaps count as integers.

        A type without gaps of its own (numpy, pandas) turns integers with gaps into floats, so that the type
        does not tell them from measurements.

        >>> NumberColumn.of_floats(np.array([2.0, np.nan]), integral=True).kind
        'int'
        """
        gaps = np.count_nonzero(np.isnan(values)) if integral else 0
        is_open = bool(0 < gaps < len(values))
        return cls(values, integral, "int" if is_open else "float", floats=is_open)

    def first_values(self, rows: int) -> FloatArray:
        """The numbers of the first rows."""
        return self.values[:rows]

    def __len__(self) -> int:
        return len(self.values)

    def coded(self) -> CodedColumn:
        """The same column with its distinct numbers as labels, ascending; whole numbers as ``int``."""
        observed = ~np.isnan(self.values)
        seen = self.values[observed]
        if self.integral and len(seen) and _is_small_range(float(seen.min()), float(seen.max())):
            distinct, inverse = _small_range(seen)
        else:
            distinct, inverse = np.unique(seen, return_inverse=True)
        codes = np.full(len(self.values), -1, dtype=np.int64)
        codes[observed] = inverse
        labels = [int(value) for value in distinct] if self.integral else distinct.tolist()
        return CodedColumn(codes.astype(code_type(len(labels))), tuple(labels))


class FewNumbers(NumberColumn):
    """A column of integers of which few differ, held as codes: a byte or two a cell.

    >>> column = FewNumbers(CodedNumbers(np.array([1, 255], dtype=np.uint8), np.array([4.0, 5.0])))
    >>> column.values.tolist(), column.coded().labels
    ([5.0, nan], (4, 5))
    """

    few: CodedNumbers

    def __init__(self, few: CodedNumbers) -> None:
        object.__setattr__(self, "few", few)
        object.__setattr__(self, "integral", True)
        object.__setattr__(self, "kind", "int")

    @property
    def values(self) -> FloatArray:
        """The numbers, NaN where missing."""
        return self.few.values

    def first_values(self, rows: int) -> FloatArray:
        """The numbers of the first rows; the others stay codes."""
        return self.few.at(slice(rows))

    def __len__(self) -> int:
        return len(self.few.codes)

    def coded(self) -> CodedColumn:
        """The same column with its numbers as labels."""
        return CodedColumn(self.few.codes, tuple(int(number) for number in self.few.distinct.tolist()))


class SpelledNumbers(NumberColumn):
    """A column of text that spells numbers with marks, such as money: measurements, or its texts as states.

    ``meanings`` has the number of each text.

    >>> texts = CodedColumn(np.array([0, 1, 255], dtype=np.uint8), ("$5.50", "12k"))
    >>> column = SpelledNumbers(texts, np.array([5.5, 12000.0]))
    >>> column.values.tolist(), column.coded().labels
    ([5.5, 12000.0, nan], ('$5.50', '12k'))
    """

    written: CodedColumn
    meanings: FloatArray

    def __init__(self, written: CodedColumn, meanings: FloatArray) -> None:
        fields = {"written": written, "meanings": meanings, "integral": False, "kind": "float"}
        self.__dict__.update(fields)  # a frozen dataclass does not allow setting attributes

    @cached_property
    def values(self) -> FloatArray:
        """The numbers, NaN where missing."""
        places = np.minimum(self.written.codes, len(self.meanings)).astype(np.intp)
        result: FloatArray = np.append(self.meanings, np.nan)[places]
        return result

    def __len__(self) -> int:
        return len(self.written)

    def coded(self) -> CodedColumn:
        """The texts as states."""
        return self.written


Column: TypeAlias = CodedColumn | NumberColumn


class Columns:
    """A table in memory, its columns found by name (``1``, ``"1"`` and ``True`` are three names).

    >>> table = Columns(["x"], [NumberColumn(np.array([1.0, 2.0]), integral=True, kind="int")], rows=2)
    >>> table.numbers("x").tolist(), table.coded("x").labels
    ([1.0, 2.0], (1, 2))
    """

    __slots__ = ("_columns", "_index", "names", "rows")

    def __init__(
        self, names: Sequence[Name], columns: Sequence[Column | Callable[[], Column]], rows: int
    ) -> None:
        self.names: tuple[Name, ...] = tuple(plain(name) for name in names)
        self.rows = rows
        self._columns = tuple(columns)
        self._index = name_index(self.names)

    def __getitem__(self, name: Name) -> Column:
        position = find_name(self._index, name, self.names)
        column = self._columns[position]
        # A callable builds its column at each access, so that e.g. a sparse matrix is never unpacked whole.
        return column() if callable(column) else column

    def __contains__(self, name: object) -> bool:
        try:
            return state_key(name) in self._index
        except TypeError:
            return False

    def __iter__(self) -> Iterator[Name]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def made_columns(self) -> Iterator[tuple[Name, Column]]:
        """The columns that are in memory by name, without those that are built at each access."""
        for name, column in zip(self.names, self._columns, strict=True):
            if not callable(column):
                yield name, column

    def replaced(self, changes: Mapping[Name, Callable[[Column], Column]]) -> Columns:
        """Return the table with some columns changed; columns built at each access are changed then."""

        def changed(
            column: Column | Callable[[], Column], change: Callable[[Column], Column] | None
        ) -> Column | Callable[[], Column]:
            if change is None:
                return column
            return (lambda: change(column())) if callable(column) else change(column)

        by_key = {state_key(name): change for name, change in changes.items()}
        columns = [
            changed(column, by_key.get(state_key(name)))
            for name, column in zip(self.names, self._columns, strict=True)
        ]
        return Columns(self.names, columns, self.rows)

    def coded(self, name: Name) -> CodedColumn:
        """A column as codes, whether it holds codes or numbers."""
        column = self[name]
        return column.coded() if isinstance(column, NumberColumn) else column

    def numbers(self, name: Name) -> FloatArray:
        """A column as float64, NaN where missing; a label that is not a number is an error that names it.

        A text that spells a number is that number.
        """
        column = self[name]
        if isinstance(column, NumberColumn):
            return column.values
        from bayou.sources.tables.label_numbers import numbers_of_labels

        meanings = numbers_of_labels(name, column.labels)
        positions = np.minimum(column.codes, len(column.labels)).astype(np.intp)
        result: FloatArray = meanings[positions]
        return result

    def seen_numbers(self, name: Name) -> tuple[FloatArray, int]:
        """A column of new rows as float64, and how many cells have a text that is no number: they are NaN.

        >>> table = Columns(["x"], [CodedColumn(np.array([0, 1], dtype=np.uint8), ("$5", "XL"))], rows=2)
        >>> table.seen_numbers("x")
        (array([ 5., nan]), 1)
        """
        column = self[name]
        if isinstance(column, NumberColumn):
            return column.values, 0
        from bayou.sources.tables.label_numbers import seen_numbers_of_labels

        meanings = seen_numbers_of_labels(name, column.labels)
        places = np.minimum(column.codes, len(column.labels)).astype(np.intp)
        unseen = np.isnan(meanings)
        unseen[-1] = False  # a gap
        values: FloatArray = meanings[places]
        return values, int(unseen[places].sum())

    def texts(self, name: Name) -> ColumnArray:
        """A column of texts, None where missing; a value that is not a text is an error that names it."""
        column = self.coded(name)
        wrong = next((label for label in column.labels if not isinstance(label, str)), None)
        if wrong is not None:
            raise BadData(
                f"The column {name!r} must hold texts, but it has the value {wrong!r}. Convert it to text."
            )
        return np.array([*column.labels, None], dtype=object)[np.minimum(column.codes, len(column.labels))]


def _is_small_range(low: float, high: float) -> bool:
    """Whether whole numbers are few enough for a lookup table, and all are exact as floats."""
    return high - low < _WIDE_TABLE and max(-low, high) < LARGEST_EXACT


def _small_range(seen: FloatArray) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The distinct whole numbers, ascending, and the position of each number among them."""
    lowest = int(seen.min())
    offsets = seen.astype(np.int64) - lowest
    present = np.bincount(offsets) > 0
    ranks = np.cumsum(present) - 1
    return np.flatnonzero(present) + lowest, ranks[offsets]
