"""The data that a structure is learned from: opened once, with the variables that they have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.errors import BadData, UnknownVariable, listed, warn_user
from bayou.fitting.whole_number_columns import inferred_continuous, warn_of_whole_numbers, whole_numbers
from bayou.graphs import Dag
from bayou.learning.found import Parents
from bayou.networks import Structure
from bayou.networks.declarations import declared_variables, mapping_given, names_given
from bayou.schema import Variable, text_names
from bayou.sources import open_source
from bayou.statistics import GapCounts, GroupMoments, MissingCounts, Moments, Source, Statistics
from bayou.statistics.number_summary import MANY
from bayou.typing import Name

_COMPARED = 200
"""Up to so many continuous columns are looked at in pairs for one that is a function of another."""
_ONE_LINE = 1e-13
"""A squared correlation as near to 1 as this is that of a line."""
_ROWS_A_STATE = 50
"""With fewer rows for each state a column of many whole numbers gets hardly any arcs."""
_TELLING = 20
"""Below so many rows nobody is warned that a column has nearly as many states as rows."""


@dataclass(frozen=True)
class StructureData:
    """An opened table: the source, its variables in order, those that were declared, and its gaps.

    ``rows`` is the number of rows, or the sum of their weights. ``keys`` are the variables that have a state
    of their own in nearly every row.
    """

    table: Any
    weights: Any
    columns: Sequence[Name] | None
    source: Source
    variables: tuple[Variable, ...]
    declared: dict[Name, Variable]
    rows: float
    census: GapCounts
    keys: tuple[Name, ...] = ()

    @property
    def names(self) -> tuple[Name, ...]:
        """The variables' names."""
        return tuple(variable.name for variable in self.variables)

    @property
    def bytes(self) -> float:
        """What the rows take in codes (and numbers)."""
        widths = [8 if v.is_continuous else 1 if v.cardinality < 255 else 2 for v in self.variables]
        return self.census.rows * sum(widths)

    @property
    def gappy(self) -> tuple[Name, ...]:
        """The variables that have gaps."""
        return tuple(name for name, gaps in zip(self.names, self.census.gaps, strict=True) if gaps)


def open_structure_data(
    table: Any,
    *,
    states: Any = None,
    continuous: Any = (),
    weights: Any = None,
    columns: Sequence[Name] | None = None,
    ignore: Iterable[Name] = (),
) -> StructureData:
    """Open the data and see which variables there are; every column is one but the weights and ``ignore``."""
    listed_states = mapping_given("states", states, "{'smoke': ['no', 'yes']}")
    numbers = names_given("continuous", continuous)
    declared = declared_variables(Dag(dict.fromkeys((*listed_states, *numbers)), {}), states, continuous)
    source = open_source(
        table,
        columns=columns,
        as_text=text_names(declared.values()),
        weights=weights,
        declared=declared,
        variables=declared.values(),
    )
    skipped = set(_known(names_given("ignore", ignore), source.names, "in ignore"))
    _known(declared, source.names, "in states or continuous")
    if weights is not None and isinstance(weights, str | int):
        skipped.add(weights)
    names = [name for name in source.names if name not in skipped]
    if not names:
        raise BadData("There is no column left to learn a structure of.")
    variables = tuple(declared.get(name) or source.variable(name) for name in names)
    counted = source.collect([request := MissingCounts(tuple(names))])
    rows, census = counted.rows, counted[request]
    if rows <= 0:
        raise BadData("There is no row to learn from: the table is empty (or all weights are 0).")
    keys = _warn_of_keys(variables, rows)
    _warn_of_many_states([v for v in variables if v.name not in {*declared, *keys}], rows)
    _check_numbers(source, variables)
    gappy = [variable.name for variable, gaps in zip(variables, census.gaps, strict=True) if gaps]
    whole = whole_numbers(source, inferred_continuous(source, gappy, declared))
    warn_of_whole_numbers(whole)
    # As if declared, now that it is said: whoever fits these columns need not say it again.
    declared.update({name: Variable(name) for name in whole})
    return StructureData(table, weights, columns, source, variables, declared, rows, census, keys)


