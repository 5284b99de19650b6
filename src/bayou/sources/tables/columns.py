"""A table in memory: named columns, each of codes with labels or of numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from bayou.codes import is_missing_code, missing_code
from bayou.errors import BadData, UnknownVariable
from bayou.schema import is_number, plain, state_key
from bayou.typing import CodeArray, FloatArray, Name, State

LARGEST_EXACT = 2**53
"""Integers from here on are not all different as float64."""

_WIDE_TABLE = 1 << 16


def count_missing(codes: CodeArray) -> int:
    """How many codes are the largest of their type; mostly none, which the maximum tells fastest.

    >>> count_missing(np.array([0, 255, 1], dtype=np.uint8))
    1
    """
    missing = missing_code(codes.dtype)
    if not len(codes) or codes.max() != missing:
        return 0
    return int(np.count_nonzero(codes == missing))


@dataclass(frozen=True)
class CodedColumn:
    """A discrete column as its own data has it; the largest code of the array's type means 'missing'.

    ``declared`` says that the labels come from a categorical type: all categories, also those never
    seen, in their order. Otherwise labels stand in no particular order.

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
        """The code of a gap."""
        return missing_code(self.codes.dtype)

    @property
    def gaps(self) -> int:
        """How many cells are missing."""
        return count_missing(self.codes)

    def values(self) -> list[State]:
        """The column as plain values, None for a gap (slow: for tests and small tables)."""
        missing = self.missing_code
        return [None if code == missing else self.labels[code] for code in self.codes.tolist()]


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers as they came, NaN where missing.

    ``kind`` is what the data's type said; ``integral`` that every observed value is a whole number.

    >>> NumberColumn(np.array([2.0, np.nan, 1.0]), integral=True, kind="float").coded().labels
    (1, 2)
    """

    values: FloatArray
    integral: bool
    kind: Literal["int", "float"]

    def __len__(self) -> int:
        return len(self.values)

    def coded(self) -> CodedColumn:
        """The same column with its distinct numbers as labels, ascending; whole numbers as ``int``."""
        observed = ~np.isnan(self.values)
        seen = self.values[observed]
        if self.integral and len(seen) and seen.max() - seen.min() < _WIDE_TABLE:
            distinct, inverse = _small_range(seen)
        else:
            distinct, inverse = np.unique(seen, return_inverse=True)
        codes = np.full(len(self.values), -1, dtype=np.int64)
        codes[observed] = inverse
        labels = [int(value) for value in distinct] if self.integral else distinct.tolist()
        return CodedColumn(codes.astype(code_type(len(labels))), tuple(labels))


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
        # A callable builds its column anew at each access: for data that is small only while packed.
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

    def replaced(self, changes: Mapping[Name, Callable[[Column], Column]]) -> Columns:
        """The same table with some columns changed; those that are built anew at each access still are."""

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
        """A column as codes, whatever it came as."""
        column = self[name]
        return column.coded() if isinstance(column, NumberColumn) else column

    def numbers(self, name: Name) -> FloatArray:
        """A column as float64, NaN where missing; text is refused with a value that is no number."""
        column = self[name]
        if isinstance(column, NumberColumn):
            return column.values
        for label in column.labels:
            if not is_number(label):
                raise BadData(
                    f"The column {name!r} must hold numbers, but it has the value {label!r} "
                    f"(a {type(label).__name__}). Convert it, or declare the states of {name!r}."
                )
        meanings = np.array([*column.labels, np.nan], dtype=np.float64)
        positions = np.minimum(column.codes, len(column.labels)).astype(np.intp)
        result: FloatArray = meanings[positions]
        return result


def code_type(labels: int) -> type[np.uint8] | type[np.uint16] | type[np.uint32]:
    """The narrowest type for codes below ``labels`` with room for 'missing'."""
    if labels <= 0xFF:
        return np.uint8
    return np.uint16 if labels <= 0xFFFF else np.uint32


def widened(codes: CodeArray, labels: int) -> CodeArray:
    """The codes in the type that so many labels need, gaps still gaps."""
    kind = code_type(labels)
    if codes.dtype == kind:
        return codes
    return np.where(is_missing_code(codes), missing_code(kind), codes).astype(kind)


def name_index(names: Sequence[Name]) -> dict[tuple[str, Name], int]:
    """The positions of names by identity; no name at all, or one given twice, is refused."""
    if not names:
        raise BadData("The table has no columns.")
    index: dict[tuple[str, Name], int] = {}
    for position, name in enumerate(names):
        try:
            first = index.setdefault(state_key(name), position)
        except TypeError:
            raise BadData(f"A column's name must be hashable; {name!r} is not.") from None
        if first != position:
            raise BadData(
                f"Two columns are called {name!r} (the columns {first + 1} and {position + 1}). Rename one."
            )
    return index


def find_name(index: dict[tuple[str, Name], int], name: Name, known: Sequence[Name]) -> int:
    """The position of a name, or an error that suggests the nearest one."""
    try:
        return index[state_key(name)]
    except (KeyError, TypeError):
        raise UnknownVariable.named(name, known, "in the data") from None


class IfPresent(tuple[Name, ...]):
    """Wanted columns of which the data may lack some, though not all.

    >>> wanted_positions(["a", "b"], IfPresent(["b", "c"]))
    [1]
    """

    __slots__ = ()


def wanted_positions(known: Sequence[Name], wanted: Sequence[Name] | None) -> list[int]:
    """Where the wanted columns stand among the known ones; all of them where nothing is said."""
    index = name_index(known)
    if wanted is None:
        return list(range(len(known)))
    if isinstance(wanted, IfPresent):
        found = [index[state_key(name)] for name in wanted if state_key(name) in index]
        if not found:
            raise BadData.lacks(wanted, known)
        return found
    return [find_name(index, name, known) for name in wanted]


def _small_range(seen: FloatArray) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    lowest = int(seen.min())
    offsets = seen.astype(np.int64) - lowest
    present = np.bincount(offsets) > 0
    ranks = np.cumsum(present) - 1
    return np.flatnonzero(present) + lowest, ranks[offsets]
