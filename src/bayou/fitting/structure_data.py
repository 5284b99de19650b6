"""The data that a structure is learned from: opened once, with their variables checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from bayou.errors import BadData, UnknownVariable, listed, warn_user
from bayou.fitting.doubtful_states import warn_of_many_states
from bayou.fitting.whole_number_columns import inferred_continuous, warn_of_whole_numbers, whole_numbers
from bayou.graphs import Dag
from bayou.learning.search.search_result import Parents
from bayou.learning.sharing.units import Units, with_shared_states
from bayou.memory import require_memory
from bayou.networks import Sharing, Structure, check_sharing
from bayou.networks.declarations import declared_variables, mapping_given, names_given, sharing_given
from bayou.schema import Variable, text_names
from bayou.schema.identifiers import identifies_rows
from bayou.sources import open_source
from bayou.statistics import GapCounts, GroupMoments, MissingCounts, Moments, Source, Statistics
from bayou.typing import Name

_COMPARED = 200
"""Up to this many continuous columns, all pairs are checked for linear functions of each other."""
_ONE_LINE = 1e-13
"""Two columns whose squared correlation is nearer to 1 than this are linear functions of each other."""
_PAIR_BYTES = 10
"""The least memory of a search for each ordered pair of columns: whether an arc is allowed, and its gain."""


@dataclass(frozen=True)
class StructureData:
    """An opened table: the source, its variables in order, the declared ones, and counts of missing values.

    ``rows`` is the number of rows, or the sum of their weights. ``keys`` are the variables with a different
    state in nearly every row. ``sharing`` has the blocks of variables that share one table.
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
    sharing: Sharing = field(default_factory=dict)

    @property
    def names(self) -> tuple[Name, ...]:
        """The variables' names."""
        return tuple(variable.name for variable in self.variables)

    @cached_property
    def units(self) -> Units:
        """The blocks and the single variables, which have parents each."""
        return Units.of(self.names, self.sharing)

    @property
    def bytes(self) -> float:
        """The bytes of all rows as codes and numbers."""
        widths = [8 if v.is_continuous else 1 if v.cardinality < 255 else 2 for v in self.variables]
        return self.census.rows * sum(widths)

    @property
    def gappy(self) -> tuple[Name, ...]:
        """The variables with missing values."""
        return tuple(name for name, gaps in zip(self.names, self.census.gaps, strict=True) if gaps)


def open_structure_data(
    table: Any,
    *,
    states: Any = None,
    continuous: Any = (),
    weights: Any = None,
    columns: Sequence[Name] | None = None,
    ignore: Iterable[Name] = (),
    share: Any = None,
) -> StructureData:
    """Open and check the data; every column is a variable except the weights and those in ``ignore``."""
    sharing = sharing_given(share)
    listed_states = mapping_given("states", states, "{'smoke': ['no', 'yes']}")
    numbers = names_given("continuous", continuous)
    declared = declared_variables(Dag(dict.fromkeys((*listed_states, *numbers)), {}), states, continuous)
    declared = _declared_for_all_users(declared, sharing)
    source = open_source(
        table,
        columns=columns,
        as_text=text_names(declared.values()),
        weights=weights,
        declared=declared,
        variables=declared.values(),
    )
    names = _columns_to_join(source, ignore, weights)
    sharing = check_sharing(Dag(names, {}), sharing)
    _known(declared, source.names, "in states or continuous")
    require_memory(
        _PAIR_BYTES * len(names) ** 2,
        f"A structure over {len(names):,} columns",
        "Choose columns first, such as those that tell most about the variable you care about.",
    )
    variables = with_shared_states(_variables(source, names, declared), sharing)
    counted = source.collect([request := MissingCounts(tuple(names))])
    rows, census = counted.rows, counted[request]
    if rows <= 0:
        raise BadData("There is no row to learn from: the table is empty (or all weights are 0).")
    keys = _warn_of_keys(variables, rows)
    inferred = [v for v in variables if v.name not in {*declared, *keys}]
    warn_of_many_states(inferred, rows, "Few arcs are worth that many parameters.")
    _check_numbers(source, variables)
    gappy = [variable.name for variable, gaps in zip(variables, census.gaps, strict=True) if gaps]
    whole = whole_numbers(source, inferred_continuous(source, gappy, declared))
    warn_of_whole_numbers(whole)
    # Treated as declared from here on, so that fitting does not repeat the warning.
    declared.update({name: Variable(name) for name in whole})
    return StructureData(table, weights, columns, source, variables, declared, rows, census, keys, sharing)


