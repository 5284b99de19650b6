"""Class trees as members of the pool: the arithmetic and the geometric mean of the trees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bayou.errors import BadFile
from bayou.estimators.class_trees.class_trees import ClassTrees, TreePools
from bayou.estimators.pooled.added_shares import AddedShares
from bayou.estimators.pooled.feature_codes import Codes
from bayou.estimators.pooled.members.tree_inputs import grown_on, require_fitting_trees, tree_codes
from bayou.estimators.pooled.pool_settings import PoolSettings
from bayou.estimators.pooled.prepared_columns import PreparedColumns
from bayou.estimators.pooled.training_rows import TrainingRows
from bayou.typing import FloatArray, IntArray

MOST_TREES = 10_000
"""Of a file."""


class TreeMember:
    """Trees, and the codes that they read; two members of the pool."""

    def __init__(self, prepared: PreparedColumns, trees: ClassTrees) -> None:
        self.prepared, self.trees = prepared, trees

    def __reduce__(self) -> tuple[Any, ...]:
        """The kernel's trees are pickled as the arrays that they consist of."""
        return _restored, (self.prepared, self.trees.state())

    def state(self) -> dict[str, Any]:
        """Plain data for a file."""
        return self.trees.state()

    @classmethod
    def from_state(cls, state: Mapping[str, Any], prepared: PreparedColumns, classes: int) -> TreeMember:
        """Read :meth:`state`; the trees must be of these columns and classes."""
        require_fitting_trees(state, prepared, classes)
        if not 0 < state["n_trees"] <= MOST_TREES or not state["smoothing"] > 0:
            raise BadFile("the number of trees of an ensemble, or their smoothing, is impossible.")
        return cls(prepared, ClassTrees.from_state(dict(state)))

    def log_proba(self, fine: Codes) -> tuple[FloatArray, FloatArray]:
        """log P(class | row) of both means, [row, class]."""
        pools = self.trees.predict(tree_codes(self.prepared, fine))
        return pools.arithmetic, pools.geometric

    def shares(self, fine: Codes, of: int, against: int) -> tuple[AddedShares, AddedShares]:
        """The log-odds of one row by both means, split among the columns along the paths of the trees."""
        paths = self.trees.paths(tree_codes(self.prepared, fine))
        each, chances = [], []
        for path in paths.paths:
            odds = np.log(path.posteriors[:, of]) - np.log(path.posteriors[:, against])
            columns = np.zeros(paths.n_columns)
            for step, condition in zip(np.diff(odds).tolist(), path.conditions, strict=True):
                columns[condition.column] += step
            each.append(AddedShares(float(odds[0]), columns))
            chances.append(path.posteriors[-1][[of, against]])
        root, added = paths.contributions()
        geometric = AddedShares(float(root[of] - root[against]), added[:, of] - added[:, against])
        return AddedShares.of_mean(each, np.array(chances)), geometric


def grown_trees(
    prepared: PreparedColumns, fine: Codes, rows: TrainingRows, kept: IntArray, settings: PoolSettings
) -> tuple[TreeMember, TreePools]:
    """Return the trees, and the probabilities of the kept rows as if these had not been seen."""
    trees = grown_on(ClassTrees.grow, prepared, fine, rows, kept, seed=settings.seed, n_trees=settings.trees)
    return TreeMember(prepared, trees), trees.held_out


def _restored(prepared: PreparedColumns, state: dict[str, Any]) -> TreeMember:
    return TreeMember(prepared, ClassTrees.from_state(state))
