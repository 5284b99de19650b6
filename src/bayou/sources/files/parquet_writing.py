"""Writing Parquet files with duckdb."""

from __future__ import annotations

import glob
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bayou.errors import BadFile, MissingPackage
from bayou.schema import Variable


def parquet_from_csv(source: Path, target: Path, variables: Iterable[Variable]) -> None:
    """Convert a CSV file with a header to Parquet, in bounded memory; columns get the types of their states.

    Columns keep their order, and their names become text. Two names that differ only in case are refused,
    because SQL cannot distinguish them.
    """
    try:
        import duckdb
    except ImportError:
        raise MissingPackage.needed("duckdb", "Writing Parquet") from None
    columns = list(variables)
    _check_names(target, [str(variable.name) for variable in columns])
    typed = ", ".join(f"{_text(str(v.name))}: '{_sql_type(v)}'" for v in columns)
    statement = (
        f"copy (select * from read_csv({_text(glob.escape(str(source)))}, auto_detect=false, header=true, "
        f"delim=',', quote='\"', escape='\"', allow_quoted_nulls=false, columns={{{typed}}})) "
        f"to {_text(str(target))} (format parquet)"
    )
    try:
        with duckdb.connect() as connection:
            connection.execute(statement)
    except duckdb.Error as error:
        raise BadFile.at(target, f"cannot be written: {str(error).splitlines()[0]}") from None


def _sql_type(variable: Variable) -> str:
    kinds: set[Any] = {type(state) for state in variable.states}
    if variable.is_continuous or kinds == {float}:
        return "DOUBLE"
    if kinds == {int} and all(isinstance(s, int) and -(2**63) <= s < 2**63 for s in variable.states):
        return "BIGINT"
    return "BOOLEAN" if kinds == {bool} else "VARCHAR"


def _check_names(target: Path, names: list[str]) -> None:
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.casefold(), name)
        if other is not name:
            raise BadFile.at(
                target,
                f"Parquet cannot hold both {other!r} and {name!r}, which differ only in case; write CSV.",
            )


def _text(value: str) -> str:
    """A quoted SQL string."""
    return "'" + value.replace("'", "''") + "'"
