"""Columns of states in a Gaussian classifier: numbers that are 1 where the column has a state, else 0."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayou.errors import BadData, listed, warn_user
from bayou.estimators.gaussian.gaussian_model import GaussianModel
from bayou.estimators.input.code_positions import state_positions
from bayou.estimators.input.feature_table import FeatureTable, number_matrix
from bayou.estimators.input.labelled_source import LabelledSource
from bayou.estimators.input.labelled_table import LabelledTable
from bayou.schema import Variable
from bayou.sources import Columns
from bayou.sources.indicator_source import IndicatorSource, Levels, indicator_values, indicators
from bayou.sources.prepared_source import counted_states
from bayou.typing import BoolArray, FloatArray, Name, State

MOST_STATES = 100
"""A column with more states than this is no category: an identifier, or numbers with an odd cell."""


def found_levels(rows: LabelledSource) -> dict[Name, tuple[State, ...]]:
    """Return the states of the columns that hold no numbers; one with too many of them is refused."""
    names = [name for name in rows.features if not rows.is_numeric(name)]
    if not names:
        return {}
    whole = rows.source if isinstance(rows, LabelledTable) else rows.labelled_part()
    levels = {name: found.states for name, found in counted_states(whole, names, names).items()}
    for name, states in levels.items():
        if len(states) > MOST_STATES:
            raise BadData(
                f"The column {name!r} has {len(states):,} different values, such as {states[0]!r}: too many "
                f"for one indicator each (at most {MOST_STATES}). Convert it to numbers, or leave it out."
            )
    empty = [name for name, states in levels.items() if not states]
    if empty:
        raise BadData(
            f"No training row has a value of {listed(empty)}: nothing can be learned from such a column. "
            "Leave it out."
        )
    return levels


def with_indicators(rows: LabelledSource, levels: Levels) -> LabelledSource:
    """Return the same rows with indicators in place of the columns of states."""
    if not levels:
        return rows
    whole = rows.source if isinstance(rows, LabelledTable) else rows.labelled_part()
    source = IndicatorSource(whole, levels)
    return LabelledSource(source, rows.target)


@dataclass(frozen=True)
class IndicatorModel:
    """A Gaussian model of indicators and numbers, which reads rows with columns of states."""

    inner: GaussianModel
    levels: Levels

    @property
    def log_prior(self) -> FloatArray:
        """log P(class)."""
        return self.inner.log_prior

    @property
    def means(self) -> FloatArray:
        """The mean of each class, [class, column]; of an indicator, the share of its state."""
        return self.inner.means

    @property
    def weight(self) -> float:
        """The exponent of the densities."""
        return self.inner.weight

    def with_log_prior(self, log_prior: FloatArray) -> Any:
        """The same densities with other class probabilities."""
        inner: Any = self.inner
        return replace(self, inner=inner.with_log_prior(log_prior))

    def scores(self, matrix: Any, posterior: bool) -> FloatArray:
        """Return the scores of rows of numbers and indicators."""
        return self.inner.scores(matrix, posterior)

    def joint_log(self, rows: FeatureTable) -> FloatArray:
        """log P(class, row)."""
        return self.table_scores(rows, posterior=False)

    def table_scores(self, rows: FeatureTable, posterior: bool) -> FloatArray:
        """The scores of new rows; states that were not in the training rows are missing."""
        return self.inner.table_scores(self._expanded(rows), posterior)

    def ignoring(self, columns: BoolArray) -> Any:
        """The same model, which leaves out the cells of these columns of new rows."""
        return replace(self, inner=self.inner.ignoring(columns))

    def covariance(self, k: int) -> FloatArray:
        """Σ of one class."""
        return self.inner.covariance(k)

    def _expanded(self, rows: FeatureTable) -> FeatureTable:
        """The rows as a matrix of numbers and indicators."""
        plain = [name for name in rows.names if name not in self.levels]
        numbers: dict[Name, FloatArray] = {}
        if plain:
            columns = Columns(plain, [rows.columns[name] for name in plain], rows.rows)
            numbers = dict(zip(plain, number_matrix(FeatureTable(columns)).T, strict=True))
        parts: list[FloatArray] = []
        names: list[Name] = []
        unseen: list[tuple[Name, int]] = []
        for name in rows.names:
            if name not in self.levels:
                names.append(name)
                parts.append(numbers[name])
                continue
            states = self.levels[name]
            codes, never = state_positions(Variable(name, states), rows.columns.coded(name), "missing")
            unseen += [(name, never)] if never else []
            for of_state, place in indicators(name, states):
                names.append(of_state)
                parts.append(indicator_values(codes, len(states), place))
        if unseen:
            told = ", ".join(f"{count} in {name!r}" for name, count in unseen)
            warn_user(f"Values that were not in the training rows count as missing: {told}.")
        return FeatureTable.of_matrix(np.column_stack(parts), tuple(names))