def _variables(source: Source, names: Sequence[Name], declared: Mapping[Name, Variable]) -> list[Variable]:
    """The variables of columns: as they are declared, else with the states of all rows."""
    open_names = [name for name in names if name not in declared]
    found = dict(zip(open_names, source.with_all_states(open_names), strict=True))
    return [declared.get(name) or found[name] for name in names]


def _columns_to_join(source: Source, ignore: Iterable[Name], weights: Any) -> list[Name]:
    """The columns that are variables: neither ignored nor the weights."""
    skipped = set(_known(names_given("ignore", ignore), source.names, "in ignore"))
    if weights is not None and isinstance(weights, str | int):
        skipped.add(weights)
    names = [name for name in source.names if name not in skipped]
    if not names:
        raise BadData("There is no column left to learn a structure of.")
    return names


def _declared_for_all_users(declared: Mapping[Name, Variable], sharing: Sharing) -> dict[Name, Variable]:
    """The declared variables; states declared for one user of a shared table are those of all its users."""
    users = [name for block in sharing.values() for name in block]
    return dict(Structure(Dag(dict.fromkeys((*declared, *users)), {}), declared, sharing).declared)


def _check_numbers(source: Source, variables: Sequence[Variable]) -> None:
    """Refuse continuous columns that do not vary, and warn of linear functions of each other."""
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
    """Refuse columns with the same number in every row: they have no density."""
    for name, request in requests.items():
        moments = found[request]
        spread, size = float(moments.scatter.item()), abs(float(moments.mean.item()))
        if moments.total > 0 and spread <= moments.total * (2 * np.finfo(np.float64).eps * size) ** 2:
            raise BadData(
                f"Column {name!r} is {moments.mean.item():g} in every row: a continuous variable that does "
                f"not vary has no density. Leave it out (ignore=[{name!r}]), or declare states (states=…)."
            )


def _warn_of_lines(moments: GroupMoments) -> None:
    """Warn of columns that are exact linear functions of an earlier one."""
    names, spread = moments.variables, np.sqrt(np.diagonal(moments.scatter))
    if not moments.total > 2 or not np.all(np.isfinite(spread)) or not np.all(spread > 0):
        return
    alike = (moments.scatter / np.outer(spread, spread)) ** 2 > 1 - _ONE_LINE
    first = np.argmax(alike, axis=0).tolist()
    lines = [(names[place], names[other]) for place, other in enumerate(first) if other < place]
    if lines:
        listing = "; ".join(f"{name!r} is a linear function of {other!r}" for name, other in lines)
        warn_user(
            f"{listing}: given the other it has no density, so no arc can be learned between them. Leave out "
            f"the redundant columns (ignore={[name for name, _ in lines]!r})."
        )


def structure_of(data: StructureData, parents: Parents) -> Structure:
    """The structure by name, with the declared variables."""
    names = data.names
    dag = Dag(names, {names[child]: [names[p] for p in given] for child, given in enumerate(parents)})
    return Structure(dag, data.declared, data.sharing)


def _known(given: Iterable[Name], names: Sequence[Name], where: str) -> list[Name]:
    """Check that all given names are columns, and return them."""
    for name in given:
        if name not in names:
            raise UnknownVariable.named(name, names, where)
    return list(given)


def _warn_of_keys(variables: Sequence[Variable], rows: float) -> tuple[Name, ...]:
    """Warn of variables with a different state in nearly every row, and return them."""
    keys = tuple(
        variable.name
        for variable in variables
        if not variable.is_continuous and identifies_rows(variable.cardinality, rows)
    )
    if keys:
        warn_user(
            f"Nearly every row has a different state of {listed(keys)}: nothing can be learned about such a "
            "column, so it gets only required arcs. Leave it out (ignore=…), or cut numbers into ranges "
            "(states=…)."
        )
    return keys
