"""What statements of common table expressions are made of: names, numbers, the cells of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlglot import exp

from bayou.errors import BadQuestion
from bayou.exporting.programs import Input
from bayou.sources.databases.drivers.statements import column, named
from bayou.sources.databases.predictions.cells_in_sql import CellsInSql
from bayou.sources.databases.predictions.prediction_query import from_table
from bayou.typing import Name

WITH_TABLES = ("postgres", "duckdb", "sqlite")
"""The dialects whose common table expressions and VALUES are written here."""


def require_dialect(dialect: str) -> None:
    """Refuse other dialects."""
    if dialect not in WITH_TABLES:
        raise BadQuestion.choice("dialect", dialect, WITH_TABLES)


def number(value: float) -> str:
    """A real number with all its digits; with an exponent, so that no database takes it for a decimal."""
    return f"{float(value):.16e}"


def double(dialect: str) -> str:
    """The type of real numbers."""
    return {"postgres": "DOUBLE PRECISION", "duckdb": "DOUBLE", "sqlite": "REAL"}[dialect]


def coded_cells(
    table: str, inputs: Sequence[Input], dialect: str, keep: Sequence[str], days: Mapping[Name, str]
) -> exp.Select:
    """SELECT the columns to keep (k0, …) and the codes and numbers of the inputs (c0, …) FROM a table."""
    cells = CellsInSql(dialect, days)
    query = exp.select(*(named(column(name), f"k{place}") for place, name in enumerate(keep)))
    for place, each in enumerate(inputs):
        variable = each.variable
        cell = cells.code(variable) if variable.states else cells.value(str(each.name))
        query = query.select(named(cell, f"c{place}"), copy=False)
    return query.from_(from_table(table))


def listed_columns(names: Iterable[str], of: str) -> str:
    """Columns of a table, with a comma after each."""
    return "".join(f"{of}.{name}, " for name in names)


def joined_ctes(ctes: Sequence[tuple[str, str]], recursive: bool = False) -> str:
    """WITH all of these, one a line."""
    start = "WITH RECURSIVE" if recursive else "WITH"
    return start + ",\n".join(f"\n{name} AS (\n{text}\n)" for name, text in ctes) + "\n"
