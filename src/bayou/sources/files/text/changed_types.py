"""Columns that have numbers in one text file of a table and words in another: an error that says where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bayou.errors import BadFile
from bayou.sources.files.duckdb_reading import as_bad_file, connect
from bayou.sources.files.text.text_kinds import GAP_WORD, Kinds, kinds_query, spelling_of
from bayou.sources.tables.number_text import is_gap_word, spells_numbers
from bayou.typing import Name

_HEAD = 100
"""Rows of each file that show whether it may have numbers in a column."""


def refuse_changed_types(files: Sequence[tuple[str, str]], columns: Mapping[int, Name]) -> None:
    """Raise if one of the files has numbers only in one of these columns, and another one has words there.

    ``files`` are paths and the SQL of their rows; ``columns`` are those that have words in some file, by
    their positions. All rows are looked through only where the first ones of a file have numbers.
    """
    suspicious: set[int] = set()
    for path, query in files:
        with as_bad_file(path):
            head = connect().execute(f"select * from ({query}) limit {_HEAD}").fetchall()
        suspicious |= {place for place in columns if _are_numbers([row[place] for row in head])}
    for place in sorted(suspicious):
        _refuse_changed_type(files, place, columns[place])


def _are_numbers(cells: Sequence[str | None]) -> bool:
    values = [cell for cell in dict.fromkeys(cells) if cell is not None and not is_gap_word(cell)]
    return bool(values) and spells_numbers(values)


def _refuse_changed_type(files: Sequence[tuple[str, str]], place: int, name: Name) -> None:
    numbers: str | None = None
    words: tuple[str, Any] | None = None
    for path, query in files:
        has_numbers, word = _content(path, query, f"c{place}")
        if has_numbers:
            numbers = numbers or path
        elif word is not None:
            words = words or (path, word)
    if numbers is not None and words is not None:
        path, word = words
        raise BadFile.at(
            path,
            f"column {name!r} has {word!r} here, but numbers only in {numbers}; the files of one table need "
            f"the same types. Correct the file, say which words mean a missing value "
            f"(bayou.from_file(…, na={word!r})), or declare the column's states as text "
            f"(states={{{name!r}: [{word!r}, …]}}).",
        )


def _content(path: str, query: str, cell: str) -> tuple[bool, str | None]:
    """Whether a file has numbers and nothing else in a column, and the first other text."""
    number = f"try_cast(nullif({cell}, '') as double)"
    kinds = kinds_query(cell, "n")
    rows = f"select {cell}, {number} as n from ({query})"
    other = f"n is null and {cell} <> '' and not regexp_full_match({cell}, '{GAP_WORD}')"
    with as_bad_file(path):
        (found,) = connect().execute(f"select {kinds} from ({rows})").fetchone()
        word = connect().execute(f"select {cell} from ({rows}) where {other} limit 1").fetchone()
    return spelling_of(Kinds(found or 0)).numbers, None if word is None else word[0]
