"""A normal density of several numbers with gaps, as queries FROM queries: Cholesky's steps, one by one.

Column j has L[i, j] for i ≥ j, and z[j] = (x[j] − μ[j] − Σ L[j, k] z[k]) / L[j, j]. A number that is missing
has 1 on the diagonal and 0 elsewhere: it adds nothing, and nothing is subtracted for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sqlglot import exp

from bayou.sources.databases.drivers.statements import column, named
from bayou.sources.databases.predictions.expressions import case, number_literal
from bayou.sources.databases.predictions.nested_queries import outer
from bayou.sources.databases.predictions.score_terms import NormalMatrix, Places


def gap_levels(
    query: exp.Select, term: NormalMatrix, places: Places, passed: Sequence[str], dialect: str
) -> tuple[exp.Select, list[str]]:
    """Return a query FROM ``query`` that has all ``passed`` columns and those of the steps; their names."""
    steps = _Steps(term, places)
    names = list(passed)
    for j in range(len(term.numbers)):
        for made in (steps.diagonal(j), steps.below(j)):
            query = outer(query, names, dialect)
            for name, expression in made:
                query = query.select(named(expression, name, copy=False), copy=False)
            names += [name for name, _ in made]
    return query, names


class _Steps:
    """The columns of each step."""

    def __init__(self, term: NormalMatrix, places: Places) -> None:
        self.term = term
        self.x = [places[name] for name in term.numbers]

    def root(self, covariance: int, i: int, j: int) -> str:
        return f"{self.x[0]}l{covariance}_{i}_{j}"

    def white(self, place: int, j: int) -> str:
        return f"{self.x[0]}z{place}_{j}"

    def diagonal(self, j: int) -> list[tuple[str, exp.Expression]]:
        """L[j, j] of each covariance."""
        made = []
        for c, covariance in enumerate(self.term.covariances):
            own = [self.root(c, j, k) for k in range(j)]
            rest = _less(number_literal(covariance[j, j]), zip(own, own, strict=True))
            made.append((self.root(c, j, j), self._if_seen(j, exp.Sqrt(this=rest), 1.0)))
        return made

    def below(self, j: int) -> list[tuple[str, exp.Expression]]:
        """L[i, j] below the diagonal, and z[j] of each class."""
        made = []
        for c, covariance in enumerate(self.term.covariances):
            own = [self.root(c, j, k) for k in range(j)]
            for i in range(j + 1, len(self.x)):
                pairs = zip([self.root(c, i, k) for k in range(j)], own, strict=True)
                part = self._over(_less(number_literal(covariance[i, j]), pairs), c, j)
                made.append((self.root(c, i, j), self._if_seen(i, self._if_seen(j, part, 0.0), 0.0)))
        for place, away in enumerate(self.distances(j)):
            c = place % len(self.term.covariances)
            pairs = zip(
                [self.root(c, j, k) for k in range(j)], [self.white(place, k) for k in range(j)], strict=True
            )
            part = self._over(_less(exp.Paren(this=away), pairs), c, j)
            made.append((self.white(place, j), self._if_seen(j, part, 0.0)))
        return made

    def distances(self, j: int) -> Iterator[exp.Expression]:
        """x − μ of each class; with a centre μ − centre of each class, and x − centre last."""
        term, x = self.term, column(self.x[j], "t")
        if term.centre is None:
            for mean in term.means:
                yield exp.Sub(this=x.copy(), expression=number_literal(mean[j]))
            return
        for mean in term.means:
            yield number_literal(mean[j] - term.centre[j])
        yield exp.Sub(this=x, expression=number_literal(term.centre[j]))

    def _over(self, rest: exp.Expression, covariance: int, j: int) -> exp.Expression:
        return exp.Div(
            this=exp.Paren(this=rest),
            expression=column(self.root(covariance, j, j), "t"),
            typed=True,
            safe=False,
        )

    def _if_seen(self, j: int, expression: exp.Expression, otherwise: float) -> exp.Expression:
        missing = exp.Is(this=column(self.x[j], "t"), expression=exp.null())
        return case([(missing, number_literal(otherwise))], expression)


def _less(first: exp.Expression, pairs: Iterable[tuple[str, str]]) -> exp.Expression:
    """A number less the products of pairs of columns."""
    for a, b in pairs:
        product = exp.Mul(this=column(a, "t"), expression=column(b, "t"))
        first = exp.Sub(this=first, expression=product)
    return first
