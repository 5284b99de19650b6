"""Features as states: text as it is, numbers cut into ranges that separate the classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.input.labelled_source import LabelledSource
from bayou.schema import Variable
from bayou.sources import Columns, discretised
from bayou.typing import Name


@dataclass(frozen=True)
class DiscreteDomain:
    """The numeric features with their cuts; the other features have the states that occur in the data."""

    cut: Mapping[Name, Variable]

    @classmethod
    def learned(cls, rows: LabelledSource, declared: Mapping[Name, Variable] | None = None) -> DiscreteDomain:
        """Return the cuts of these rows by the minimum description length rule, or as they are declared."""
        declared = declared or {}
        found = {
            name: Variable(name, cuts=cuts) for name, cuts in rows.cuts().items() if name not in declared
        }
        ranges = {name: v for name, v in declared.items() if v.cuts is not None and name != rows.target}
        return cls({**found, **ranges})

    def rows(self, features: FeatureTable) -> Columns:
        """Return new rows with numbers as ranges."""
        return discretised(features.columns, self.cut.values())