def _check_numbers(source: Source, variables: Sequence[Variable]) -> None:
    """What columns of numbers have no density: those that do not vary, and functions of each other."""
    names = tuple(variable.name for variable in variables if variable.is_continuous)
    if not names:
        return
    alone = {name: Moments((name,)) for name in names}
    together = [Moments(names)] if 1 < len(names) <= _COMPARED else []
    found = source.collect([*alone.values(), *together])
    _refuse_constants(found, alone)
    for request in together:
        _warn_of_lines(found[request])


def _refuse_constants(found: Statistics, requests: Mapping[Name, Moments]) -> None:
    """A number that is the same in every row has no density, whatever its parents."""
    for name, request in requests.items():
        moments = found[request]
        spread, size = float(moments.scatter.item()), abs(float(moments.mean.item()))
        if moments.total > 0 and spread <= moments.total * (8 * np.finfo(np.float64).eps * size) ** 2:
            raise BadData(
                f"Column {name!r} is {moments.mean.item():g} in every row: a number that does not vary has "
                f"no density to learn. Leave it out (ignore=[{name!r}]), or declare its states (states=…)."
            )


def _warn_of_lines(moments: GroupMoments) -> None:
    """Say which columns are exact linear functions of another one, each with the first such one."""
    names, spread = moments.variables, np.sqrt(np.diagonal(moments.scatter))
    if not moments.total > 2 or not np.all(np.isfinite(spread)) or not np.all(spread > 0):
        return
    alike = (moments.scatter / np.outer(spread, spread)) ** 2 > 1 - _ONE_LINE
    first = np.argmax(alike, axis=0).tolist()
    lines = [(names[place], names[other]) for place, other in enumerate(first) if other < place]
    if lines:
        told = "; ".join(f"{name!r} is a linear function of {other!r}" for name, other in lines)
        warn_user(
            f"{told}: given the other it has no density, so no arc can be learned between them. Leave out "
            f"(ignore={[name for name, _ in lines]!r}) what tells nothing more."
        )


def structure_of(data: StructureData, parents: Parents) -> Structure:
    """The structure by name, with what the user declared."""
    names = data.names
    dag = Dag(names, {names[child]: [names[p] for p in given] for child, given in enumerate(parents)})
    return Structure(dag, data.declared, {})


def _known(wanted: Iterable[Name], names: Sequence[Name], where: str) -> list[Name]:
    for name in wanted:
        if name not in names:
            raise UnknownVariable.named(name, names, where)
    return list(wanted)


def _warn_of_keys(variables: Sequence[Variable], rows: float) -> tuple[Name, ...]:
    keys = tuple(
        variable.name
        for variable in variables
        if not variable.is_continuous and variable.cardinality > max(rows, _TELLING) / 2
    )
    if keys:
        warn_user(
            f"Nearly every row has its own state of {listed(keys)}: nothing can be learned about such a "
            "column, so it gets no arcs but required ones. Leave it out (ignore=…), or cut numbers into "
            "ranges (states=…)."
        )
    return keys


def _warn_of_many_states(variables: Sequence[Variable], rows: float) -> None:
    """Say which whole numbers are so many states that the rows say little about each."""
    many = [
        variable
        for variable in variables
        if variable.cardinality > MANY
        and rows < _ROWS_A_STATE * variable.cardinality
        and all(type(state) is int for state in variable.states)
    ]
    if many:
        told = ", ".join(f"{variable.name!r} ({variable.cardinality} states)" for variable in many)
        warn_user(
            f"Each whole number is a state of its own, and there are many of them: {told}. Few arcs are "
            f"worth so many parameters. Take such columns for real numbers (continuous={[many[0].name]!r}), "
            "or cut them into ranges (states={'x': bayou.Cuts([…])})."
        )
