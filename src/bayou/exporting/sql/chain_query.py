"""A hidden Markov model as a statement of SQL: a recursive common table expression walks from row to row.

``cells`` numbers the rows of each sequence (g) by their steps (n); ``emitted`` has log P(row | state), but
for a number; ``forwards`` has log P(state, rows so far), but for a number, and ``backwards``
log P(rows that follow | state), likewise. A walk takes two half steps (h) to each row: the largest term of
each sum first (m), then the sum, whose terms are divided by it. So no state is lost that is less
probable than another one by more than a real number can say, and may be the only one that can go on.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sqlglot import exp

from bayou.exporting.programs import ChainProgram, log_of
from bayou.exporting.sql.tables import coded_cells, double, joined_ctes, number, require_dialect
from bayou.sources.databases.drivers.statements import column, named
from bayou.sources.databases.predictions.nested_queries import outer, unnested
from bayou.sources.databases.predictions.score_terms import IMPOSSIBLE, Component
from bayou.sources.databases.predictions.term_levels import with_levels
from bayou.typing import FloatArray

_LEAST = number(-700.0)
"""Less than this a term does not add to a sum whose largest term is 0 (in logarithms)."""
_LOST = number(IMPOSSIBLE / 2)
"""Below it a logarithm is that of 0."""
_NEVER = number(IMPOSSIBLE)
_MOST_ARGUMENTS = 100
"""SQLite takes at most 127 arguments of a function."""


def chain_query(
    program: ChainProgram, table: str, dialect: str, keep: Sequence[str], order: str, by: Sequence[str]
) -> str:
    """Return the statement."""
    require_dialect(dialect)
    return _ChainQuery(program, table, dialect, keep, order, by).text()


class _ChainQuery:
    def __init__(
        self,
        program: ChainProgram,
        table: str,
        dialect: str,
        keep: Sequence[str],
        order: str,
        by: Sequence[str],
    ) -> None:
        self.program, self.table, self.dialect = program, table, dialect
        self.keep, self.order, self.by = [*by, order, *keep], order, by
        self.states = range(len(program.start))
        self.kept = [f"k{place}" for place in range(len(self.keep))]

    def text(self) -> str:
        """All expressions, and the shares of the states."""
        ctes = [("cells", self._cells()), ("emitted", self._emitted()), ("forwards", self._forwards())]
        if self.program.smooth:
            ctes += [
                ("ends", "SELECT g, MAX(n) AS n FROM emitted GROUP BY g"),
                ("backwards", self._backwards()),
            ]
        return joined_ctes(ctes, recursive=True) + self._shares()

    def _cells(self) -> str:
        """The codes and numbers, the number of the sequence and that of the step."""
        query = coded_cells(self.table, self.program.inputs, self.dialect, self.keep, {})
        keys = [column(name) for name in self.by]
        steps = exp.Window(
            this=exp.RowNumber(),
            partition_by=[key.copy() for key in keys],
            order=exp.Order(expressions=[exp.Ordered(this=column(self.order))]),
        )
        query = query.select(named(steps, "n"), copy=False)
        group: exp.Expression = exp.Literal.number(1)
        if keys:
            ordered = [exp.Ordered(this=key) for key in keys]
            group = exp.Window(this=exp.Anonymous(this="DENSE_RANK"), order=exp.Order(expressions=ordered))
        return str(query.select(named(group, "g"), copy=False).sql(dialect=self.dialect))

    def _emitted(self) -> str:
        """log P(row | state) − the largest of each state."""
        program, passed = self.program, [*self.kept, "g", "n"]
        places = {each.name: f"c{place}" for place, each in enumerate(program.inputs)}
        query = exp.select("*").from_("cells")
        query = with_levels(query, program.terms, places, [*passed, *places.values()], self.dialect)
        query = outer(query, passed, self.dialect)
        component = Component(0.0 * program.start, program.terms)
        for state in self.states:
            query = query.select(named(component.score(state, places), f"b{state}", copy=False), copy=False)
        rows = unnested(query, self.dialect).sql(dialect=self.dialect, copy=False)
        top = self._greatest([f"t.b{state}" for state in self.states])
        rows = f"SELECT t.*, {top} AS top FROM (\n{rows}\n) AS t"
        logs = ", ".join(
            f"CASE WHEN t.b{state} < {_LOST} THEN {self._double(IMPOSSIBLE)} "
            f"ELSE t.b{state} - t.top END AS b{state}"
            for state in self.states
        )
        columns = "".join(f't."{name}", ' for name in passed)
        return f"SELECT {columns}{logs} FROM (\n{rows}\n) AS t"

    def _forwards(self) -> str:
        """The walk from the first step of each sequence."""
        moves = log_of(self.program.transition)
        before = [_terms(moves[:, state], [f"f.a{k}" for k in self.states]) for state in self.states]
        first = log_of(self.program.start).tolist()
        starts = [
            self._added(self._double(max(log, IMPOSSIBLE)), f"e.b{state}") for state, log in enumerate(first)
        ]
        sums = [self._sum(terms, f"f.m{state}") for state, terms in enumerate(before)]
        steps = [self._added(total, f"e.b{state}") for state, total in enumerate(sums)]
        return self._walk(
            f"SELECT e.g, e.n, 0 AS h, {_named(starts, 'a')}, {{zeros}} FROM emitted AS e WHERE e.n = 1",
            [f"f.a{state}" for state in self.states],
            before,
            steps,
            "a",
            "f.n + f.h",
            "forwards AS f\nJOIN emitted AS e ON e.g = f.g AND e.n = f.n + 1",
        )

    def _backwards(self) -> str:
        """The walk from the last step of each sequence."""
        end = self.program.end
        logs = [0.0] * len(self.states) if end is None else log_of(end).tolist()
        ends = [self._double(max(log, IMPOSSIBLE)) for log in logs]
        rest = [f"(e.b{state} + f.z{state})" for state in self.states]
        after = [_terms(row, rest) for row in log_of(self.program.transition)]
        steps = [self._sum(terms, f"f.m{state}") for state, terms in enumerate(after)]
        return self._walk(
            f"SELECT g, n, 0 AS h, {_named(ends, 'z')}, {{zeros}} FROM ends",
            rest,
            after,
            steps,
            "z",
            "f.n - f.h",
            "backwards AS f\nJOIN emitted AS e ON e.g = f.g AND e.n = f.n WHERE f.n > 1",
        )

    def _walk(
        self,
        first: str,
        states: Sequence[str],
        terms: Sequence[Sequence[str]],
        steps: Sequence[str],
        letter: str,
        n: str,
        rows: str,
    ) -> str:
        """The first row, then in turn the largest of the terms (and of the states), and the sums."""
        zero = self._double(0.0)
        tops = [self._greatest(own) for own in [*terms, list(states)]]
        sums = [
            f"CASE WHEN f.h = 0 THEN f.{letter}{state} ELSE {step} END" for state, step in enumerate(steps)
        ]
        largest = [f"CASE WHEN f.h = 0 THEN {top} ELSE {zero} END" for top in tops]
        zeros = _named([zero] * len(tops), "m")
        return (
            f"{first.format(zeros=zeros)}\nUNION ALL\n"
            f"SELECT f.g, {n}, 1 - f.h, {_named(sums, letter)}, {_named(largest, 'm')} FROM {rows}"
        )

    def _sum(self, terms: Sequence[str], top: str) -> str:
        """The log of a sum of terms whose largest is known, less the largest state."""
        if not terms:
            return self._double(IMPOSSIBLE)
        greatest = "MAX" if self.dialect == "sqlite" else "GREATEST"
        parts = " + ".join(f"EXP({greatest}({term} - {top}, {_LEAST}))" for term in terms)
        return f"CASE WHEN {top} < {_LOST} THEN {_NEVER} ELSE {top} - f.m{len(self.states)} + LN({parts}) END"

    def _added(self, log: str, emitted: str) -> str:
        """Two logarithms, added; the one of 0 stays itself."""
        return f"CASE WHEN {emitted} < {_LOST} THEN {_NEVER} ELSE {log} + {emitted} END"

    def _greatest(self, terms: Sequence[str]) -> str:
        """The largest of some terms; log 0 without any."""
        if len(terms) < 2:
            return terms[0] if terms else self._double(IMPOSSIBLE)
        if len(terms) > _MOST_ARGUMENTS:
            parts = [terms[k : k + _MOST_ARGUMENTS] for k in range(0, len(terms), _MOST_ARGUMENTS)]
            return self._greatest([self._greatest(part) for part in parts])
        return f"{'MAX' if self.dialect == 'sqlite' else 'GREATEST'}({', '.join(terms)})"

    def _shares(self) -> str:
        """P(state) of each row, of the states that users see."""
        both = self.program.smooth
        logs = [f"f.a{k} + w.z{k}" if both else f"f.a{k}" for k in self.states]
        second = " JOIN backwards AS w ON w.g = e.g AND w.n = e.n AND w.h = 0" if both else ""
        kept = "".join(f'e."{place}", ' for place in self.kept)
        rows = (
            f"SELECT {kept}e.g, e.n, {_named(logs, 's')}\nFROM emitted AS e "
            f"JOIN forwards AS f ON f.g = e.g AND f.n = e.n AND f.h = 0{second}"
        )
        scores = [f"t.s{k}" for k in self.states]
        rows = f"SELECT t.*, {self._greatest(scores)} AS top FROM (\n{rows}\n) AS t"
        parts = [
            f"CASE WHEN t.top < {_LOST} THEN NULL WHEN t.s{k} - t.top < {_LEAST} THEN 0 "
            f"ELSE EXP(t.s{k} - t.top) END"
            for k in self.states
        ]
        rows = f"SELECT t.*, {_named(parts, 'e')} FROM (\n{rows}\n) AS t"
        columns = ", ".join(
            f't."{place}" AS {exp.to_identifier(name, quoted=True).sql(dialect=self.dialect)}'
            for place, name in zip(self.kept, self.keep, strict=True)
        )
        total, shares = " + ".join(f"t.e{k}" for k in self.states), []
        for place, state in enumerate(self.program.target.states):
            own = [f"t.e{k}" for k in self.states if self.program.owners[k] == place]
            name = exp.to_identifier(f"probability_{state}", quoted=True).sql(dialect=self.dialect)
            shares.append(f"({' + '.join(own)}) / ({total}) AS {name}")
        return f"SELECT {columns}, {', '.join(shares)}\nFROM (\n{rows}\n) AS t ORDER BY t.g, t.n"

    def _double(self, value: float) -> str:
        return f"CAST({number(value)} AS {double(self.dialect)})"


def _terms(logs: FloatArray, others: Sequence[str]) -> list[str]:
    """The logarithms of products that are not 0: numbers and columns, added."""
    pairs = zip(logs.tolist(), others, strict=True)
    return [f"{other} + {number(log)}" for log, other in pairs if log > -np.inf]


def _named(expressions: Sequence[str], letter: str) -> str:
    return ", ".join(f"{expression} AS {letter}{k}" for k, expression in enumerate(expressions))
