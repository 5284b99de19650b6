"""Programs as one statement of SQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from bayou.errors import BadQuestion
from bayou.exporting.language import Language
from bayou.exporting.programs import SMOOTH, ChainProgram, Limit, Program, ScoreProgram, TreeProgram
from bayou.exporting.sql.sizes import check_size
from bayou.sources.databases.predictions.prediction_query import PredictionQuery
from bayou.typing import Name


class SqlLanguage(Language):
    """One SELECT of a ``table``; ``keep`` are columns that the answer repeats.

    ``order`` and ``by`` are the column of the steps, and those that tell sequences apart.
    """

    name: ClassVar[str] = "sql"
    limit: ClassVar[Limit] = Limit(
        300_000, "export to Python or JavaScript, whose limit is 1,000,000, or ask the library itself."
    )

    def __init__(
        self,
        table: str = "rows",
        dialect: str = "postgres",
        keep: str | Sequence[str] = (),
        order: str | None = None,
        by: str | Sequence[str] = (),
    ) -> None:
        self.table, self.dialect, self.order = table, dialect, order
        self.keep = [keep] if isinstance(keep, str) else list(keep)
        self.by = [by] if isinstance(by, str) else list(by)

    def text(self, program: Program) -> str:
        """Return the statement."""
        _refuse_smooth(program)
        _refuse_amounts(program)
        if not isinstance(program, ChainProgram) and (self.order is not None or self.by):
            raise BadQuestion("order= and by= are for sequences; leave them out here.")
        self.limit.check(program)
        check_size(program)
        return super().text(program)

    def unlimited(self, program: Program) -> str:
        """Return the statement, whatever a row costs."""
        _refuse_smooth(program)
        _refuse_amounts(program)
        assert isinstance(program, ScoreProgram)
        check_size(program)
        return self.of_scores(program)

    def of_scores(self, program: ScoreProgram) -> str:
        """Write nested queries, each with one expression for a class."""
        query = PredictionQuery(
            program.target,
            program.log_prior,
            program.components,
            self.dialect,
            _days(program),
            program.weight,
            {each.name: each.marked for each in program.inputs if each.marked is not None},
        )
        return query.text(self.table, self.keep)

    def of_tree(self, program: TreeProgram) -> str:
        """Write a common table expression for each clique."""
        from bayou.exporting.sql.tree_query import tree_query

        return tree_query(program, self.table, self.dialect, self.keep, _days(program))

    def of_chain(self, program: ChainProgram) -> str:
        """Write a recursive common table expression."""
        from bayou.exporting.sql.chain_query import chain_query

        if self.order is None:
            raise BadQuestion(
                "The rows of a table have no order of their own: name the column of the steps, order='time', "
                "and those that tell sequences apart, by=['patient']."
            )
        return chain_query(program, self.table, self.dialect, self.keep, self.order, self.by)


def _days(program: Program) -> dict[Name, str]:
    return {each.name: each.days for each in program.inputs if each.days}


def _refuse_smooth(program: Program) -> None:
    if any(each.unknown == SMOOTH for each in program.inputs):
        raise BadQuestion("unknown='smooth' has no form in SQL; fit with unknown='missing'.")


def _refuse_amounts(program: Program) -> None:
    """Refuse columns whose texts the library reads as numbers, and a database does not."""
    for each in program.inputs:
        if each.amount:
            raise BadQuestion(
                f"{each.name!r} was learned from texts such as {each.amount!r}, which databases do not read "
                "as numbers. Make it a column of numbers before you fit and in the table, or leave it out, "
                "for SQL; or export to Python or JavaScript, which read such texts."
            )
