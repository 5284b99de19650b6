"""Sums of normal densities of one number, as queries FROM queries: the largest bump first, then the sum.

The bumps of a class are rows of VALUES, which a subquery adds up for each row of the table: an expression
with a term for each bump would keep databases busy for minutes before they begin.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sqlglot import exp

from bayou.errors import BadQuestion
from bayou.sources.databases.drivers.statements import column, named
from bayou.sources.databases.predictions.nested_queries import outer
from bayou.sources.databases.predictions.score_terms import BumpTable, Places
from bayou.special_functions import LOG_TWO_PI
from bayou.typing import FloatArray

_DIALECTS = ("postgres", "duckdb", "sqlite")


def bump_levels(
    query: exp.Select, terms: Sequence[BumpTable], places: Places, passed: Sequence[str], dialect: str
) -> exp.Select:
    """Return a query FROM ``query`` that has all ``passed`` columns, and the log of each sum."""
    if dialect not in _DIALECTS:
        first = terms[0].name
        raise BadQuestion(
            f"The feature {first!r} is modelled as a kernel, which is written for {', '.join(_DIALECTS)} "
            f"only. Choose another model of it: NaiveBayes({{{first!r}: 'gaussian'}}), or "
            f"NaiveBayes({{{first!r}: 'discretised'}}), which cuts its numbers into ranges; or export to "
            "Python or JavaScript."
        )
    each = [(term, place) for term in terms for place in range(len(term.bumps))]
    query, tops = outer(query, passed, dialect), []
    for term, place in each:
        tops.append(f"{term.sum_name(place, places)}top")
        query = query.select(named(_largest(term, place, places), tops[-1], copy=False), copy=False)
    query = outer(query, [*passed, *tops], dialect)
    for (term, place), top in zip(each, tops, strict=True):
        total = exp.Add(this=column(top), expression=exp.Ln(this=_sum(term, place, places, top, dialect)))
        query = query.select(named(total, term.sum_name(place, places), copy=False), copy=False)
    return query


def _largest(term: BumpTable, place: int, places: Places) -> exp.Expression:
    return _over(term.bumps[place], f"MAX({_log(term, places)})")


def _sum(term: BumpTable, place: int, places: Places, top: str, dialect: str) -> exp.Expression:
    """The sum of the bumps divided by the largest: each is at least e^-700, which PostgreSQL can compute."""
    greatest = "MAX" if dialect == "sqlite" else "GREATEST"
    return _over(term.bumps[place], f'SUM(EXP({greatest}({_log(term, places)} - t."{top}", -7.0e2)))')


def _log(term: BumpTable, places: Places) -> str:
    x = f't."{places[term.name]}"'
    return f"b.l - b.h * ({x} - b.m) * ({x} - b.m)"


def _over(bumps: FloatArray, aggregate: str) -> exp.Expression:
    """An aggregate of the bumps of a class: (log of the height, mean, 1 / 2σ²)."""
    logs, means, widths = bumps.T
    rows = np.column_stack([logs - np.log(widths) - 0.5 * LOG_TWO_PI, means, 0.5 / widths / widths])
    values = ", ".join(f"({log:.16e}, {m:.16e}, {h:.16e})" for log, m, h in rows.tolist())
    return exp.Var(this=f"(WITH b(l, m, h) AS (VALUES {values}) SELECT {aggregate} FROM b)")
