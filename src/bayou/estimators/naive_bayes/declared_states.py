"""``states=``: the states of columns, and the classes, declared by the user rather than found in the rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bayou.distributions import DistributionKind, Family
from bayou.errors import BadQuestion, UnknownState, UnknownVariable
from bayou.estimators.input.labelled_source import LabelledSource
from bayou.estimators.naive_bayes.feature_kinds import Estimation, Settled, TableFeature
from bayou.estimators.naive_bayes.number_kinds import RangesOfValues, table_of
from bayou.networks.declarations import mapping_given, states_given
from bayou.schema import Variable
from bayou.statistics import Counts, ValueCounts
from bayou.typing import Name, State


@dataclass(frozen=True)
class DeclaredTable(TableFeature):
    """A table whose states are declared: those that no training row has are smoothed like the others."""

    word: ClassVar[str] = "table"
    variable: Variable

    def settled(self, answer: Counts, family: Family, known: Estimation) -> Settled:
        """The counts of the declared states; they were checked when the rows were read."""
        counts = answer.aligned([*family.parents, self.variable])
        return Settled(TableFeature(), counts, Family(self.variable, family.parents))


@dataclass(frozen=True)
class DeclaredRanges(RangesOfValues):
    """A table of declared ranges of numbers (``bayou.Cuts``)."""

    word: ClassVar[str] = "ranges"
    variable: Variable

    def settled(self, answer: ValueCounts, family: Family, known: Estimation) -> Settled:
        """Count the values in each range; they were checked when the rows were read."""
        places = [self.variable.code(value) for value in answer.values.tolist()]
        return table_of(answer, self.variable, np.array(places, dtype=np.int64))


def declared_kinds(
    variables: Mapping[Name, Variable], features: Any, target: Name
) -> dict[Name, DistributionKind]:
    """Return the kinds of declared columns; another kind for them in ``features`` is an error."""
    kinds: dict[Name, DistributionKind] = {}
    for name, variable in variables.items():
        if name == target:
            continue
        kind = features.get(name) if isinstance(features, Mapping) else None
        if kind is not None and kind not in ("table", TableFeature()):
            raise BadQuestion(
                f"states= declares {name!r}, whose kind in features= is {kind!r}: declared states make a "
                "table. Leave it out of one of them."
            )
        kinds[name] = DeclaredTable(variable) if variable.cuts is None else DeclaredRanges(variable)
    return kinds


def declared(states: Any, names: Iterable[Name], target: Name) -> dict[Name, Variable]:
    """Read ``states=``: lists of states, ``bayou.Cuts`` or variables, by column; the target may be one."""
    known = (*names, target)
    found: dict[Name, Variable] = {}
    for name, given in mapping_given("states", states, "{'smoke': ['no', 'yes']}").items():
        if name not in known:
            raise UnknownVariable.named(name, known, "in states")
        found[name] = states_given(name, given)
    return found


def refuse_undeclared(rows: LabelledSource, variables: Iterable[Variable]) -> None:
    """Refuse values of the training rows that are not among the declared states; the error names the row."""
    for variable in variables:
        own = rows.variable(variable.name)
        if not own.is_continuous and all(variable.find(state) is not None for state in own.states):
            continue
        for batch in rows.batches([own]):
            for row, value in _cells(batch, own):
                if variable.find(value) is None:
                    where = f"in row {batch.number(row)} (counting from 0)"
                    raise UnknownState.of(variable.name, value, variable.states, where)


def _cells(batch: Any, own: Variable) -> Iterable[tuple[int, State]]:
    """The first row with each distinct value of a column, and the value."""
    column = batch.numbers[own.name] if own.is_continuous else batch.codes[own.name]
    values, first = np.unique(column, return_index=True)
    for value, row in zip(values.tolist(), first.tolist(), strict=True):
        if own.is_continuous:
            if value == value:
                yield row, value
        elif value < own.cardinality:
            yield row, own.states[value]
