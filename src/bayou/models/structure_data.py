"""The data that a structure is learned from: opened once, with the variables that they have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou.errors import BadData, UnknownVariable, listed, warn_user
from bayou.graphs import Dag
from bayou.learning.found import Parents
from bayou.models.coding import text_names
from bayou.models.stating import declared_variables, mapping_given, names_given
from bayou.networks import Structure
from bayou.schema import Variable
from bayou.sources import CodedColumn, FileSource, NumberColumn, TableSource, open_source
from bayou.statistics import Batch, Moments
from bayou.typing import IntArray, Name

_TELLING = 20
"""Below so many rows nobody is warned that a column has nearly as many states as rows."""


@dataclass(frozen=True)
class Census:
    """The rows (or the sum of their weights) and the gaps of each variable; those of two batches add."""

    rows: float
    gaps: IntArray

    def __add__(self, other: Census) -> Census:
        return Census(self.rows + other.rows, self.gaps + other.gaps)


@dataclass(frozen=True)
class _TakeCensus:
    """The kernel that counts; it names the variables so that it can travel."""

    names: tuple[Name, ...]

    def __call__(self, batch: Batch) -> Census:
        gaps = [int(np.count_nonzero(batch.missing(name))) for name in self.names]
        return Census(batch.total, np.array(gaps, dtype=np.int64))


@dataclass(frozen=True)
class StructureData:
    """An opened table: the source, its variables in order, those that the user declared, and its gaps."""

    table: Any
    weights: Any
    columns: Sequence[Name] | None
    source: TableSource | FileSource
    variables: tuple[Variable, ...]
    declared: dict[Name, Variable]
    census: Census

    @property
    def names(self) -> tuple[Name, ...]:
        """The variables' names."""
        return tuple(variable.name for variable in self.variables)

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
    census = _census(source, variables)
    if census.rows <= 0:
        raise BadData("There is no row to learn from: the table is empty (or all weights are 0).")
    _warn_of_keys(variables, census)
    _refuse_constants(source, variables)
    return StructureData(table, weights, columns, source, variables, declared, census)


def _refuse_constants(source: TableSource | FileSource, variables: Sequence[Variable]) -> None:
    """A number that is the same in every row has no density, whatever its parents."""
    requests = {variable.name: Moments((variable.name,)) for variable in variables if variable.is_continuous}
    if not requests:
        return
    found = source.collect(list(requests.values()))
    for name, request in requests.items():
        moments = found[request]
        spread, size = float(moments.scatter.item()), abs(float(moments.mean.item()))
        if moments.total > 0 and spread <= moments.total * (8 * np.finfo(np.float64).eps * size) ** 2:
            raise BadData(
                f"Column {name!r} is {moments.mean.item():g} in every row: a number that does not vary has "
                f"no density to learn. Leave it out (ignore=[{name!r}]), or declare its states (states=…)."
            )


def _census(source: TableSource | FileSource, variables: tuple[Variable, ...]) -> Census:
    if isinstance(source, FileSource):
        return source.map_batches(_TakeCensus(tuple(variable.name for variable in variables)), variables)
    # A table in memory need not be coded anew only to count its gaps.
    gaps = [_gaps(source.columns[variable.name]) for variable in variables]
    return Census(source.rows, np.array(gaps, dtype=np.int64))


def _gaps(column: CodedColumn | NumberColumn) -> int:
    if isinstance(column, NumberColumn):
        return int(np.count_nonzero(np.isnan(column.values)))
    return int(np.count_nonzero(column.codes == column.missing_code))


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


def _warn_of_keys(variables: Sequence[Variable], census: Census) -> None:
    keys = [
        variable.name
        for variable in variables
        if not variable.is_continuous and variable.cardinality > max(census.rows, _TELLING) / 2
    ]
    if keys:
        warn_user(
            f"Nearly every row has its own state of {listed(keys)}: nothing can be learned about such a "
            "column. Leave it out (ignore=…), or cut numbers into ranges (states=…)."
        )
