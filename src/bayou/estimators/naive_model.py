"""A fitted naive Bayes: the class prior and a density for each feature, their logs added up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayou.estimators.densities import Density, GaussianDensity, TableDensity, warn_of_strangers
from bayou.estimators.table_input import FeatureTable
from bayou.schema import Variable
from bayou.typing import FloatArray, Name

BLOCK_ROWS = 1 << 14
"""Rows are scored in blocks of this size, so that memory does not grow with features × classes."""


@dataclass(frozen=True, eq=False)
class NaiveModel:
    """log P(class) + w · Σ log P(feature | class); w = 1 is the textbook's naive Bayes.

    Features that repeat each other count the same evidence several times over; a ``weight`` below 1 says how
    much of it is new.
    """

    classes: Variable
    log_prior: FloatArray
    densities: tuple[Density, ...]
    weight: float = 1.0

    def joint_log(self, rows: FeatureTable) -> FloatArray:
        """log P(class, row) for every row and class."""
        return self.log_prior + self.weight * self.evidence(rows)

    def evidence(self, rows: FeatureTable) -> FloatArray:
        """Σ log P(feature | class)."""
        total = np.zeros((rows.rows, self.classes.cardinality))
        lost: list[tuple[Name, int]] = []
        for density in self.densities:
            if isinstance(density, TableDensity):
                codes, strangers = density.codes(rows)
                if strangers and density.unknown == "missing":
                    lost.append((density.variable.name, strangers))
                total += density.log_table[codes]
            else:
                total += density.log_density(rows)
        warn_of_strangers(lost)
        return total


def gaussians(densities: Sequence[Density]) -> list[GaussianDensity]:
    """Those that one kernel call can score together."""
    return [density for density in densities if isinstance(density, GaussianDensity)]
