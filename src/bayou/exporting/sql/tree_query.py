"""Sums over a clique tree as a statement of SQL: a common table expression for each clique and message.

``cells`` has a row (r) for each row of the table, with the codes of the inputs (NULL: a gap). A clique is a
table of the logarithms of its product, without impossible entries: those that agree with a row are its part
of the sum, to which the messages of other cliques are joined.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import numpy as np
from sqlglot import exp

from bayou.errors import BadQuestion
from bayou.exporting.programs import Clique, TreeProgram, log_of
from bayou.exporting.sql.tables import (
    coded_cells,
    double,
    joined_ctes,
    listed_columns,
    number,
    require_dialect,
)
from bayou.sources.databases.drivers.statements import column, named
from bayou.sources.databases.predictions.prediction_query import PredictionQuery
from bayou.sources.databases.predictions.score_terms import IMPOSSIBLE
from bayou.typing import FloatArray, Name

MOST_CLIQUES = 400
"""duckdb refuses statements that nest more than 1000 expressions; a clique is about two."""


def tree_query(
    program: TreeProgram, table: str, dialect: str, keep: Sequence[str], days: Mapping[Name, str]
) -> str:
    """Return the statement."""
    require_dialect(dialect)
    if len(program.cliques) > MOST_CLIQUES:
        short = "."
        if program.log_prior is not None:
            short = (
                ", or use a naive Bayes, which is one expression. to_sql() is short, too, but has no answer "
                "for rows with gaps."
            )
        raise BadQuestion(
            f"This would be a statement of {len(program.cliques)} nested sums, one for each clique; "
            f"databases read at most about {MOST_CLIQUES}. Export to Python or JavaScript, or "
            f"{program.smaller}{short}"
        )
    query = _TreeQuery(program, dialect)
    cells = coded_cells(table, program.inputs, dialect, keep, days)
    row = exp.Window(this=exp.RowNumber())
    ctes = [("cells", cells.select(named(row, "r"), copy=False).sql(dialect=dialect)), *query.ctes()]
    scores = exp.select(*[column(f"k{place}", "t") for place in range(len(keep))])
    for k in range(program.target.cardinality):
        scores = scores.select(named(column(f"s{k}", "t"), f"s{k}"), copy=False)
    scores = scores.from_("scores AS t")
    answers = PredictionQuery(program.target, program.log_prior, (), dialect)
    return joined_ctes(ctes) + answers.shared_out(scores, keep)


class _TreeQuery:
    def __init__(self, program: TreeProgram, dialect: str) -> None:
        self.program, self.dialect = program, dialect
        self.columns = {variable: f"c{place}" for place, variable in enumerate(program.numbers)}

    def ctes(self) -> Iterator[tuple[str, str]]:
        """The cliques with their messages, and the scores of the target's states."""
        children: dict[int, dict[tuple[int, ...], list[int]]] = {}
        for place, clique in enumerate(self.program.cliques):
            names = ", ".join([*map(_axis, clique.variables), "l"])
            yield f"q{place}({names})", self._entries(clique)
            groups: list[tuple[str, tuple[int, ...]]] = []
            for kept, senders in children.get(place, {}).items():
                if len(senders) > 1:
                    name = f"g{place}_{len(groups)}"
                    yield name, self._product(kept, senders)
                else:
                    name = f"m{senders[0]}"
                groups.append((name, kept))
            yield f"m{place}", self._message(place, clique, groups)
            if clique.parent >= 0:
                children.setdefault(clique.parent, {}).setdefault(clique.kept, []).append(place)
        yield "scores", self._scores()

    def _entries(self, clique: Clique) -> str:
        """The logarithms of the product of a clique's tables."""
        logs = clique_logs(self.program, clique)
        states = product(*[range(self.program.cards[v]) for v in clique.variables])
        rows = [
            "".join(f"{code}, " for code in at) + number(log)
            for at, log in zip(states, logs.ravel().tolist(), strict=True)
            if log > -np.inf
        ]
        return f"VALUES {_lines(rows)}"

    def _product(self, kept: Sequence[int], senders: Sequence[int]) -> str:
        """The product of messages about the same variables; what one of them excludes is excluded."""
        names = [_axis(variable) for variable in kept]
        each = _union([f"SELECT r, {''.join(name + ', ' for name in names)}l FROM m{m}" for m in senders])
        keys = ", ".join(["r", *names])
        return (
            f"SELECT {keys}, SUM(l) AS l FROM ({each}) AS t GROUP BY {keys} HAVING COUNT(*) = {len(senders)}"
        )

    def _message(self, place: int, clique: Clique, groups: Sequence[tuple[str, tuple[int, ...]]]) -> str:
        """For each row and all states of the variables that are kept: the log of the sum over all others."""
        kept = [_axis(variable) for variable in clique.kept]
        agree = [
            f"(c.{self.columns[v]} IS NULL OR c.{self.columns[v]} = q.{_axis(v)})"
            for v in clique.variables
            if v in self.columns
        ]
        total = " + ".join(["q.l", *[f"{name}.l" for name, _ in groups]])
        joins = "".join(
            f"\nJOIN {name} ON {name}.r = c.r"
            + "".join(f" AND {name}.{_axis(v)} = q.{_axis(v)}" for v in own)
            for name, own in groups
        )
        keys = ", ".join(["r", *kept])
        logs = f"CAST({total} AS {double(self.dialect)}) AS l"
        sums = f"SELECT c.r, {listed_columns(kept, 'q')}{logs} FROM cells AS c\n"
        sums += f"JOIN q{place} AS q ON {' AND '.join(agree) or '1 = 1'}{joins}"
        largest = f"SELECT t.*, MAX(t.l) OVER (PARTITION BY {keys}) AS top FROM (\n{sums}\n) AS t"
        small = "CASE WHEN l - top < -700 THEN 0 ELSE EXP(l - top) END"
        return f"SELECT {keys}, MAX(top) + LN(SUM({small})) AS l FROM (\n{largest}\n) AS t GROUP BY {keys}"

    def _scores(self) -> str:
        """The score of each state of the target, for all rows of the table."""
        program = self.program
        roots = [place for place, clique in enumerate(program.cliques) if clique.parent < 0]
        found = next(place for place in roots if program.cliques[place].kept)
        aim = _axis(program.aim)
        joins = "".join(f" JOIN m{place} ON m{place}.r = m.r" for place in roots if place != found)
        shares = ", ".join(
            f"MAX(CASE WHEN m.{aim} = {k} THEN m.l END) AS s{k}" for k in range(program.target.cardinality)
        )
        pivot = f"SELECT m.r, {shares} FROM m{found} AS m{joins} GROUP BY m.r"
        scores = ", ".join(f"{self._score(k)} AS s{k}" for k in range(program.target.cardinality))
        return f"SELECT t.*, {scores}\nFROM cells AS t LEFT JOIN (\n{pivot}\n) AS f ON f.r = t.r"

    def _score(self, k: int) -> str:
        """One score: −1e250 stands for log 0; classifiers raise it to a power, and add terms."""
        program, score = self.program, f"f.s{k}"
        if program.log_prior is not None and program.weight != 1.0:
            prior = number(max(float(program.log_prior[k]), IMPOSSIBLE))
            score = f"{prior} + {number(program.weight)} * ({score} - {prior})"
        places = {each.name: f"c{place}" for place, each in enumerate(program.inputs)}
        for term in program.terms:
            score += f" + {term.expression(k, places).sql(dialect=self.dialect)}"
        return f"COALESCE({score}, {number(IMPOSSIBLE)})"


def clique_logs(program: TreeProgram, clique: Clique) -> FloatArray:
    """The logarithms of the product of a clique's tables, [state of each variable]."""
    total = np.zeros([program.cards[v] for v in clique.variables])
    for table in clique.tables:
        scope = program.scopes[table]
        order = sorted(range(len(scope)), key=lambda k: clique.variables.index(scope[k]))
        logs = np.transpose(log_of(program.tables[table]), order)
        shape = [program.cards[v] if v in scope else 1 for v in clique.variables]
        total = total + logs.reshape(shape)
    return total


def _axis(variable: int) -> str:
    return f"v{variable}"


def _lines(rows: Sequence[str]) -> str:
    return ",\n".join(f"({row})" for row in rows)


def _union(queries: Sequence[str]) -> str:
    """All rows of some queries: a balanced tree, since databases take a long chain for a deep expression."""
    if len(queries) == 1:
        return queries[0]
    half = len(queries) // 2
    parts = [_union(queries[:half]), _union(queries[half:])]
    return " UNION ALL ".join(f"SELECT * FROM ({part}) AS t" for part in parts)
