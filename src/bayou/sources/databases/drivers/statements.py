"""SQL statements as trees: identifiers are quoted, values bound, the user's table or query is one leaf."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

_RELATION = "\0relation\0"
_BOUND = re.compile("\0(\\d+)\0")


@dataclass(frozen=True)
class Relation:
    """What stands behind FROM: a table's name or a query in brackets, in the driver's own form.

    ``parameters`` are the values that the text refers to; ``label`` is what messages call it.
    """

    text: str
    label: str
    parameters: dict[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str]:
        """What tells relations of one connection apart."""
        return self.text, repr(self.parameters)


@dataclass
class Statement:
    """A tree and the values bound in it."""

    values: list[Any] = field(default_factory=list)
    tree: exp.Expression = field(default_factory=exp.select)

    def bound(self, value: Any) -> exp.Expression:
        """A place for a value, which travels beside the text of the statement."""
        self.values.append(value)
        return exp.Var(this=f"\0{len(self.values) - 1}\0")

    def rendered(
        self,
        relation: Relation,
        dialect: str,
        placeholder: Callable[[str], str],
        escaped: Callable[[str], str] = str,
    ) -> tuple[str, dict[str, Any]]:
        """The text in a dialect, and its parameters by name.

        ``escaped`` changes what a driver would take for a parameter; the relation's text is so already.

        >>> statement = Statement()
        >>> statement.tree = selected([column("a%b")], where=[exp.EQ(this=column("c"),
        ...     expression=statement.bound("x'y"))])
        >>> text, values = statement.rendered(Relation("t", "t"), "postgres", lambda name: f"%({name})s",
        ...     lambda text: text.replace("%", "%%"))
        >>> print(text, values)
        SELECT t."a%%b" FROM t AS t WHERE t."c" = %(bayou_0)s {'bayou_0': "x'y"}
        """
        text = escaped(self.tree.sql(dialect=dialect)).replace(_RELATION, relation.text)
        prefix = "bayou_"
        while any(name.startswith(prefix) for name in relation.parameters):  # names of the user stay theirs
            prefix += "_"
        used = {**relation.parameters, **{f"{prefix}{k}": value for k, value in enumerate(self.values)}}
        return _BOUND.sub(lambda found: placeholder(f"{prefix}{found[1]}"), text), used


def column(name: str, table: str = "t") -> exp.Expression:
    """A column by its exact name."""
    return exp.column(exp.to_identifier(name, quoted=True), table=table)


def named(expression: exp.Expression, name: str, copy: bool = True) -> exp.Expression:
    """An expression with a name of its own; a large one that nobody else has need not be copied."""
    return exp.alias_(expression, name, quoted=True, copy=copy)


def selected(
    expressions: Sequence[exp.Expression],
    *,
    where: Sequence[exp.Expression] = (),
    groups: int = 0,
    slice_rows: int | None = None,
) -> exp.Select:
    """SELECT … FROM the relation, called t; the first ``groups`` expressions are grouped by.

    With ``slice_rows`` only that many rows, whichever the database reads first, are looked at.
    """
    rows: exp.Expression = exp.Var(this=_RELATION)
    if slice_rows is not None:
        inner = exp.select("*").from_(_called(rows, "r")).limit(slice_rows)
        rows = exp.Subquery(this=inner)
    tree = exp.select(*expressions).from_(_called(rows, "t"))
    if where:
        tree = tree.where(*where)
    if groups:
        tree = tree.group_by(*(exp.Literal.number(k + 1) for k in range(groups)))
    return tree


def _called(rows: exp.Expression, name: str) -> exp.Expression:
    return exp.Table(this=rows, alias=exp.TableAlias(this=exp.to_identifier(name)))


def count_rows() -> exp.Expression:
    """The number of rows."""
    return exp.Count(this=exp.Star())


def count_values(value: exp.Expression) -> exp.Expression:
    """The number of rows with a value."""
    return exp.Count(this=value)
