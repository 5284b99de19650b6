"""What terms need that is computed before the scores, once for each row: queries FROM queries."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from bayou.sources.databases.predictions.bump_levels import bump_levels
from bayou.sources.databases.predictions.gap_levels import gap_levels
from bayou.sources.databases.predictions.score_terms import BumpTable, NormalMatrix, Places, Term


def with_levels(
    query: exp.Select, terms: Sequence[Term], places: Places, passed: Sequence[str], dialect: str
) -> exp.Select:
    """Return a query FROM ``query`` that has all ``passed`` columns, and those that the terms read."""
    names = list(passed)
    for term in terms:
        if isinstance(term, NormalMatrix) and term.gaps:
            query, names = gap_levels(query, term, places, names, dialect)
    kernels = [term for term in terms if isinstance(term, BumpTable)]
    return bump_levels(query, kernels, places, names, dialect) if kernels else query
