"""Queries FROM queries, whose expressions databases compute once."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from bayou.sources.databases.drivers.statements import column


def outer(inner: exp.Select, names: Sequence[str], dialect: str) -> exp.Select:
    """SELECT these columns FROM an inner query.

    PostgreSQL and SQLite would put inner expressions in the place of outer columns, each as often as it is
    used, unless the inner query has an OFFSET.
    """
    if dialect == "sqlite":
        inner = inner.limit(-1, copy=False)
    if dialect in ("postgres", "sqlite"):
        inner = inner.offset(0, copy=False)
    rows = exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier("t")))
    return exp.select(*(column(name, "t") for name in names)).from_(rows)


def unnested(query: exp.Select, dialect: str) -> exp.Select:
    """The same with inner queries named beforehand, for SQLite: its parser takes about twelve levels."""
    if dialect != "sqlite":
        return query
    found, place = [], query
    while (rows := _rows_of(place)) is not None:
        found.append(rows.this)
        name = exp.to_identifier(f"level {len(found)}", quoted=True)
        rows.replace(exp.Table(this=name, alias=exp.TableAlias(this=exp.to_identifier("t"))))
        place = found[-1]
    for number in range(len(found), 0, -1):
        query = query.with_(exp.to_identifier(f"level {number}", quoted=True), found[number - 1], copy=False)
    return query


def _rows_of(query: exp.Select) -> exp.Subquery | None:
    """What a query selects from, if that is another query."""
    found = next(query.find_all(exp.From, bfs=True), None)
    rows = None if found is None else found.this
    return rows if isinstance(rows, exp.Subquery) and isinstance(rows.this, exp.Select) else None
