"""The columns that Parquet files state: their names, and whether several files have the same ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bayou.errors import BadFile, listed
from bayou.sources.files.duckdb_reading import sql_paths
from bayou.sources.files.found_files import FoundFiles
from bayou.typing import Name

Leaf = tuple[str, str, int, str | None, str | None, str | None]
"""A file, a name in it, how many names are below it, its physical, converted and logical type."""


def stored_names(connection: Any, path: str) -> tuple[Name, ...]:
    """The names of the columns as they are stored in a file."""
    return tuple(name for name, _ in _top(_leaves(connection, [path])))


def check_schemas(connection: Any, files: FoundFiles) -> None:
    """Raise if several files do not have the same columns with values of the same kind, in any order."""
    if files.is_one:
        return
    by_file: dict[str, list[Leaf]] = {}
    for leaf in _leaves(connection, files.paths):
        by_file.setdefault(leaf[0], []).append(leaf)
    (first, leaves), *others = by_file.items()
    expected = dict(_top(leaves))
    _refuse_alike(first, list(expected))
    for path, leaves in others:
        found = dict(_top(leaves))
        refuse_other_columns(path, list(found), first, list(expected))
        for name, kind in found.items():
            before = expected[name]
            if not before:
                expected[name] = kind
            elif kind and kind != before:
                raise BadFile.at(
                    path,
                    f"column {name!r} has {kind} here, but {before} in {first}; the files of one table need "
                    "the same types. Write the column with one type.",
                )


def refuse_other_columns(
    path: object, found: Sequence[Name], first: object, expected: Sequence[Name]
) -> None:
    """Raise if a file does not have the same columns as the first one; their order may differ."""
    missing = [name for name in expected if name not in found]
    extra = [name for name in found if name not in expected]
    if missing:
        more = f", and it has {listed(extra)} instead" if extra else ""
        columns, are = ("column", "is") if len(missing) == 1 else ("columns", "are")
        raise BadFile.at(path, f"the {columns} {listed(missing)} of {first} {are} missing here{more}.")
    if extra:
        columns, are = ("column", "is") if len(extra) == 1 else ("columns", "are")
        raise BadFile.at(
            path, f"the {columns} {listed(extra)} {are} not in {first}; every file needs the same columns."
        )


def _refuse_alike(path: str, names: Sequence[Name]) -> None:
    seen: dict[str, Name] = {}
    for name in names:
        other = seen.setdefault(str(name).casefold(), name)
        if other is not name:
            raise BadFile.at(
                path,
                f"{other!r} and {name!r} differ only in case, which cannot be told apart in several files; "
                "rename one.",
            )


def _leaves(connection: Any, paths: Sequence[str]) -> list[Leaf]:
    found: list[Leaf] = connection.execute(
        "select file_name, name, coalesce(num_children, 0), type, converted_type, logical_type::varchar "
        f"from parquet_schema({sql_paths(paths)})"
    ).fetchall()
    return found


def _top(leaves: Sequence[Leaf]) -> Iterator[tuple[Name, str]]:
    """The names of columns and what they hold; names below them are left out."""
    below = 0
    for _, name, children, *types in leaves[1:]:  # the first is the root; then parents before children
        if below == 0:
            yield name, "nested values" if children else _held(*types)
            below = children
        else:
            below += children - 1


def _held(physical: str | None, converted: str | None, logical: str | None) -> str:
    """What a column holds, in words; "" for one that is empty by its type."""
    told = f"{converted or ''} {logical or ''}".upper()
    if "NULL" in told or "UNKNOWN" in told:
        return ""
    if physical == "BOOLEAN":
        return "truth values"
    if "DECIMAL" in told:
        return "numbers"
    if "TIMESTAMP" in told or physical == "INT96":
        return "times"
    if "DATE" in told:
        return "dates"
    if "TIME" in told:
        return "times of a day"
    if physical in ("INT32", "INT64", "FLOAT", "DOUBLE"):
        return "numbers"
    return "text"
