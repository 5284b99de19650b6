"""Netica's case files (``.cas``) as lines of cells: comments, separators, quotes and braces.

A file begins with ``// ~->[CASE-1]->~``, then comes a line with the names of the columns, then one line for
each case. The columns ``IDnum`` (the number of a case) and ``NumCases`` (how many such cases there are) need
not be there. Cells are separated by tabs, by commas or by blanks; ``*`` is a value that is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bayou.errors import BadFile

FIRST_LINE = "// ~->[CASE-1]->~"
MARK = b"// ~->[CASE"
"""How case files begin."""
NUMBER, WEIGHT = "IDnum", "NumCases"
UNKNOWN = frozenset({"", "*", "?"})
"""Cells that say nothing."""
_COMMENT = re.compile(r"(^|\s)//.*")
_CELL = re.compile(r'"(?:[^"]|"")*"|~?\{[^{}]*\}|[^\s,{}"]+')
_LONGEST = 1 << 24
"""The most characters of a line: a file without line ends is no case file."""


@dataclass(frozen=True)
class CaseRow:
    """One case: the line it stands in (counting from 1), and a cell for each column."""

    line: int
    cells: Sequence[str]


@dataclass(frozen=True)
class CaseTable:
    """The names of all columns of a case file, in order, and its rows, which can be read once."""

    names: Sequence[str]
    rows: Iterator[CaseRow]

    def place(self, name: str) -> int | None:
        """The place of a column that Netica's files have, however it is capitalised; None if it is not there.

        >>> CaseTable(["IDNum", "smoke"], iter(())).place(NUMBER)
        0
        """
        found = (k for k, known in enumerate(self.names) if known.casefold() == name.casefold())
        return next(found, None)

    @property
    def variables(self) -> list[int]:
        """The places of the columns that are variables."""
        own = (self.place(NUMBER), self.place(WEIGHT))
        return [place for place in range(len(self.names)) if place not in own]


def case_table(lines: Iterator[str], path: Any) -> CaseTable:
    """Read the head of a case file; the rows are read as they are asked for.

    >>> lines = ["// ~->[CASE-1]->~", "IDnum smoke lung", "1 yes {yes, no}  // odd"]
    >>> table = case_table(iter(lines), "a.cas")
    >>> table.names, [row.cells for row in table.rows]
    (['IDnum', 'smoke', 'lung'], [['1', 'yes', '{yes, no}']])
    """
    numbered = _without_comments(lines, path)
    head = next(numbered, None)
    if head is None:
        raise BadFile.at(path, "the file has no line with the names of the columns.")
    number, line = head
    separator = "\t" if "\t" in line.strip() else "," if "," in line else " "
    names = _cells(line, separator)
    while names and not names[-1]:
        names.pop()
    for place, name in enumerate(names):
        if not name or name in names[:place]:
            problem = "has no name" if not name else f"has the name {name!r}, which another one has, too"
            raise BadFile.at(path, f"line {number}: column {place + 1} {problem}.")
    return CaseTable(names, _rows(numbered, separator, len(names), path))


def _rows(lines: Iterator[tuple[int, str]], separator: str, width: int, path: Any) -> Iterator[CaseRow]:
    for number, line in lines:
        cells = _cells(line, separator)
        while len(cells) > width and not cells[-1]:
            cells.pop()
        if separator == "\t":
            cells += [""] * (width - len(cells))  # editors cut off tabs at the end of a line
        if len(cells) != width:
            raise BadFile.at(
                path, f"line {number} has {len(cells)} values; expected {width}, one for each column."
            )
        yield CaseRow(number, cells)


def _without_comments(lines: Iterator[str], path: Any) -> Iterator[tuple[int, str]]:
    """The lines that say something, with their numbers."""
    for number, line in enumerate(lines, 1):
        if len(line) > _LONGEST:
            raise BadFile.at(path, f"line {number} is too long for a case file.")
        text = _COMMENT.sub("", line.rstrip("\r\n"))
        if text.strip():
            yield number, text


def _cells(line: str, separator: str) -> list[str]:
    """The cells of a line without blanks and quotes around them; separators in quotes and braces are kept.

    >>> _cells("yes,{a, b},,~{c}", ","), _cells('1 "New York"  *', " ")
    (['yes', '{a, b}', '', '~{c}'], ['1', 'New York', '*'])
    """
    if separator == " ":
        return [unquoted(cell) for cell in _CELL.findall(line)]
    if separator == "," and ("{" in line or '"' in line):
        parts, start, depth, quoted = [], 0, 0, False
        for place, sign in enumerate(line):
            quoted ^= sign == '"'
            if not quoted:
                depth += (sign == "{") - (sign == "}")
            if sign == separator and depth <= 0 and not quoted:
                parts.append(line[start:place])
                start = place + 1
        return [unquoted(part) for part in (*parts, line[start:])]
    return [unquoted(cell) for cell in line.split(separator)]


def unquoted(cell: str) -> str:
    """A cell without the blanks and quotes around it."""
    cell = cell.strip()
    if len(cell) > 1 and cell[0] == cell[-1] == '"':
        return cell[1:-1].replace('""', '"')
    return cell


def set_in(cell: str) -> tuple[list[str], bool] | None:
    """The states that a cell lists, and whether it says that it is none of them; None if it lists none.

    >>> set_in("{low, high}"), set_in("~low"), set_in("low")
    ((['low', 'high'], False), (['low'], True), None)
    """
    without = cell.startswith("~")
    inner = cell[1:].strip() if without else cell
    if inner.startswith("{") and inner.endswith("}"):
        return [unquoted(item) for item in _items(inner[1:-1])], without
    return ([unquoted(inner)], True) if without else None


def _items(text: str) -> list[str]:
    """The parts of a list: between commas, or between blanks where there are no commas."""
    return _CELL.findall(text) if "," not in text else _cells_of_list(text)


def _cells_of_list(text: str) -> list[str]:
    parts = re.findall(r'(?:"(?:[^"]|"")*"|[^",])+', text)
    return [part for part in (part.strip() for part in parts) if part]
