"""Kinds of features whose states the user declared (``states=``), or that are known without the rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bayou.distributions import DistributionKind, Family
from bayou.errors import BadQuestion
from bayou.estimators.naive_bayes.feature_kinds import EstimationInput, PreparedFeature, TableFeature
from bayou.estimators.naive_bayes.number_kinds import BernoulliFeature, RangesOfValues, state_table
from bayou.schema import Variable
from bayou.statistics import Counts, ValueCounts
from bayou.typing import Name


@dataclass(frozen=True)
class DeclaredTable(TableFeature):
    """A table whose states are declared: those that no training row has are smoothed like the others."""

    word: ClassVar[str] = "table"
    variable: Variable

    def settled(self, answer: Counts, family: Family, known: EstimationInput) -> PreparedFeature:
        """The counts of the declared states; they were checked when the rows were read."""
        counts = answer.aligned([*family.parents, self.variable])
        return PreparedFeature(TableFeature(), counts, Family(self.variable, family.parents))


@dataclass(frozen=True)
class DeclaredRanges(RangesOfValues):
    """A table of declared ranges of numbers (``bayou.Cuts``)."""

    word: ClassVar[str] = "ranges"
    variable: Variable

    def settled(self, answer: ValueCounts, family: Family, known: EstimationInput) -> PreparedFeature:
        """Count the values in each range; they were checked when the rows were read."""
        places = [self.variable.code(value) for value in answer.values.tolist()]
        return state_table(answer, self.variable, np.array(places, dtype=np.int64))


def with_truth_values(
    kinds: Mapping[Name, DistributionKind], has_truth_values: Callable[[Name], bool]
) -> dict[Name, DistributionKind]:
    """Return the kinds, with a table of False and True where presence is asked of a column of truth values.

    It is the table of presence: False is not above a threshold from 0 to 1, True is.
    """
    return {
        name: DeclaredTable(Variable(name, [False, True]))
        if isinstance(kind, BernoulliFeature) and 0 <= kind.threshold < 1 and has_truth_values(name)
        else kind
        for name, kind in kinds.items()
    }


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
