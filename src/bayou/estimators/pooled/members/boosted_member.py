"""Boosted trees as a member of the pool: a model for each fold of the rows judges those that it missed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bayou.errors import BadFile
from bayou.estimators.class_trees.boosted_trees import BoostedTrees
from bayou.estimators.pooled.added_shares import AddedShares
from bayou.estimators.pooled.feature_codes import UNKNOWN, Codes
from bayou.estimators.pooled.members.later_classes import LaterClasses
from bayou.estimators.pooled.members.tree_inputs import grown_on, require_fitting_trees, tree_codes
from bayou.estimators.pooled.pool_settings import PoolSettings
from bayou.estimators.pooled.prepared_columns import PreparedColumns
from bayou.estimators.pooled.training_rows import TrainingRows
from bayou.special_functions import log_sum_exp
from bayou.typing import FloatArray, IntArray

MOST_FOLDS = 100
"""Of a file."""


class BoostedMember:
    """Boosted trees, and the codes that they read."""

    def __init__(
        self, prepared: PreparedColumns, trees: BoostedTrees, later: LaterClasses | None = None
    ) -> None:
        self.prepared, self.trees, self.later = prepared, trees, later

    def __reduce__(self) -> tuple[Any, ...]:
        """The kernel's trees are pickled as the arrays that they consist of."""
        return _restored, (self.prepared, self.trees.state(), self.later)

    def state(self) -> dict[str, Any]:
        """Plain data for a file; the sets of codes as signed numbers, which files hold."""
        state = self.trees.state()
        later = None if self.later is None else self.later.state()
        return {**state, "codes": state["codes"].view(np.int64), "later": later}

    @classmethod
    def from_state(cls, state: Mapping[str, Any], prepared: PreparedColumns, classes: int) -> BoostedMember:
        """Read :meth:`state`; the trees must be of these columns and classes."""
        later = None if state["later"] is None else LaterClasses.from_state(state["later"], classes)
        require_fitting_trees(state, prepared, classes if later is None else len(later.places))
        if state["codes"].dtype != np.int64 or not 0 < state["folds"] <= MOST_FOLDS:
            raise BadFile("the boosted trees of an ensemble are damaged.")
        codes = np.ascontiguousarray(state["codes"]).view(np.uint64)
        return cls(prepared, BoostedTrees.from_state({**state, "codes": codes}), later)

    def log_proba(self, fine: Codes, log_class_shares: FloatArray) -> FloatArray:
        """log P(class | row), [row, class]; of rows with hidden columns drawn to the class shares."""
        logs = self.of_all_classes(self.trees.predict(tree_codes(self.prepared, fine)))
        known = known_to_trees(fine)[:, None]
        if (known == 1).all():
            return logs
        drawn = known * logs + (1 - known) * log_class_shares
        return drawn - log_sum_exp(drawn)

    def of_all_classes(self, logs: FloatArray) -> FloatArray:
        """log P(class | row) of the trees, with the classes that came after they were learned."""
        return logs if self.later is None else self.later.log_proba(logs)

    def shares(self, fine: Codes, log_class_shares: FloatArray, of: int, against: int) -> AddedShares:
        """The log-odds of one row, split among the columns along the paths of the trees."""
        known = float(known_to_trees(fine)[0])
        prior = (1 - known) * float(log_class_shares[of] - log_class_shares[against])
        found = self._of_trees(fine, of, against).times(known)
        return AddedShares(found.rest + prior, found.columns)

    def _of_trees(self, fine: Codes, of: int, against: int) -> AddedShares:
        codes = tree_codes(self.prepared, fine)
        base, columns = self.trees.contributions(codes)
        if self.later is not None:
            logs = self.trees.predict(codes)
            return self.later.shares(base, columns, logs[0], of, against)
        return AddedShares(float(base[of] - base[against]), columns[:, of] - columns[:, against])


def known_to_trees(fine: Codes) -> FloatArray:
    """How much boosted trees count for rows with hidden columns: (known part of the columns)^1.5.

    They average scores over the ways that a hidden value may go. Classes are less sure than their mean score:
    the more of a row is hidden, the more so.

    >>> known_to_trees(np.array([[0, 0], [0, 255]], dtype=np.uint8)).round(3).tolist()
    [1.0, 0.354]
    """
    known: FloatArray = (fine != UNKNOWN).mean(axis=0) ** 1.5
    return known


def grown_boosted(
    prepared: PreparedColumns, fine: Codes, rows: TrainingRows, kept: IntArray, settings: PoolSettings
) -> tuple[BoostedMember, FloatArray]:
    """Return the trees, and log P(class | row) of the kept rows by the models that did not see them."""
    trees = grown_on(BoostedTrees.grow, prepared, fine, rows, kept, seed=settings.seed)
    return BoostedMember(prepared, trees), trees.held_out


def _restored(prepared: PreparedColumns, state: dict[str, Any], later: LaterClasses | None) -> BoostedMember:
    return BoostedMember(prepared, BoostedTrees.from_state(state), later)
